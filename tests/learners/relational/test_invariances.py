"""What changes nothing: the order of linked rows, the names of keys, tables out of reach, rows that repeat others."""

import copy
import random
import warnings
from dataclasses import replace

import numpy as np
import pytest
from support.relational_problems import random_relational_problem, random_settings

import ctree
from ctree.errors import ParameterError

SEEDS = range(2000, 2025)


def read(problem, folder):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return ctree.read_relational(problem.write(folder))


def fitted(problem, folder, settings):
    data = read(problem, folder)
    return ctree.RelationalTreeClassifier(**settings).fit(data), data


def linked_tables(problem):
    return [name for name in problem.columns if name != "example"]


def references(problem, table):
    """The foreign keys of a table, with the tables that they refer to."""
    keys = problem.schema["foreign_keys"]
    return {key["column"]: key["references"] for key in keys if key["table"] == table}


def with_columns(problem, columns):
    return replace(problem, columns=columns, schema=copy.deepcopy(problem.schema))


def shuffled(problem, seed):
    columns = dict(problem.columns)
    for name in linked_tables(problem):
        n_rows = len(next(iter(columns[name].values())))
        order = random.Random(seed).sample(range(n_rows), n_rows)
        columns[name] = {column: [cells[row] for row in order] for column, cells in columns[name].items()}
    return with_columns(problem, columns)


def renamed(problem):
    columns = copy.deepcopy(problem.columns)
    for name, told in problem.schema["tables"].items():
        keys = [column for column, kind in told["columns"].items() if kind == "key"]
        for column in keys:
            cells = columns[name][column]
            columns[name][column] = [None if cell is None else f"key {cell[::-1]}!" for cell in cells]
    return with_columns(problem, columns)


def doubled(problem):
    """Every linked row twice: the second refers to the second ones of other tables, but to the same examples."""
    columns = copy.deepcopy(problem.columns)
    for name in linked_tables(problem):
        key, refers = problem.schema["tables"][name]["key"], references(problem, name)
        for column, cells in columns[name].items():
            second = column == key or refers.get(column, "example") != "example"
            columns[name][column] = cells + [f"{c} again" if second and c is not None else c for c in cells]
    return with_columns(problem, columns)


def with_a_table_more(problem):
    schema = copy.deepcopy(problem.schema)
    schema["tables"]["logs"] = {"file": "logs.csv", "columns": {"line": "discrete"}}
    return replace(problem, schema=schema, columns={**problem.columns, "logs": {"line": ["a", "b"]}})


@pytest.mark.parametrize("seed", SEEDS)
def test_nothing_depends_on_how_linked_rows_are_given(seed, tmp_path):
    problem, settings = random_relational_problem(seed), random_settings(seed)
    model, data = fitted(problem, tmp_path / "given", settings)
    expected, probabilities = model.tree_.to_canonical(), model.predict_proba(data)
    for name, other in (
        ("shuffled", shuffled(problem, seed)),
        ("renamed", renamed(problem)),
        ("one table more", with_a_table_more(problem)),
    ):
        again, other_data = fitted(other, tmp_path / name, settings)
        assert again.tree_.to_canonical() == expected, name
        assert np.array_equal(again.predict_proba(other_data), probabilities), name


@pytest.mark.parametrize("seed", SEEDS)
def test_rows_that_are_there_twice_change_nothing(seed, tmp_path):
    problem, settings = random_relational_problem(seed), random_settings(seed, aggregates=False) | {"thresholds": None}
    model, _ = fitted(problem, tmp_path / "given", settings)
    again, _ = fitted(doubled(problem), tmp_path / "doubled", settings)
    assert again.tree_.to_canonical() == model.tree_.to_canonical()


@pytest.mark.parametrize("seed", range(2100, 2120))
def test_aggregates_do_not_depend_on_how_linked_rows_are_given(seed, tmp_path):
    """Nor do those that are no counts on rows that are there twice. Sums of numbers are rounded in another order."""
    problem, settings = random_relational_problem(seed), random_settings(seed, aggregates=True) | {"thresholds": None}
    model, _ = fitted(problem, tmp_path / "given", settings)
    expected = rounded(model.tree_.to_canonical())
    for name, other in (("shuffled", shuffled(problem, seed)), ("renamed", renamed(problem))):
        assert rounded(fitted(other, tmp_path / name, settings)[0].tree_.to_canonical()) == expected, name
    settings["aggregates"] = tuple(name for name in settings["aggregates"] if name != "count")
    once, _ = fitted(problem, tmp_path / "once", settings)
    twice, _ = fitted(doubled(problem), tmp_path / "twice", settings)
    assert rounded(twice.tree_.to_canonical()) == rounded(once.tree_.to_canonical())


def rounded(node):
    """A tree with numbers of eight digits."""
    if isinstance(node, dict):
        return {name: rounded(entry) for name, entry in node.items()}
    if isinstance(node, list):
        return [rounded(entry) for entry in node]
    return float(f"{node:.8g}") if isinstance(node, float) else node


