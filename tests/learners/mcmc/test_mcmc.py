"""Sampled trees as a learner: what it draws, says, keeps and refuses.

Longer than 400 lines because all that one learner promises is tried on the same small set of cases.
"""

import os
import pickle
import subprocess
import sys
import warnings

import numpy as np
import pytest
from naive.tree_chain import Problem, grid_tests, inner_tests, n_leaves, posterior

import ctree
from ctree import MCMCTreeClassifier
from ctree.errors import DataError, ModelError, NotFittedError, ParameterError
from ctree.learners.mcmc.convergence import ChainsDisagreeWarning, effective_size, split_r_hat
from ctree_ext.mcmc.chain import Chain
from ctree_ext.mcmc.rng import Stream

pytestmark = pytest.mark.filterwarnings("ignore::ctree.learners.mcmc.convergence.ChainsDisagreeWarning")

SMALL = {"burn_in": 500, "samples": 100, "thin": 3, "chains": 2, "random_state": 4}
PLAIN = {"moves": (0.1, 0.1, 0.2, 0.6)}  # without temperatures, so that long runs are quick


def mixed(n=60, seed=0, unknown=0.1):
    """Cases with a number, a value of three, a value of two and one that is the same for all."""
    rng = np.random.default_rng(seed)
    number, letter, flag = rng.integers(0, 8, n), rng.integers(0, 3, n), rng.integers(0, 2, n)
    classes = np.where(number > 4, letter, flag)
    columns = [number.astype(float), letter.astype(np.int32), flag.astype(np.int32), np.zeros(n, np.int32)]
    columns[0][rng.random(n) < unknown] = np.nan
    columns[1][rng.random(n) < unknown] = -1
    kinds = ctree.Kind
    schema = ctree.Schema(
        (
            ctree.Attribute("number", kinds.CONTINUOUS),
            ctree.Attribute("letter", kinds.DISCRETE, ("a", "b", "c", "never")),
            ctree.Attribute("flag", kinds.DISCRETE, ("no", "yes")),
            ctree.Attribute("same", kinds.DISCRETE, ("one",)),
        ),
        ("x", "y", "z"),
    )
    return ctree.Dataset(schema, columns, classes)


def test_probabilities_are_the_mean_over_the_trees():
    data = mixed(unknown=0.0)
    model = MCMCTreeClassifier(**SMALL).fit(data)
    assert len(model.trees_) == 200
    mean = np.mean([tree.predict_proba(data) for tree in model.trees_], axis=0)
    assert np.allclose(model.predict_proba(data), mean, atol=1e-12)
    votes = model.votes(data)
    assert votes.shape == (2, 100, 60)
    assert np.array_equal(votes[1, 7], model.trees_[107].predict_proba(data).argmax(axis=1))


def test_trees_count_the_cases_that_they_were_learned_from():
    data = mixed(unknown=0.0)
    for tree in MCMCTreeClassifier(**SMALL).fit(data).trees_[::20]:
        leaves = tree.apply(data)
        for leaf in set(leaves.tolist()):
            counts = np.bincount(data.classes[leaves == leaf], minlength=3)
            assert tree.class_counts[leaf].tolist() == counts.tolist()
            assert counts.sum() >= 2
            assert np.allclose(tree.probabilities[leaf], (counts + 1) / (counts.sum() + 3))
        assert tree.cases[0] == 60
        assert tree.errors[0] == (tree.best[leaves] != data.classes).sum()


