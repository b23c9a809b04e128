"""`ctree export`: each form is what the function writes; wrong usage is told."""

from __future__ import annotations

import pytest

import ctree
from ctree.cli.main import main


@pytest.fixture
def saved(tmp_path):
    path = tmp_path / "golf.json"
    model = ctree.C45Classifier(estimate="laplace").fit(ctree.read_c45("examples/golf"))
    ctree.save(model, str(path))
    return model, str(path)


@pytest.mark.parametrize(
    ("options", "expected"),
    [
        (["--to", "sql"], lambda model: ctree.to_sql(model) + "\n"),
        (
            ["--to", "sql", "--dialect", "sqlite", "--table", "days", "--key", "day"],
            lambda model: ctree.to_sql(model, "sqlite", table="days", key="day") + "\n",
        ),
        (["--to", "sql", "--form", "case"], lambda model: ctree.to_sql(model, form="case") + "\n"),
        (["--to", "pmml", "--target", "play"], lambda model: ctree.to_pmml(model, target="play")),
        (["--to", "pmml", "--form", "shares"], lambda model: ctree.to_pmml(model, form="shares")),
        (["--to", "python"], ctree.to_python),
        (["--to", "c", "--name", "golf"], lambda model: ctree.to_c(model, name="golf")),
    ],
)
def test_what_the_functions_write(saved, options, expected, capsys, tmp_path):
    model, path = saved
    assert main(["export", path, *options]) == 0
    assert capsys.readouterr().out == expected(model)
    out = tmp_path / "out"
    assert main(["export", path, *options, "-o", str(out)]) == 0
    assert out.read_text("utf-8") == expected(model)


@pytest.mark.parametrize(
    ("options", "status", "message"),
    [
        (["--to", "c", "--dialect", "sqlite"], 2, "--dialect is not for --to c"),
        (["--to", "sql", "--form", "tree"], 2, "form must be 'walk' or 'case'"),
        (["--to", "cobol"], 2, "invalid choice"),
        ([], 2, "--to"),
    ],
)
def test_wrong_usage(saved, options, status, message, capsys):
    assert main(["export", saved[1], *options]) == status
    assert message in capsys.readouterr().err


def test_a_file_that_exists(saved, tmp_path, capsys):
    out = tmp_path / "tree.c"
    out.write_text("mine")
    assert main(["export", saved[1], "--to", "c", "-o", str(out)]) == 1
    assert "--force overwrites it" in capsys.readouterr().err
    assert out.read_text() == "mine"
    assert main(["export", saved[1], "--to", "c", "-o", str(out), "--force"]) == 0
    assert "model_predict_proba" in out.read_text()


def test_a_model_of_no_tree(tmp_path, capsys):
    path = str(tmp_path / "average.json")
    ctree.save(ctree.BayesOptimalClassifier(max_depth=1).fit(ctree.read_c45("examples/golf")), path)
    for to in ("sql", "pmml", "python", "c"):
        assert main(["export", path, "--to", to]) == 1
        assert "it is the average of all trees; export its `most_probable_tree()`" in capsys.readouterr().err


@pytest.mark.parametrize("learner", [ctree.C45RulesClassifier(), ctree.NaiveBayesClassifier()])
def test_rules_and_naive_bayes(learner, tmp_path, capsys):
    path = str(tmp_path / "model.json")
    model = learner.fit(ctree.read_c45("examples/golf"))
    ctree.save(model, path)
    for to in ("sql", "pmml", "python", "c"):
        assert main(["export", path, "--to", to]) == 0
        assert capsys.readouterr().out.strip() == getattr(model, f"to_{to}")().strip()
    assert main(["export", path, "--to", "sql", "--form", "case"]) == 2
    assert "form is only for trees, and a " in capsys.readouterr().err


@pytest.mark.filterwarnings("ignore::ctree.learners.mcmc.convergence.ChainsDisagreeWarning")
def test_a_sampled_tree(tmp_path, capsys):
    path = str(tmp_path / "sampled.json")
    model = ctree.MCMCTreeClassifier(burn_in=10, samples=5).fit(ctree.read_c45("examples/golf"))
    ctree.save(model, path)
    assert main(["export", path, "--to", "python", "--member", "2"]) == 0
    assert capsys.readouterr().out == model.trees_[2].to_python()
