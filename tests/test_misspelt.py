"""A name that is misspelt in Python is guessed, and what is not like any other is not."""

from __future__ import annotations

import re

import pytest

import ctree
from ctree.errors import CtreeError, DataError, NamingError, ParameterError
from ctree.wording import near_match, nearest

GOLF = ctree.load_golf()
TREE = ctree.C45Classifier().fit(GOLF)
TABLE = {"height": [1.0, 2.0, 3.0, 4.0], "weight": [1.0, 1.0, 2.0, 2.0]}

MISSPELT = {
    "a value": (lambda: ctree.ProbabilityTreeClassifier(approach="bic-stpo").fit(GOLF), ParameterError, "bic-stop"),
    "a value among others": (
        lambda: ctree.C45Classifier(prune="reduced-eror").fit(GOLF), ParameterError, "reduced-error"),
    "a parameter": (lambda: ctree.C45Classifier().set_params(confidnce=0.1), ParameterError, "confidence"),
    "a method of pruning": (lambda: TREE.pruned("cost-complexty"), ParameterError, "cost-complexity"),
    "a setting of pruning": (lambda: TREE.pruned("bic", confidnce=1), ParameterError, None),
    "a setting of pruning by errors": (
        lambda: TREE.pruned("error-based", GOLF, confidnce=1), ParameterError, "confidence"),
    "a class": (lambda: ctree.C45Classifier(class_weight={"Plya": 2}).fit(GOLF), ParameterError, "Play"),
    "an attribute": (lambda: GOLF.schema.index("humidty"), NamingError, "humidity"),
    "a column": (
        lambda: ctree.from_arrays(TABLE, [0, 1, 0, 1], categorical_features=["heigth"]), NamingError, "height"),
    "a column that a model has": (
        lambda: ctree.C45Classifier().fit(TABLE, [0, 1, 0, 1]).predict({"heigth": [1.0], "weight": [1.0]}),
        DataError, "heigth"),
    "a dialect": (lambda: ctree.to_sql(TREE, "sqlit"), ParameterError, "sqlite"),
    "a measure": (
        lambda: ctree.measure_table(ctree.compare({"g": GOLF}, {"c": TREE}, protocol=ctree.Holdout(0.3, 2)), "acuracy"),
        ParameterError, "accuracy"),
    "nothing like it": (lambda: ctree.C45Classifier(criterion="gini").fit(GOLF), ParameterError, None),
    "no text": (lambda: ctree.C45Classifier(criterion=[["gain"]]).fit(GOLF), ParameterError, None),
}  # fmt: skip


@pytest.mark.parametrize("what", MISSPELT)
def test_what_was_meant_is_guessed(what):
    call, kind, meant = MISSPELT[what]
    with pytest.raises(CtreeError) as caught:
        call()
    assert isinstance(caught.value, kind)
    assert re.findall(r"did you mean '(.*?)'\?", str(caught.value)) == ([] if meant is None else [meant])


def test_a_wrong_name_is_an_error_of_data_and_of_parameters():
    assert issubclass(NamingError, DataError)
    assert issubclass(NamingError, ParameterError)
    error = NamingError("there is no column 'x'", "cases.csv", 3)
    assert (str(error), error.file, error.line) == ("cases.csv:3: there is no column 'x'", "cases.csv", 3)


def test_the_nearest_of_names():
    assert nearest("wlak", ["case", "walk"]) == "walk"  # two letters exchanged
    assert nearest("OUTLOOK", ["humidity", "outlook"]) == "outlook"
    assert nearest("zyzzyva", ["humidity", "outlook"]) is None
    assert nearest(None, ["none"]) is None
    assert near_match(3, ["3"]) == ""
    assert near_match("", ["a", "b"]) == ""
    assert near_match("humidty", (f"x{i}" for i in range(10**9))) == ""  # only the first of very many are looked at
