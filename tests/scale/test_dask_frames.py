"""Frames of Dask, by the scheduler that Dask has without a cluster: the models of the same tables in memory."""

from __future__ import annotations

import subprocess
import sys

import numpy as np
import pytest

import ctree
from ctree.data.tables import frames
from ctree.errors import CtreeError, DataError, MissingExtraError, ParameterError
from ctree.learners.levels import growing
from ctree.scale import dask_cases, frame_scan
from tests.scale.frames import fields, in_memory, random_table

pytestmark = pytest.mark.engine
pd = pytest.importorskip("pandas")
dd = pytest.importorskip("dask.dataframe")
dask = pytest.importorskip("dask")

LEARNERS = [
    *(ctree.ProbabilityTreeClassifier(approach=a) for a in ("c4.4", "bic-stop", "bic-prune", "mdl-prune", "chi2")),
    ctree.BayesianTreeClassifier(),
    ctree.BayesianTreeClassifier(bins=5),
    ctree.NaiveBayesClassifier(),
]


@pytest.fixture(autouse=True)
def small(monkeypatch):
    """Small sizes, so that all steps have something to do; and one thread, as tests run beside each other."""
    monkeypatch.setattr(growing, "gathered", lambda source: 100)
    with dask.config.set(scheduler="synchronous"):
        yield


def of_parts(parts):
    """A frame with these partitions, none of which is looked at before it is computed."""
    meta = parts[0].iloc[:0]
    return dd.from_delayed([dask.delayed(part) for part in parts], meta=meta, verify_meta=False)


def divided(table, bounds):
    return [table.iloc[a:b] for a, b in zip([0, *bounds], [*bounds, len(table)], strict=True)]


@pytest.mark.parametrize("learner", LEARNERS, ids=repr)
def test_the_same_model_as_in_memory(learner, monkeypatch):
    table = random_table()
    expected = fields(in_memory(learner, table))
    rng = np.random.default_rng(5)
    for most_bins, sample in ((4096, 200_000), (16, 100), (100, 40)):
        monkeypatch.setattr(frame_scan, "MOST_BINS", most_bins)
        monkeypatch.setattr(frame_scan, "SAMPLE", sample)
        # one partition, or many, some of them empty
        bounds = np.sort(rng.integers(0, len(table), rng.integers(0, 12))).tolist()
        with ctree.scan_dask(of_parts(divided(table, [0, *bounds, len(table)])), "label") as cases:
            cases.collects = False
            assert fields(type(learner)(**learner.get_params()).fit(cases)) == expected


@pytest.mark.parametrize("learner", LEARNERS, ids=repr)
def test_weights(learner):
    table = random_table(600)
    weights = pd.Series(np.random.default_rng(8).choice([0, 1, 2, 5], 600), index=table.index)
    rows = table.drop(columns="label")
    expected = fields(type(learner)(**learner.get_params()).fit(rows, table["label"], sample_weight=weights))
    frame = of_parts(divided(table.assign(often=weights), [0, 50, 50, 420]))
    apart = frame["often"]
    for given, name in ((frame, "often"), (frame.drop(columns="often"), apart)):
        with ctree.scan_dask(given, "label", weights=name) as cases:
            assert cases.n_cases == (weights > 0).sum()
            assert "often" not in cases.schema.names
            cases.collects = False
            assert fields(type(learner)(**learner.get_params()).fit(cases)) == expected
    one = type(learner)(**learner.get_params()).fit(frame, y="label", sample_weight="often")
    other = type(learner)(**learner.get_params())
    other.fit(frame.drop(columns=["label", "often"]), y=frame["label"], sample_weight=apart)
    assert fields(one) == fields(other) == expected


def test_class_weights_and_imputed_values_in_other_processes():
    table = random_table(600, unknown=True).assign(often=np.random.default_rng(8).choice([0, 1, 2, 5], 600))
    learner = ctree.BayesianTreeClassifier(unknown="impute", bins=4, class_weight={"yes": 3, "no": 1, "maybe": 0})
    data = ctree.from_arrays(table.drop(columns=["label", "often"]), table["label"], sample_weight=table["often"])
    expected = fields(learner.fit(data))
    with dask.config.set(scheduler="processes", num_workers=2):
        frame = dd.from_pandas(table, npartitions=3, sort=False)
        with ctree.scan_dask(frame, "label", weights="often") as cases:
            cases.collects = False
            assert fields(learner.fit(cases)) == expected
        assert learner.fit_info_["engine"] == "dask"


