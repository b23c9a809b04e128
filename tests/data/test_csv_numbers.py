"""Columns of numbers in all forms, read and scanned, against every way to read them."""

from __future__ import annotations

import warnings

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from naive.csv_numbers import column
from support.scanned import check_parts

import ctree
from ctree.data.scan import csv_blocks
from ctree.scale import coding_pass

WHOLE = st.integers(0, 3000000).map(str)
FEW = st.integers(0, 999).map(str)
GROUPED = st.integers(1000, 3000000).map(lambda n: f"{n:,}")
FRACTION = st.text("0123456789", min_size=1, max_size=4)
FORMS = {
    "whole": WHOLE,
    "few": FEW,
    "point": st.tuples(WHOLE, FRACTION).map(".".join),
    "comma": st.tuples(WHOLE, FRACTION).map(",".join),
    "thousands": GROUPED,
    "points": GROUPED.map(lambda text: text.replace(",", ".")),
    "thousands and point": st.tuples(GROUPED, FRACTION).map(".".join),
    "points and comma": st.tuples(GROUPED, FRACTION).map(lambda t: t[0].replace(",", ".") + "," + t[1]),
    "spaces": GROUPED.map(lambda text: text.replace(",", " ")),
    "apostrophes and point": st.tuples(GROUPED, FRACTION).map(lambda t: t[0].replace(",", "'") + "." + t[1]),
    "exponent": st.tuples(FEW, FRACTION, st.integers(-5, 5)).map(lambda t: f"{t[0]}.{t[1]}e{t[2]}"),
    "comma and exponent": st.tuples(FEW, FRACTION, st.integers(-5, 5)).map(lambda t: f"{t[0]},{t[1]}E{t[2]}"),
    "odd": st.sampled_from(["1,23,456", "1.2.3", "a", "12,", ".5", ",5", "0,123", "0.123", "1 23", "1,2345", "1-2"]),
}
SIGNS = st.sampled_from(
    ["{}"] * 12 + ["-{}", "\N{MINUS SIGN}{}", "{}%", "€ {}", "-€{}", "{} €", "$-{}", "{}%%", "€{}%"]
)


@st.composite
def columns(draw):
    """Cells of one to three forms with one or two signs."""
    forms = [FORMS[name] for name in draw(st.lists(st.sampled_from(sorted(FORMS)), min_size=1, max_size=3))]
    signs = [draw(SIGNS) for _ in range(draw(st.sampled_from([1, 1, 1, 2])))]
    n = draw(st.integers(1, 12))
    return [draw(st.sampled_from(signs)).format(draw(draw(st.sampled_from(forms)))) for _ in range(n)]


@given(columns(), st.lists(st.sampled_from(["", "null", "-", "NA"]), max_size=3))
@settings(max_examples=200, suppress_health_check=[HealthCheck.function_scoped_fixture])
@pytest.mark.filterwarnings("ignore::ctree.errors.DataConversionWarning")
def test_numbers_are_those_of_the_one_way_that_reads_them_all(tmp_path, cells, unknown):
    path = tmp_path / "t.csv"
    rows = [f'"{cell}",{"ab"[i % 2]}\n' for i, cell in enumerate([*cells, *unknown])]
    path.write_text("x,y\n" + "".join(rows), encoding="utf-8")
    data = ctree.read_csv(path)
    expected = column(cells)
    if expected is None:
        assert data.schema[0].is_discrete
        assert [data.value(i, 0) for i in range(len(cells))] == cells
    else:
        np.testing.assert_array_equal(data.columns[0], [*expected, *[np.nan] * len(unknown)])


@pytest.mark.parametrize("rows", [1, 3, 1000])
@given(columns(), columns(), st.sampled_from([None, None, ".", ","]))
@settings(max_examples=25, suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_scanned_numbers_are_those_of_memory(tmp_path, rows, cells, others, decimal):
    pytest.importorskip("pyarrow")
    n = min(len(cells), len(others))
    path = tmp_path / "t.csv"
    lines = [f'"{cells[i]}","{others[i]}",{"ab"[i % 2]}\n' for i in range(n)]
    path.write_text("x,z,y\n" + "".join(lines), encoding="utf-8")
    with pytest.MonkeyPatch.context() as patch, warnings.catch_warnings():
        warnings.simplefilter("ignore", ctree.errors.DataConversionWarning)
        patch.setattr(csv_blocks, "FIRST_ROWS", rows)
        patch.setattr(csv_blocks, "MOST_ROWS", rows)
        patch.setattr(coding_pass, "SAMPLE", rows)
        patch.setattr(coding_pass, "MOST_ROWS", rows)
        expected = ctree.read_csv(path, decimal=decimal)
        with ctree.scan_csv(path, decimal=decimal) as cases:
            check_parts(cases, expected)


def test_late_evidence_is_found_in_scans(tmp_path, monkeypatch):
    """A column that begins with plain numbers and goes on with others, far below the rows that are looked at first."""
    pytest.importorskip("pyarrow")
    monkeypatch.setattr(csv_blocks, "FIRST_ROWS", 10)
    monkeypatch.setattr(csv_blocks, "MOST_ROWS", 50)
    monkeypatch.setattr(coding_pass, "SAMPLE", 10)
    plain = [str(i) for i in range(1200)]
    for late in (["0,5"], ["1,234"], ["1,234", "0.5"], ["0,5", "0.5"], ["5%"], ["n/a"], ["word"], ["1,234,567"]):
        path = tmp_path / "t.csv"
        cells = [*plain, *late, *plain[:100]]
        path.write_text("x,y\n" + "".join(f'"{cell}",{i % 2}\n' for i, cell in enumerate(cells)))
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", ctree.errors.DataConversionWarning)
            data = ctree.read_csv(path)
            with ctree.scan_csv(path) as cases:
                check_parts(cases, data)
        expected = column([cell for cell in cells if cell != "n/a"])
        assert data.schema[0].is_discrete == (expected is None)
