"""Committees of relational trees: every figure is worked out again from the members and from the documented bags."""

from __future__ import annotations

import json
import pickle
import signal
import threading
import time
import warnings

import numpy as np
import pytest
from naive.relational_check import difference
from naive.relational_data import RelationalData
from naive.relational_tree import RelationalTree
from support.expected_relational import data_of
from support.relational_problems import random_relational_problem, random_settings, random_weights

import ctree
from ctree.errors import DataError, NotFittedError, ParameterError
from ctree.learners.committee.relational_training import RelationalTraining
from ctree.learners.committee.runs import fill

SEED = 7


def shop(n: int = 60, seed: int = 0, **options) -> ctree.RelationalData:
    """Persons with purchases; most of those who bought an expensive "a" are the ones."""
    rng = np.random.default_rng(seed)
    owner = np.sort(rng.integers(n, size=3 * n))
    kind, price = np.array(["a", "b", "c"])[rng.integers(3, size=3 * n)], rng.integers(1, 10, size=3 * n)
    bought = np.isin(np.arange(n), owner[(kind == "a") & (price > 5)]) ^ (rng.random(n) < 0.15)
    return ctree.RelationalData(
        {
            "person": {"id": [f"p{i}" for i in range(n)], "age": rng.integers(20, 60, size=n),
                       "buys": np.where(bought, "yes", "no")},
            "purchase": {"person": [f"p{i}" for i in owner], "kind": kind, "price": price},
        },
        target=("person", "buys"),
        keys={"person": "id"},
        foreign_keys={"purchase.person": "person"},
        **options,
    )  # fmt: skip


def committee(members: int = 12, **settings) -> ctree.BaggedTreesClassifier:
    own = {name: settings.pop(name) for name in list(settings) if name in ("n_jobs", "sample_share", "warm_start")}
    learner = ctree.RelationalTreeClassifier(**settings) if settings else None
    return ctree.BaggedTreesClassifier(learner=learner, members=members, random_state=SEED, **own)


def drawn(member: int, n: int, share: float = 1.0) -> np.ndarray:
    """The bag of a member, as the documentation tells it."""
    stream = np.random.default_rng(np.random.SeedSequence(SEED).spawn(member + 1)[member])
    times = np.zeros(n)
    for example in stream.integers(n, size=max(1, round(share * n))):
        times[example] += 1
    return times


def canonical(model) -> list:
    return [member.tree_.to_canonical() for member in model.members_]