def test_an_unknown_value_is_the_most_frequent_or_the_middle_one():
    data = mixed()
    filled = [np.array(column) for column in data.columns]
    known = np.sort(filled[0][~np.isnan(filled[0])])
    filled[0][np.isnan(filled[0])] = known[(len(known) - 1) // 2]
    filled[1][filled[1] < 0] = np.bincount(filled[1][filled[1] >= 0]).argmax()
    whole = ctree.Dataset(data.schema, filled, data.classes)
    model, other = MCMCTreeClassifier(**SMALL).fit(data), MCMCTreeClassifier(**SMALL).fit(whole)
    assert np.array_equal(model.predict_proba(data), other.predict_proba(whole))
    assert np.array_equal(model.predict_proba(data), model.predict_proba(whole))


def test_a_value_that_no_case_had_satisfies_no_test():
    data = mixed(unknown=0.0)
    columns = [np.array(column) for column in data.columns]
    columns[1][:] = 3
    unseen = ctree.Dataset(data.schema, columns)
    model = MCMCTreeClassifier(**SMALL).fit(data)
    mean = np.mean([tree.predict_proba(unseen) for tree in model.trees_], axis=0)
    assert np.allclose(model.predict_proba(unseen), mean, atol=1e-12)


@pytest.mark.parametrize(
    "options", [{}, {"strategy": "sweeping"}, {"tree_prior": "chipman"}, {"temperatures": 3}], ids=str
)
def test_a_seed_gives_the_same_trees_for_any_number_of_threads(options):
    data = mixed()
    one, two, other = (
        MCMCTreeClassifier(**{**SMALL, **options, **more}).fit(data)
        for more in ({"n_jobs": 1}, {"n_jobs": 2}, {"random_state": 5})
    )
    for name, trace in one.traces_.items():
        assert np.array_equal(trace, two.traces_[name])
    assert list(one.trees_) == list(two.trees_)
    assert not np.array_equal(one.traces_["log_posterior"], other.traces_["log_posterior"])


def test_weights_count_as_so_many_cases():
    data = mixed(unknown=0.0)
    weights = np.random.default_rng(1).integers(1, 4, data.n_cases)
    repeated = data.take(np.repeat(np.arange(data.n_cases), weights))
    weighted = MCMCTreeClassifier(**SMALL).fit(data.with_weights(weights.astype(float)))
    assert np.allclose(weighted.traces_["log_likelihood"][:, -1].mean(), 0, atol=200)
    again = MCMCTreeClassifier(**SMALL).fit(repeated)
    assert np.allclose(weighted.predict_proba(data), again.predict_proba(data), atol=1e-9)


@pytest.mark.parametrize(
    ("options", "treatment", "exact"),
    [
        ({}, "reject", True),
        ({"invalid_proposals": "resample"}, "resample", False),
        ({"invalid_proposals": "resample-move"}, "resample-move", False),
        ({"invalid_proposals": "resample-local"}, "resample-local", False),
        ({"tree_prior": "implicit"}, "reject", True),
        ({"strategy": "sweeping"}, "sweep-latent", True),
        ({"strategy": "sweeping", "invalid_proposals": "resample"}, "sweep-paper", False),
        ({"strategy": "sweeping", "invalid_proposals": "sweep-paper"}, "sweep-paper", False),
        ({"strategy": "sweeping", "invalid_proposals": "sweep-latent"}, "sweep-latent", True),
    ],
)
def test_it_says_whether_the_posterior_is_what_is_sampled(options, treatment, exact):
    model = MCMCTreeClassifier(**SMALL, **options).fit(mixed())
    assert (model._treatment, model.posterior_exact_) == (treatment, exact)
    assert min(tree.cases[tree.test == 0].min() for tree in model.trees_) >= 2


@pytest.mark.parametrize("options", [{"tree_prior": "denison"}, {"tree_prior": "chipman", "max_depth": 3}], ids=str)
def test_expectations_are_those_of_all_trees(options):
    # five attributes of two values, twelve cases: all trees can be listed
    rng = np.random.default_rng(3)
    columns = rng.integers(0, 2, (3, 12)).tolist()
    classes = [a ^ b for a, b in zip(columns[0], columns[1], strict=True)]
    tests, _ = grid_tests(columns, [2, 2, 2])
    shape = {**options, "prior": options["tree_prior"]}
    del shape["tree_prior"]
    problem = Problem(tests, classes, 2, min_cases=1, **shape)
    trees = problem.all_trees()
    law = posterior(problem, trees)
    X = np.array(columns).T
    data = ctree.from_arrays(X, np.array(classes), categorical_features=[0, 1, 2])
    model = MCMCTreeClassifier(
        min_cases=1, burn_in=2000, samples=40_000, thin=10, random_state=2, moves=(0.25, 0.25, 0.3, 0.1, 0.1), **options
    ).fit(data)
    assert max(model.r_hat_.values()) < 1.01
    leaves = model.traces_["leaves"]
    error = leaves.std() / np.sqrt(model.effective_size_["leaves"])
    assert abs(leaves.mean() - law @ [n_leaves(tree) for tree in trees]) < 5 * error < 0.05
    for a in range(3):
        used = law @ [any(tests[t][0] == a for t in inner_tests(tree)) for tree in trees]
        assert abs(model.feature_inclusion_[a] - used) < 0.02
    expected = np.zeros((12, 2))
    for weight, tree in zip(law, trees, strict=True):
        for leaf in problem.leaves(tree, problem.all_cases):
            counts = np.array(problem.counts(leaf))
            members = [i for i in range(12) if leaf >> i & 1]
            expected[members] += weight * (counts + 1) / (counts.sum() + 2)
    assert abs(model.predict_proba(data) - expected).max() < 0.01


def test_a_model_goes_on_as_if_it_had_never_stopped(tmp_path):
    data = mixed()
    options = {**SMALL, "temperatures": 2, "moves": (0.1, 0.1, 0.2, 0.5, 0.1), "rule_step": 0.2}
    whole = MCMCTreeClassifier(**{**options, "samples": 250}).fit(data)
    first = MCMCTreeClassifier(**options).fit(data)
    ctree.save(first, tmp_path / "model.json")
    loaded, copied = ctree.load(tmp_path / "model.json"), pickle.loads(pickle.dumps(first))
    assert np.array_equal(loaded.predict_proba(data), first.predict_proba(data))
    assert loaded.moves_ == first.moves_
    warm = MCMCTreeClassifier(**options, warm_start=True).fit(data)
    for model in (first.sample_more(150), loaded.sample_more(150, data), copied.sample_more(150, data)):
        assert model.traces_["leaves"].shape == (2, 250)
        assert np.array_equal(model.predict_proba(data), whole.predict_proba(data))
        assert model.moves_ == whole.moves_
    assert np.array_equal(warm.set_params(samples=250).fit(data).predict_proba(data), whole.predict_proba(data))
    ctree.save(loaded, tmp_path / "again.json")
    assert ctree.load(tmp_path / "again.json").trees_[499] == whole.trees_[499]


def test_chains_go_on_only_with_their_own_cases(tmp_path):
    data = mixed()
    model = MCMCTreeClassifier(**SMALL).fit(data)
    ctree.save(model, tmp_path / "model.json")
    loaded = ctree.load(tmp_path / "model.json")
    with pytest.raises(DataError, match="pass those that it was fitted to"):
        loaded.sample_more(10)
    with pytest.raises(DataError, match="not the cases that the chains were started with"):
        loaded.sample_more(10, mixed(seed=1))
    with pytest.raises(DataError, match="not the cases that the chains were started with"):
        model.sample_more(10, data.with_weights(np.full(60, 2.0)))


def test_chains_do_not_change_their_ways(tmp_path):
    data = mixed()
    model = MCMCTreeClassifier(**SMALL, warm_start=True).fit(data)
    before = model.predict_proba(data)
    assert np.array_equal(model.set_params(alpha=5.0).predict_proba(data), before)
    ctree.save(model, tmp_path / "model.json")
    assert np.array_equal(ctree.load(tmp_path / "model.json").predict_proba(data), before)
    with pytest.raises(ParameterError, match=r"started with alpha=1\.0, which cannot be changed to 5\.0"):
        model.fit(data)
    with pytest.raises(ParameterError, match="started with chains=2"):
        model.set_params(alpha=1.0, chains=3).sample_more(1)
    with pytest.raises(ParameterError, match="started with moves="):
        model.set_params(chains=2, moves=(0.2, 0.2, 0.2, 0.4)).fit(data)


def test_without_trees_there_are_traces():
    data = mixed()
    model = MCMCTreeClassifier(**SMALL, keep_trees=False).fit(data)
    with_trees = MCMCTreeClassifier(**SMALL).fit(data)
    assert np.array_equal(model.traces_["leaves"], with_trees.traces_["leaves"])
    assert np.array_equal(model.feature_inclusion_, with_trees.feature_inclusion_)
    assert sum(record.bank["tests"].size for record in model._records) == 0
    with pytest.raises(NotFittedError, match="keep_trees=False"):
        model.predict(data)


def test_a_share_of_trees_tests_each_attribute():
    model = MCMCTreeClassifier(**SMALL).fit(mixed())
    for a in range(4):
        assert model.feature_inclusion_[a] == pytest.approx(np.mean([a in tree.attribute for tree in model.trees_]))
    assert model.feature_inclusion_[3] == 0


def test_the_best_tree_has_the_greatest_posterior():
    model = MCMCTreeClassifier(**SMALL).fit(mixed())
    traces = model.traces_["log_posterior"]
    assert model.trees_[int(traces.argmax())] == model.best_tree_


def test_attributes_of_one_value_leave_the_class_frequencies():
    model = MCMCTreeClassifier(**SMALL).fit(np.ones((10, 2)), list("aaabbbbbbb"))
    assert model.predict_proba([[1, 1], [5, 5]]).tolist() == [[4 / 12, 8 / 12]] * 2
    assert set(model.traces_["leaves"].ravel().tolist()) == {1}


def test_one_class_is_certain():
    model = MCMCTreeClassifier(**SMALL).fit(np.arange(20.0)[:, None], ["only"] * 20)
    assert model.predict_proba([[3.0]]).tolist() == [[1.0]]


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"moves": (0.1, 0.1, 0.2, 0.5)}, "should add up to 1, not 0.9"),
        ({"moves": (0.5, 0.5)}, "must be the probabilities of birth, death"),
        ({"moves": (0.0, 0.2, 0.2, 0.6)}, "both need a positive probability"),
        ({"moves": (-0.1, 0.3, 0.2, 0.6)}, "moves must be a list of numbers at least 0 and at most 1"),
        ({"min_cases": 31}, "min_cases is 31, but of 60 cases .* at most 30"),
        ({"min_cases": 0}, "min_cases must be a number greater than 0"),
        ({"samples": 0}, "samples must be a whole number from 1 to 1000000000, not 0"),
        ({"samples": 2.5}, "samples must be a whole number"),
        ({"burn_in": -1}, "burn_in must be a whole number from 0 to 1000000000000"),
        ({"chains": 0}, "chains must be"),
        ({"thin": 0}, "thin must be"),
        ({"strategy": "wild"}, "strategy must be 'standard' or 'sweeping'"),
        ({"invalid_proposals": "ignore"}, "invalid_proposals must be 'reject', 'resample'"),
        ({"invalid_proposals": "sweep-paper"}, 'needs strategy="sweeping"'),
        ({"strategy": "sweeping", "invalid_proposals": "resample-move"}, 'needs strategy="standard"'),
        ({"strategy": "sweeping", "invalid_proposals": "resample-local"}, 'needs strategy="standard"'),
        ({"invalid_proposals": "resample-local", "tree_prior": "chipman"}, 'not for tree_prior="chipman"'),
        ({"rule_step": 0.1, "rule_variance": 2}, "rule_step=0.1 and rule_variance=2 both say how far"),
        ({"rule_variance": 0}, "rule_variance must be a number greater than 0"),
        (
            {"strategy": "sweeping", "invalid_proposals": "resample", "tree_prior": "chipman"},
            "the sweeping of Schetinin",
        ),
        ({"tree_prior": "flat"}, "tree_prior must be 'denison', 'chipman' or 'implicit'"),
        ({"gamma": 1.0}, "gamma must be a number greater than 0 and less than 1"),
        ({"delta": -1}, "delta must be a number at least 0"),
        ({"alpha": float("nan")}, "alpha must be a number"),
        ({"rule_step": 0}, "rule_step must be a number greater than 0"),
        ({"temperatures": 0}, "temperatures must be"),
        ({"temperatures": (0.5, 0.1)}, "powers from 1 down to 0"),
        ({"max_depth": -1}, "max_depth must be"),
        ({"random_state": "x"}, "random_state must be"),
        ({"n_jobs": 0}, "n_jobs must be None or a number of threads up to 1000, -1 for all cores, not 0"),
    ],
)
def test_wrong_parameters_are_refused(options, message):
    with pytest.raises(ParameterError, match=message):
        MCMCTreeClassifier(**{**SMALL, **options}).fit(mixed())


