"""What a committee says: every figure is worked out again from its members and from the documented bags."""

from __future__ import annotations

import json

import numpy as np
import pytest
from support.committees import committee, drawn, shop
from support.expected_relational import data_of
from support.relational_problems import random_relational_problem, random_settings

import ctree
from ctree.errors import DataError, ParameterError


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
