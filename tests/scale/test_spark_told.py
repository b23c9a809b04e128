"""What is known of Spark without it: whose frames these are, and what its errors mean."""

from __future__ import annotations

import subprocess
import sys

import pytest

from ctree.data.tables import frames
from ctree.errors import CtreeError
from ctree.scale.engines import spark_errors

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
    assert done.stdout == "learning with Spark needs pyspark: pip install 'ctree-learn[spark]'\n" * 6


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