def test_predicting_before_fitting_is_refused(tmp_path):
    for call in (lambda m: m.predict(mixed()), lambda m: m.traces_, lambda m: m.trees_, lambda m: m.sample_more(5)):
        with pytest.raises(NotFittedError):
            call(MCMCTreeClassifier())
    with pytest.raises(NotFittedError):
        ctree.save(MCMCTreeClassifier(), tmp_path / "model.json")


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ('"tree_prior": "denison"', '"tree_prior": "none"'),
        ('"chains": 2', '"chains": 3'),
        ('"seed": "4"', '"seed": "-4"'),
        ('"seed": "4"', '"seed": 4'),
        ('"fill": ', '"fill": 99'),
        ('"changed": ', '"changed": 1'),
        ('"tests": [', '"tests": [77, '),
        ('"tree": [0', '"tree": [99999'),
        ('"counts": [[', '"counts": [[-'),
        ('"node_start": [0', '"node_start": [1'),
        ('"proposed": ', '"proposed": -1'),
    ],
)
def test_damaged_files_are_refused(tmp_path, old, new):
    path = tmp_path / "model.json"
    ctree.save(MCMCTreeClassifier(**SMALL).fit(mixed()), path)
    text = path.read_text("utf-8")
    assert old in text
    path.write_text(text.replace(old, new, 1), "utf-8")
    with pytest.raises(ModelError):
        ctree.load(path)


