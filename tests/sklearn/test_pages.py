"""What the pages about tables and scikit-learn show is what happens."""

import doctest
from pathlib import Path

import pytest

PAGES = Path(__file__).parents[2] / "docs"


@pytest.mark.parametrize(("page", "needs"), [("tables.md", "polars"), ("scikit-learn.md", "sklearn")])
def test_the_examples_of_a_page(page, needs):
    pytest.importorskip(needs)
    result = doctest.testfile(str(PAGES / page), module_relative=False, optionflags=doctest.ELLIPSIS)
    assert result.attempted > 4
    assert result.failed == 0