class TestMembers:
    @pytest.mark.parametrize("seed", range(3000, 3060))
    def test_trees_of_bags_by_the_tests_on_all_examples(self, seed, tmp_path):
        """Tables, settings and weights at random, against the program that lists all answers."""
        problem = random_relational_problem(seed, most_examples=25)
        settings = random_settings(seed, aggregates=seed % 3 == 0)
        data = data_of(problem, tmp_path)
        weights = np.array(random_weights(seed, len(data)) if seed % 2 else [1.0] * len(data))
        weighing = np.flatnonzero(weights).tolist()
        model = committee(3, **settings).fit(data, sample_weight=weights if seed % 2 else None)
        for number, member in enumerate(model.members_):
            times = np.zeros(len(data))
            times[weighing] = drawn(number, len(weighing))
            naive = RelationalTree(
                RelationalData(problem.schema, problem.columns),
                sample_weight=(times * weights).tolist(),
                tests_of=weighing,
                **settings,
            )
            found = json.loads(json.dumps(member.tree_.to_canonical()))
            assert difference(json.loads(json.dumps(naive.to_canonical())), found) is None
            assert np.abs(member.predict_proba(data) - naive.probabilities()).max() <= 1e-12

    @pytest.mark.parametrize("seed", range(3000, 3040))
    def test_a_member_is_what_the_learner_learns_from_a_bag_with_the_same_values(self, seed, tmp_path):
        data = data_of(random_relational_problem(seed), tmp_path)
        settings = random_settings(seed, aggregates=seed % 3 == 0) | {"thresholds": None}
        model = committee(5, **settings).fit(data)
        for number, member in enumerate(model.members_):
            times = drawn(number, len(data))
            if data.take(times > 0).closure_values() == data.closure_values():
                single = ctree.RelationalTreeClassifier(**settings).fit(data, sample_weight=times)
                for name in ("tree_", "unpruned_tree_"):
                    tree, other = getattr(member, name), getattr(single, name)
                    assert tree.to_canonical() == other.to_canonical()
                    assert tree.probabilities.tobytes() == other.probabilities.tobytes()

    @pytest.mark.parametrize("class_weight", ["balanced", {"yes": 3.0}, {"yes": 0.0, "no": 1.0}])
    def test_classes_are_weighed_within_each_bag(self, class_weight):
        data, settings = shop(), {"method": "bic-stop", "class_weight": class_weight}
        model = committee(6, **settings).fit(data)
        weighing = np.arange(60) if class_weight != {"yes": 0.0, "no": 1.0} else np.flatnonzero(data.classes == 0)
        for number, member in enumerate(model.members_):
            times = np.zeros(60)
            times[weighing] = drawn(number, len(weighing))
            single = ctree.RelationalTreeClassifier(**settings).fit(data, sample_weight=times)
            assert member.tree_.to_canonical() == single.tree_.to_canonical()

    def test_a_bag_may_lack_a_class_that_has_a_weight(self):
        rare = shop().take([*np.flatnonzero(shop().classes == 0).tolist(), int(np.argmax(shop().classes))])
        model = committee(10, class_weight={"yes": 3.0}).fit(rare)
        counts = np.array([member.tree_.counts[0] for member in model.members_])
        assert (counts[:, 1] == 0).any()
        assert set(counts[:, 1].tolist()) <= {0.0, 3.0, 6.0, 9.0, 12.0}
        assert model.predict_proba(rare).shape == (len(rare), 2)

    def test_bags_of_a_share(self):
        data = shop()
        model = committee(5, method="c4.4", sample_share=0.3).fit(data)
        for number, member in enumerate(model.members_):
            times = drawn(number, 60, 0.3)
            assert times.sum() == 18 == member.tree_.counts[0].sum()
            single = ctree.RelationalTreeClassifier().fit(data, sample_weight=times)
            assert member.tree_.to_canonical() == single.tree_.to_canonical()
        smallest = committee(5, sample_share=1e-9).fit(data)
        assert [member.tree_.counts.tolist() for member in smallest.members_] == [
            [[1.0, 0.0]] if data.classes[drawn(number, 60, 1e-9).argmax()] == 0 else [[0.0, 1.0]] for number in range(5)
        ]

    def test_the_first_members_of_many_are_those_of_few(self):
        data = shop()
        assert canonical(committee(4).fit(data)) == canonical(committee(9).fit(data))[:4]

    @pytest.mark.parametrize("method", ["c4.4", "chi2"])
    def test_any_number_of_threads(self, method):
        data = shop(150)
        one, four = (committee(37, method=method, n_jobs=jobs).fit(data) for jobs in (1, 4))
        assert canonical(one) == canonical(four)
        assert one.predict_proba(data).tobytes() == four.predict_proba(data).tobytes()
        assert one.oob_proba_.tobytes() == four.oob_proba_.tobytes()
        assert one.votes(data).tolist() == four.votes(data).tolist()

    def test_seeds(self):
        data = shop()
        first, again = (committee().fit(data) for _ in range(2))
        open_one = ctree.BaggedTreesClassifier(members=12).fit(data)
        same_seed = ctree.BaggedTreesClassifier(members=12, random_state=open_one.seed_).fit(data)
        assert canonical(first) == canonical(again)
        assert canonical(first) != canonical(open_one)
        assert canonical(open_one) == canonical(same_seed)
        generators = [ctree.BaggedTreesClassifier(members=3, random_state=np.random.default_rng(5)) for _ in range(2)]
        assert canonical(generators[0].fit(data)) == canonical(generators[1].fit(data))

    def test_members_have_the_parameters_of_the_learner(self):
        model = committee(3, method="bic-stop", lookahead=1).fit(shop())
        assert all(m.get_params() == model.learner.get_params() for m in model.members_)
        assert not hasattr(model.learner, "tree_")

    def test_steps_that_were_not_tried_are_warned_of_once(self):
        with warnings.catch_warnings(record=True) as said:
            warnings.simplefilter("always")
            model = committee(5, max_rows=70).fit(shop())
        total = sum(member.skipped_steps_ for member in model.members_)
        assert len(said) == 1
        assert str(said[0].message).startswith(f"{total} steps would have led to more than 70 rows (max_rows)")