def test_chains_that_disagree_are_reported():
    # two copies of one attribute, each of which a chain does not leave again
    rng = np.random.default_rng(0)
    x = rng.integers(0, 2, 400)
    X = np.column_stack([x, x ^ (rng.random(400) < 0.02), rng.random((400, 8))])
    with pytest.warns(
        ChainsDisagreeWarning, match=r"the 4 chains do not agree after 110 steps each: the R-hat of .* by up to 0"
    ):
        MCMCTreeClassifier(burn_in=10, samples=100, thin=1, init="prior", random_state=1, **PLAIN).fit(X, x)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        MCMCTreeClassifier(burn_in=2000, samples=2000, min_cases=1, random_state=1).fit(ctree.read_c45("examples/golf"))


def test_r_hat_and_effective_size_are_those_of_arviz():
    arviz = pytest.importorskip("arviz")
    noise = np.random.default_rng(0).normal(size=(4, 501))
    walk = np.cumsum(noise, axis=1)
    slow = np.array([np.convolve(row, 0.8 ** np.arange(40), "same") for row in noise])
    for draws in (noise, walk, slow, np.round(slow)):
        # arviz takes the greater of this and of the folded one
        assert split_r_hat(draws, ranked=False) == pytest.approx(float(arviz.rhat({"x": draws}, method="split")["x"]))
        assert split_r_hat(draws) <= float(arviz.rhat({"x": draws}, method="rank")["x"]) + 1e-9
        assert effective_size(draws) == pytest.approx(float(arviz.ess({"x": draws}, method="bulk")["x"]), rel=0.02)
        assert effective_size(draws, ranked=False) == pytest.approx(
            float(arviz.ess({"x": draws}, method="mean")["x"]), rel=0.02
        )