@pytest.mark.parametrize("seed", SEEDS)
def test_an_example_is_predicted_alike_alone_and_among_others(seed, tmp_path):
    problem, settings = random_relational_problem(seed), random_settings(seed)
    model, data = fitted(problem, tmp_path, settings)
    probabilities = model.predict_proba(data)
    for place in range(min(len(data), 8)):
        assert np.array_equal(model.predict_proba(data.take([place])), probabilities[[place]])
    assert np.array_equal(model.predict_proba(data.take([1, 0, 1])), probabilities[[1, 0, 1]])


@pytest.mark.parametrize("method", ["c4.4", "bic-stop", "mdl-stop", "bic-prune", "mdl-prune", "chi2"])
@pytest.mark.parametrize("thresholds", [None, 3])
def test_a_single_table_gives_the_probability_tree(method, thresholds):
    for seed in range(12):
        rng = np.random.default_rng(seed)
        n = int(rng.integers(10, 60))
        columns = {
            "a": rng.choice(["u", "v", "w"], n).tolist(),
            "b": rng.choice(["no", "yes"], n).tolist(),
            "c": rng.integers(0, 6, n).astype(float).tolist(),
            "d": rng.normal(size=n).round(1).tolist(),
        }
        clear = [a == "u" or c > 3 for a, c in zip(columns["a"], columns["c"], strict=True)]
        classes = ["p" if is_clear or rng.random() < 0.2 else "q" for is_clear in clear]
        classes[:2] = ["p", "q"]
        data = ctree.RelationalData({"case": {**columns, "class": classes}}, target=("case", "class"))
        model = ctree.RelationalTreeClassifier(method=method, thresholds=thresholds).fit(data)
        table = ctree.ProbabilityTreeClassifier(approach=method, max_thresholds=thresholds).fit(columns, classes)
        assert model.tree_.n_leaves == table.tree_.n_leaves
        assert np.allclose(model.predict_proba(data), table.predict_proba(columns), atol=1e-12)


def test_the_order_of_numbers_does_not_show_in_their_mean():
    # Sums from left to right would differ in the last bit, and so make thresholds between equal means.
    numbers = [0.1, 0.2, 0.3, 1e16, -1e16, 0.7, 1e-3]
    orders = [random.Random(seed).sample(numbers, len(numbers)) for seed in range(40)]
    assert len({sum(order) for order in orders}) > 1

    def model_of(orders):
        rows = [(number, place) for place, order in enumerate(orders) for number in order]
        tables = {
            "example": {"id": list(range(len(orders))), "class": ["a", "b"] * (len(orders) // 2)},
            "part": {"of": [place for _, place in rows], "size": [number for number, _ in rows]},
        }
        data = ctree.RelationalData(
            tables, target=("example", "class"), keys={"example": "id"}, foreign_keys={"part.of": "example"}
        )
        return ctree.RelationalTreeClassifier(aggregates=("mean",)).fit(data)

    assert model_of(orders).tree_.n_leaves == 1
    one, other = (
        model_of([[*order, 0.1 * (place % 2)] for place, order in enumerate(listed)])
        for listed in (orders, orders[::-1])
    )
    assert one.tree_.n_leaves == 2
    assert one.tree_.arrays.threshold.tobytes() == other.tree_.arrays.threshold.tobytes()


def test_the_mean_of_numbers_whose_sum_is_too_great():
    tables = {
        "example": {"id": [1, 2], "class": ["a", "b"]},
        "part": {"of": [1, 1, 2, 2, 2], "size": [1e308, 1.5e308, 1.5e308, 1e308, -1.5e308]},
    }
    options = {"target": ("example", "class"), "keys": {"example": "id"}, "foreign_keys": {"part.of": "example"}}
    data = ctree.RelationalData(tables, **options)
    tree = ctree.RelationalTreeClassifier(aggregates=("mean",), constants={"part.size": True}, max_variables=1)
    assert tree.fit(data).tree_.to_text("logic").split("\n")[0] == f"mean(part(of=X0).size) <= {1e308 / 3}"
    assert tree.predict(data).tolist() == ["a", "b"]


def test_too_many_aggregates_are_refused(monkeypatch):
    monkeypatch.setattr("ctree.learners.relational.bias.MAX_CELLS", 19)
    tables = {
        "example": {"id": [1, 2], "class": ["a", "b"]},
        "part": {"of": [1] * 10, "kind": [f"v{i}" for i in range(10)]},
    }
    options = {"target": ("example", "class"), "keys": {"example": "id"}, "foreign_keys": {"part.of": "example"}}
    data = ctree.RelationalData(tables, **options)
    with pytest.raises(ParameterError, match="the aggregates would be 10 columns with 20 figures, more than 19: name"):
        ctree.RelationalTreeClassifier(aggregates=("share",)).fit(data)
    assert ctree.RelationalTreeClassifier(aggregates=("count", "mode")).fit(data).tree_.n_leaves == 2
