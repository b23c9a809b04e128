"""`ctree learn --method mcmc` and `ctree envelope`."""

import csv
import json
import os
import pty
import signal
import subprocess
import sys
import time

import pytest

import ctree
from ctree.cli.main import main

QUICK = ["--method", "mcmc", "--min-cases", "1", "--burn-in", "500", "--samples", "50", "--chains", "2", "--seed", "1"]


def run(capsys, *arguments):
    status = main([str(a) for a in arguments])
    out, err = capsys.readouterr()
    return status, out, err


def test_chains_are_described_with_their_best_tree(capsys, tmp_path):
    status, out, err = run(capsys, "learn", "examples/golf", *QUICK, "-o", tmp_path / "golf.json")
    assert status == 0
    assert "move          proposed      invalid  accepted" in out
    assert "The most probable tree of those drawn:" in out
    assert "100 trees" in out
    assert "\r" not in err  # no progress where nobody watches
    model = ctree.load(tmp_path / "golf.json")
    assert (model.chains, model.min_cases, model.seed_, len(model.trees_)) == (2, 1, 1, 100)


def test_facts_for_a_program(capsys):
    status, out, _ = run(capsys, "learn", "examples/golf", *QUICK, "--strategy", "sweeping", "--json")
    facts = json.loads(out)
    assert status == 0
    assert facts["sampled"]["trees"] == 100
    assert facts["sampled"]["posterior_exact"] is True
    assert facts["parameters"]["strategy"] == "sweeping"
    assert set(facts["sampled"]["diagnostics"]) == {"log_likelihood", "log_posterior", "leaves", "depth"}


def test_options_reach_the_learner(capsys, tmp_path):
    more = [
        "--moves",
        "0.1,0.1,0.2,0.5,0.1",
        "--rule-variance",
        "2",
        "--temperatures",
        "2",
        "--tree-prior",
        "chipman",
        "--thin",
        "3",
    ]
    assert run(capsys, "learn", "examples/golf", *QUICK, *more, "-o", tmp_path / "golf.json")[0] == 0
    model = ctree.load(tmp_path / "golf.json")
    assert list(model.moves) == [0.1, 0.1, 0.2, 0.5, 0.1]
    assert (model.rule_variance, model.temperatures, model.tree_prior, model.thin) == (2, 2, "chipman", 3)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--samples", "5"], "--samples is not an option of --method c4.5"),
        ([*QUICK, "--confidence", "0.1"], "--confidence is not an option of --method mcmc"),
        ([*QUICK, "--min-cases", "8"], "--min-cases is 8, but of 14 cases"),
        (
            [*QUICK, "--strategy", "sweeping", "--invalid-proposals", "resample", "--tree-prior", "chipman"],
            "the sweeping of Schetinin",
        ),
    ],
)
def test_wrong_options_are_one_sentence(capsys, arguments, message):
    status, _, err = run(capsys, "learn", "examples/golf", *arguments)
    assert status == 2
    assert message in err
    assert err.count("\n") == 1


def test_a_run_goes_on_where_it_was(capsys, tmp_path):
    first, whole = tmp_path / "first.json", tmp_path / "whole.json"
    run(capsys, "learn", "examples/golf", *QUICK, "-o", first)
    run(capsys, "learn", "examples/golf", *[a if a != "50" else "80" for a in QUICK], "-o", whole)
    status, out, _ = run(
        capsys, "learn", "examples/golf", "--method", "mcmc", "--resume", first, "--samples", 80, "-o", first
    )
    assert status == 0
    assert "160 trees" in out
    resumed = ctree.load(first)
    assert list(resumed.trees_) == list(ctree.load(whole).trees_)
    status, _, err = run(capsys, "learn", "tests/golden/syn0000", "--method", "mcmc", "--resume", first)
    assert status == 1
    assert "not the cases that the chains were started with" in err
    tree = tmp_path / "tree.json"
    run(capsys, "learn", "examples/golf", "-o", tree)
    resume = ("learn", "examples/golf", "--method", "mcmc", "--resume", tree)
    assert "has no chains to continue" in run(capsys, *resume)[2]


def test_the_same_command_line_resumes(capsys, tmp_path):
    """A run that was ended goes on with its own options, begins where there is none, and keeps its settings."""
    model, whole = tmp_path / "run.json", tmp_path / "whole.json"
    command = ["learn", "examples/golf", *QUICK, "--moves", "0.1,0.1,0.2,0.6", "--rule-variance", "2.0"]
    longer = ["--samples", "80", "--chains", "2"]
    assert run(capsys, *command, *longer, "-o", whole)[0] == 0
    assert run(capsys, *command, "-o", model, "--resume")[0] == 0  # nothing is there yet
    assert len(ctree.load(model).trees_) == 100
    for resume in (["--resume"], ["--resume", model]):
        assert run(capsys, *command, *longer, "-o", model, *resume)[0] == 0
        assert list(ctree.load(model).trees_) == list(ctree.load(whole).trees_)
    before = model.read_bytes()
    status, out, err = run(capsys, *command, "-o", model, "--resume", "--min-cases", "2")
    assert (status, out) == (2, "")
    assert err == (
        f"ctree: --min-cases is 2, but the run in {model} was begun with 1, which it keeps; leave the option out, or "
        "begin another run\n"
    )
    assert model.read_bytes() == before


