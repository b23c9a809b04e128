"""Boosting against what the papers say, written out; and the calibration of its votes."""

from __future__ import annotations

import math

import numpy as np
import pytest
from naive.boosting import boost, shares_of_votes
from support.problems import random_problem

import ctree
from ctree.learners.committee.boosted_members import folds
from ctree.learners.committee.calibration import best_slope, by_slope


def cases(seed, classes=3, unknown=0.0, n=80):
    return random_problem(seed, n, classes, [3, 0, 2, 0], unknown, noise=0.3).dataset()


LEARNERS = [
    ctree.C45Classifier(),
    ctree.C45Classifier(variant="j48", min_cases=5),
    ctree.ProbabilityTreeClassifier(approach="bic-stop"),
    ctree.BayesianTreeClassifier(),
    ctree.C45Classifier(min_cases=30),
]


@pytest.mark.parametrize("samme", [False, True])
@pytest.mark.parametrize("learner", LEARNERS, ids=str)
def test_weights_votes_and_the_end_are_those_of_the_paper(learner, samme):
    several = 0
    for seed in range(8):
        data = cases(seed, 2 + seed % 4, unknown=0.1 * (seed % 2))
        start = np.ones(data.n_cases) if seed % 3 else np.random.default_rng(seed).random(data.n_cases) + 0.5
        algorithm = "samme" if samme else "m1"
        made = {"method": "boosting", "learner": learner, "algorithm": algorithm, "voting": "error", "members": 10}
        model = ctree.CommitteeClassifier(**made, calibration_folds=None).fit(data, sample_weight=start)
        predicted, trees = [], []

        # The naive sums are in another order: where the last bit decides between tests, the member itself goes on.
        def learn(weights, model=model, trees=trees, predicted=predicted, data=data):
            number = len(trees)
            single = type(learner)(**learner.get_params()).fit(data, sample_weight=weights)
            member = model.members_[number] if number < len(model.members_) else single
            trees.append((single, member))
            predicted.append(member.predict_codes(data).tolist())
            return predicted[-1]

        rounds = boost(learn, data.classes.tolist(), start.tolist(), len(set(data.classes.tolist())), 10, samme)
        assert len(rounds) == len(model.members_)
        assert model.member_errors_ == pytest.approx([error for error, _, _ in rounds], abs=1e-9)
        assert model.vote_weights_ == pytest.approx([vote for _, vote, _ in rounds], rel=1e-9)
        for single, member in trees[: len(rounds)]:
            assert member.tree_.cases[0] == pytest.approx(single.tree_.cases[0])
        shares = shares_of_votes([vote for _, vote, _ in rounds], predicted[: len(rounds)], data.schema.n_classes)
        assert np.allclose(model.predict_proba(data), shares, rtol=0, atol=1e-9)
        same = sum(single.tree_.n_leaves == member.tree_.n_leaves for single, member in trees[: len(rounds)])
        assert same >= 0.7 * len(rounds)
        several += len(rounds) > 1
    assert several > 1


def test_samme_counts_the_classes_that_cases_have():
    """heart-c declares five classes and has two: a guess is right for a half of the cases, not for a fifth."""
    data = cases(2, 2)
    schema = ctree.Schema(data.schema.attributes, (*data.schema.classes, "never", "nor this"))
    wide = ctree.Dataset(schema, data.columns, data.classes)
    made = {"method": "boosting", "calibration_folds": None, "members": 20}
    narrow = ctree.CommitteeClassifier(**made, algorithm="m1").fit(data)  # which SAMME is of two classes
    samme = ctree.CommitteeClassifier(**made, algorithm="samme").fit(wide)
    assert len(narrow.members_) > 3
    assert samme.vote_weights_ == pytest.approx(narrow.vote_weights_, rel=1e-12)
    assert np.allclose(samme.predict_proba(data)[:, :2], narrow.predict_proba(data))
    part = ctree.CommitteeClassifier(**made, algorithm="samme").fit(wide, sample_weight=np.ones(data.n_cases))
    assert part.vote_weights_ == pytest.approx(narrow.vote_weights_, rel=1e-12)


def test_the_first_member_is_what_the_learner_learns_alone():
    data = cases(3)
    model = ctree.CommitteeClassifier(method="boosting", random_state=0).fit(data)
    assert model.members_[0].tree_ == ctree.C45Classifier(binary_splits=True).fit(data).tree_


def test_boosting_ends_with_a_member_without_errors_and_before_one_worse_than_a_guess():
    rng = np.random.default_rng(0)
    x = np.arange(40.0)
    model = ctree.CommitteeClassifier(method="boosting", random_state=0).fit(x[:, None], x > 15)
    assert len(model.members_) == 1
    assert model.member_errors_.tolist() == [0.0]
    assert model.vote_weights_ == pytest.approx([math.log(79)])
    assert model.score(x[:, None], x > 15) == 1.0
    noise = ctree.CommitteeClassifier(method="boosting", algorithm="m1", random_state=0).fit(
        np.zeros((40, 1)), rng.integers(3, size=40)
    )
    assert len(noise.members_) == 1  # though it errs for more than half of the cases
    assert noise.vote_weights_.tolist() == [1.0]