class TestAnswers:
    def test_probabilities_are_the_means_of_those_of_the_members(self):
        data, new = shop(), shop(40, seed=1)
        model = committee(9, method="bic-prune").fit(data)
        mean = sum(member.predict_proba(new) for member in model.members_) / 9
        assert np.abs(model.predict_proba(new) - mean).max() <= 1e-15
        assert model.predict(new).tolist() == [["no", "yes"][int(p[1] > p[0])] for p in mean]
        assert model.score(new) == np.mean([a == b for a, b in zip(model.predict(new), new.labels, strict=True)])
        weights = np.arange(40.0)
        right = model.predict(new) == np.array(new.labels)
        assert model.score(new, sample_weight=weights) == pytest.approx(weights[right].sum() / weights.sum())

    @pytest.mark.parametrize("seed", range(3100, 3130))
    def test_new_examples_are_prepared_once_as_well_as_for_each(self, seed, tmp_path):
        """Half of the examples are learned from; the others may have values that no member knows."""
        data = data_of(random_relational_problem(seed), tmp_path)
        settings = random_settings(seed, aggregates=seed % 2 == 0)
        model = committee(6, **settings).fit(data.take(slice(0, None, 2)))
        each = np.array([member.predict_proba(data) for member in model.members_])
        assert np.abs(model.predict_proba(data) - each.mean(axis=0)).max() <= 1e-15
        assert model.votes(data).tolist() == each.argmax(axis=2).tolist()

    def test_only_what_some_member_asks_for_must_be_there(self):
        tables = {"person": {"id": ["x", "y"]}, "purchase": {"person": ["x"], "kind": ["a"]}}
        how = {"target": "person", "keys": {"person": "id"}, "foreign_keys": {"purchase.person": "person"}}
        short = ctree.RelationalData(tables, **how)
        narrow = committee(5, constants={"person.age": False, "purchase.price": False}).fit(shop())
        assert narrow.predict_proba(short).shape == (2, 2)
        with pytest.raises(DataError, match="has no column"):
            committee(5).fit(shop()).predict(short)

    def test_values_that_were_not_there(self):
        model = committee(5, unseen="error").fit(shop())
        tables = {
            "person": {"id": ["x"], "age": [30]},
            "purchase": {"person": ["x"], "kind": ["strange"], "price": [3]},
        }
        how = {"target": "person", "keys": {"person": "id"}, "foreign_keys": {"purchase.person": "person"}}
        with pytest.raises(DataError, match="strange"):
            model.predict(ctree.RelationalData(tables, **how))
        model.set_params(learner__unseen="unknown")
        assert model.predict(ctree.RelationalData(tables, **how)).shape == (1,)

    def test_no_examples(self):
        assert committee(3).fit(shop()).predict_proba(shop().take([])).shape == (0, 2)

    def test_importances_are_the_means_of_those_of_the_members(self):
        model = committee(7).fit(shop())
        mean = sum(member.feature_importances_ for member in model.members_) / 7
        assert np.abs(model.feature_importances_ - mean).max() <= 1e-15
        assert model.feature_importance_names_.tolist() == model.members_[0].feature_importance_names_.tolist()

    def test_explanations(self):
        data = shop(30)
        model = committee(11).fit(data)
        for example, why in enumerate(model.explain(data)):
            votes = [member.predict(data.take([example]))[0] for member in model.members_]
            assert why.votes == {label: votes.count(label) / 11 for label in ("no", "yes")}
            assert list(why.probabilities.values()) == model.predict_proba(data)[example].tolist()
            assert why.prediction == model.predict(data)[example]
            paths = [member.explain(data.take([example])).questions for member in model.members_]
            asked = [{column for line in path for column in ("age", "kind", "price") if f".{column} " in line.test}
                     for path in paths]  # fmt: skip
            for column, name in (("age", "person.age"), ("kind", "purchase.kind"), ("price", "purchase.price")):
                assert why.attributes.get(name, 0.0) == pytest.approx(np.mean([column in one for one in asked]))
            assert f"by the average over {why.n_trees} trees" in str(why)
        one = model.explain(data.take([0]))
        assert one.to_dict()["n_trees"] == 11
        assert "votes" in one._repr_html_()

    def test_texts(self):
        model = committee(6).fit(shop())
        leaves = [member.tree_.n_leaves for member in model.members_]
        text = model.to_text()
        assert text.split("\n")[:3] == [
            "6 trees",
            f"leaves: {np.mean(leaves):.1f} on average, from {min(leaves)} to {max(leaves)}",
            f"right out of bag: {100 * model.oob_score_:.1f}% of the examples",
        ]
        best = int(np.argmax(model.feature_importances_))
        assert text.split("\n")[5] == (
            f"{model.feature_importances_[best]:7.3f}  {model.feature_importance_names_[best]}"
        )
        assert model.to_text(member=2) == f"{text}\n\nmember 2:\n\n{model.members_[2].to_text()}"
        assert model.size_text() == f"6 trees, {np.mean(leaves):.1f} leaves on average"
        summary = json.loads(json.dumps(model.summary()))
        assert summary["committee"]["members"] == 6
        assert summary["committee"]["oob_score"] == model.oob_score_
        assert sum(summary["importances"].values()) == pytest.approx(model.feature_importances_.sum())
        with pytest.raises(ParameterError, match="there is no member 6: they are numbered from 0 to 5"):
            model.to_text(member=6)

    def test_the_envelope_counts_votes(self):
        data = shop()
        model = committee(9).fit(data)
        envelope = ctree.uncertainty_envelope(model, data, gamma0=0.8)
        votes = np.array([member.predict(data) for member in model.members_])
        yes = (votes == "yes").mean(axis=0)
        assert envelope.consistency == pytest.approx(np.maximum(yes, 1 - yes))
        sure, right = np.maximum(yes, 1 - yes) >= 0.8, np.where(yes > 0.5, "yes", "no") == np.array(data.labels)
        assert envelope.shares() == pytest.approx((np.mean(sure & right), np.mean(sure & ~right), np.mean(~sure)))


