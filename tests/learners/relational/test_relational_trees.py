"""Relational trees: the worked example, limits, texts, and what is wrong with input."""

import pickle

import numpy as np
import pytest

import ctree
from ctree.errors import DataError, NotFittedError, ParameterError
from ctree.evaluate.papers.fierens2005.trains import trains

# Machines of Blockeel and De Raedt: sent back if a worn part cannot be replaced, else repaired if any is worn.
PARTS = {"gear": "yes", "chain": "yes", "wheel": "yes", "engine": "no", "control": "no"}
WORN = {
    "fix": [["gear"], ["gear", "chain"], ["chain"], ["wheel"], ["wheel", "gear"], ["gear"]],
    "ok": [[], [], []],
    "sendback": [["engine"], ["engine", "gear"], ["control"], ["control", "wheel"], ["engine"], ["control", "engine"]],
}


def machines(**options):
    actions = [action for action, listed in WORN.items() for _ in listed]
    parts = [worn for listed in WORN.values() for worn in listed]
    pairs = [(f"m{machine}", part) for machine, worn in enumerate(parts) for part in worn]
    tables = {
        "machine": {"machine": [f"m{i}" for i in range(len(actions))], "action": actions},
        "worn": {"machine": [pair[0] for pair in pairs], "part": [pair[1] for pair in pairs]},
        "part": {"part": list(PARTS), "replaceable": list(PARTS.values())},
    }
    return ctree.RelationalData(
        tables,
        target=("machine", "action"),
        keys={"machine": "machine", "part": "part"},
        foreign_keys={"worn.machine": "machine", "worn.part": "part"},
        **options,
    )


def fitted(**settings):
    return ctree.RelationalTreeClassifier(**settings).fit(machines())


