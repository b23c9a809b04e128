"""Spark by Connect: in a process of its own, as a session is either of one kind or of the other."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

pytestmark = [pytest.mark.engine, pytest.mark.slow]

SCRIPT = """
import warnings
warnings.simplefilter("ignore")
from pyspark.sql import SparkSession
import ctree
from ctree.learners.levels import growing
from ctree.scale import spark_cases
from tests.scale.frames import fields, in_memory, random_table

growing.gathered = lambda source: 200
spark_cases.SparkCases.collects = False
spark = SparkSession.builder.remote("local[2]").config("spark.ui.enabled", "false").getOrCreate()
table = random_table(800)[["x", "few", "text", "label"]]
rows = [(float(x), float(few), str(text), str(label)) for x, few, text, label in table.itertuples(index=False)]
frame = spark.createDataFrame(rows, list(table)).repartition(3)
model = ctree.ProbabilityTreeClassifier().fit(frame, y="label")
memory = in_memory(model, table)
assert fields(model) == fields(memory)
print(type(frame).__module__, model.fit_info_["engine"])
got = model.predict(frame).collect()
cases = [[row.x, row.few, row.text] for row in got]
assert [row.prediction for row in got] == memory.predict(table.drop(columns="label").__class__(
    cases, columns=["x", "few", "text"])).tolist()
try:
    ctree.scan_spark(frame.withColumn("x", frame["x"] * float("inf")), "label")
except ctree.errors.DataError as error:
    print(error)
spark.stop()
try:
    ctree.scan_spark(frame, "label")
except ctree.errors.CtreeError as error:
    print(error)
"""


def test_the_same_model_as_in_memory():
    for module in ("pandas", "pyarrow", "pyspark", "grpc", "grpc_status", "zstandard"):
        pytest.importorskip(module)
    if shutil.which("java") is None:
        pytest.skip("java is not there")
    path = os.pathsep.join(filter(None, [str(Path(__file__).parents[2]), os.environ.get("PYTHONPATH")]))
    done = subprocess.run(
        [sys.executable, "-c", SCRIPT],
        env={**os.environ, "PYSPARK_PYTHON": sys.executable, "PYTHONPATH": path, "SPARK_LOCAL_IP": "127.0.0.1"},
        capture_output=True,
        text=True,
        timeout=600,
        check=False,
    )
    assert done.returncode == 0, done.stderr[-5000:]
    lines = done.stdout.splitlines()
    assert lines[0] == "pyspark.sql.connect.dataframe spark"
    assert lines[1].endswith("row 1: attribute 'x' has an infinite value")
    assert lines[2] == "the session of Spark was stopped: make the frame again in another one"
