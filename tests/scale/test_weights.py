"""Cases with weights, scanned: the weights are those of the column, and models are those of memory with the same."""

from __future__ import annotations

import math
from fractions import Fraction

import numpy as np
import pytest
from support.scanned import check_parts

import ctree
from ctree.errors import DataError, ParameterError
from ctree.learners.levels import growing
from ctree.scale.coded_dataset import coded_from_dataset
from ctree.scale.exact_sum import as_float, exact_sum
from ctree.scale.unit import unit_of_weights
from ctree.scale.weight_coder import WeightCoder
from tests.scale.test_learners import nearly_same

pa = pytest.importorskip("pyarrow")
pq = pytest.importorskip("pyarrow.parquet")

LEARNERS = [
    ctree.ProbabilityTreeClassifier(approach="c4.4"),
    ctree.ProbabilityTreeClassifier(approach="mdl-prune"),
    ctree.ProbabilityTreeClassifier(approach="chi2"),
    ctree.BayesianTreeClassifier(),
    ctree.BayesianTreeClassifier(bins=5),
    ctree.C45Classifier(arithmetic="double", subtree_raising=False),
    ctree.NaiveBayesClassifier(bins=7),
]


def columns(rng, n=400, unknown=False):
    """Columns by name, with `y`."""
    x, k = rng.normal(size=n), rng.integers(0, 4, n)
    y = np.where(x + 0.4 * k + rng.normal(size=n) * 0.5 > 0.8, "yes", rng.choice(["no", "maybe"], n, p=[0.8, 0.2]))
    table = {"x": x, "few": np.round(2 * x), "k": np.array(["a", "b", "c", "d"])[k], "y": y}
    if unknown:
        table["x"] = np.where(rng.random(n) < 0.1, np.nan, x)
        table["k"] = np.where(rng.random(n) < 0.1, None, table["k"])
    return table


def weights_of(rng, n, whole):
    return rng.choice([0.0, 1.0, 2.0, 3.0, 7.0], n) if whole else rng.exponential(size=n) * (rng.random(n) < 0.9)


def without_label(table):
    return {name: column for name, column in table.items() if name != "y"}


def in_memory(table, weights):
    data = ctree.from_arrays(without_label(table), table["y"], sample_weight=weights)
    return data.take(weights > 0)


def parquet(folder, table, weights, rng):
    """Two files with the column of the weights at any place."""
    whole = pa.table({**table, "count": weights})
    order = list(table)
    order.insert(int(rng.integers(0, len(order) + 1)), "count")
    half = len(weights) // 2
    group = int(rng.integers(20, 200))
    pq.write_table(whole.slice(0, half).select(order), folder / "a.parquet", row_group_size=group)
    pq.write_table(whole.slice(half).select(order), folder / "b.parquet", row_group_size=group)
    return folder


@pytest.mark.parametrize("form", ["parquet", "csv", "arrow"])
@pytest.mark.parametrize("whole", [True, False])
def test_weights_are_those_of_the_column(tmp_path, form, whole):
    rng = np.random.default_rng([whole, len(form)])
    table, weights = columns(rng, unknown=form != "csv"), weights_of(rng, 400, whole)
    path = tmp_path / f"cases.{form}"
    if form == "parquet":
        pq.write_table(pa.table({"count": weights, **table}), path, row_group_size=70)
        scanned = ctree.scan_parquet(path, "y", weights="count", n_jobs=2)
    elif form == "csv":
        rows = zip(*table.values(), weights, strict=True)
        lines = [",".join([*table, "count"]), *(",".join(str(cell) for cell in row) for row in rows)]
        path.write_text("\n".join(lines) + "\n")
        scanned = ctree.scan_csv(path, "y", weights="count", categorical_features=["few"])
        table["few"] = np.array([str(v) for v in table["few"]])
    else:
        scanned = ctree.scan_arrow(pa.table({"count": weights, **table}), "y", weights="count")
    data = in_memory(table, weights)
    with scanned as cases:
        assert "count" not in cases.schema.names
        assert cases.weighted
        assert cases.describe().startswith(f"{data.n_cases} cases in ")
        assert "with weights" in cases.describe()
        found = np.concatenate([part.load().weights for part in cases.parts])
        assert found.dtype == np.int64
        np.testing.assert_array_equal(found, [round(Fraction(w) / Fraction(cases.unit)) for w in data.weights])
        collected = cases.collect()
        np.testing.assert_allclose(collected.weights, data.weights, rtol=0, atol=cases.unit / 2)
        if whole:
            np.testing.assert_array_equal(collected.weights, data.weights)
        if form != "csv":  # whose values are in the order of numbers
            check_parts(cases, data)


