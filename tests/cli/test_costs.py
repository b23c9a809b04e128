"""Costs on the command line: --costs, and the .costs file of a stem."""

from __future__ import annotations

import json
import pathlib

import numpy as np
import pytest
from naive.costs import mean_cost

import ctree

LINE = "Play, Don't Play: 5\n"
COSTS = {("Don't Play", "Play"): 5}
ROWS = [[0, 1], [5, 0]]


@pytest.fixture
def golf():
    return ctree.read_c45("golf")


def test_the_costs_file_of_a_stem_is_used_and_told(ctree_command, golf):
    pathlib.Path("golf.costs").write_text(LINE)
    answer = ctree_command("learn", "golf", "--method", "bayesian", "-o", "golf.json")
    assert answer.status == 0
    lines = answer.out.splitlines()
    assert lines[1] == (
        "golf.costs: 1 cost, other errors cost 1; the class of least expected cost is predicted "
        "(--class-weight costs: grow with them as well)"
    )
    model = ctree.BayesianTreeClassifier(costs=COSTS).fit(golf)
    assert model.to_text() in answer.out
    paid = mean_cost(golf.classes.tolist(), model.predict_codes(golf).tolist(), ROWS, [1] * 14)
    assert f"Training:  9 errors in 14 cases (64.3%), mean cost {paid:.4g}" in answer.out
    assert (ctree.load("golf.json").predict(golf) == model.predict(golf)).all()
    answer = ctree_command("predict", "golf.json", "golf.data", "-o", "predictions.csv")
    assert answer.err == f"golf.data: 9 errors in 14 cases (64.3%), mean cost {paid:.4g}\n"
    said = [line.split(",")[1] for line in pathlib.Path("predictions.csv").read_text().splitlines()[1:]]
    assert said == model.predict(golf).tolist()


def test_an_option_goes_before_the_file_and_none_is_none(ctree_command):
    pathlib.Path("golf.costs").write_text("nonsense\n")
    plain = ctree_command("learn", "golf", "--costs", "none")
    assert plain.status == 0
    assert "cost" not in plain.out
    pathlib.Path("other.csv").write_text("actual,predicted,cost\nDon't Play,Play,5\n")
    assert "other.csv: 1 cost" in ctree_command("learn", "golf", "--costs", "other.csv").out
    answer = ctree_command("learn", "golf")
    assert answer.status == 1
    assert answer.err == "ctree: golf.costs:1: a line should be 'predicted class, true class: cost'\n"


def test_growing_with_costs(ctree_command, golf):
    pathlib.Path("golf.costs").write_text(LINE)
    answer = ctree_command("learn", "golf", "--class-weight", "costs", "--json")
    facts = json.loads(answer.out)
    assert facts["costs"] == {"file": "golf.costs", "matrix": ROWS}
    model = ctree.C45Classifier(costs=COSTS, class_weight="costs").fit(golf)
    assert facts["tree"]["text"] == model.to_text()
    paid = mean_cost(golf.classes.tolist(), model.predict_codes(golf).tolist(), ROWS, [1] * 14)
    assert facts["training"]["mean_cost"] == paid
    assert facts["parameters"]["costs"] == {"errors": [["Don't Play", "Play", 5.0]]}
    text = ctree_command("learn", "golf", "--class-weight", "costs").out
    assert "least expected cost is predicted, and cases weigh what errors on their class cost" in text


def test_a_model_is_not_written_over_the_costs(ctree_command):
    pathlib.Path("golf.costs").write_text(LINE)
    pathlib.Path("my.costs").write_text(LINE)
    for name in ("golf.costs", "my.costs"):
        answer = ctree_command("learn", "golf", "--costs", "my.costs", "-o", name, "--force")
        assert (answer.status, pathlib.Path(name).read_text()) == (2, LINE)
        assert "this file is read" in answer.err


def test_a_source_in_passes(ctree_command, golf):
    pathlib.Path("golf.costs").write_text(LINE)
    whole = ctree_command("learn", "golf", "--method", "bic-stop").out
    passes = ctree_command("learn", "golf", "--method", "bic-stop", "--memory", "1MB").out
    for line in whole.splitlines():
        assert line in passes


