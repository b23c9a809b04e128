"""Frames of Spark, on this machine: the models of the same tables in memory, whatever the partitions."""

from __future__ import annotations

import datetime
import doctest
import os
import pickle
import signal
import sys
import threading
import time

import numpy as np
import pytest

import ctree
from ctree.errors import CtreeError, DataError, ParameterError
from ctree.learners.levels import growing
from ctree.scale import frame_scan, spark_cases, spark_tables
from ctree.scale.coded_dataset import HeldPart
from ctree.scale.coded_part import CodedPart
from ctree.scale.engines import spark as engines
from tests.scale.frames import fields, in_memory
from tests.scale.spark_session import held, of_table, session_for, stop_session, table_of

pytestmark = [
    pytest.mark.engine,
    # of pyspark, which asks for pandas though nothing here uses it
    pytest.mark.filterwarnings("ignore:PySpark does not yet fully support pandas:FutureWarning"),
]
pd = pytest.importorskip("pandas")
pytest.importorskip("pyarrow")


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """Where Spark has its files, until its session ends with the module."""
    yield tmp_path_factory.mktemp("spark")
    stop_session()


@pytest.fixture
def spark(folder):
    return session_for(sys.modules[__name__], folder)


@pytest.fixture
def small(monkeypatch):
    """Small sizes, so that all passes have something to do."""
    monkeypatch.setattr(growing, "gathered", lambda source: 300)
    monkeypatch.setattr(frame_scan, "MOST_BINS", 16)
    monkeypatch.setattr(frame_scan, "SAMPLE", 200)
    monkeypatch.setattr(spark_cases.SparkCases, "collects", False)


@pytest.mark.parametrize(
    ("learner", "n_keys", "n_partitions"),
    [
        (ctree.ProbabilityTreeClassifier(approach="bic-prune"), 3, 9),
        (ctree.BayesianTreeClassifier(), 1, 1),
        (ctree.NaiveBayesClassifier(), 20, 12),
        (ctree.C45Classifier(arithmetic="double"), 4, 3),
    ],
    ids=repr,
)
def test_the_same_model_as_in_memory(spark, small, monkeypatch, learner, n_keys, n_partitions):
    # some of the partitions are empty, as there are fewer keys; results are combined by workers too
    monkeypatch.setattr(engines, "FAN_IN", 1 if n_keys == 4 else 8)
    table = table_of(800)
    frame = of_table(spark, table, np.random.default_rng(n_keys).integers(0, n_keys, 800), n_partitions)
    model = type(learner)(**learner.get_params()).fit(frame, y="label")
    assert fields(model) == fields(in_memory(learner, table))
    assert model.fit_info_["engine"] == "spark"
    assert model.fit_info_["passes"]["count"] > 1
    assert held(spark) == 0


def test_one_part_has_almost_all_cases_and_a_class_of_its_own(spark, small, monkeypatch):
    monkeypatch.setattr(spark_tables, "MOST_ROWS", 70)
    table = table_of(700)
    table.loc[690:, "label"] = "never seen before"
    table.loc[699, "text"] = "zz"
    where = np.where(np.arange(700) < 690, 0, 1)
    with ctree.scan_spark(of_table(spark, table, where, 5), "label") as cases:
        assert sorted(part.n for part in cases.parts) == [10, 60, *[70] * 9]
        shared = spark.sparkContext.defaultParallelism * spark_tables.SPREAD
        in_partitions = cases.parts[0].held.frame.mapInArrow(count_rows, "n int").collect()
        assert len([row for row in in_partitions if row.n]) > 2, "all is in one partition still"
        assert cases.parts[0].held.n_tasks == shared
        model = ctree.ProbabilityTreeClassifier(approach="c4.4").fit(cases)
    assert fields(model) == fields(in_memory(ctree.ProbabilityTreeClassifier(approach="c4.4"), table))


def count_rows(batches):
    import pyarrow

    n = sum(batch.num_rows for batch in batches)
    yield pyarrow.RecordBatch.from_arrays([pyarrow.array([n], pyarrow.int32())], ["n"])


