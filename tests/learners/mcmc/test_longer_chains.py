"""Chains that are made longer until they agree: what they keep, what they say, and one warning if they do not."""

import json
import pickle
import warnings

import numpy as np
import pytest

import ctree
from ctree import MCMCTreeClassifier
from ctree.errors import ModelError, ParameterError
from ctree.learners.mcmc.convergence import ChainsDisagreeWarning

PLAIN = (0.1, 0.1, 0.2, 0.6)


def pairs(n=150, noise=0.1, seed=1, n_attributes=8):
    """0 and 1 only; the class is a matter of pairs, so that trees that begin with another test are far apart."""
    rng = np.random.default_rng(seed)
    X = rng.integers(0, 2, (n, n_attributes))
    y = np.where(rng.random(n) < noise, rng.integers(0, 2, n), (X[:, 0] ^ X[:, 1]) | (X[:, 2] & X[:, 3]))
    return ctree.from_arrays(X, y, categorical_features=list(range(n_attributes)))


@pytest.fixture(scope="module")
def hard():
    """Chains without temperatures, which do not agree, and a little longer ones of the same seed."""
    options = {"moves": PLAIN, "chains": 3, "samples": 400, "random_state": 2}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        short = MCMCTreeClassifier(max_steps=1400, **options).fit(pairs())
        long = MCMCTreeClassifier(max_steps=2000, **options).fit(pairs())
    return short, long


def test_defaults_agree_on_attributes_of_two_values_and_with_the_average_over_all_trees():
    data = pairs()
    shared = {"max_depth": 3, "test_prior": "per-test", "min_cases": 2}
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        model = MCMCTreeClassifier(tree_prior="chipman", random_state=0, **shared).fit(data)
    assert model.posterior_exact_
    assert model.agreement_.r_hat <= 1.05
    assert max(model.r_hat_.values()) <= 1.05
    counts = [counts for moves in model.moves_ for name, counts in moves.items() if name != "exchange"]
    assert sum(c["invalid"] for c in counts) < 0.25 * sum(c["proposed"] for c in counts)
    exact = ctree.BayesOptimalClassifier(bins=None, **shared).fit(data)
    assert abs(model.predict_proba(data) - exact.predict_proba(data)).max() < 0.06
    assert abs(model.feature_inclusion_ - exact.feature_inclusion_).max() < 0.1


def test_what_is_kept_is_the_later_half_every_second(hard):
    short, long = hard
    assert (short.burn_in_, short.thin_) == (1000, 1)
    # 1,400 steps, of which 200 in the later part stay as 100 draws; 300 more, two steps apart
    assert (long.burn_in_, long.thin_) == (1200, 2)
    for name, trace in long.traces_.items():
        assert trace.shape == (3, 400)
        assert np.array_equal(trace[:, :100], short.traces_[name][:, 201::2])
        before = np.concatenate([short.burn_in_traces_[name], short.traces_[name][:, :200]], axis=1)
        assert np.array_equal(long.burn_in_traces_[name], before[:, 1::2])
    kept = [short.trees_[chain * 400 + i] for chain in range(3) for i in range(201, 400, 2)]
    assert kept == [long.trees_[chain * 400 + i] for chain in range(3) for i in range(100)]
    for a in range(8):
        assert long.feature_inclusion_[a] == pytest.approx(np.mean([a in tree.attribute for tree in long.trees_]))
    assert sum(counts["proposed"] for counts in long.moves_[0].values()) == 2000


def test_a_disagreement_is_one_warning_that_says_what_it_means():
    model = MCMCTreeClassifier(moves=PLAIN, samples=200, max_steps=1500, random_state=0)
    with pytest.warns(ChainsDisagreeWarning) as caught:
        model.fit(pairs())
    (warning,) = caught
    text = str(warning.message)
    assert f"the 4 chains do not agree after {model.burn_in_ + 200 * model.thin_} steps each: the R-hat of" in text
    assert "should be at most 1.05" in text
    assert f"by up to {model.agreement_.farthest:.2f}, by {model.agreement_.usual:.2f} for the average case" in text
    assert "max_steps=6000" in text
    again = pickle.loads(pickle.dumps(warning.message))
    assert (str(again), again.brief) == (text, warning.message.brief)
    # the differences are those of the means of the chains
    said = np.stack([draws.mean(axis=1) for draws in model._draws(pairs())])
    apart = abs(said - said.mean(axis=1, keepdims=True)).max(axis=(0, 1))
    assert model.agreement_.farthest == pytest.approx(apart.max())
    assert model.agreement_.usual == pytest.approx(apart.mean())
    assert model.agreement_.r_hat == pytest.approx(model.diagnostics(pairs())["predictions"]["r_hat"])