@pytest.mark.parametrize("voting", ["confidence", "both", None])
def test_votes_by_confidence_are_laplace_ratios_and_by_both_times_those_by_error(voting):
    data = cases(5, unknown=0.0)
    made = {"method": "boosting", "voting": voting, "calibration_folds": None, "members": 6}
    model = ctree.CommitteeClassifier(**made).fit(data)
    expected = np.zeros((data.n_cases, 3))
    for member, error in zip(model.members_, model.member_errors_.tolist(), strict=True):
        tree, vote = member.tree_, 1.0
        if voting != "confidence":
            vote = math.log((1 - error) / error)
        for case, leaf in enumerate(tree.apply(data).tolist()):
            best = int(member.predict_codes(data.take([case]))[0])
            expected[case, best] += vote * (tree.class_counts[leaf, best] + 1) / (tree.cases[leaf] + 2)
    assert np.allclose(model.predict_proba(data), expected / expected.sum(axis=1, keepdims=True))


def test_rules_are_boosted_by_drawing_cases():
    data = cases(6)
    model = ctree.CommitteeClassifier(method="boosting", learner=ctree.C45RulesClassifier(), random_state=3).fit(data)
    again = ctree.CommitteeClassifier(method="boosting", learner=ctree.C45RulesClassifier(), random_state=3).fit(data)
    assert len(model.members_) > 1
    assert model.to_rules() == again.to_rules()
    assert model.score(data) > ctree.C45RulesClassifier().fit(data).score(data) - 0.05


class TestCalibration:
    def test_the_slope_is_the_most_likely_one(self):
        for seed in range(20):
            rng = np.random.default_rng(seed)
            n, k = int(rng.integers(5, 60)), int(rng.integers(2, 5))
            shares = rng.dirichlet(np.ones(k), size=n)
            classes = np.where(rng.random(n) < 0.6, shares.argmax(axis=1), rng.integers(k, size=n))
            weights = rng.random(n)

            def loss(slope, shares=shares, classes=classes, weights=weights, n=n, k=k):
                total = 0.0
                for case in range(n):
                    scaled = [math.exp(slope * s) for s in shares[case]]
                    for c in range(k):
                        target = (n + 1) / (n + k) if c == classes[case] else 1 / (n + k)
                        total -= weights[case] * target * math.log(scaled[c] / sum(scaled))
                return total

            best = best_slope(shares, classes, weights)
            assert best >= 0.01
            for other in (best * 0.9, best * 1.1, best + 0.5):
                assert loss(best) <= loss(max(other, 0.01)) + 1e-9

    def test_probabilities_are_in_the_order_of_the_votes(self):
        shares = np.random.default_rng(0).dirichlet(np.ones(4), size=50)
        for slope in (0.01, 1.0, 30.0):
            probabilities = by_slope(shares, slope)
            assert (np.argsort(probabilities, axis=1) == np.argsort(shares, axis=1)).all()
            assert np.allclose(probabilities.sum(axis=1), 1)

    def test_folds_are_even_in_classes(self):
        classes = np.repeat([0, 1, 2], [40, 9, 2])
        found = folds(classes, 3, 5)
        for c in range(3):
            counts = np.bincount(found[classes == c], minlength=3)
            assert counts.max() - counts.min() <= 1
        assert (folds(classes[:5], 3, 5) == -1).all()

    def test_what_is_said_out_of_the_fold_is_by_committees_without_it(self):
        data = cases(7, n=120)
        made = {"method": "boosting", "random_state": 4, "members": 5}
        model = ctree.CommitteeClassifier(**made).fit(data)
        fold = folds(data.classes, 3, 4)
        for number in range(3):
            part = ctree.CommitteeClassifier(**made, calibration_folds=None).fit(data.take(fold != number))
            out = data.take(fold == number)
            assert np.allclose(model.oob_proba_[fold == number], by_slope(part.predict_proba(out), model.slope_))
        assert model.slope_ > 0.01
        assert (model.predict_codes(data) == model.predict_proba(data).argmax(axis=1)).all()

    def test_calibrated_probabilities_say_more_than_shares_of_votes_of_training_cases(self):
        better = 0
        for seed in range(6):
            train, test = cases(seed + 20, n=300), cases(seed + 20, n=900).take(range(300, 900))
            scores = []
            for n_folds in (3, None):
                model = ctree.CommitteeClassifier(method="boosting", calibration_folds=n_folds, random_state=0).fit(
                    train
                )
                p = model.predict_proba(test)[np.arange(600), test.classes]
                scores.append(np.log(np.maximum(p, 1e-6)).mean())
            better += scores[0] > scores[1]
        assert better >= 4