def test_unknown_values_and_predictions(spark, small):
    table = table_of(400, unknown=True)
    frame = of_table(spark, table, np.arange(400) % 3, 4)
    rows = table.drop(columns="label")
    data = ctree.from_arrays(rows, table["label"])
    nulls = frame.selectExpr("nullif(x, double('NaN')) as x", *[f"`{name}`" for name in table if name != "x"])
    found = set()
    for one in (frame, nulls.coalesce(1)):
        with ctree.scan_spark(one, "label") as cases:
            assert cases.schema == data.schema
            assert cases.class_counts.tolist() == np.bincount(data.classes).tolist()
            assert cases.unknown.sum() == table.isna().sum().sum() > 0
            found.add(fields(ctree.ProbabilityTreeClassifier(approach="bic-prune").fit(cases)))
            if one is not frame:
                again = cases.collect()
    assert len(found) == 1
    for one, other in zip(again.columns, data.columns, strict=True):
        np.testing.assert_array_equal(np.sort(one), np.sort(other))
    with pytest.raises(DataError, match="the cases were closed; scan the frame again"):
        cases.collect()

    model = in_memory(ctree.ProbabilityTreeClassifier(), table)
    out = model.predict(frame.withColumn("when", frame["whole"].cast("timestamp")))
    assert out.columns == [*table, "when", "prediction", "probability_maybe", "probability_no", "probability_yes"]
    shares = model.predict_proba(frame)
    assert shares.columns == [*table, "probability_maybe", "probability_no", "probability_yes"]
    model.fit(rows[:5], table["label"][:5])  # what was asked for before is of the model as it was
    model = in_memory(ctree.ProbabilityTreeClassifier(), table)
    got = out.collect()
    cases = pd.DataFrame([[row[name] for name in rows] for row in got], columns=list(rows))
    assert len(got) == 400
    assert [row.prediction for row in got] == model.predict(cases).tolist()
    for some in (got, shares.collect()):
        columns = [[row.probability_maybe, row.probability_no, row.probability_yes] for row in some]
        np.testing.assert_array_equal(columns, model.predict_proba(cases))
    with pytest.raises(DataError, match="X lacks the column 'few'"):
        model.predict(frame.drop("few"))
    with pytest.raises(DataError, match="X has a column 'prediction' already, which predictions go to"):
        model.predict(out)
    with pytest.raises(DataError, match=r"of a frame of Spark it is the mean of prediction == y in predict\(X\)"):
        model.score(frame, "label")
    with pytest.raises(CtreeError, match="not fitted"):
        ctree.ProbabilityTreeClassifier().predict(frame)


def test_a_frame_that_fits_is_collected(spark):
    table = table_of(300).assign(label=np.arange(300) % 3)
    frame = of_table(spark, table)
    model = ctree.C45Classifier().fit(frame, y="label")
    assert fields(model) == fields(in_memory(ctree.C45Classifier(), table))
    assert (model.fit_info_["engine"], model.fit_info_["passes"]) == ("memory", {"collect": 1})
    assert dict(model.predict(frame).dtypes)["prediction"] == "bigint"
    assert {row.prediction for row in model.predict(frame).take(50)} <= {0, 1, 2}
    assert held(spark) == 0