def test_weights_that_are_none():
    table = random_table(60).assign(often=1.0)
    learner = ctree.NaiveBayesClassifier()
    for bad, message in (
        ("offen", r"there is no column 'offen' among .*did you mean 'often'"),
        ("label", "column 'label' cannot be both the class and the weight"),
        ("text", "partition 0: the weight 'text' has the type .*, but should hold numbers"),
    ):
        with pytest.raises(DataError, match=message):
            learner.fit(dd.from_pandas(table, npartitions=2), y="label", sample_weight=bad)
    frame = dd.from_pandas(table, npartitions=2)
    with pytest.raises(DataError, match="the weights are in 3 partitions, the cases in 2"):
        learner.fit(frame, y="label", sample_weight=dd.from_pandas(table["often"], npartitions=3))
    table.loc[table.index[40], "often"] = -2.0
    with pytest.raises(DataError, match=r"partition 1: row 11: the weight 'often' is -2\.0, but should be"):
        learner.fit(dd.from_pandas(table, npartitions=2), y="label", sample_weight="often")
    with pytest.raises(DataError, match="no case has a weight greater than zero and a class in the frame"):
        learner.fit(dd.from_pandas(table.assign(often=0), npartitions=2), y="label", sample_weight="often")


def test_the_schema_is_that_of_the_table():
    table = random_table(unknown=True)
    data = ctree.from_arrays(table.drop(columns="label"), table["label"])
    with ctree.scan_dask(dd.from_pandas(table, npartitions=4, sort=False), "label") as cases:
        cases.collects = False
        assert cases.schema == data.schema
        assert cases.class_counts.tolist() == np.bincount(data.classes).tolist()
        assert not cases.complete
        assert len(cases) == len(table)
        again = cases.collect()
    for one, other in zip(again.columns, data.columns, strict=True):
        np.testing.assert_array_equal(one, other)
    np.testing.assert_array_equal(again.classes, data.classes)
    with pytest.raises(DataError, match="the cases were closed; scan the frame again"):
        cases.collect()


@pytest.mark.parametrize("sample", [10, 60, 500])
@pytest.mark.parametrize("most", [3, 50, 1000])
def test_bins_have_the_ends_that_the_numbers_have(most, sample, monkeypatch):
    monkeypatch.setattr(frame_scan, "MOST_BINS", most)
    monkeypatch.setattr(frame_scan, "FEW", 1)
    monkeypatch.setattr(frame_scan, "SAMPLE", sample)
    rng = np.random.default_rng(most)
    numbers = np.where(rng.random(600) < 0.1, np.nan, rng.integers(0, 120, 600) / 4)
    table = pd.DataFrame({"x": numbers, "y": rng.integers(0, 2, 600)})
    with ctree.scan_dask(of_parts(divided(table, [5, 5, 300])), "y") as cases:
        cases.collects = False
        bins = cases.bins[0]
        parts = [part.load() for part in cases.parts]
    codes = np.concatenate([part.codes[0] for part in parts])
    assert len(bins) <= max(most, 1)
    np.testing.assert_array_equal(
        codes, [0 if np.isnan(x) else 1 + sum(cut < x for cut in bins.cuts.tolist()) for x in numbers]
    )
    for b in range(len(bins)):
        here = numbers[codes == b + 1]
        assert (bins.least[b], bins.most[b]) == ((here.min(), here.max()) if len(here) else (np.inf, -np.inf))
    kept = [part.numbers[0] for part in parts]
    if (bins.least < bins.most).any():
        np.testing.assert_array_equal(np.concatenate(kept), numbers)
    else:
        assert kept == [None] * len(kept)


