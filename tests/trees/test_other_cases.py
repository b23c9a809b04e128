"""Cases of another schema than a tree or rules have are refused before a kernel reads beyond their columns."""

from __future__ import annotations

import pytest

import ctree
from ctree.errors import DataError

GOLF = ctree.load_golf()
SHORT = ctree.from_arrays({"outlook": ["sunny", "rain"]}, ["Play", "Don't Play"])
SWAPPED = ctree.from_arrays(
    {"outlook": [1.0, 2.0], "temperature": ["a", "b"], "humidity": ["a", "b"], "windy": [0.5, 1.5]},
    ["Play", "Don't Play"],
)
RICHER = ctree.from_arrays(
    {"outlook": list("abcd"), "temperature": [1, 2, 3, 4], "humidity": [1, 2, 3, 4], "windy": list("abcd")},
    list("pqrs"),
)
WRONG = {
    "fewer": (SHORT, "the cases have 1 attributes, but the model has 4"),
    "of other kinds": (SWAPPED, "attribute 'outlook' of the model is discrete, but that of the cases continuous"),
    "of more values": (RICHER, "attribute 'outlook' of the model has 3 values, but that of the cases 4"),
}


@pytest.mark.parametrize("which", WRONG)
def test_a_tree_and_rules_refuse_cases_of_another_schema(which):
    data, message = WRONG[which]
    tree = ctree.C45Classifier().fit(GOLF).tree_
    rules = ctree.C45RulesClassifier().fit(GOLF).rules_
    for method in (tree.predict_proba, tree.apply, tree.decision_path, rules.predict_proba, rules.apply, rules.covers):
        with pytest.raises(DataError) as caught:
            method(data)
        assert str(caught.value) == message
