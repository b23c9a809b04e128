"""Committees from one table of cases, against single fits member by member, and averages written out."""

from __future__ import annotations

import json
import threading
import time
import warnings

import numpy as np
import pytest
from support.problems import random_problem

import ctree
from ctree.errors import DataError, ParameterError, SmallWeightsWarning
from ctree.learners.committee.case_training import CaseTraining

SEED = 7

LEARNERS = [
    ctree.C45Classifier(),
    ctree.C45Classifier(variant="j48", estimate="laplace"),
    ctree.C45Classifier(group_values=True, soft_thresholds=True),
    ctree.ProbabilityTreeClassifier(approach="mdl-prune"),
    ctree.ProbabilityTreeClassifier(max_thresholds=4),
    ctree.BayesianTreeClassifier(),
    ctree.BayesianTreeClassifier(bins=3, unknown="impute"),
    ctree.C45RulesClassifier(),
    ctree.OptimalTreeClassifier(max_depth=2),
]


def cases(seed=0, n=90, unknown=0.0, classes=3):
    return random_problem(seed, n, classes, [3, 0, 2, 0], unknown).dataset()


def drawn(member, n, share=1.0):
    """The bag of a member, as the documentation tells it."""
    stream = np.random.default_rng(np.random.SeedSequence(SEED).spawn(member + 1)[member])
    times = np.zeros(n)
    for case in stream.integers(n, size=max(1, round(share * n))):
        times[case] += 1
    return times


def copy_of(learner, **changes):
    return type(learner)(**{**learner.get_params(), **changes})


def committee(method="bagging", **settings):
    settings = {"members": 6, "random_state": SEED, **settings}
    return ctree.CommitteeClassifier(method=method, **settings)


def repeated(data, times):
    return data.take([case for case in range(data.n_cases) for _ in range(int(times[case]))])


class TestBags:
    @pytest.mark.parametrize("unknown", [0.0, 0.15])
    @pytest.mark.parametrize("learner", LEARNERS, ids=str)
    def test_members_are_single_fits_and_the_committee_their_mean(self, learner, unknown):
        data, other = cases(1, unknown=unknown), cases(2, unknown=unknown)
        model = committee(learner=learner, sample_share=0.8).fit(data)
        total, said = 0.0, [[] for _ in range(data.n_cases)]
        for number, member in enumerate(model.members_):
            times = drawn(number, data.n_cases, 0.8)
            single = copy_of(learner).fit(repeated(data, times))
            assert member.predict_proba(other).tobytes() == single.predict_proba(other).tobytes()
            assert member.tree_ == single.tree_
            total = total + single.predict_proba(other)
            for case in np.flatnonzero(times == 0).tolist():
                said[case].append(single.predict_proba(data.take([case]))[0])
        assert np.allclose(model.predict_proba(other), total / 6, rtol=0, atol=1e-15)
        for case, probabilities in enumerate(said):
            if probabilities:
                assert np.allclose(model.oob_proba_[case], np.mean(probabilities, axis=0), rtol=0, atol=1e-12)
            else:
                assert np.isnan(model.oob_proba_[case]).all()
        known = [case for case in range(data.n_cases) if said[case]]
        right = [int(model.oob_proba_[case].argmax()) == data.classes[case] for case in known]
        assert model.oob_score_ == pytest.approx(np.mean(right))

    @pytest.mark.parametrize("learner", LEARNERS[:7], ids=str)
    def test_with_weights_a_member_is_the_fit_with_weights(self, learner):
        data = cases(3, unknown=0.1)
        weights = np.random.default_rng(0).random(data.n_cases) * 2
        weights[::9] = 0
        model = committee(learner=learner).fit(data, sample_weight=weights)
        there = np.flatnonzero(weights)
        assert np.isnan(model.oob_proba_[weights == 0]).all()
        for number, member in enumerate(model.members_):
            times = np.zeros(data.n_cases)
            times[there] = drawn(number, len(there))
            assert member.tree_ == copy_of(learner).fit(data, sample_weight=times * weights).tree_

    def test_classes_are_weighed_in_all_and_within_each_bag(self):
        data = cases(4)
        label = data.schema.classes[0]
        learner = ctree.C45Classifier(class_weight="balanced")
        model = committee(learner=learner, class_weight={label: 2}).fit(data)
        weights = np.where(data.classes == 0, 2.0, 1.0)
        for number, member in enumerate(model.members_):
            times = drawn(number, data.n_cases)
            assert member.tree_ == copy_of(learner).fit(repeated(data, times * weights)).tree_
            assert member.class_weight == "balanced"

    def test_a_class_of_no_weight_is_no_part_of_a_bag(self):
        data = cases(5)
        model = committee("forest", class_weight={data.schema.classes[1]: 0}).fit(data)
        assert np.isnan(model.oob_proba_[data.classes == 1]).all()
        assert not any(member.tree_.class_counts[0, 1] for member in model.members_)
        inner = committee("forest", learner=ctree.C45Classifier(class_weight={data.schema.classes[1]: 0})).fit(data)
        assert not any(member.tree_.class_counts[0, 1] for member in inner.members_)