def test_what_cannot_be_resumed(capsys, tmp_path):
    command = ["learn", "examples/golf", *QUICK, "--resume"]
    message = "ctree: --resume needs the file of the run, as -o does not name it\n"
    assert run(capsys, *command) == (2, "", message)
    missing = str(tmp_path / "missing.json")
    assert run(capsys, *command, missing) == (1, "", f"ctree: {missing}: there is no such file\n")
    assert run(capsys, *command, missing, "-o", tmp_path / "new.json")[::2] == (
        1,
        f"ctree: {missing}: there is no such file\n",
    )


def test_the_envelope_of_a_saved_model(capsys, tmp_path):
    model = tmp_path / "golf.json"
    run(capsys, "learn", "examples/golf", *QUICK, "-o", model)
    status, out, _ = run(capsys, "envelope", model, "examples/golf.data", "--gamma0", "0.7", "-o", tmp_path / "c.csv")
    assert status == 0
    assert "confident correct" in out
    _, out, _ = run(capsys, "envelope", model, "examples/golf.data", "--gamma0", "0.7", "--json")
    facts = json.loads(out)
    shares = [facts[k] for k in ("confident_correct", "confident_incorrect", "uncertain")]
    assert sum(shares) == pytest.approx(1)
    with open(tmp_path / "c.csv", newline="", encoding="utf-8") as file:
        rows = list(csv.DictReader(file))
    assert len(rows) == 14
    verdicts = [row["verdict"] for row in rows]
    assert verdicts.count("confident-correct") / 14 == pytest.approx(shares[0])
    assert verdicts.count("confident-incorrect") / 14 == pytest.approx(shares[1])
    for row in rows:
        assert (float(row["consistency"]) < 0.7) == (row["verdict"] == "uncertain")


def test_an_envelope_is_for_ensembles(capsys, tmp_path):
    run(capsys, "learn", "examples/golf", "-o", tmp_path / "tree.json")
    status, _, err = run(capsys, "envelope", tmp_path / "tree.json", "examples/golf.data")
    assert status == 1
    assert "a C4.5 tree has no trees that vote" in err


def test_cases_without_classes_are_sorted_by_confidence(capsys, tmp_path):
    model, cases = tmp_path / "golf.json", tmp_path / "new.csv"
    run(capsys, "learn", "examples/golf", *QUICK, "-o", model)
    cases.write_text("outlook,temperature,humidity,windy\nsunny,70,70,true\novercast,60,80,false\n", "utf-8")
    status, out, _ = run(capsys, "envelope", model, cases, "--json")
    assert status == 0
    assert set(json.loads(out)) == {"file", "cases", "gamma0", "confident"}


LONG = ["--method", "mcmc", "--samples", "100000000", "--burn-in", "100", "--thin", "500", "--seed", "1"]


def command(*arguments):
    return [sys.executable, "-m", "ctree.cli.main", "learn", "tests/golden/syn0000", *arguments]


@pytest.mark.skipif(os.name == "nt", reason="signals as POSIX has them")
@pytest.mark.slow
def test_ctrl_c_saves_what_was_drawn(tmp_path):
    model = tmp_path / "model.json"
    with subprocess.Popen(command(*LONG, "-o", str(model), "--save-every", "1"), stderr=subprocess.PIPE,
                          stdout=subprocess.DEVNULL, text=True) as process:  # fmt: skip
        until = time.monotonic() + 60
        while not model.exists() and time.monotonic() < until:
            time.sleep(0.1)
        model.unlink()  # so that it is the interrupt that saves, unless another second has passed
        process.send_signal(signal.SIGINT)
        _, err = process.communicate(timeout=60)
    assert process.returncode == 130, err
    assert "goes on" in err
    loaded = ctree.load(model)
    assert loaded.interrupted_
    assert max(record.n_draws for record in loaded._records) > 0


@pytest.mark.skipif(os.name == "nt", reason="signals as POSIX has them")
def test_a_killed_run_goes_on_from_its_last_save(tmp_path):
    model = tmp_path / "model.json"
    with subprocess.Popen(command(*LONG, "-o", str(model), "--save-every", "0.5"),
                          stdout=subprocess.DEVNULL) as process:  # fmt: skip
        until = time.monotonic() + 60
        while not model.exists() and time.monotonic() < until:
            time.sleep(0.1)
        process.kill()
    loaded = ctree.load(model)
    drawn = max(record.n_draws for record in loaded._records)
    data = ctree.read_c45("tests/golden/syn0000")
    loaded.sample_more(3, data)
    assert min(record.n_draws for record in loaded._records) >= drawn + 3


@pytest.mark.skipif(os.name == "nt", reason="terminals as POSIX has them")
@pytest.mark.slow
def test_a_terminal_shows_how_far_the_chains_are():
    ours, theirs = pty.openpty()
    arguments = command("--method", "mcmc", "--samples", "1500", "--thin", "1000", "--chains", "2", "--seed", "1")
    with subprocess.Popen(arguments, stdout=subprocess.DEVNULL, stderr=theirs) as process:
        os.close(theirs)
        shown = b""
        while True:
            try:
                part = os.read(ours, 4096)
            except OSError:  # the other end is closed
                break
            if not part:
                break
            shown += part
    os.close(ours)
    assert process.returncode == 0
    assert b"sampling, log-likelihood -" in shown
    assert b"[#" in shown