def test_r_hat_of_chains_that_stay_at_different_numbers_is_infinite():
    assert np.isinf(split_r_hat(np.repeat([[0.1], [0.1], [0.7]], 99, axis=1)))
    assert split_r_hat(np.full((3, 99), 0.1)) == 1


def test_draws_go_to_arviz():
    pytest.importorskip("arviz")
    data = mixed()
    model = MCMCTreeClassifier(**SMALL).fit(data)
    result = model.to_arviz(data)
    assert np.array_equal(result.posterior["leaves"].values, model.traces_["leaves"])
    assert result.posterior["probability"].shape == (2, 100, 60, 3)
    assert np.allclose(result.posterior["probability"].mean(("chain", "draw")).values, model.predict_proba(data))
    assert np.array_equal(result.sample_stats["lp"].values, model.traces_["log_posterior"])


def test_diagnostics_know_of_predictions():
    data = mixed()
    found = MCMCTreeClassifier(**SMALL).fit(data).diagnostics(data)
    assert set(found) == {"log_likelihood", "log_posterior", "leaves", "depth", "predictions"}
    assert found["predictions"]["r_hat"] >= 1
    assert 0 < found["predictions"]["effective_size"] <= 200 * np.log10(200)


INTERRUPTED = """
import signal, sys, time
import numpy as np
import ctree

rng = np.random.default_rng(0)
X, y = rng.random((5000, 10)), rng.integers(2, size=5000)
model = ctree.MCMCTreeClassifier(burn_in=200, samples=10**8, n_jobs=int(sys.argv[1]), random_state=1)
signal.signal(signal.SIGALRM, signal.default_int_handler)

def drawing(progress):
    if progress.done > 1000 and signal.getitimer(signal.ITIMER_REAL) == (0.0, 0.0):
        signal.setitimer(signal.ITIMER_REAL, 1.0)

try:
    model.fit(X, y, progress=drawing)
except KeyboardInterrupt:
    late = time.monotonic()
    assert model.interrupted_
    drawn = max(len(r.traces["tree"]) for r in model._records)
    assert drawn > 0
    model.predict_proba(X[:10])
    state = [sum(r.state["moves"][0]) for r in model._records]
    time.sleep(0.3)
    assert state == [sum(c.state()["moves"][0]) for c in model._chains]  # nobody is at work any more
    model.sample_more(5)
    assert min(len(r.traces["tree"]) for r in model._records) >= drawn + 5
    print("kept")
"""