def chain_of_parts(n_examples=6, n_parts=4):
    """Every example has parts, and every part has screws: joins grow with each step."""
    examples = list(range(n_examples))
    parts = [f"{e}/{p}" for e in examples for p in range(n_parts)]
    screws = [part for part in parts for _ in range(n_parts)]
    return ctree.RelationalData(
        {
            "example": {"id": examples, "class": ["a", "b"] * (n_examples // 2)},
            "part": {"id": parts, "of": [int(part.split("/")[0]) for part in parts], "size": [len(p) for p in parts]},
            "screw": {"of": screws, "length": [float(i % 7) for i in range(len(screws))]},
        },
        target=("example", "class"),
        keys={"example": "id", "part": "id"},
        foreign_keys={"part.of": "example", "screw.of": "part"},
        kinds={"part.size": "continuous"},
    )


class TestMachines:
    def test_the_tree_of_the_worked_example(self):
        tree = fitted().tree_
        assert tree.to_text("logic").split("\n") == [
            "exists X1 in worn(machine=X0): X1.part.replaceable = no",
            "yes: [fix 0, ok 0, sendback 6]",
            "no:  exists X1 in worn(machine=X0)",
            "  yes: [fix 6, ok 0, sendback 0]",
            "  no:  [fix 0, ok 3, sendback 0]",
        ]
        canonical = tree.to_canonical()
        assert canonical["n_tests"] == 3
        assert canonical["figure"] == pytest.approx(14.564259)

    def test_the_same_in_words(self):
        assert fitted().tree_.to_text().split("\n") == [
            "does the machine have a worn (worn 1) whose part has replaceable = no?",
            "|-- yes: sendback  (6 examples: fix 0.11, ok 0.11, sendback 0.78)",
            "`-- no: does the machine have a worn (worn 1)?",
            "    |-- yes: fix  (6 examples: fix 0.78, ok 0.11, sendback 0.11)",
            "    `-- no: ok  (3 examples: fix 0.17, ok 0.67, sendback 0.17)",
        ]

    def test_predictions(self):
        data, model = machines(), fitted()
        assert model.predict(data).tolist() == data.labels
        assert model.score(data) == 1.0
        assert model.classes_.tolist() == ["fix", "ok", "sendback"]
        assert model.predict_proba(data).sum(axis=1) == pytest.approx(1.0)

    def test_steps_are_not_taken_where_links_forbid_it(self):
        assert fitted(links={"worn.machine": "none"}).tree_.n_leaves == 1
        without = fitted(links={"worn.part": "down"}).tree_.to_canonical()
        assert without["condition"] is None
        assert without["n_tests"] == 1

    def test_columns_are_not_compared_where_constants_forbid_it(self):
        assert fitted(constants={"part.replaceable": False}).tree_.to_canonical()["condition"] is None

    def test_terms_of_no_links(self):
        assert fitted(forward=0).tree_.to_canonical()["n_tests"] == 1

    def test_one_variable_only(self):
        assert fitted(max_variables=1).tree_.n_leaves == 1


class TestNewData:
    def test_a_value_that_was_not_there_equals_none(self):
        model = fitted()
        parts = {"part": ["gear"], "replaceable": ["perhaps"]}
        new = ctree.RelationalData(
            {"machine": {"machine": ["x"]}, "worn": {"machine": ["x"], "part": ["gear"]}, "part": parts},
            target="machine",
            keys={"machine": "machine", "part": "part"},
            foreign_keys={"worn.machine": "machine", "worn.part": "part"},
        )
        assert model.predict(new).tolist() == ["fix"]
        with pytest.raises(DataError, match="perhaps"):
            model.set_params(unseen="error").predict(new)

    def test_a_table_that_no_test_asks_for_may_be_missing(self):
        model = fitted(links={"worn.part": "none"})
        new = ctree.RelationalData(
            {"machine": {"machine": ["x", "y"]}, "worn": {"machine": ["x"]}},
            target="machine",
            keys={"machine": "machine"},
            foreign_keys={"worn.machine": "machine"},
        )
        found = model.predict_proba(new)
        assert found[0].argmax() != 1
        assert found[1].argmax() == 1
        with pytest.raises(DataError, match="part"):
            fitted().predict(new)


class TestKeys:
    def test_examples_by_their_keys(self):
        data = machines()
        model = ctree.RelationalTreeClassifier(data=data)
        keys, labels = np.array(data.keys), np.array(data.labels)
        expected = fitted().predict_proba(data)
        for X in (keys, keys.reshape(-1, 1), keys.tolist(), {"key": keys}):
            assert np.array_equal(model.fit(X, labels).predict_proba(X), expected)
        assert model.n_features_in_ == 1
        assert model.predict(keys[[14, 0]]).tolist() == ["sendback", "fix"]
        assert model.score(keys, labels) == 1.0

    def test_classes_that_the_data_do_not_have(self):
        tables = {"e": {"id": [1, 2, 3, 4]}, "p": {"of": [1, 3]}}
        data = ctree.RelationalData(tables, target="e", keys={"e": "id"}, foreign_keys={"p.of": "e"})
        model = ctree.RelationalTreeClassifier(data=data).fit([1, 2, 3, 4], [10, 9, 10, 9])
        assert model.classes_.tolist() == [9, 10]
        assert model.predict([2, 3]).tolist() == [9, 10]
        with pytest.raises(DataError, match="have no classes"):
            ctree.RelationalTreeClassifier(data=data).fit([1, 2])

    def test_cross_validation(self):
        model_selection = pytest.importorskip("sklearn.model_selection")
        base = pytest.importorskip("sklearn.base")
        data = machines()
        model = ctree.RelationalTreeClassifier(data=data)
        assert base.clone(model).data is data
        scores = model_selection.cross_val_score(model, np.array(data.keys).reshape(-1, 1), data.labels, cv=3)
        assert scores.tolist() == [1.0, 1.0, 1.0]

    def test_keys_that_are_not_there_and_other_shapes(self):
        model = ctree.RelationalTreeClassifier(data=machines())
        with pytest.raises(DataError, match="no example with the key 'm99'"):
            model.fit(["m0", "m99"], ["fix", "ok"])
        with pytest.raises(DataError, match="2 columns"):
            model.fit({"a": ["m0"], "b": ["m1"]}, ["fix"])
        with pytest.raises(DataError, match="shape"):
            model.fit(np.zeros((2, 2)), ["fix", "ok"])
        with pytest.raises(DataError, match="y has 1 value for 2 examples, but should have one for each"):
            model.fit(["m0", "m1"], ["fix"])


def test_models_can_be_pickled():
    data, model = machines(), fitted(aggregates=("count",))
    again = pickle.loads(pickle.dumps(model))
    assert again.tree_.to_canonical() == model.tree_.to_canonical()
    assert np.array_equal(again.predict_proba(data), model.predict_proba(data))


@pytest.mark.parametrize("settings", [{}, {"method": "bic-prune", "closing": True, "thresholds": 4}])
def test_the_tree_does_not_depend_on_the_number_of_threads(settings):
    rng = np.random.default_rng(5)
    n = 6000
    colours = rng.choice(["red", "green", "blue"], 3 * n)
    owners = rng.integers(n, size=3 * n)
    red = np.bincount(owners[colours == "red"], minlength=n) > 0
    data = ctree.RelationalData(
        {
            "e": {"id": np.arange(n), "class": np.where(red ^ (rng.random(n) < 0.3), "a", "b")},
            "p": {"of": owners, "colour": colours, "size": rng.integers(20, size=3 * n).astype(float)},
        },
        target=("e", "class"),
        keys={"e": "id"},
        foreign_keys={"p.of": "e"},
    )
    weights = rng.choice([0.5, 1.0, 3.0], n)
    expected = ctree.RelationalTreeClassifier(max_variables=3, **settings).fit(data, sample_weight=weights)
    assert expected.unpruned_tree_.n_nodes > 100
    for n_jobs in (2, 4):
        model = ctree.RelationalTreeClassifier(max_variables=3, n_jobs=n_jobs, **settings)
        model.fit(data, sample_weight=weights)
        assert model.tree_.to_canonical() == expected.tree_.to_canonical()
        assert model.unpruned_tree_.to_canonical() == expected.unpruned_tree_.to_canonical()


class TestLimits:
    def test_too_many_ways_upwards(self):
        table = {"id": ["a", "b"], **{f"to{i}": ["a", "b"] for i in range(4)}}
        data = ctree.RelationalData(
            {"e": {"id": [1, 2], "class": ["x", "y"]}, "p": {**table, "of": [1, 2]}},
            target=("e", "class"),
            keys={"e": "id", "p": "id"},
            foreign_keys={"p.of": "e", **{f"p.to{i}": "p" for i in range(4)}},
        )
        assert ctree.RelationalTreeClassifier(forward=3).fit(data).tree_.n_leaves == 1
        with pytest.raises(ParameterError, match="forward=16"):
            ctree.RelationalTreeClassifier(forward=16).fit(data)

    def test_steps_that_lead_to_too_many_rows_are_left_out(self):
        data = chain_of_parts()
        whole = ctree.RelationalTreeClassifier(lookahead=1).fit(data)
        assert whole.skipped_steps_ == 0
        message = r"^1 step would have led to more than 20 rows \(max_rows\) at a node and was not tried$"
        with pytest.warns(UserWarning, match=message):
            model = ctree.RelationalTreeClassifier(lookahead=1, max_rows=20).fit(data)
        assert model.skipped_steps_ > 0
        assert model.tree_.n_leaves == 1

    def test_a_fit_can_be_repeated(self):
        data = chain_of_parts()
        model = ctree.RelationalTreeClassifier(lookahead=1, closing=True)
        assert model.fit(data).tree_.to_canonical() == model.fit(data).tree_.to_canonical()

    def test_examples_of_one_class(self):
        tables = {"e": {"id": [1, 2], "class": ["a", "a"]}, "p": {"of": [1]}}
        data = ctree.RelationalData(tables, target=("e", "class"), keys={"e": "id"}, foreign_keys={"p.of": "e"})
        for method in ("c4.4", "c4.5", "mdl-stop", "bic-prune", "chi2"):
            model = ctree.RelationalTreeClassifier(method=method).fit(data)
            assert model.predict_proba(data).tolist() == [[1.0], [1.0]]

    def test_an_empty_linked_table(self):
        data = ctree.RelationalData(
            {"e": {"id": [1, 2, 3], "x": [1.0, 2.0, None], "class": ["a", "b", "b"]}, "p": {"of": [], "y": []}},
            target=("e", "class"),
            keys={"e": "id"},
            foreign_keys={"p.of": "e"},
            kinds={"p.y": "continuous"},
        )
        model = ctree.RelationalTreeClassifier(lookahead=1, closing=True).fit(data)
        assert model.predict(data).tolist() == ["a", "b", "b"]

    def test_many_examples_are_routed_in_parts(self):
        n = 70_000
        keys = np.arange(n)
        data = ctree.RelationalData(
            {"e": {"id": keys, "class": np.where(keys % 3 == 0, "a", "b")}, "p": {"of": keys[keys % 3 == 0]}},
            target=("e", "class"),
            keys={"e": "id"},
            foreign_keys={"p.of": "e"},
        )
        model = ctree.RelationalTreeClassifier().fit(data)
        assert model.tree_.n_leaves == 2
        assert model.score(data) == 1.0


class TestWrongInput:
    def test_a_table_that_is_not_linked(self):
        with pytest.raises(DataError, match="relational trees learn from linked tables: give a RelationalData"):
            ctree.RelationalTreeClassifier().fit([[1.0]], ["a"])
        with pytest.raises(DataError, match="give a RelationalData"):
            fitted().predict([[1.0]])

    def test_classes_beside_linked_tables(self):
        with pytest.raises(DataError, match="leave out y"):
            ctree.RelationalTreeClassifier().fit(machines(), ["fix"] * 15)

    def test_before_fit(self):
        with pytest.raises(NotFittedError, match="call fit first"):
            ctree.RelationalTreeClassifier().predict(machines())

    def test_names_that_are_no_links_and_no_columns(self):
        with pytest.raises(ParameterError, match=r"did you mean 'worn.part'"):
            fitted(links={"worn.prt": "up"})
        with pytest.raises(ParameterError, match=r"part.replacable"):
            fitted(constants={"part.replacable": False})
        with pytest.raises(ParameterError, match="sideways"):
            fitted(links={"worn.part": "sideways"})

    @pytest.mark.parametrize("wrong", [{"lookahead": 2}, {"method": "c5.0"}, {"thresholds": 0}, {"max_rows": 0}])
    def test_parameters_out_of_range(self, wrong):
        with pytest.raises(ParameterError, match=next(iter(wrong))):
            fitted(**wrong)

    def test_weights(self):
        model = ctree.RelationalTreeClassifier()
        with pytest.raises(DataError, match="negative"):
            model.fit(machines(), sample_weight=[-1.0] * 15)
        with pytest.raises(DataError, match="15"):
            model.fit(machines(), sample_weight=[1.0])
        with pytest.raises(DataError, match="weight greater than zero"):
            model.fit(machines(), sample_weight=[0.0] * 15)

    def test_a_form_of_text_that_there_is_not(self):
        with pytest.raises(ParameterError, match="form"):
            fitted().tree_.to_text("song")


@pytest.mark.parametrize("n_jobs", [1, 3])
def test_a_limit_of_depth(n_jobs):
    data = trains(900, seed=1)
    unlimited = ctree.RelationalTreeClassifier(n_jobs=n_jobs).fit(data).tree_
    assert unlimited.depth > 4
    assert (
        ctree.RelationalTreeClassifier(max_depth=unlimited.depth, n_jobs=n_jobs).fit(data).tree_.to_canonical()
        == unlimited.to_canonical()
    )
    for depth in (0, 1, 3):
        tree = ctree.RelationalTreeClassifier(max_depth=depth, n_jobs=n_jobs).fit(data).tree_
        assert tree.depth == depth
        assert tree.to_canonical() == cut(unlimited.to_canonical(), depth)
    with pytest.raises(ParameterError, match="max_depth"):
        ctree.RelationalTreeClassifier(max_depth=-1).fit(data)


def cut(node, depth):
    """A tree without what lies deeper."""
    if "yes" not in node or depth == 0:
        return {"counts": node["counts"]}
    return node | {branch: cut(node[branch], depth - 1) for branch in ("yes", "no")}