class TestOutOfBag:
    @pytest.mark.parametrize("weighted", [False, True])
    def test_means_over_members_that_were_not_learned_from_an_example(self, weighted):
        data = shop()
        weights = np.array([0.0, 0.5, 1.0, 2.0] * 15) if weighted else None
        weighing = np.flatnonzero(weights) if weighted else np.arange(60)
        model = committee(6).fit(data, sample_weight=weights)
        said = [[] for _ in range(60)]
        for number, member in enumerate(model.members_):
            times = np.zeros(60)
            times[weighing] = drawn(number, len(weighing))
            for example in range(60):
                if times[example] == 0:
                    said[example].append(member.predict_proba(data)[example])
        never = [example for example in range(60) if not said[example]]
        right, total = 0.0, 0.0
        for example in range(60):
            row = model.oob_proba_[example]
            if example in never:
                assert np.isnan(row).all()
                continue
            assert row == pytest.approx(np.mean(said[example], axis=0), abs=1e-15)
            weight = weights[example] if weighted else 1.0
            total += weight
            right += weight * (row.argmax() == data.classes[example])
        assert never
        assert model.oob_score_ == pytest.approx(right / total)
        if weighted:
            assert len(said[0]) == 6

    def test_nobody_is_out_of_the_bag(self):
        data = shop(1)
        model = committee(3).fit(data)
        assert np.isnan(model.oob_proba_).all()
        assert np.isnan(model.oob_score_)
        assert "out of bag" not in model.to_text()
        assert model.summary()["committee"]["oob_score"] is None


class TestWarmStart:
    def test_members_are_added(self):
        data, weights = shop(), np.arange(60) % 3 + 1.0
        model = committee(4, warm_start=True).fit(data, sample_weight=weights)
        first = model.members_
        model.set_params(members=9, n_jobs=2).fit(data, sample_weight=weights)
        straight = committee(9).fit(data, sample_weight=weights)
        assert model.members_[:4] == first
        assert canonical(model) == canonical(straight)
        assert model.oob_proba_.tobytes() == straight.oob_proba_.tobytes()
        assert model.oob_score_ == straight.oob_score_

    def test_without_it_all_begins_anew(self):
        data = shop()
        model = committee(4).fit(data)
        first = model.members_
        assert all(one is not other for one, other in zip(first, model.fit(data).members_, strict=True))

    def test_an_open_seed_stays(self):
        data = shop()
        model = ctree.BaggedTreesClassifier(members=2, warm_start=True).fit(data)
        seed = model.seed_
        model.set_params(members=5).fit(data)
        straight = ctree.BaggedTreesClassifier(members=5, random_state=seed).fit(data)
        assert canonical(model) == canonical(straight)

    def test_what_does_not_go_together(self):
        data = shop()
        model = committee(4, warm_start=True, method="c4.4").fit(data)
        with pytest.raises(ParameterError, match="members is 3, but there are 4 already"):
            model.set_params(members=3).fit(data)
        model.set_params(members=6)
        with pytest.raises(DataError, match="these are not the examples that the members were learned from"):
            model.fit(shop(seed=1))
        with pytest.raises(DataError, match="these are not the examples"):
            model.fit(data, sample_weight=np.arange(1.0, 61.0))
        with pytest.raises(ParameterError, match=r"learned with learner__method='c4.4', which cannot be changed to"):
            model.set_params(learner__method="bic-stop").fit(data)
        model.set_params(learner__method="c4.4", sample_share=0.5)
        with pytest.raises(ParameterError, match="learned with sample_share=1"):
            model.fit(data)
        assert len(model.members_) == 4
        model.set_params(sample_share=1.0, learner__n_jobs=2, learner__unseen="error").fit(data)
        assert len(model.members_) == 6


