"""The Uncertainty Envelope of any ensemble, against its definition."""

import math
from collections import Counter

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import ctree
from ctree.errors import DataError, ParameterError
from ctree.evaluate.candidates import candidates
from ctree.evaluate.envelope import envelope_of_votes
from ctree.evaluate.preparation import Preparation
from ctree.evaluate.protocols import Split
from ctree.evaluate.trial import run_trial

pytestmark = pytest.mark.filterwarnings("ignore::ctree.learners.mcmc.convergence.ChainsDisagreeWarning")


def test_the_example_of_the_definition():
    votes = np.array([[0, 0, 0, 0, 0], [1, 1, 1, 0, 1], [2, 0, 1, 2, 0]]).T
    envelope = envelope_of_votes(votes, [0, 0, 2], gamma0=0.8)
    assert envelope.consistency.tolist() == [1.0, 0.8, 0.4]
    assert envelope.predictions.tolist() == [0, 1, 0]  # the lower of two that have as many votes
    assert envelope.shares() == pytest.approx((1 / 3, 1 / 3, 1 / 3))
    assert envelope.standard_error.tolist() == pytest.approx([0, math.sqrt(0.16 / 5), math.sqrt(0.24 / 5)])


@settings(deadline=None)
@given(st.data())
def test_shares_are_counted_case_by_case(data):
    n_members, n_cases, n_classes = data.draw(st.integers(1, 9)), data.draw(st.integers(1, 6)), 3
    codes = st.integers(0, n_classes - 1)
    votes = [[data.draw(codes) for _ in range(n_cases)] for _ in range(n_members)]
    targets = [data.draw(codes) for _ in range(n_cases)]
    gamma0 = data.draw(st.sampled_from([1 / 3, 0.5, 2 / 3, 0.9, 1.0]))
    counts = {"right": 0, "wrong": 0, "uncertain": 0}
    for case in range(n_cases):
        said = Counter(row[case] for row in votes)
        best = min(c for c in said if said[c] == max(said.values()))
        if said[best] / n_members < gamma0 - 1e-12:
            counts["uncertain"] += 1
        else:
            counts["right" if best == targets[case] else "wrong"] += 1
    found = envelope_of_votes(votes, targets, classes=range(n_classes), gamma0=gamma0).shares()
    assert found == pytest.approx([counts[k] / n_cases for k in ("right", "wrong", "uncertain")])
    assert sum(found) == pytest.approx(1)


def test_a_case_of_weight_two_counts_as_two():
    rng = np.random.default_rng(2)
    votes, targets, weights = rng.integers(0, 2, (9, 30)), rng.integers(0, 2, 30), rng.integers(0, 4, 30)
    weighted = envelope_of_votes(votes, targets, gamma0=0.6, weights=weights)
    twice = np.repeat(np.arange(30), weights)
    repeated = envelope_of_votes(votes[:, twice], targets[twice], gamma0=0.6)
    assert weighted.shares() == pytest.approx(repeated.shares())
    assert weighted.to_text() == repeated.to_text()
    assert weighted.shares() != pytest.approx(envelope_of_votes(votes, targets, gamma0=0.6).shares())
    with pytest.raises(DataError, match="a weight of at least 0 for each of the 30 cases"):
        envelope_of_votes(votes, targets, weights=-weights)


def test_a_trial_takes_the_shares_by_weight():
    golf = ctree.read_c45("examples/golf")
    weights = np.random.default_rng(0).integers(1, 4, golf.n_cases).astype(float)
    data = golf.with_weights(weights)
    rows = np.arange(golf.n_cases)
    candidate = candidates({"chains": ctree.MCMCTreeClassifier(min_cases=1, burn_in=100, samples=200)})[0]
    scores = run_trial(candidate, data, Split(rows, rows), Preparation(), [0], "golf").scores
    model = candidate.fit(data, [0]).learner
    envelope = ctree.uncertainty_envelope(model, golf)
    confident, right = envelope.confident, envelope.predictions == envelope.targets
    expected = [weights[part].sum() / weights.sum() for part in (confident & right, confident & ~right, ~confident)]
    found = [scores[name] for name in ("confident-correct", "confident-incorrect", "uncertain")]
    assert found == pytest.approx(expected)
    assert found != pytest.approx(envelope.shares())


def test_half_the_votes_of_a_slow_chain_tell_less_than_half_of_independent_ones():
    rng = np.random.default_rng(0)
    slow = np.repeat(rng.integers(0, 2, (4, 50, 3)), 20, axis=1)
    chains, members = envelope_of_votes(slow), envelope_of_votes(slow.reshape(-1, 3))
    assert np.array_equal(chains.consistency, members.consistency)
    ratio = chains.standard_error / members.standard_error
    assert (ratio > 3).all()
    assert (ratio < 6).all()  # about √20