@pytest.mark.parametrize("learner", LEARNERS, ids=repr)
@pytest.mark.parametrize("seed", range(3))
def test_whole_weights_give_the_model_of_memory(tmp_path, learner, seed, monkeypatch):
    rng = np.random.default_rng([seed, 31])
    table, weights = columns(rng), weights_of(rng, 400, whole=True)
    monkeypatch.setattr(growing, "gathered", lambda source: int(rng.choice([1, 30, 200])))
    expected = type(learner)(**learner.get_params()).fit(without_label(table), table["y"], sample_weight=weights)
    with ctree.scan_parquet(parquet(tmp_path, table, weights, rng), "y", weights="count") as cases:
        cases.collects = False
        model = type(learner)(**learner.get_params()).fit(cases)
    assert model.fit_info_["engine"] == "local"
    assert repr(model._to_fields()) == repr(expected._to_fields())


def test_naive_bayes_of_whole_weights_is_that_of_repeated_rows(tmp_path):
    rng = np.random.default_rng(5)
    table, weights = columns(rng), weights_of(rng, 400, whole=True)
    again = np.repeat(np.arange(400), weights.astype(int))
    repeated = {name: column[again] for name, column in table.items()}
    expected = ctree.NaiveBayesClassifier(bins=6).fit(without_label(repeated), repeated["y"])
    pq.write_table(pa.table({**table, "count": weights}), tmp_path / "cases.parquet", row_group_size=33)
    with ctree.scan_parquet(tmp_path / "cases.parquet", "y", weights="count") as cases:
        cases.collects = False
        model = ctree.NaiveBayesClassifier(bins=6).fit(cases)
    assert repr(model._to_fields()) == repr(expected._to_fields())


@pytest.mark.parametrize("learner", LEARNERS, ids=repr)
@pytest.mark.parametrize("unknown", [False, True])
def test_fractions_of_cases_do_not_depend_on_parts(tmp_path, learner, unknown, monkeypatch):
    rng = np.random.default_rng([unknown, 32])
    table, weights = columns(rng, 200, unknown), weights_of(rng, 200, whole=False)
    monkeypatch.setattr(growing, "gathered", lambda source: 30)
    found = set()
    for rows in (7, 200, 64):
        pq.write_table(pa.table({**table, "count": weights}), tmp_path / "cases.parquet", row_group_size=rows)
        with ctree.scan_parquet(tmp_path / "cases.parquet", "y", weights="count") as cases:
            cases.collects = False
            found.add(repr(type(learner)(**learner.get_params()).fit(cases)._to_fields()))
    assert len(found) == 1


def test_fractions_of_cases_give_the_model_of_memory(monkeypatch):
    fits = same = 0
    for seed in range(16):
        rng = np.random.default_rng([seed, 33])
        table, weights = columns(rng, 200, unknown=seed % 2 == 0), weights_of(rng, 200, whole=False)
        gathered = int(rng.choice([1, 20, 50]))
        monkeypatch.setattr(growing, "gathered", lambda source, gathered=gathered: gathered)
        with ctree.scan_arrow(pa.table({**table, "count": weights}), "y", weights="count") as cases:
            cases.collects = False
            for learner in LEARNERS:
                found, expected = (type(learner)(**learner.get_params()) for _ in range(2))
                expected.fit(without_label(table), table["y"], sample_weight=weights)
                fits += 1
                same += nearly_same(found.fit(cases)._to_fields(), expected._to_fields())
    assert same >= 0.99 * fits


