"""Odd comma-separated files: what each is taken for and what is said, in memory and scanned, as written by hand."""

from __future__ import annotations

import warnings
from pathlib import Path

import pytest
from support.csv_oddities import ODDITIES, tables
from support.csv_oddity import Oddity
from support.scanned import check_parts

import ctree
from ctree.errors import DataConversionWarning, DataError


@pytest.fixture
def file(tmp_path, monkeypatch):
    """Write an odd file and give its name."""
    monkeypatch.chdir(tmp_path)

    def make(odd: Oddity) -> str:
        (tmp_path / f"t{odd.suffix}").write_bytes(odd.bytes)
        return f"t{odd.suffix}"

    return make


def read(function, name, **options):
    """What a function makes of a file, and what it says."""
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        data = function(name, **options)
    assert all(isinstance(one.message, DataConversionWarning) for one in caught)
    assert all(one.filename == __file__ for one in caught)
    return data, [one.message.for_command.removeprefix(f"{name}: ") for one in caught]


def cells(data, name):
    if name not in data.schema.names:
        return data.labels
    j = data.schema.names.index(name)
    return [data.value(i, j) for i in range(len(data))]


@pytest.mark.parametrize("odd", ODDITIES, ids=lambda odd: odd.title)
def test_what_it_is_taken_for_and_what_is_said(file, odd):
    name = file(odd)
    if odd.error:
        with pytest.raises(DataError) as error:
            ctree.read_csv(name, **odd.options)
        assert str(error.value).startswith(name)
        assert str(error.value).endswith(odd.error)
        return
    data, said = read(ctree.read_csv, name, **odd.options)
    assert (*data.schema.names, list(odd.columns)[-1]) == tuple(odd.columns)
    assert data.schema.classes == tuple(sorted(set(cells(data, None)) - {None}))
    for column, expected in odd.columns.items():
        assert cells(data, column) == [None if x != x else x for x in expected]
    for attribute in data.schema:
        text = any(isinstance(value, str) for value in odd.columns[attribute.name])
        assert attribute.is_discrete == text
    assert said == list(odd.said)


@pytest.mark.parametrize("odd", ODDITIES, ids=lambda odd: odd.title)
def test_it_is_scanned_as_it_is_read(file, odd):
    pytest.importorskip("pyarrow")
    name = file(odd)
    if odd.error:
        with pytest.raises(DataError) as error:
            ctree.scan_csv(name, **odd.options)
        assert str(error.value).startswith(name)
        assert (odd.scan_error or odd.error) in str(error.value)
        return
    expected, told = read(ctree.read_csv, name, **odd.options)
    cases, said = read(ctree.scan_csv, name, **odd.options)
    with cases:
        check_parts(cases, expected)
    assert said == told


def test_the_page_has_all_of_them():
    assert len(ODDITIES) > 60
    assert len({odd.title for odd in ODDITIES}) == len(ODDITIES)
    assert not [odd.title for odd in ODDITIES if bool(odd.error) == bool(odd.columns)]
    page = Path(__file__).parents[2] / "docs" / "csv.md"
    assert tables().strip() in page.read_text("utf-8")