def test_what_is_wrong_with_a_frame_is_said(spark):
    table = table_of(60)
    frame = of_table(spark, table)
    learner = ctree.ProbabilityTreeClassifier()
    with pytest.raises(DataError, match="a frame of Spark needs y: the name of the column of the class"):
        learner.fit(frame)
    with pytest.raises(DataError, match=r"there is no column 'lable' among .*did you mean 'label'"):
        learner.fit(frame, y="lable")
    with pytest.raises(DataError, match="there is no column"):
        learner.fit(frame, y=frame["label"])
    with pytest.raises(DataError, match="sample_weight of a frame of Spark should be the name of a column"):
        learner.fit(frame, y="label", sample_weight=np.ones(60))
    with pytest.raises(DataError, match="there is no column 'nothing'"):
        ctree.scan_spark(frame, "label", ignore=["nothing"])
    with pytest.raises(DataError, match="there is no column 'label'"):
        ctree.scan_spark(frame, "label", ignore=["label"])
    with pytest.raises(DataError, match="frame is a ndarray, but should be a DataFrame of Spark"):
        ctree.scan_spark(np.zeros((2, 2)), "label")
    with pytest.raises(ParameterError, match="unknown_class is 'keep', but should be one of 'error', 'drop'"):
        ctree.scan_spark(frame, "label", unknown_class="keep")
    with pytest.raises(DataError, match="two columns are called 'x'"):
        learner.fit(frame.select("x", "x", "label"), y="label")
    day = spark.createDataFrame([(datetime.date(2020, 1, 1), [1], "a")], "day date, list array<int>, y string")
    with pytest.raises(DataError, match="column 'day' holds dates or times"):
        learner.fit(day.drop("list", "y"), y="day")
    with pytest.raises(
        DataError, match="column 'list' has the type array<int>; it should hold numbers, booleans or text"
    ):
        learner.fit(day.drop("day"), y="y")
    with pytest.raises(DataError, match="there are no cases in the frame"):
        learner.fit(frame.where("x > 1e9"), y="label")
    table.loc[30, "x"] = np.inf
    with pytest.raises(DataError, match="partition 0: row 31: attribute 'x' has an infinite value"):
        learner.fit(of_table(spark, table), y="label")
    assert held(spark) == 0


def test_what_to_leave_out_and_what_is_discrete(spark, small):
    table = table_of(300)
    table.loc[5, "label"] = None
    frame = of_table(spark, table).selectExpr("*", "current_date() as `the.day`")
    options = {"ignore": ["the.day"], "unknown_class": "drop", "categorical_features": ["few", "text", "flag", "kind"]}
    with ctree.scan_spark(frame, "label", **options) as cases:
        model = ctree.ProbabilityTreeClassifier().fit(cases)
    left = table[table["label"].notna()].drop(columns="label")
    expected = ctree.ProbabilityTreeClassifier(categorical_features=options["categorical_features"])
    expected.fit(left, table["label"].dropna())
    assert model.tree_.to_text() == expected.tree_.to_text()
    assert model.schema_ == expected.schema_


def test_learners_over_all_trees_take_a_frame_that_does_not_fit(spark, small):
    table = table_of(300)[["kind", "label"]]
    expected = ctree.BayesOptimalClassifier(max_depth=2).fit(table[["kind"]], table["label"])
    model = ctree.BayesOptimalClassifier(max_depth=2).fit(of_table(spark, table, n=2), y="label")
    assert fields(model) == fields(expected)


def test_what_an_executor_has_lost_is_numbered_as_before(spark, small):
    # Rows that are not held are made again, as those that were lost are: here in tasks that have several partitions.
    frame = of_table(spark, table_of(300), np.arange(300) % 40, 12)
    engine = engines.SparkEngine(spark)
    tables = spark_tables.spark_tables(frame, "label", [], engine)
    before = tables.shape().sizes
    assert len({number for number, _ in before}) > spark_tables.SPREAD * engine.n_tasks
    tables.release()
    assert spark_tables.SparkTables(tables._held, engine).shape().sizes == before


# The engine


def part(n):
    return HeldPart(CodedPart(n, (), (), np.zeros(n, dtype=np.uint8), None))


def sizes(parts):
    return [part.n for part in parts]


def slowly(parts):
    time.sleep(60)
    return sizes(parts)


def join(results):
    return [n for result in results for n in result]


def split(part):
    return [[(key, part.n)] for key in (7, 3, 5)]


def take(key, pieces):
    return key, [piece.pop() for piece in pieces]


def wrong(parts):
    raise DataError("so it is") if sizes(parts) else AssertionError