def test_linked_tables_and_committees(ctree_command):
    shop = pathlib.Path(__file__).parents[2] / "examples" / "shop"
    classes = ctree.read_relational(shop / "schema.json").schema.classes
    pathlib.Path("shop.costs").write_text(f"{classes[0]}, {classes[1]}: 8\n")
    for more in ((), ("--committee", "bagging", "--members", "3", "--seed", "1")):
        words = ("learn", "--relational", str(shop), "--costs", "shop.costs", *more)
        answer = ctree_command(*words, "-o", "shop.json", "--force")
        assert answer.status == 0, answer.err
        assert "shop.costs: 1 cost, other errors cost 1" in answer.out
        assert ", mean cost " in answer.out
        model = ctree.load("shop.json")
        data = ctree.read_relational(shop / "schema.json")
        assert model.costs_.tolist() == [[0, 1], [8, 0]]
        paid = mean_cost(
            data.classes.tolist(), model.predict_codes(data).tolist(), model.costs_.tolist(), [1] * len(data)
        )
        assert f"mean cost {paid:.4g}" in ctree_command("predict", "shop.json", "--relational", str(shop)).err


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["learn", "golf", "--costs", "no.costs"], "argument --costs: no.costs: there is no such file"),
        (["learn", "golf", "--costs", "x.costs"], "x.costs: the costs name a class 'Pla', not one of Play, Don't Play"),
        (["learn", "golf", "--class-weight", "costs"], "--class-weight costs needs costs, and there are none"),
        (["compare", "golf", "--measure", "cost"], "--measure cost needs to know what errors cost: give --costs FILE"),
        (["compare", "golf", "--costs", "x.costs"], "golf: x.costs: the costs name a class 'Pla'"),
        (["compare", "golf", "--costs", "no.costs"], "no.costs: there is no such file"),
        (
            ["compare", "golf", "--method", "c4.5(costs=no.costs)"],
            "costs must be none or a .costs or .csv file: no.costs: there is no such file",
        ),
    ],
)
def test_wrong_costs(ctree_command, words, message):
    pathlib.Path("x.costs").write_text("Pla, Don't Play: 2\n")
    answer = ctree_command(*words)
    assert answer.status in (1, 2)
    assert message in answer.err


class TestCompare:
    SMALL = ("--folds", "2", "--repeats", "2", "--no-cache")

    def test_costs_are_measured_by_default_where_they_are_known(self, ctree_command):
        pathlib.Path("golf.costs").write_text(LINE)
        answer = ctree_command("compare", "golf", "--method", "c4.5,bayesian", *self.SMALL)
        assert answer.err == "golf.costs: what errors cost (--costs none: do without)\n"
        assert "\nMean cost of a case\n" in answer.out
        plain = ctree_command("compare", "golf", "--method", "c4.5,bayesian", *self.SMALL, "--costs", "none")
        assert (plain.err, "cost" in plain.out) == ("", False)

    def test_kappa_cost_and_deviations_in_all_forms(self, ctree_command, golf):
        pathlib.Path("my.costs").write_text(LINE)
        methods = "c4.5,dear=c4.5(costs=my.costs)"
        words = ("compare", "golf", "--method", methods, "--costs", "my.costs", *self.SMALL, "--deviations")
        words = (*words, "--measure", "kappa,cost,least-cost,fit-seconds")
        forms = {
            form: ctree_command(*words, "--format", form).out for form in ("text", "markdown", "latex", "csv", "json")
        }
        result = ctree.compare(
            {"golf": golf},
            {"c4.5": ctree.C45Classifier(), "dear": ctree.C45Classifier(costs=COSTS)},
            protocol=ctree.StratifiedFolds(2, 2),
            costs=COSTS,
        )
        for measure in ("kappa", "cost", "least-cost"):
            mean, sd = (f"{f(measure)[0, 1]:.3f}" for f in (result.means, result.deviations))
            assert f" ± {sd}" in forms["text"]
            assert f"| {mean} ± {sd}" in forms["markdown"]
            assert f"${mean} \\pm {sd}$" in forms["latex"]
        facts = json.loads(forms["json"])
        assert facts["costs"] == {"golf": ROWS}
        found = {m["measure"]: m["results"][1] for m in facts["measures"]}
        assert found["cost"]["mean"] == result.means("cost")[0, 1]
        assert found["cost"]["sd"] == pytest.approx(np.std(result.scores["cost"][0, 1], ddof=1))
        assert "±: standard deviation over the splits" in forms["text"]
        assert r"$\pm$: standard deviation over the splits" in forms["latex"]
        assert forms["csv"].startswith("measure,set,learner,mean,sd,")

    def test_results_with_other_costs_are_not_reused(self, ctree_command):
        words = ("compare", "golf", "--method", "c4.5", "--folds", "2", "--repeats", "2", "--measure", "cost")
        tables = []
        for cost in ("5", "7", "5"):
            pathlib.Path("golf.costs").write_text(LINE.replace("5", cost))
            tables.append(ctree_command(*words, "--cache", "kept").out)
        assert tables[0] == tables[2] != tables[1]


def test_a_report_takes_the_costs_of_the_model(ctree_command, golf):
    pathlib.Path("golf.costs").write_text(LINE)
    assert ctree_command("learn", "golf", "-o", "golf.json").status == 0
    page = ctree_command("report", "golf.json", "golf.data").out
    assert "mean cost of a case" in page
    assert page.count("mean cost of a case") == ctree.report(ctree.load("golf.json"), golf, costs=COSTS).count(
        "mean cost of a case"
    )
    assert "mean cost of a case" not in ctree.report(ctree.C45Classifier().fit(golf), golf)
    assert ctree_command("report", "golf.json", "golf.data", "--costs", "golf.costs").status == 0