ALL = [("bagging", {}), ("forest", {}), ("forest", {"learner": ctree.C45Classifier()}), ("boosting", {})]
ALL += [("boosting", {"algorithm": "m1", "voting": "error"}), ("boosting", {"voting": "confidence"})]
ALL += [("bagging", {"learner": LEARNERS[7]})]
ALL += [("boosting", {"learner": LEARNERS[7]}), ("forest", {"learner": LEARNERS[6], "max_attributes": 1})]


@pytest.mark.parametrize(("method", "settings"), ALL, ids=str)
class TestAll:
    def test_threads_and_more_members_later_change_nothing(self, method, settings):
        data, other = cases(6, unknown=0.1), cases(7, unknown=0.1)
        straight = committee(method, members=7, **settings).fit(data)
        for threads in (2, 5):
            model = committee(method, members=3, n_jobs=threads, warm_start=True, **settings).fit(data)
            first = model.members_
            model.set_params(members=7).fit(data)
            assert model.members_[:3] == first
            assert model.predict_proba(other).tobytes() == straight.predict_proba(other).tobytes()
            assert model.oob_proba_.tobytes() == straight.oob_proba_.tobytes()
            assert model.votes(other).tolist() == straight.votes(other).tolist()

    def test_saved_models_are_the_same(self, method, settings, tmp_path):
        data = cases(8, unknown=0.1)
        model = committee(method, warm_start=True, **settings).fit(data)
        ctree.save(model, tmp_path / "model.json")
        loaded = ctree.load(tmp_path / "model.json")
        assert loaded.predict_proba(data).tobytes() == model.predict_proba(data).tobytes()
        assert loaded.to_text() == model.to_text()
        assert np.array_equal(loaded.oob_proba_, model.oob_proba_, equal_nan=True)
        assert repr(loaded) == repr(model)
        more = loaded.set_params(members=8).fit(data)
        assert more.predict_proba(data).tobytes() == model.set_params(members=8).fit(data).predict_proba(data).tobytes()

    def test_what_is_asked_of_every_model(self, method, settings):
        data = cases(9, unknown=0.1)
        model = committee(method, **settings).fit(data)
        votes, probabilities = model.votes(data), model.predict_proba(data)
        assert votes.shape == (len(model.members_), data.n_cases)
        assert np.allclose(probabilities.sum(axis=1), 1)
        for number, member in enumerate(model.members_):
            assert votes[number].tolist() == member.predict_codes(data).tolist()
        why = model.explain(data.take([4]))
        assert why.prediction == model.predict(data.take([4]))[0]
        shares = np.zeros(3)
        np.add.at(shares, votes[:, 4], model.vote_weights_)
        if method != "boosting" or settings.get("voting") == "error":
            assert list(why.votes.values()) == pytest.approx((shares / shares.sum()).tolist())
        assert json.dumps(why.to_dict())
        assert model.feature_importances_.sum() == pytest.approx(1)
        assert [len(rules) > 0 for rules in model.to_rules()] == [True] * len(model.members_)
        assert ctree.uncertainty_envelope(model, data).consistency.shape == (data.n_cases,)
        asked = model.consultation()
        assert asked.next_question() is not None if hasattr(asked, "next_question") else asked is not None
        with pytest.raises(ctree.errors.CtreeError, match="has many trees, and none that stands for all"):
            model.as_tree()


