"""What is known of Spark without it: whose frames these are, and what its errors mean."""

from __future__ import annotations

import subprocess
import sys

import numpy as np
import pytest

import ctree
from ctree.data.tables import frames
from ctree.errors import CtreeError
from ctree.learners.base import spark_frames
from ctree.scale.engines import spark_errors, spark_rows, spark_tasks
from ctree_ext.scale.faults import PartError

WITHOUT = """
import sys
import numpy as np
import ctree
ctree.ProbabilityTreeClassifier().fit(np.eye(4), [0, 1, 0, 1]).predict(np.eye(4))
for name in ("pyspark", "pyarrow", "pandas"):
    assert name not in sys.modules, name
sys.modules["pyspark"] = None
for module in ("pyspark.sql.dataframe", "pyspark.sql.classic.dataframe", "pyspark.sql.connect.dataframe"):
    frame = type("DataFrame", (), {"__module__": module})()
    for call in (lambda: ctree.scan_spark(frame, "y"), lambda: ctree.NaiveBayesClassifier().fit(frame, "y")):
        try:
            call()
        except ctree.errors.MissingExtraError as error:
            print(error)
"""


def test_without_pyspark_nothing_is_imported_and_the_extra_is_named():
    done = subprocess.run([sys.executable, "-c", WITHOUT], capture_output=True, text=True, check=True, timeout=120)
    assert (
        done.stdout == "learning with Spark needs pyspark (the extra 'spark'), which is not installed; to install it: "
        "pip install pyspark pandas pyarrow narwhals\n" * 6
    )


def test_frames_are_told_by_their_type():
    kinds = {
        "pyspark.sql.dataframe": "spark",
        "pyspark.sql.connect.dataframe": "spark",
        "dask.dataframe.dask_expr._collection": "dask",
        "pyspark.pandas.frame": None,
        "pandas": None,
    }
    for module, library in kinds.items():
        assert frames.lies_with(type("DataFrame", (), {"__module__": module})()) == library
        assert frames.lies_with(type("Column", (), {"__module__": module})()) is None


@pytest.mark.parametrize(
    ("told", "sentence"),
    [
        ("x\nModuleNotFoundError: No module named 'ctree'\n", "the workers of Spark cannot import ctree: install"),
        ("Cannot call methods on a stopped SparkContext.\nThis", "the session of Spark was stopped"),
        ("ExecutorLostFailure (executor 3 exited)", "executors of Spark died, or their workers did"),
        ("[NO_SUCH] it is so\n\tat org.apache", r"Spark could not do its work: \[NO_SUCH\] it is so"),
        ("", "it does not say why"),
    ],
)
def test_errors_of_spark_are_sentences(told, sentence):
    error = type("PythonException", (Exception,), {"__module__": "pyspark.errors"})
    with pytest.raises(CtreeError, match=sentence), spark_errors.in_words():
        raise error(told)
    with pytest.raises(KeyError), spark_errors.in_words():
        raise KeyError(told)


def test_a_fault_in_a_part_is_told_by_the_worker_that_has_its_pieces():
    pytest.importorskip("pyarrow")

    def split(part):
        raise PartError("entries", 1)

    given = spark_rows.batch_of(spark_rows.Row(0, 4, 0, spark_rows.dumps(Part())))
    whole = spark_rows.batch_of(spark_rows.Row(0, 5, 0, spark_rows.dumps(["a piece"])))
    faulty = list(spark_tasks.divided(split, [[0], [1]])([given]))
    (found,) = spark_tasks.worked(lambda key, pieces: pieces, [[7], [8]])([*faulty, whole])
    with pytest.raises(PartError, match="entries"):
        spark_rows.unfaulty([spark_rows.told(value.as_py()) for value in found.column("told")])


class Part:
    def load(self):
        return None


def test_predictions_are_those_of_predict():
    arrow = pytest.importorskip("pyarrow")
    pandas = pytest.importorskip("pandas")
    pytest.importorskip("narwhals")
    rng = np.random.default_rng(5)
    table = pandas.DataFrame({"x": rng.normal(size=300).round(1), "k": rng.choice(["a", "b", "c"], 300)})
    y = np.where(table["x"] + rng.normal(size=300) > 1, "yes", "no")
    model = ctree.C45Classifier(variant="j48", estimate="m", m=200, prune=False).fit(table, y)
    shares, expected = model.predict_proba(table), model.predict(table)
    assert (model.classes_[shares.argmax(axis=1)] != expected).any()
    names = ["prediction", "probability_no", "probability_yes"]
    batches = arrow.Table.from_pandas(table, preserve_index=False).to_batches(max_chunksize=70)
    batches.append(batches[0].slice(0, 0))
    found = arrow.Table.from_batches(spark_frames._predicting(model, ["x", "k"], names, True)(batches))
    assert found.column("prediction").to_pylist() == expected.tolist()
    assert np.array_equal(np.column_stack([found.column(name) for name in names[1:]]), shares)
