"""Errors and warnings of learners name the options that a person types, and in Python the parameters."""

from __future__ import annotations

import re

import pytest

import ctree
from ctree.learners.registry import CALLED, LEARNERS, RELATIONAL_LEARNERS
from tests.cli.conftest import EXAMPLES

SHOP = str(EXAMPLES / "shop")

SAID = {
    "learn golf --confidence 0.1 --no-prune": "--confidence has an effect only with --prune yes",
    "learn golf --collapse --prune reduced-error": "--collapse has an effect only with --prune yes or no",
    "learn golf --m 3": "--m has an effect only with --estimate m or m-branch",
    "learn golf --variant j48 --confidence 1": "--confidence must be less than 1 for J48",
    "learn golf --group-values --binary-splits":
        "--binary-splits and --group-values are mutually exclusive: a value stands alone or in a group",
    "learn golf --class-weight Plya:2":
        "--class-weight names 'Plya', but the classes are Play, Don't Play (did you mean 'Play'?)",
    "learn golf --method map --min-cases 15": "--min-cases is 15, but there are only 14 cases",
    "learn golf --method c4.4 --threshold-spacing width":
        "--threshold-spacing width needs --max-thresholds, the number of thresholds",
    "learn golf --method mcmc --rule-step 1 --rule-variance 2":
        "--rule-step 1 and --rule-variance 2 both say how far change-rule moves a threshold: leave one of them out",
    "learn golf --method mcmc --invalid-proposals sweep-paper":
        "--invalid-proposals sweep-paper needs --strategy sweeping",
    "learn golf --method bayesian --bins 2 --threshold-prior each":
        "--threshold-prior has an effect only with --bins none",
    f"learn --relational {SHOP} --links order.product=sideways":
        "--links order.product must be 'both', 'down', 'up' or 'none', not 'sideways'",
    f"learn --relational {SHOP} --constants order.late=yes":
        "--constants names 'order.late', but the columns are ",
    "mine golf --min-support 99": "--min-support is 99, but there are only 14 cases",
    "mine golf --limit 2":
        "more than 2 itemsets have a support of at least 2: a larger --min-support, a smaller --max-size or --kind "
        "closed gives fewer; --limit allows for more",
    "export golf.json --to c --name 1x":
        "--name must be a letter, then letters, digits and underscores, not '1x'",
    "export golf.json --to sql --form case --key x":
        "--key is only for --form walk; --form case returns all columns of the table",
}  # fmt: skip


@pytest.mark.parametrize(("line", "sentence"), SAID.items())
def test_errors_name_options(line, sentence, ctree_command, golf_model):
    answer = ctree_command(*line.split())
    assert answer.status == 2
    assert answer.err.startswith(f"ctree: {sentence}")
    assert not re.search(r"\b[a-z]+_[a-z]+\b|\bNone\b|\bTrue\b", re.sub(SHOP + "|days_late", "", answer.err))


@pytest.mark.parametrize(
    ("option", "value", "what"),
    [
        ("--prune", "maybe", "yes, no or reduced-error"),
        ("--class-weight", "Play", "none, balanced, costs or classes with weights of at least 0, as in yes:2,no:0.5"),
        ("--min-cases", "-1", "a number greater than 0"),
        ("--jobs", "0", "a number of threads up to 1000, -1 for all cores"),
    ],
)
def test_wrong_values_are_told_as_they_are_typed(option, value, what, ctree_command):
    answer = ctree_command("learn", "golf", option, value)
    assert answer.status == 2
    assert answer.err.endswith(f": it should be {what}, not '{value}'\n")
    assert f"argument {option}" in answer.err


def test_in_python_and_in_compare_they_are_parameters(ctree_command):
    golf = ctree.load_golf()
    with pytest.raises(ctree.errors.ParameterError, match=r"^min_cases must be a number greater than 0, not -1$"):
        ctree.C45Classifier(min_cases=-1).fit(golf)
    with pytest.raises(ctree.errors.ParameterError, match=r'^invalid_proposals="sweep-paper" needs strategy="sweep'):
        ctree.MCMCTreeClassifier(invalid_proposals="sweep-paper").fit(golf)
    answer = ctree_command("compare", "golf", "--no-cache", "--method", "c4.5(confidence=0.1, prune=no)")
    assert answer.status == 2
    assert "confidence has an effect only with prune=True" in answer.err


def test_warnings_name_options(ctree_command):
    words = ["--samples", "10", "--max-steps", "20", "--seed", "1"]
    answer = ctree_command("learn", "golf", "--method", "mcmc", *words)
    assert answer.status == 0
    assert answer.err.endswith("longer chains may help (--max-steps 80)\n")


def test_names_from_the_data_stay_as_they_are(ctree_command, tmp_path):
    rows = "".join(f"{i},{i % 3},{'ab'[i % 2]}\n" for i in range(6))
    (tmp_path / "t.csv").write_text("min_cases,max_depth,estimate\n" + rows)
    answer = ctree_command("learn", "t.csv", "--class", "min_case")
    assert answer.status == 2
    assert "there is no column 'min_case' among min_cases, max_depth, estimate" in answer.err


def test_models_are_called_what_they_are(ctree_command, golf_model):
    assert set(CALLED) == {*LEARNERS, *RELATIONAL_LEARNERS}
    answer = ctree_command("envelope", golf_model, "golf.data")
    assert answer.err == "ctree: golf.json: a C4.5 tree has no trees that vote; the envelope is for ensembles\n"
    answer = ctree_command("learn", "golf", "--method", "mcmc", "--resume", golf_model)
    assert answer.err == "ctree: golf.json: a C4.5 tree has no chains to continue\n"