def test_unknown_values_do_not_depend_on_the_partitions(monkeypatch):
    table = random_table(400, unknown=True)
    learner = ctree.ProbabilityTreeClassifier(approach="bic-prune")
    found = set()
    for bounds, bins in (([], 4096), ([100, 100, 390], 16)):
        monkeypatch.setattr(frame_scan, "MOST_BINS", bins)
        with ctree.scan_dask(of_parts(divided(table, bounds)), "label") as cases:
            cases.collects = False
            model = ctree.ProbabilityTreeClassifier(approach="bic-prune").fit(cases)
        found.add(fields(model))
        memory = in_memory(learner, table)
        rows = table.drop(columns="label")
        np.testing.assert_allclose(model.predict_proba(rows), memory.predict_proba(rows), atol=1e-9)
    assert len(found) == 1


def test_a_frame_that_fits_is_collected():
    table = random_table(300)
    frame = dd.from_pandas(table, npartitions=3, sort=False)
    for learner in (ctree.ProbabilityTreeClassifier(), ctree.BayesianTreeClassifier(), ctree.C45Classifier()):
        model = type(learner)().fit(frame, y="label")
        assert fields(model) == fields(in_memory(learner, table))
        assert model.fit_info_["engine"] == "memory"
        assert model.fit_info_["passes"] == {"collect": 1}
        assert model.fit_info_["seconds"] > 0


def test_a_frame_that_does_not_fit_is_not_collected(monkeypatch):
    monkeypatch.setattr(dask_cases.DaskCases, "collects", False)
    table = random_table(300)
    frame = dd.from_pandas(table, npartitions=3, sort=False)
    learner = ctree.ProbabilityTreeClassifier()
    model = ctree.ProbabilityTreeClassifier().fit(frame, y="label")
    assert fields(model) == fields(in_memory(learner, table))
    assert model.fit_info_["engine"] == "dask"
    assert model.fit_info_["passes"]["count"] == model.fit_info_["count_passes"] > 1
    with pytest.raises(DataError, match="C45RulesClassifier needs all cases in memory, and those of the source do not"):
        ctree.C45RulesClassifier().fit(frame, y="label")


def test_classes_may_be_a_series_of_the_frame():
    table = random_table(300)
    frame = dd.from_pandas(table, npartitions=3, sort=False)
    expected = fields(in_memory(ctree.ProbabilityTreeClassifier(), table))
    model = ctree.ProbabilityTreeClassifier().fit(frame.drop(columns="label"), frame["label"])
    assert fields(model) == expected
    with pytest.raises(DataError, match="the classes are in 3 partitions, the cases in 2"):
        ctree.ProbabilityTreeClassifier().fit(frame.repartition(npartitions=2), frame["label"])
    short = frame["label"].map_partitions(lambda part: part.iloc[1:], meta=frame["label"]._meta)
    with pytest.raises(DataError, match=r"partition \d: there are 100 cases but 99 classes"):
        ctree.ProbabilityTreeClassifier().fit(frame.drop(columns="label"), short)


def test_names_that_are_no_text():
    table = pd.DataFrame(np.random.default_rng(1).integers(0, 3, (50, 3)))
    model = ctree.ProbabilityTreeClassifier().fit(dd.from_pandas(table, npartitions=2), y=2)
    assert fields(model) == fields(in_memory(ctree.ProbabilityTreeClassifier(), table, 2))
    table.columns = ["a", 5, "y"]
    with pytest.raises(DataError, match="one column is called 'a' and another 5; convert all of them to text"):
        ctree.ProbabilityTreeClassifier().fit(dd.from_pandas(table, npartitions=2), y="y")


def test_a_class_and_a_value_in_one_partition_only():
    table = random_table(200)
    table.loc[150:, "label"] = "never seen before"
    table.loc[199, "text"] = "zz"
    learner = ctree.ProbabilityTreeClassifier(approach="c4.4")
    with ctree.scan_dask(of_parts(divided(table, [150])), "label") as cases:
        cases.collects = False
        assert fields(ctree.ProbabilityTreeClassifier(approach="c4.4").fit(cases)) == fields(in_memory(learner, table))


def test_the_order_of_columns_may_differ():
    table = random_table(200)
    parts = divided(table, [70])
    parts[1] = parts[1][list(reversed(table.columns))]
    with ctree.scan_dask(of_parts(parts), "label") as cases:
        cases.collects = False
        model = ctree.ProbabilityTreeClassifier().fit(cases)
    assert fields(model) == fields(in_memory(ctree.ProbabilityTreeClassifier(), table))


