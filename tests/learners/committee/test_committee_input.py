"""What committees take, as parameters and as data, by themselves and from scikit-learn."""

from __future__ import annotations

import pickle
import threading

import numpy as np
import pytest
from support.committees import SEED, canonical, committee, shop

import ctree
from ctree.errors import DataError, NotFittedError, ParameterError


class TestInput:
    def test_keys_and_classes(self):
        data = shop()
        keys, labels = [[f"p{i}"] for i in range(60)], data.labels
        model = ctree.BaggedTreesClassifier(
            learner=ctree.RelationalTreeClassifier(data=data), members=5, random_state=SEED
        ).fit(keys, labels)
        assert canonical(model) == canonical(committee(5).fit(data))
        assert model.n_features_in_ == 1
        assert model.predict(keys[:7]).tolist() == model.predict(data)[:7].tolist()
        assert model.score(keys, labels) == model.score(data)
        assert model.members_[0].predict(keys[:3]).shape == (3,)
        assert not hasattr(model.fit(data), "n_features_in_")

    @pytest.mark.parametrize(
        ("settings", "message"),
        [
            ({"members": 0}, "members must be a whole number from 1 to 1000000, not 0"),
            ({"members": 2.5}, "members must be a whole number"),
            ({"sample_share": 0}, "sample_share must be a number greater than 0 and at most 1, not 0"),
            ({"sample_share": 1.5}, "sample_share must be a number greater than 0 and at most 1, not 1.5"),
            ({"random_state": -1}, "random_state must be"),
            ({"n_jobs": 0}, "n_jobs must be"),
            ({"learner": ctree.C45Classifier()}, "learner must be None or a RelationalTreeClassifier, not C45Class"),
            ({"learner": ctree.RelationalTreeClassifier}, "learner must be None or a RelationalTreeClassifier, not"),
            ({"learner": ctree.RelationalTreeClassifier(lookahead=5)}, "lookahead must be a whole number from 0 to 1"),
            ({"learner": ctree.RelationalTreeClassifier(links={"x.y": "up"})}, "x.y"),
        ],
    )
    def test_parameters_that_cannot_be(self, settings, message):
        with pytest.raises((ParameterError, DataError)) as raised:
            ctree.BaggedTreesClassifier(**settings).fit(shop())
        assert message in str(raised.value)

    def test_data_that_cannot_be(self):
        data = shop()
        with pytest.raises(DataError, match="has its own classes: leave out y"):
            committee(2).fit(data, data.labels)
        with pytest.raises(DataError, match="give a RelationalData"):
            committee(2).fit([["p1"]], ["yes"])
        with pytest.raises(DataError, match="no examples"):
            committee(2).fit(data.take([]))
        with pytest.raises(DataError, match="weight"):
            committee(2).fit(data, sample_weight=np.zeros(60))
        with pytest.raises(DataError, match="sample_weight has 2 values for 60 examples"):
            committee(2).fit(data, sample_weight=[1.0, 2.0])
        with pytest.raises(NotFittedError):
            committee(2).predict(data)
        for method in ("explain", "votes", "predict_proba"):
            with pytest.raises(NotFittedError):
                getattr(committee(2), method)(data)
        for method in ("to_text", "size_text", "summary"):
            with pytest.raises(NotFittedError):
                getattr(committee(2), method)()

    def test_one_class(self):
        data = shop().take(np.flatnonzero(shop().classes == 0))
        model = committee(4).fit(data)
        assert set(model.predict(data)) == {"no"}
        assert model.oob_score_ == 1.0
        assert model.feature_importances_.sum() == 0.0
        assert "importances" not in model.to_text()

    def test_many_classes(self):
        tables = {"one": {"class": [f"c{i % 40}" for i in range(200)], "x": [i % 40 for i in range(200)]}}
        data = ctree.RelationalData(tables, target=("one", "class"))
        model = committee(10).fit(data)
        assert model.score(data) > 0.9
        assert model.predict_proba(data).sum(axis=1) == pytest.approx(1.0)


