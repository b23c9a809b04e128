"""Whatever names, values and classes are: what is written is read back the same, or refused in one sentence."""

from __future__ import annotations

import pytest
from support.hostile import check_sentence, hostile_data

import ctree
from ctree.errors import DataError

pytestmark = pytest.mark.filterwarnings("ignore::ctree.data.files.csv_remarks.CsvRemark")

SHORT, LONG = range(100), range(100, 700)


def cells(data):
    """Names, then the cases, as texts: files do not tell a number from its text."""
    places = range(len(data.schema))
    rows = [[*(data.value(i, a) for a in places), data.labels[i]] for i in range(len(data))]
    return [list(data.schema.names), *([x if isinstance(x, float) else str(x) for x in row] for row in rows)]


def by_csv(data, folder):
    ctree.write_csv(data, folder / "t.csv")
    discrete = [a.name for a in data.schema if a.is_discrete]
    return ctree.read_csv(folder / "t.csv", categorical_features=discrete)


def by_csv_of_a_known_schema(data, folder):
    ctree.write_csv(data, folder / "t.csv")
    return ctree.read_csv(folder / "t.csv", "class", schema=data.schema)


def by_arff(data, folder):
    pytest.importorskip("arff")
    ctree.write_arff(data, folder / "t.arff")
    return ctree.read_arff(folder / "t.arff")


def by_c45(data, folder):
    ctree.write_c45(data, folder / "t")
    return ctree.read_c45(folder / "t")


WAYS = [by_csv, by_csv_of_a_known_schema, by_arff, by_c45]


def is_written(way, seed, folder):
    """Whether cases were written, and then read back the same."""
    data = hostile_data(seed)
    written = {path: path.read_bytes() for path in folder.iterdir()}
    try:
        back = way(data, folder)
    except DataError as error:
        check_sentence(error)
        assert {path: path.read_bytes() for path in folder.iterdir()} == written, "refused, but there is half a file"
        return False
    assert cells(back) == cells(data)
    return True


@pytest.mark.parametrize("way", WAYS)
def test_files_are_read_back_the_same(way, tmp_path):
    written = sum(is_written(way, seed, tmp_path) for seed in SHORT)
    assert written > 10


@pytest.mark.slow
@pytest.mark.parametrize("way", WAYS)
def test_files_are_read_back_the_same_at_length(way, tmp_path):
    for seed in LONG:
        is_written(way, seed, tmp_path)