def test_whole_numbers_and_fractions_or_nothing_go_together():
    table = random_table(200)
    parts = divided(table, [70, 140])
    parts[1] = parts[1].assign(few=parts[1]["few"].round().astype(int), text=None)
    whole = pd.concat([parts[0], parts[1], parts[2]])
    with ctree.scan_dask(of_parts(parts), "label") as cases:
        cases.collects = False
        assert cases.schema == ctree.from_arrays(whole.drop(columns="label"), whole["label"]).schema


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (lambda part: part.assign(x="far"), "partition 1: column 'x' has the type .*, but double in partition 0"),
        (lambda part: part.drop(columns="few"), "partition 1: there is no column 'few', which the frame has"),
        (lambda part: part.assign(more=1), "partition 1: there is a column 'more', which the frame has not"),
        (lambda part: part.assign(x=np.inf), "partition 1: row 1: attribute 'x' has an infinite value"),
        (lambda part: part.assign(label=None), "partition 1: row 1: the class 'label' is unknown"),
        (lambda part: part.assign(x=pd.Timestamp(0)), "partition 1: column 'x' has the type timestamp.*, but double"),
        (lambda part: part.assign(text=[["a"]] * len(part)), "partition 1: column 'text' has the type list"),
        (
            lambda part: part.assign(text=pd.Series([1, "a"] * (len(part) // 2), part.index, dtype=object)),
            "partition 1: column 'text' holds values of several types",
        ),
    ],
)
def test_partitions_that_are_wrong_are_named(change, message):
    parts = divided(random_table(200), [70])
    parts[1] = change(parts[1])
    with pytest.raises(DataError, match=message):
        ctree.scan_dask(of_parts(parts), "label")


def test_a_frame_that_changes_is_an_error(monkeypatch):
    monkeypatch.setattr(frame_scan.coding, "merged", lambda found: {k: v.fresh() for k, v in found[0].items()})
    parts = divided(random_table(200), [70])
    parts[1] = parts[1].assign(text="new")
    with pytest.raises(DataError, match="partition 1: column 'text' has a value that it did not have before"):
        ctree.scan_dask(of_parts(parts), "label")


def test_what_to_leave_out_and_what_is_discrete():
    table = random_table(300).assign(when=pd.Timestamp(0))
    table.loc[5, "label"] = None
    frame = dd.from_pandas(table, npartitions=3, sort=False)
    options = {"ignore": ["when"], "unknown_class": "drop", "categorical_features": ["few", "text", "flag", "kind"]}
    with ctree.scan_dask(frame, "label", **options) as cases:
        cases.collects = False
        model = ctree.ProbabilityTreeClassifier().fit(cases)
    left = table[table["label"].notna()].drop(columns=["when", "label"])
    expected = ctree.ProbabilityTreeClassifier(categorical_features=options["categorical_features"])
    expected.fit(left, table["label"].dropna())
    assert model.tree_.to_text() == expected.tree_.to_text()
    assert model.schema_ == expected.schema_


def test_predictions_are_lazy_and_those_of_memory():
    table = random_table(400, unknown=True)
    model = in_memory(ctree.ProbabilityTreeClassifier(), table)
    rows = table.drop(columns="label")
    frame = of_parts(divided(table, [0, 100, 100, 350]))
    labels, shares = model.predict(frame), model.predict_proba(frame)
    assert type(labels).__module__.startswith("dask")
    assert shares.columns.tolist() == ["maybe", "no", "yes"]
    frame["predicted"] = labels
    model.fit(rows[:5], table["label"][:5])  # what was asked for before is of the model as it was
    model = in_memory(ctree.ProbabilityTreeClassifier(), table)
    out = frame.compute()
    assert out["predicted"].tolist() == model.predict(rows).tolist()
    assert out.index.tolist() == table.index.tolist()
    np.testing.assert_array_equal(shares.compute().to_numpy(), model.predict_proba(rows))
    with pytest.raises(DataError, match="X lacks the column 'few'"):
        model.predict(frame.drop(columns="few"))
    with pytest.raises(DataError, match=r"it is \(predict\(X\) == y\).mean\(\).compute\(\)"):
        model.score(frame, "label")
    with pytest.raises(CtreeError, match="not fitted"):
        ctree.ProbabilityTreeClassifier().predict(frame)


def test_classes_that_are_numbers():
    table = random_table(200).assign(label=np.arange(200) % 3)
    model = in_memory(ctree.NaiveBayesClassifier(), table)
    labels = model.predict(dd.from_pandas(table, npartitions=3))
    assert labels.dtype == labels.compute().dtype == np.int64


def test_one_column_to_leave_out_may_be_named_alone():
    table = random_table(60)
    with ctree.scan_dask(dd.from_pandas(table, npartitions=2, sort=False), "label", ignore="text") as cases:
        assert set(cases.schema.names) == set(table.columns) - {"label", "text"}


def test_what_cannot_be_is_said():
    frame = dd.from_pandas(random_table(60), npartitions=2, sort=False)
    learner = ctree.ProbabilityTreeClassifier()
    with pytest.raises(DataError, match="a frame of Dask needs y: the name of the column of the class"):
        learner.fit(frame)
    with pytest.raises(DataError, match=r"there is no column 'lable' among .*did you mean 'label'"):
        learner.fit(frame, y="lable")
    with pytest.raises(DataError, match="there is no column"):
        learner.fit(frame, y=np.zeros(60))
    with pytest.raises(DataError, match="sample_weight of a frame of Dask should be the name of a column"):
        learner.fit(frame, y="label", sample_weight=np.ones(60))
    with pytest.raises(DataError, match="there is no column 'nothing'"):
        ctree.scan_dask(frame, "label", ignore=["nothing"])
    with pytest.raises(DataError, match="frame is a ndarray, but should be a DataFrame of Dask"):
        ctree.scan_dask(np.zeros((2, 2)), "label")
    with pytest.raises(ParameterError, match="unknown_class is 'keep', but should be one of 'error', 'drop'"):
        ctree.scan_dask(frame, "label", unknown_class="keep")
    with pytest.raises(ParameterError, match="memory"):
        ctree.scan_dask(frame, "label", memory="some")
    with pytest.raises(DataError, match="there are no cases in the frame"):
        ctree.scan_dask(of_parts([random_table(5).iloc[:0]]), "label")
    with pytest.raises(DataError, match="the class of every case is unknown in the frame"):
        ctree.scan_dask(of_parts([random_table(5).assign(label=None)]), "label", unknown_class="drop")


def test_no_scheduler_is_an_error_that_names_the_address(monkeypatch):
    from ctree.scale.engines import dask as engine

    monkeypatch.setattr(engine.connect, "__defaults__", (0.5,))
    pytest.importorskip("distributed")
    with pytest.raises(CtreeError, match=r"there is no scheduler of Dask at tcp://127\.0\.0\.1:9"):
        ctree.scan_dask(dd.from_pandas(random_table(20), npartitions=2), "label", client="tcp://127.0.0.1:9")


WITHOUT = """
import sys
import numpy as np
import ctree
ctree.ProbabilityTreeClassifier().fit(np.eye(4), [0, 1, 0, 1]).predict(np.eye(4))
for name in ("dask", "distributed", "pyarrow", "pandas"):
    assert name not in sys.modules, name
sys.modules["dask"] = None
DataFrame = type("DataFrame", (), {"__module__": "dask.dataframe.dask_expr._collection"})
for call in (lambda: ctree.scan_dask(DataFrame(), "y"), lambda: ctree.NaiveBayesClassifier().fit(DataFrame(), "y")):
    try:
        call()
    except ctree.errors.MissingExtraError as error:
        print(error)
"""


def test_without_dask_nothing_is_imported_and_the_extra_is_named():
    done = subprocess.run([sys.executable, "-c", WITHOUT], capture_output=True, text=True, check=True, timeout=120)
    assert (
        done.stdout == "learning with Dask needs dask (the extra 'dask'), which is not installed; to install it: "
        "pip install 'dask[dataframe,distributed]' pyarrow narwhals\n" * 2
    )
    assert issubclass(MissingExtraError, ImportError)
    assert frames.is_dask_frame(object()) is False