class TestInterrupts:
    @pytest.mark.skipif(not hasattr(signal, "setitimer"), reason="signals as POSIX has them")
    @pytest.mark.parametrize("jobs", [1, 3])
    def test_ctrl_c_keeps_what_is_done(self, jobs):
        data = shop(300)
        straight = committee(40).fit(data)
        model = committee(100_000, n_jobs=jobs, warm_start=True)

        def interrupt(progress):
            if progress.done >= 5:
                signal.raise_signal(signal.SIGINT)

        with pytest.raises(KeyboardInterrupt):
            model.fit(data, progress=interrupt)
        done = len(model.members_)
        assert 5 <= done < 100_000
        assert canonical(model)[:40] == canonical(straight)[:done]
        assert model.predict_proba(data).shape == (300, 2)
        assert threading.active_count() < 20
        model.set_params(members=done + 3).fit(data)
        assert len(model.members_) == done + 3
        assert canonical(model) == canonical(committee(done + 3).fit(data))

    def test_a_member_that_is_not_done_is_given_up(self, monkeypatch):
        """Two members are done at once, the next one only ends when it is asked to."""
        asked, member = threading.Event(), RelationalTraining.member
        first = [drawn(number, 60).tolist() for number in range(2)]

        def slow(training, times):
            if times.tolist() in first:
                return member(training, times)
            assert asked.wait(60)
            raise InterruptedError

        monkeypatch.setattr(RelationalTraining, "member", slow)
        monkeypatch.setattr(RelationalTraining, "stop", lambda training: asked.set())

        def interrupt(progress):
            if progress.done == 2:
                raise KeyboardInterrupt

        running = threading.active_count()
        model = committee(5)
        with pytest.raises(KeyboardInterrupt):
            model.fit(shop(), progress=interrupt)
        assert len(model.members_) == 2
        assert threading.active_count() == running

    def test_nothing_is_done_yet(self, monkeypatch):
        def interrupt(training, times):
            raise KeyboardInterrupt

        model = committee(3, warm_start=True).fit(shop())
        before = model.members_
        monkeypatch.setattr(RelationalTraining, "member", interrupt)
        with pytest.raises(KeyboardInterrupt):
            model.set_params(members=6).fit(shop())
        assert model.members_ is before
        other = committee(50)
        with pytest.raises(KeyboardInterrupt):
            other.fit(shop())
        assert not hasattr(other, "members_")

    def test_growers_that_are_at_work_are_asked_to_stop(self):
        """Many persons, so that the search looks at least once whether it is to go on."""
        data = shop(100_000)
        training = RelationalTraining(ctree.RelationalTreeClassifier(lookahead=1), data, None, None)
        outcome = []

        def grow():
            try:
                training.member(np.ones(len(data), dtype=np.intp))
            except InterruptedError as error:
                outcome.append(str(error))

        growing = threading.Thread(target=grow)
        growing.start()
        while not training._at_work:
            time.sleep(0.001)
        training.stop()
        growing.join()
        assert outcome == ["the search was asked to stop"]
        assert not training._at_work

    def test_an_error_of_progress_leaves_the_learner_as_it_was(self):
        data = shop()
        model = committee(3).fit(data)
        before = dict(model.__dict__)

        def fail(progress):
            raise RuntimeError("no more")

        with pytest.raises(RuntimeError, match="no more"):
            model.set_params(members=500).fit(shop(200), progress=fail)
        assert model.members_ is before["members_"]

    def test_an_error_of_work_ends_all_threads(self):
        def work(place):
            if place == 3:
                raise ValueError("three")
            return place

        found = [None] * 50
        with pytest.raises(ValueError, match="three"):
            fill(found, work, 4)
        assert found[3] is None


def test_progress():
    told = []
    committee(30).fit(shop(), progress=told.append)
    last = told[-1]
    assert (last.phase, last.done, last.total, last.unit) == ("growing", 30, 30, "trees")
    assert last.figures["leaves"] > 1
    assert last.rate > 0


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
        with pytest.raises(DataError, match="weights"):
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