class TestForest:
    def test_trees_differ_by_the_attributes_that_nodes_are_offered(self):
        data = cases(1, n=300)
        for learner in (None, ctree.C45Classifier(prune=False)):
            bagged = committee(
                "bagging", learner=learner or ctree.ProbabilityTreeClassifier(estimate="m-branch", m=0.5)
            ).fit(data)
            same = committee("forest", learner=learner, max_attributes=None).fit(data)
            assert [m.tree_ for m in same.members_] == [m.tree_ for m in bagged.members_]
            some = committee("forest", learner=learner, max_attributes=1).fit(data)
            assert [m.tree_ for m in some.members_] != [m.tree_ for m in bagged.members_]
            assert some.members_[0].tree_ != committee("forest", random_state=8).fit(data).members_[0].tree_


class TestInterrupts:
    @pytest.mark.parametrize("method", ["bagging", "boosting"])
    def test_what_is_done_is_kept(self, method, monkeypatch):
        data = cases(2, n=200)
        straight = committee(method, members=12).fit(data)
        done, fit = [], CaseTraining.weighted_member

        def some(self, number, weights):
            if len(done) >= 20:
                raise KeyboardInterrupt
            done.append(number)
            return fit(self, number, weights)

        monkeypatch.setattr(CaseTraining, "weighted_member", some)
        model = committee(method, members=100, warm_start=True)
        with pytest.raises(KeyboardInterrupt):
            model.fit(data)
        monkeypatch.undo()
        n = len(model.members_)
        assert 3 <= n <= 20
        assert np.isfinite(model.predict_proba(data)).all()
        model.set_params(members=max(12, n)).fit(data)
        assert model.members_[n - 1].tree_ == straight.members_[min(n, 12) - 1].tree_ or n > 12

    def test_ctrl_c_ends_a_long_fit_within_a_moment(self):
        rng = np.random.default_rng(0)
        X, y = rng.normal(size=(60_000, 8)), rng.integers(4, size=60_000)
        model = committee(members=10_000, n_jobs=2)
        began = []

        def interrupt():
            time.sleep(1.0)
            began.append(time.monotonic())
            import _thread

            _thread.interrupt_main()

        threading.Thread(target=interrupt).start()
        with pytest.raises(KeyboardInterrupt):
            model.fit(X, y)
        assert time.monotonic() - began[0] < 10  # seconds, on a busy machine; a member alone takes longer than a moment

    def test_progress_is_told(self):
        seen = []
        committee(members=5).fit(cases(), progress=seen.append)
        assert seen[-1].done == seen[-1].total == 5
        committee("boosting", members=5).fit(cases(), progress=seen.append)
        assert seen[-1].total == 5