def test_codes_with_weights_are_kept(tmp_path):
    rng = np.random.default_rng(3)
    table, weights = columns(rng), weights_of(rng, 400, whole=False)
    path, kept = tmp_path / "cases.parquet", tmp_path / "kept"
    pq.write_table(pa.table({**table, "count": weights, "other": weights + 1}), path)
    for name in ("count", "other", "count"):
        with ctree.scan_parquet(path, "y", weights=name, cache=kept) as cases:
            expected = weights[weights > 0] if name == "count" else weights + 1
            np.testing.assert_allclose(cases.collect().weights, expected, rtol=0, atol=cases.unit / 2)
    assert len(list(kept.iterdir())) == 2


@pytest.mark.parametrize(("bad", "told"), [(-1.0, r"-1\.0"), (np.nan, "unknown"), (np.inf, "inf"), (-0.5, r"-0\.5")])
def test_a_bad_weight_is_named(tmp_path, bad, told):
    weights = np.ones(10)
    weights[7] = bad
    path = tmp_path / "cases.parquet"
    pq.write_table(pa.table({"x": range(10), "y": ["a", "b"] * 5, "w": weights}), path, row_group_size=4)
    with pytest.raises(DataError, match=rf"cases\.parquet.*row group 1, row 4: the weight 'w' is {told}, but should"):
        ctree.scan_parquet(path, "y", weights="w")


def test_a_weight_that_is_no_number(tmp_path):
    path = tmp_path / "cases.csv"
    path.write_text("x,w,y\n1,2,a\n2,heavy,b\n3,1,a\n")
    with pytest.raises(DataError, match=r"cases\.csv: row 2: the weight 'w' is 'heavy', which is no number"):
        ctree.scan_csv(path, weights="w")
    path.write_text("x,w,y\n1,2,a\n2,?,b\n")
    with pytest.raises(DataError, match="row 2: the weight 'w' is unknown"):
        ctree.scan_csv(path, weights="w")
    table = pa.table({"x": [1, 2], "w": ["1", "2"], "y": ["a", "b"]})
    with pytest.raises(DataError, match="the weight 'w' has the type string, but should hold numbers"):
        ctree.scan_arrow(table, "y", weights="w")
    with pytest.raises(DataError, match="the weight 'w' is unknown"):
        ctree.scan_arrow(pa.table({"x": [1, 2], "w": pa.nulls(2), "y": ["a", "b"]}), "y", weights="w")


def test_names_of_the_weights(tmp_path):
    table = pa.table({"x": [1, 2], "w": [1, 2], "y": ["a", "b"]})
    path = tmp_path / "cases.csv"
    path.write_text("x,w,y\n1,2,a\n2,1,b\n")
    for scan in (lambda **more: ctree.scan_arrow(table, "y", **more), lambda **more: ctree.scan_csv(path, **more)):
        with pytest.raises(DataError, match="there is no column 'v' among"):
            scan(weights="v")
        with pytest.raises(DataError, match="column 'y' cannot be both the class and the weight"):
            scan(weights="y")
        with pytest.raises(DataError, match="the weight 'w' is among the columns to leave out"):
            scan(weights="w", ignore=["w"])
        with pytest.raises(DataError, match="no columns but the class 'y' and the weight 'w'"):
            scan(weights="w", ignore=["x"])
        with pytest.raises(ParameterError, match=r"weights is \[1, 2\], but should be the name"):
            scan(weights=[1, 2])