@pytest.mark.skipif(os.name == "nt", reason="signals as POSIX has them")
@pytest.mark.parametrize("n_jobs", [1, 2])
def test_an_interrupt_keeps_what_was_drawn(n_jobs):
    arguments = [sys.executable, "-W", "ignore", "-c", INTERRUPTED, str(n_jobs)]
    done = subprocess.run(arguments, capture_output=True, text=True, timeout=60, check=False)
    assert (done.stdout, done.returncode) == ("kept\n", 0), done.stderr


MANY = """
import random, signal, sys, time
import numpy as np
import ctree

def interrupt(*_):
    raise KeyboardInterrupt

signal.signal(signal.SIGALRM, interrupt)
rng = np.random.default_rng(0)
sets = [ctree.from_arrays(rng.random((400, k)), rng.integers(2, size=400)) for k in (3, 5)]
plain = {"moves": (0.1, 0.1, 0.2, 0.6), "burn_in": 200, "thin": 3}
model = ctree.MCMCTreeClassifier(samples=20_000, chains=2, n_jobs=2, random_state=1, **plain)
model.starts = "prior"
straight = []
for data in sets:
    start = time.perf_counter()
    straight.append(model.fit(data).traces_["log_posterior"])
    longest = time.perf_counter() - start
random.seed(0)
interrupted = kept = 0
for i in range(120):
    data, whole = sets[i % 2], straight[i % 2]
    try:
        signal.setitimer(signal.ITIMER_REAL, 1e-4 + random.choice([0.05, 1]) * longest * random.random())
        model.fit(data)
        signal.setitimer(signal.ITIMER_REAL, 0)
    except KeyboardInterrupt:
        interrupted += 1
    # The learner is all of one fit, the old one or the new one, and what it drew is what a run without end draws.
    fitted = len(model.schema_)
    assert (model.n_features_in_, len(model._levels.levels), len(model.feature_inclusion_)) == (fitted,) * 3
    traces, whole = model.traces_["log_posterior"], straight[0 if fitted == 3 else 1]
    assert np.array_equal(traces, whole[:, : traces.shape[1]])
    if traces.shape[1]:
        kept += model.interrupted_
        assert model.predict_proba(sets[0 if fitted == 3 else 1].take(range(5))).shape == (5, 2)
    steps = [chain.progress[:2] for chain in model._chains]
    if i % 10 == 0:
        time.sleep(0.05)
        assert steps == [chain.progress[:2] for chain in model._chains]  # nobody is at work any more
signal.setitimer(signal.ITIMER_REAL, 0)
if model.traces_["leaves"].shape[1] < 20_000:
    model.sample_more(20_000 - max(record.n_draws for record in model._records))
print("survived" if interrupted > 40 and kept > 5 else f"only {interrupted} interrupts, {kept} kept")
"""