class TestInput:
    @pytest.mark.parametrize(
        ("settings", "sentence"),
        [
            ({"members": 0}, r"members must be a whole number from 1 to 1000000 or None, not 0"),
            ({"method": "bostin"}, r"method must be 'bagging', 'forest' or 'boosting', not 'bostin'"),
            (
                {"learner": ctree.NaiveBayesClassifier()},
                "learner must be None, a C45Classifier, a Prob.* not NaiveBayes",
            ),
            ({"learner": ctree.MCMCTreeClassifier()}, "learner must be None, a C45Classifier"),
            ({"learner": "c4.5"}, "learner must be None, a C45Classifier"),
            ({"learner": ctree.C45Classifier(min_cases=-1)}, "the learner of the bagging: min_cases must be"),
            ({"method": "forest", "learner": ctree.C45RulesClassifier()}, "a forest offers the nodes of its trees"),
            (
                {"method": "boosting", "voting": "confidence", "learner": ctree.C45RulesClassifier()},
                "voting='confidence' goes by the weights in the leaves",
            ),
            ({"sample_share": 0}, "sample_share must be a number greater than 0 and at most 1, not 0"),
            ({"max_attributes": 0}, "max_attributes must be a number greater than 0"),
            ({"calibration_folds": 1}, "calibration_folds must be a whole number of at least 2 or None, not 1"),
        ],
    )
    def test_wrong_parameters_are_refused_in_a_sentence(self, settings, sentence):
        with pytest.raises(ParameterError, match=sentence):
            ctree.CommitteeClassifier(**settings).fit(cases())

    def test_wrong_cases_are_refused_in_a_sentence(self):
        with pytest.raises(DataError, match="no case has a weight greater than zero"):
            committee().fit(cases(), sample_weight=np.zeros(90))
        with pytest.raises(DataError, match="negative"):
            committee().fit(cases(), sample_weight=np.full(90, -1.0))
        with pytest.raises(DataError, match="this learner needs whole numbers as weights"):
            committee(learner=ctree.C45RulesClassifier()).fit(cases(), sample_weight=np.full(90, 0.5))

    def test_what_does_not_go_together_later(self):
        data = cases()
        model = committee(learner=ctree.C45Classifier(), warm_start=True).fit(data)
        with pytest.raises(ParameterError, match="members is 3, but there are 6 already"):
            model.set_params(members=3).fit(data)
        model.set_params(members=8)
        with pytest.raises(DataError, match="these are not the cases that the members were learned from"):
            model.fit(cases(1))
        with pytest.raises(ParameterError, match="learned with learner__min_cases=2, which cannot be changed to 5"):
            model.set_params(learner__min_cases=5).fit(data)
        model.set_params(learner__min_cases=2)
        with pytest.raises(ParameterError, match="learned with method='bagging'"):
            model.set_params(method="boosting").fit(data)
        assert len(model.set_params(method="bagging").fit(data).members_) == 8


class TestSmallWeights:
    def test_weights_that_make_no_branch_are_told(self):
        data = cases()
        for learner in (ctree.C45Classifier(), ctree.ProbabilityTreeClassifier(), ctree.BayesianTreeClassifier()):
            with pytest.warns(SmallWeightsWarning, match="the weights of the 90 cases add up to 1, but a test takes 2"):
                model = copy_of(learner).fit(data, sample_weight=np.full(90, 1 / 90))
            assert model.tree_.n_leaves == 1
            with warnings.catch_warnings():
                warnings.simplefilter("error")
                assert copy_of(learner).fit(data, sample_weight=np.full(90, 0.5)).tree_.n_leaves > 1
                copy_of(learner).fit(data.take([0]), sample_weight=np.full(1, 0.5))

    def test_adaboost_of_scikit_learn(self):
        ensemble = pytest.importorskip("sklearn.ensemble")
        rng = np.random.default_rng(0)
        X = rng.normal(size=(150, 3))
        y = (X[:, 0] * X[:, 1] > 0).astype(int)
        with pytest.warns(SmallWeightsWarning, match="add up to 1, "):
            ensemble.AdaBoostClassifier(ctree.C45Classifier(), n_estimators=3).fit(X, y)
        with warnings.catch_warnings():
            warnings.simplefilter("error", SmallWeightsWarning)
            tree = ctree.ProbabilityTreeClassifier(min_cases=5 / 150)
            model = ensemble.AdaBoostClassifier(tree, n_estimators=10).fit(X, y)
        assert model.score(X, y) > 0.95
        assert len(model.estimators_) > 1
