"""A session of Spark for tests, and frames in it."""

from __future__ import annotations

import os
import shutil
import sys
import warnings

import numpy as np
import pytest

from tests.scale.frames import random_table


def session_for(module, folder):
    """A session on this machine: the one that there is, if it was not stopped; `folder` is for its files."""
    pytest.importorskip("pyspark", reason="pyspark is not there")
    if shutil.which("java") is None and "JAVA_HOME" not in os.environ:
        pytest.skip("java is not there")
    from pyspark import cloudpickle
    from pyspark.sql import SparkSession

    # Workers have no tests to import.
    cloudpickle.register_pickle_by_value(module)
    os.environ["PYSPARK_PYTHON"] = sys.executable
    os.environ.setdefault("SPARK_LOCAL_IP", "127.0.0.1")
    builder = SparkSession.builder.master("local[2]").appName("ctree")
    settings = {
        "spark.ui.enabled": "false",
        "spark.ui.showConsoleProgress": "false",
        "spark.sql.shuffle.partitions": "2",
        "spark.driver.memory": "1g",
        "spark.driver.host": "127.0.0.1",
        "spark.local.dir": str(folder),
        "spark.sql.warehouse.dir": str(folder / "warehouse"),
    }
    for name, value in settings.items():
        builder = builder.config(name, value)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        session = builder.getOrCreate()
    session.sparkContext.setLogLevel("OFF")
    return session


def stop_session():
    """End the session, if there is one."""
    if "pyspark.sql" in sys.modules:
        session = sys.modules["pyspark.sql"].SparkSession.getActiveSession()
        if session is not None:
            session.stop()


TYPES = {"f": "double", "i": "bigint", "b": "boolean"}


def of_table(spark, table, where=None, n=1):
    """A frame with the rows of a table; those with the same number in `where` are in the same of n partitions."""
    columns = {
        name: table[name].tolist()
        if table[name].dtype.kind in TYPES
        else [None if x is None or x != x else x for x in table[name]]
        for name in table
    }
    schema = ", ".join(f"{name} {TYPES.get(table[name].dtype.kind, 'string')}" for name in table)
    rows = zip([0] * len(table) if where is None else np.asarray(where).tolist(), *columns.values(), strict=True)
    return spark.createDataFrame(list(rows), f"_at bigint, {schema}").repartition(n, "_at").drop("_at")


def table_of(n=1500, **more):
    """A table without categories, which Spark has not."""
    table = random_table(n, **more)
    return table.assign(kind=table["kind"].astype(object), text=table["text"].astype(object))


def held(spark):
    """How many frames Spark has persisted."""
    return spark.sparkContext._jsc.getPersistentRDDs().size()