@pytest.mark.skipif(os.name == "nt", reason="signals as POSIX has them")
def test_threads_survive_an_interrupt_at_any_moment():
    arguments = [sys.executable, "-W", "ignore", "-c", MANY]
    done = subprocess.run(arguments, capture_output=True, text=True, timeout=300, check=False)
    assert (done.stdout, done.returncode) == ("survived\n", 0), done.stderr


def test_a_checkpoint_can_be_gone_on_from(tmp_path):
    data = mixed()
    path = tmp_path / "model.json"
    options = {**SMALL, **PLAIN, "burn_in": 0, "samples": 10_000, "thin": 200}
    saves = []

    def save(model):
        ctree.save(model, path)
        saves.append(model._records[0].n_draws)
        raise KeyboardInterrupt  # as a kill would end it, but that the file is there

    with pytest.raises(KeyboardInterrupt):
        MCMCTreeClassifier(**options).fit(data, checkpoint=save, checkpoint_every=0.05)
    loaded = ctree.load(path)
    assert saves[0] < 10_000
    loaded.set_params(warm_start=True).fit(data)
    whole = MCMCTreeClassifier(**options).fit(data)
    assert np.array_equal(loaded.traces_["log_posterior"], whole.traces_["log_posterior"])


def test_a_chain_at_work_is_not_asked_for_more():
    import threading

    data = mixed()
    grid = MCMCTreeClassifier(**SMALL).fit(data)._levels.grid(data)
    chain = Chain(grid, Stream(0))
    thread = threading.Thread(target=chain.advance, args=(10**9, 0))
    thread.start()
    try:
        while chain.progress[0] == 0:
            pass
        for call in (chain.state, chain.traces, chain.stored_trees, chain.tree, lambda: chain.advance(1, 0)):
            with pytest.raises(RuntimeError, match="another thread"):
                call()
    finally:
        chain.stop()
        thread.join()
    assert chain.state()["steps"] == chain.progress[0]


def test_progress_tells_how_far_the_chains_are():
    seen = []
    model = MCMCTreeClassifier(**{**SMALL, **PLAIN, "burn_in": 1000, "samples": 10_000, "thin": 200})
    model.fit(mixed(), progress=seen.append)
    assert seen
    assert all(0 <= p.done <= p.total == 2 * (1000 + 10_000 * 200) and p.rate >= 0 for p in seen)
    assert [p.done for p in seen] == sorted(p.done for p in seen)
    assert seen[-1].phase == "sampling"
    assert seen[-1].figures["log-likelihood"] < 0
    assert seen[-1].figures["leaves"] >= 1


@pytest.mark.parametrize("weight", [0.1, 1 / 3])
def test_weights_that_are_no_whole_numbers_leave_posteriors_finite(weight):
    # the same sum of weights in another order may miss min_cases by its last bit
    rng = np.random.default_rng(0)
    X, y = rng.integers(6, size=(200, 5)), rng.integers(2, size=200)
    model = MCMCTreeClassifier(
        tree_prior="chipman",
        min_cases=1,
        burn_in=500,
        samples=400,
        chains=2,
        random_state=1,
        moves=(0.1, 0.1, 0.2, 0.4, 0.2),
    )
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        model.fit(X, y, np.full(200, weight))
    assert np.isfinite(model.traces_["log_posterior"]).all()


def test_chains_without_trees_are_saved_and_go_on(tmp_path):
    rng = np.random.default_rng(0)
    X, y = rng.random((60, 3)), rng.integers(2, size=60)
    settings = {"burn_in": 100, "chains": 2, "random_state": 1, "keep_trees": False}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        model = MCMCTreeClassifier(samples=50, **settings).fit(X, y)
        ctree.save(model, tmp_path / "chains.json")
        loaded = ctree.load(tmp_path / "chains.json")
        for name, trace in model.traces_.items():
            assert np.array_equal(loaded.traces_[name], trace)
        straight = MCMCTreeClassifier(samples=80, **settings).fit(X, y)
        loaded.set_params(warm_start=True, samples=80).fit(X, y)
    assert np.array_equal(loaded.traces_["leaves"], straight.traces_["leaves"])
