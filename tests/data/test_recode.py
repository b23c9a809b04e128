"""Cases in the codes of another schema, and unknown values replaced."""

import numpy as np
import pytest

import ctree
from ctree import Attribute, Dataset, Kind, Schema
from ctree.data.impute import imputed, mode_or_mean
from ctree.data.recode import recoded, recoded_columns
from ctree.errors import DataError

COLOUR = Attribute("colour", Kind.DISCRETE, ("red", "blue", "1"))
SIZE = Attribute("size", Kind.CONTINUOUS)
NOTE = Attribute("note", Kind.IGNORE)
MODEL = Schema((COLOUR, SIZE, NOTE), ("a", "b"))


def dataset(*columns, classes=("a", "b")):
    """A data set of pairs of an attribute and its column."""
    return Dataset(Schema(tuple(a for a, _ in columns), classes), [c for _, c in columns])


def test_attributes_go_by_name_and_values_by_what_they_are():
    other = Attribute("colour", Kind.DISCRETE, ("green", "blue", 1))
    data = recoded(dataset((SIZE, [1.0, 2.0, np.nan, 4.0]), (other, [0, 1, 2, -1])), MODEL)
    assert data.schema is MODEL
    assert data.columns[0].tolist() == [-1, 1, 2, -1]
    assert data.columns[1].tolist()[:2] == [1.0, 2.0]
    assert data.columns[2] is None


def test_the_same_attributes_are_not_touched():
    data = dataset((COLOUR, [0]), (SIZE, [1.0]), (NOTE, None))
    assert recoded(data, MODEL) is data


def test_numbers_are_labels_where_the_model_has_labels():
    given = Attribute("colour", Kind.CONTINUOUS)
    assert recoded(dataset((given, [1.0, 2.0]), (SIZE, [0.0, 0.0])), MODEL).columns[0].tolist() == [2, -1]


def test_unseen_values():
    data = dataset((Attribute("colour", Kind.DISCRETE, ("green", "red")), [1, 0]), (SIZE, [0.0, 0.0]))
    told = []
    assert recoded_columns(data, MODEL, lambda *what: told.append(what))[0].tolist() == [0, -1]
    assert told == [(COLOUR, "green")]
    with pytest.raises(DataError, match="attribute 'colour' has the value 'green', which is not one of"):
        recoded(data, MODEL, "error")


@pytest.mark.parametrize(
    ("columns", "message"),
    [
        ([(COLOUR, [0])], "the cases lack the attribute 'size'"),
        ([(COLOUR, [0]), (Attribute("size", Kind.DISCRETE, ("s",)), [0])], "'size' is discrete here but continuous in"),
        ([(COLOUR, [0]), (SIZE, [1.0]), (Attribute("x", Kind.CONTINUOUS), [1.0])], "the cases have the attribute 'x'"),
    ],
)
def test_what_does_not_fit_is_named(columns, message):
    with pytest.raises(DataError, match=message):
        recoded(dataset(*columns), MODEL)


class TestImputation:
    def test_modes_and_means_are_by_weight(self):
        data = Dataset(MODEL, [[0, 1, 1, -1], [1.0, 2.0, np.nan, 5.0], None], weights=[3, 1, 1, 4])
        assert [mode_or_mean(data, a) for a in range(3)] == [0, 25 / 8, None]

    def test_a_mean_that_overflows_is_taken_in_parts(self):
        data = Dataset(MODEL, [[0, 0], [1.7e308, 1.7e308], None])
        assert mode_or_mean(data, 1) == 1.7e308

    def test_nothing_is_known(self):
        data = Dataset(MODEL, [[-1], [np.nan], None])
        assert [mode_or_mean(data, a) for a in range(3)] == [None] * 3
        assert imputed(data, [None] * 3) is data

    def test_only_unknown_values_change(self):
        data = Dataset(MODEL, [[0, -1], [np.nan, 2.0], None], classes=[0, 1], weights=[1, 2])
        full = imputed(data, [1, 7.5, None])
        assert [c.tolist() for c in full.columns[:2]] == [[0, 1], [7.5, 2.0]]
        assert (full.classes.tolist(), full.weights.tolist()) == ([0, 1], [1, 2])
        golf = ctree.load_golf()
        assert imputed(golf, [0] * 4) is golf