def test_the_paper_s_one_percent_holds_near_95_percent_only():
    votes = np.zeros((500, 2), dtype=int)
    votes[:25, 0] = votes[:250, 1] = 1
    assert envelope_of_votes(votes).standard_error.tolist() == pytest.approx([0.0097, 0.0224], abs=1e-4)


def test_shares_over_all_bounds_only_lose_confidence():
    rng = np.random.default_rng(1)
    envelope = envelope_of_votes(rng.integers(0, 2, (40, 200)) * (rng.random(200) < 0.7), rng.integers(0, 2, 200))
    shares = envelope.over(np.linspace(0.5, 1, 50))
    assert shares.shape == (50, 3)
    assert (np.diff(shares[:, 0]) <= 0).all()
    assert (np.diff(shares[:, 2]) >= 0).all()
    assert np.allclose(shares.sum(axis=1), 1)


def golf_model(**options):
    golf = ctree.read_c45("examples/golf")
    return ctree.MCMCTreeClassifier(min_cases=1, burn_in=100, samples=100, random_state=0, **options).fit(golf), golf


def test_sampled_trees_and_the_list_of_them_say_the_same():
    model, golf = golf_model()
    ours = ctree.uncertainty_envelope(model, golf, gamma0=0.7)
    listed = ctree.uncertainty_envelope(model.trees_, golf, gamma0=0.7)
    assert np.array_equal(ours.consistency, listed.consistency)
    assert ours.shares() == listed.shares()
    assert (ours.standard_error[ours.consistency < 1] > 0).all()
    assert ours.classes == ("Play", "Don't Play")


def test_without_classes_there_is_consistency_but_no_shares():
    model, golf = golf_model()
    rows = {a.name: [golf.value(i, k) for i in range(14)] for k, a in enumerate(golf.schema)}
    envelope = ctree.uncertainty_envelope(model, rows)
    assert np.array_equal(envelope.consistency, ctree.uncertainty_envelope(model, golf).consistency)
    assert "uncertain" in envelope.to_text()
    with pytest.raises(DataError, match="pass y"):
        envelope.shares()


@pytest.mark.parametrize("labels", [["no", "yes", "or"], [1, 2, 3], [0, 1, 2]], ids=str)
def test_ensembles_of_scikit_learn_vote(labels):
    ensemble = pytest.importorskip("sklearn.ensemble")
    rng = np.random.default_rng(0)
    X = rng.random((120, 4))
    codes = (X[:, 0] > 0.3).astype(int) + (X[:, 1] > 0.6)
    y = np.array(labels)[codes]
    bagging = ensemble.BaggingClassifier(n_estimators=15, max_features=3, random_state=0).fit(X, y)
    forest = ensemble.RandomForestClassifier(n_estimators=15, random_state=0).fit(X, y)
    for model in (bagging, forest):
        envelope = ctree.uncertainty_envelope(model, X, y, gamma0=0.9)
        assert envelope.shares().confident_correct > 0.5
        assert np.mean(np.array(envelope.classes)[envelope.predictions] == y) > 0.95
        assert set(np.round(envelope.consistency * 15, 9).tolist()) <= set(range(5, 16))


@pytest.mark.parametrize("gamma0", [0, -1, 1.01, float("nan")])
def test_a_bound_of_no_share_is_refused(gamma0):
    with pytest.raises(ParameterError, match="gamma0 must be greater than 0 and at most 1"):
        envelope_of_votes([[0]], gamma0=gamma0)


def test_what_does_not_vote_is_refused():
    golf = ctree.read_c45("examples/golf")
    with pytest.raises(ParameterError, match="C45Classifier has no members that vote"):
        ctree.uncertainty_envelope(ctree.C45Classifier().fit(golf), golf)
    with pytest.raises(ParameterError, match="empty sequence"):
        ctree.uncertainty_envelope([], golf)
    with pytest.raises(DataError, match="votes should be"):
        envelope_of_votes([0, 1])
    with pytest.raises(DataError, match="2 cases but 3 classes"):
        envelope_of_votes([[0, 1]], [0, 1, 1])
    with pytest.raises(DataError, match="codes from 0 to 1"):
        envelope_of_votes([[0, 2]], classes=("a", "b"))


def test_a_class_that_the_model_does_not_know_is_never_right():
    model, golf = golf_model()
    envelope = ctree.uncertainty_envelope(model, golf, ["Perhaps"] * 14, gamma0=0.5)
    assert envelope.shares().confident_correct == 0