def test_an_engine_gives_every_part_to_one_call(spark, monkeypatch):
    engine = engines.SparkEngine(spark)
    for n_parts in (0, 1, 12):
        parts = [part(i) for i in range(n_parts)]
        assert sorted(engine.each(sizes, parts, combine=join)) == list(range(n_parts))
        found = engine.by_key(split, take, parts, {7: 3, 3: 1, 5: 1}, room=1)
        assert list(found.items()) == [(key, (key, [(key, i) for i in range(n_parts)])) for key in (7, 3, 5)]
    assert engine.by_key(split, take, parts, {7: 1}, room=1) == {7: (7, [(7, i) for i in range(12)])}
    monkeypatch.setattr(engines, "FAN_IN", 1)
    assert sorted(engine.each(sizes, parts, combine=join)) == list(range(12))
    with pytest.raises(DataError, match="so it is"):
        engine.each(wrong, parts, combine=join)
    with pytest.raises(CtreeError, match="Spark could not do its work: ZeroDivisionError: division by zero"):
        engine.each(lambda parts: 1 / 0, parts, combine=join)


def test_large_rows_come_one_by_one(spark):
    engine = engines.SparkEngine(spark)
    before = spark.conf.get("spark.sql.execution.arrow.maxRecordsPerBatch")
    rows = [(i, bytearray(30_000_000)) for i in range(4)]
    frame = spark.createDataFrame(rows, "i int, content binary").coalesce(1)
    with engine.job():
        found = frame.mapInArrow(count_bytes, "n long").collect()
    assert max(row.n for row in found) < 100_000_000
    assert sum(row.n for row in found) > 120_000_000 - 1
    assert spark.conf.get("spark.sql.execution.arrow.maxRecordsPerBatch") == before


def count_bytes(batches):
    import pyarrow

    for batch in batches:
        n = sum(len(value.as_py()) for value in batch.column("content"))
        yield pyarrow.RecordBatch.from_arrays([pyarrow.array([n], pyarrow.int64())], ["n"])


def test_ctrl_c_cancels_the_jobs(spark):
    engine = engines.SparkEngine(spark)
    tracker = spark.sparkContext.statusTracker()
    before = signal.signal(signal.SIGINT, signal.default_int_handler)  # that of Spark would cancel them itself

    def interrupt():
        deadline = time.monotonic() + 60
        while not tracker.getActiveJobsIds() and time.monotonic() < deadline:
            time.sleep(0.05)
        os.kill(os.getpid(), signal.SIGINT)

    try:
        thread = threading.Thread(target=interrupt)
        thread.start()
        with pytest.raises(KeyboardInterrupt):
            engine.each(slowly, [part(1)], combine=join)
        thread.join()
    finally:
        signal.signal(signal.SIGINT, before)
    deadline = time.monotonic() + 30
    while tracker.getActiveJobsIds():
        assert time.monotonic() < deadline
        time.sleep(0.05)
    assert engine.each(sizes, [part(1)], combine=join) == [1]


def test_the_codes_go_when_nobody_needs_them(spark):
    cases = ctree.scan_spark(of_table(spark, table_of(100)), "label")
    assert held(spark) == 1
    assert pickle.dumps(cases.parts[0].load().classes)
    cases.close()
    cases.close()
    assert held(spark) == 0
    cases = ctree.scan_spark(of_table(spark, table_of(100)), "label")
    assert held(spark) == 1
    del cases
    assert held(spark) == 0


def test_the_examples_of_the_docstrings(spark):
    for thing in (ctree.scan_spark, ctree.SparkCases):
        for test in doctest.DocTestFinder(recurse=False).find(thing, thing.__name__):
            for example in test.examples:
                example.options.clear()
            assert doctest.DocTestRunner().run(test) == (0, len(test.examples))


def test_a_session_that_was_stopped(spark):
    frame = of_table(spark, table_of(60))
    cases = ctree.scan_spark(frame, "label")
    spark.stop()
    with pytest.raises(CtreeError, match="the session of Spark was stopped: make the frame again in another one"):
        ctree.NaiveBayesClassifier().fit(frame, y="label")
    with pytest.raises(CtreeError, match="the session of Spark was stopped"):
        cases.collect()
    cases.close()
