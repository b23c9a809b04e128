"""The slow versions show the worked numbers of the papers in their examples; these must come out."""

import doctest
import importlib
from pathlib import Path

import pytest

MODULES = sorted(path.stem for path in (Path(__file__).parent / "naive").glob("*.py") if path.stem != "__init__")


@pytest.mark.parametrize("name", MODULES)
def test_examples_of_the_slow_versions(name):
    assert doctest.testmod(importlib.import_module(f"naive.{name}")).failed == 0


def test_there_are_examples():
    modules = [importlib.import_module(f"naive.{name}") for name in MODULES]
    assert sum(len(test.examples) for module in modules for test in doctest.DocTestFinder().find(module)) > 50