def test_a_comparison_warns_once_of_all_its_splits():
    learner = MCMCTreeClassifier(moves=PLAIN, samples=50, max_steps=1, chains=2, random_state=0)
    result = ctree.compare({"pairs": pairs()}, {"chains": learner}, protocol=ctree.StratifiedFolds(4, 1))
    ((text, count),) = result.warnings["pairs", "chains"].items()
    assert text.startswith("the chains do not agree (R-hat above 1.05); longer chains may help")
    assert count > 1


def test_chains_of_any_length_are_saved_and_go_on(hard, tmp_path):
    _, long = hard
    ctree.save(long, tmp_path / "model.json")
    loaded = ctree.load(tmp_path / "model.json")
    assert (loaded.burn_in_, loaded.thin_, loaded.agreement_) == (1200, 2, long.agreement_)
    assert loaded.to_text() == long.to_text()
    straight = pickle.loads(pickle.dumps(long))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        loaded.sample_more(50, pairs())
        straight.sample_more(50, pairs())
    assert loaded.traces_["leaves"].shape == (3, 450)
    assert np.array_equal(loaded.traces_["log_posterior"], straight.traces_["log_posterior"])
    assert loaded.thin_ == 2


def test_files_from_before_are_read(tmp_path):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        options = {"moves": PLAIN, "temperatures": 1, "burn_in": 50, "samples": 30, "thin": 2, "chains": 2}
        model = MCMCTreeClassifier(random_state=0, **options).fit(pairs())
    path = tmp_path / "model.json"
    ctree.save(model, path)
    fields = json.loads(path.read_text("utf-8"))
    own = next(part for part in (fields, *fields.values()) if isinstance(part, dict) and "chains" in part)
    own = own if isinstance(own["chains"], list) else fields
    for name in ("burn_in", "thin", "agreement"):
        del own[name]
    for chain in own["chains"]:
        chain["state"]["moves"] = [row[:5] for row in chain["state"]["moves"]]
        for move in ("redraw", "retest", "regrow"):
            del chain["moves"][move]
    path.write_text(json.dumps(fields), "utf-8")
    older = ctree.load(path)
    assert (older.burn_in_, older.thin_, older.agreement_) == (50, 2, None)
    assert older.moves_ == model.moves_
    assert np.array_equal(older.predict_proba(pairs()), model.predict_proba(pairs()))


@pytest.mark.parametrize(
    ("name", "value"), [("thin", 0), ("burn_in", -1), ("agreement", {}), ("agreement", {"r_hat": -1.0})]
)
def test_damaged_lengths_are_refused(hard, tmp_path, name, value):
    path = tmp_path / "model.json"
    ctree.save(hard[1], path)
    text = path.read_text("utf-8")
    fields = json.loads(text)
    fields[name] = {**fields[name], **value} if value and isinstance(value, dict) else value
    path.write_text(json.dumps(fields), "utf-8")
    with pytest.raises(ModelError):
        ctree.load(path)


def test_without_trees_the_traces_have_to_agree():
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        model = MCMCTreeClassifier(keep_trees=False, samples=500, random_state=0).fit(pairs(80))
    assert model.agreement_ is None
    assert max(model.r_hat_.values()) <= 1.05
    assert model.feature_inclusion_.max() <= 1


def test_an_interrupt_after_chains_were_made_longer_leaves_trees():
    model = MCMCTreeClassifier(moves=PLAIN, samples=400, max_steps=10**9, chains=2, random_state=2)

    def stop(progress):
        if progress.done > 2 * 1500:
            raise KeyboardInterrupt

    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            model.fit(pairs(400), progress=stop)
        except KeyboardInterrupt:
            assert model.interrupted_
    assert len(model.trees_) > 0
    assert model.predict_proba(pairs(400)).shape == (400, 2)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"moves": (0, 0, 0, 0, 0, 1), "strategy": "sweeping"}, "redraw, retest and regrow need strategy"),
        ({"moves": (0.1, 0.1, 0.2, 0.5, 0, 0.1), "invalid_proposals": "resample"}, 'invalid_proposals="reject"'),
        ({"moves": (0, 0.5, 0.5, 0, 0, 0)}, "unless there are redraws"),
        ({"moves": (0.1,) * 10}, "if wanted, swap, redraw, retest, regrow"),
        ({"max_steps": 0}, "max_steps must be"),
    ],
)
def test_wrong_parameters_are_refused(options, message):
    with pytest.raises(ParameterError, match=message):
        MCMCTreeClassifier(**options).fit(pairs())


def test_other_strategies_keep_the_moves_of_the_paper():
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        model = MCMCTreeClassifier(strategy="sweeping", burn_in=100, samples=50, chains=2, random_state=1).fit(pairs())
        plain = MCMCTreeClassifier(
            strategy="sweeping", moves=PLAIN, temperatures=1, thin=7, burn_in=100, samples=50, chains=2, random_state=1
        ).fit(pairs())
    assert model.moves_ == plain.moves_
    assert np.array_equal(model.traces_["log_posterior"], plain.traces_["log_posterior"])