def test_no_weight_at_all():
    table = pa.table({"x": [1, 2], "w": [0, 0], "y": ["a", "b"]})
    with pytest.raises(DataError, match="no case has a weight greater than zero and a class"):
        ctree.scan_arrow(table, "y", weights="w")
    table = pa.table({"x": [1, 2], "w": [0, 2], "y": ["a", None]})
    with pytest.raises(DataError, match="no case has a weight greater than zero and a class"):
        ctree.scan_arrow(table, "y", weights="w", unknown_class="drop")


@pytest.mark.parametrize(
    ("weights", "told"), [([1e300, 1e300], "add up to 2e\\+300"), ([1.7e308] * 2, "add up to inf")]
)  # fmt: skip
def test_weights_that_cannot_be_counted_together(weights, told):
    table = pa.table({"x": [1, 2], "w": weights, "y": ["a", "b"]})
    with pytest.raises(DataError, match=told):
        ctree.scan_arrow(table, "y", weights="w")


@pytest.mark.parametrize("factor", [2.0**-30, 2.0**18, 1e-6])
def test_weights_of_any_size(factor):
    rng = np.random.default_rng(2)
    table, weights = columns(rng, 150), weights_of(rng, 150, whole=False) * factor
    learner = ctree.ProbabilityTreeClassifier(min_cases=2 * factor)
    expected = learner.fit(without_label(table), table["y"], sample_weight=weights)._to_fields()
    with ctree.scan_arrow(pa.table({**table, "w": weights}), "y", weights="w") as cases:
        cases.collects = False
        found = ctree.ProbabilityTreeClassifier(min_cases=2 * factor).fit(cases)._to_fields()
    assert found["trees"]["tree"]["threshold"] == expected["trees"]["tree"]["threshold"]
    np.testing.assert_allclose(found["trees"]["tree"]["counts"], expected["trees"]["tree"]["counts"], rtol=1e-6)


@pytest.mark.parametrize("seed", range(20))
def test_sums_are_exact(seed):
    rng = np.random.default_rng(seed)
    numbers = rng.normal(size=300) * 2.0 ** rng.integers(-1074, 1000, 300)
    numbers[rng.random(300) < 0.1] = rng.choice([0.0, -0.0, 5e-324, 1.7e308])
    total = sum((Fraction(x) for x in numbers.tolist()), Fraction(0))
    cut = int(rng.integers(0, 300))
    found = exact_sum(numbers[:cut]) + exact_sum(numbers[cut:])
    assert Fraction(found, 1 << 1200) == total
    assert as_float(exact_sum(numbers[:50] * 2.0**-40)) == math.fsum((numbers[:50] * 2.0**-40).tolist())


def test_the_unit_does_not_depend_on_the_parts():
    # a sum that rounds up to a power of two, or does not, by the order of its terms
    weights = np.array([1.0, 2.0**-53, 2.0**-53, 1.0 - 2.0**-52])
    units = set()
    for cuts in ((), (1,), (2,), (3,), (1, 2, 3)):
        coder = WeightCoder("w")
        for some in np.split(weights, cuts):
            one = WeightCoder("w")
            one.learn(some, None)
            coder.absorb(one)
        coder.settle()
        units.add(coder.unit)
    assert units == {unit_of_weights(2.0, 2.0**-53)}


def test_heavy_cases_take_no_more_passes_than_light_ones(monkeypatch):
    monkeypatch.setattr(growing, "gathered", lambda source: 100)
    rng = np.random.default_rng(1)
    x = rng.normal(size=(2000, 3))
    data = ctree.from_arrays(x, x[:, 0] + rng.normal(size=2000) > 0)
    passes = []
    for weight in (1.0, 4096.0):
        weighted = data.with_weights(np.resize([weight, 2 * weight], 2000))
        source = coded_from_dataset(weighted, 3, bins=64, memory=1 << 20)
        source.collects = False
        parameters = {"criterion": "gain", "mdl_correction": False, "prune": False, "min_cases": 50 * weight}
        model = ctree.C45Classifier(arithmetic="double", **parameters).fit(source)
        passes.append(sum(model.fit_info_["passes"].values()))
    assert passes[1] <= 1.2 * passes[0]