class TestEstimator:
    def test_parameters_in_depth(self):
        model = committee(4, method="bic-stop")
        assert model.get_params()["learner__method"] == "bic-stop"
        assert "learner__method" not in model.get_params(deep=False)
        model.set_params(learner__method="chi2", members=7)
        assert (model.learner.method, model.members) == ("chi2", 7)
        model.set_params(learner__lookahead=1, learner=ctree.RelationalTreeClassifier(method="c4.5"))
        assert (model.learner.method, model.learner.lookahead) == ("c4.5", 1)
        with pytest.raises(ParameterError, match="RelationalTreeClassifier has no parameter 'colour'"):
            model.set_params(learner__colour=1)
        with pytest.raises(ParameterError, match="BaggedTreesClassifier has no parameter 'colour__x'"):
            model.set_params(colour__x=1)
        with pytest.raises(ParameterError, match="learner is no learner whose parameter 'method' can be set"):
            ctree.BaggedTreesClassifier().set_params(learner__method="c4.4")

    def test_how_it_looks(self):
        assert repr(ctree.BaggedTreesClassifier()) == "BaggedTreesClassifier()"
        assert repr(committee(4, method="bic-stop")) == (
            "BaggedTreesClassifier(learner=RelationalTreeClassifier(method='bic-stop'), members=4, random_state=7)"
        )

    def test_pickles(self):
        data = shop()
        model = committee(5, method="bic-prune").fit(data)
        again = pickle.loads(pickle.dumps(model))
        assert canonical(again) == canonical(model)
        assert again.predict_proba(data).tobytes() == model.predict_proba(data).tobytes()
        assert again.oob_proba_.tobytes() == model.oob_proba_.tobytes()

    def test_scikit_learn_by_keys(self):
        selection = pytest.importorskip("sklearn.model_selection")
        clone = pytest.importorskip("sklearn.base").clone
        data = shop(120)
        keys, labels = np.array([[f"p{i}"] for i in range(120)]), np.array(data.labels)
        model = ctree.BaggedTreesClassifier(
            learner=ctree.RelationalTreeClassifier(data=data, thresholds=4), members=8, random_state=SEED
        )
        copy = clone(model)
        assert copy.learner is not model.learner
        assert copy.learner.data is data
        assert repr(copy) == repr(model)
        folds = selection.StratifiedKFold(3)
        scores = selection.cross_val_score(model, keys, labels, cv=folds)
        for score, (train, test) in zip(scores, folds.split(keys, labels), strict=True):
            by_hand = clone(model).fit(data.take(train))
            assert score == by_hand.score(data.take(test))
        search = selection.GridSearchCV(model, {"learner__method": ["c4.4", "mdl-stop"], "members": [2, 6]}, cv=folds)
        search.fit(keys, labels)
        assert len(search.cv_results_["params"]) == 4
        assert search.best_estimator_.learner.method in ("c4.4", "mdl-stop")
        assert search.predict(keys[:5]).shape == (5,)

    def test_comparisons(self):
        data = shop(90)
        learners = {"tree": ctree.RelationalTreeClassifier(), "bagged": committee(7)}
        folds = ctree.StratifiedFolds(3, 1)
        result = ctree.compare({"shop": data}, learners, protocol=folds)
        for run, split in enumerate(folds.series(data.classes)[0].splits):
            model = committee(7).fit(data.take(split.train))
            assert result.scores["accuracy"][0, 1, run] == model.score(data.take(split.test))
            leaves = np.mean([member.tree_.n_leaves for member in model.members_])
            assert result.scores["leaves"][0, 1, run] == pytest.approx(leaves)
            shares = ctree.uncertainty_envelope(model, data.take(split.test)).shares()
            assert result.scores["uncertain"][0, 1, run] == shares.uncertain

    def test_comparisons_settle_chance(self):
        learners = {"bagged": ctree.BaggedTreesClassifier(members=5)}
        first, again = (
            ctree.compare({"shop": shop(60)}, learners, protocol=ctree.StratifiedFolds(2, 1)) for _ in range(2)
        )
        assert first.scores["auc"].tolist() == again.scores["auc"].tolist()

    def test_a_prediction_during_a_fit_is_of_one_model(self):
        sets = [shop(40), shop(40, seed=5)]
        asked = shop(30, seed=9)
        expected = {committee(4).fit(data).predict_proba(asked).tobytes() for data in sets}
        model, wrong, ended = committee(4).fit(sets[0]), [], threading.Event()

        def look():
            while not ended.is_set():
                if model.predict_proba(asked).tobytes() not in expected:
                    wrong.append(True)

        looking = threading.Thread(target=look)
        looking.start()
        for _ in range(20):
            for data in sets:
                model.fit(data)
        ended.set()
        looking.join()
        assert len(expected) == 2
        assert not wrong


@pytest.mark.parametrize("method", ["bagging", "forest", "boosting"])
def test_without_an_attribute_to_ask_for_the_classes_decide(method):
    golf = ctree.load_golf()
    ignored = ctree.Schema(tuple(ctree.Attribute(a.name, ctree.Kind.IGNORE) for a in golf.schema), golf.schema.classes)
    model = ctree.CommitteeClassifier(method=method, members=3, random_state=0).fit(golf.replaced(ignored, [None] * 4))
    assert model.predict(golf).tolist() == ["Play"] * 14
