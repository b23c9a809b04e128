"""The members of a committee: trees of bags, against the program that lists all answers and against single fits."""

from __future__ import annotations

import json
import warnings

import numpy as np
import pytest
from naive.relational_check import difference
from naive.relational_data import RelationalData
from naive.relational_tree import RelationalTree
from support.committees import canonical, committee, drawn, shop
from support.expected_relational import data_of
from support.relational_problems import random_relational_problem, random_settings, random_weights

import ctree


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
