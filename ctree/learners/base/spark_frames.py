"""Frames of Spark: what a learner is fitted to, and predictions as columns of a frame that is computed later."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

import numpy as np

from ctree.data.files.text_file import abbreviated
from ctree.data.scan.arrow_types import load_arrow
from ctree.errors import DataError
from ctree.learners.base.known_columns import known_columns
from ctree.progress import ProgressCallback
from ctree.scale.engines.spark_jobs import load_spark
from ctree.scale.spark_cases import SparkCases, scan_spark

NAME = "Spark"
CLASSES = "the name of the column of the class"
WEIGHTS = "the name of a column"
SCORE = "the mean of prediction == y in predict(X)"
PREDICTION = "prediction"


def is_column(weights: Any) -> bool:
    """Whether weights are the name of a column."""
    return isinstance(weights, str)


def scanned(X: Any, y: Any, weights: Any, categorical_features: Any, progress: ProgressCallback | None) -> SparkCases:
    """The cases of a frame; `y` and `weights` are names of columns."""
    return scan_spark(X, y, weights=weights, categorical_features=categorical_features)


def labels(model: Any, X: Any) -> Any:
    """The frame with the prediction and the probabilities of each case."""
    return _with_columns(model, X, prediction=True)


def probabilities(model: Any, X: Any) -> Any:
    """The frame with the probabilities of each case."""
    return _with_columns(model, X, prediction=False)


def _with_columns(model: Any, X: Any, *, prediction: bool) -> Any:
    model = model._twin()
    keys = known_columns(model, list(X.columns))
    types = load_spark("pyspark.sql.types")
    kind, _ = _label_type(model.classes_)
    more = [(PREDICTION, getattr(types, kind)())] if prediction else []
    more += [(f"probability_{label}", types.DoubleType()) for label in model.classes_.tolist()]
    there = {name.lower() for name in X.columns}
    for name, _ in more:
        if name.lower() in there:
            raise DataError(f"X has a column '{abbreviated(name)}' already, which predictions go to: rename or drop it")
    schema = types.StructType([*X.schema.fields, *(types.StructField(name, one) for name, one in more)])
    return X.mapInArrow(_predicting(model, keys, [name for name, _ in more], prediction), schema)


def _label_type(classes: Any) -> tuple[str, str]:
    """Of what type the predicted labels are: that of Spark, and that of Arrow."""
    kinds = {"i": ("LongType", "int64"), "f": ("DoubleType", "float64"), "b": ("BooleanType", "bool_")}
    return kinds.get(classes.dtype.kind, ("StringType", "string"))


def _predicting(model: Any, keys: list[str] | None, names: list[str], prediction: bool) -> Any:
    """A function of batches of Arrow, as `mapInArrow` takes it."""

    def on_batches(batches: Iterable[Any]) -> Iterator[Any]:
        arrow = load_arrow()
        type_name = _label_type(model.classes_)[1]
        labels = model.classes_.tolist() if type_name != "string" else [str(one) for one in model.classes_.tolist()]
        for batch in batches:
            table = arrow.Table.from_batches([batch])
            shares, codes = np.empty((0, len(labels))), np.empty(0, dtype=np.intp)
            if batch.num_rows:
                cases = model._cases(table if keys is None else table.select(keys))
                shares = model.predict_proba(cases)
                codes = model.predict_codes(cases) if prediction else codes  # not always the greatest share
            columns = [arrow.array(column) for column in np.ascontiguousarray(shares.T)]
            if prediction:
                columns.insert(0, arrow.array([labels[code] for code in codes], getattr(arrow, type_name)()))
            yield arrow.RecordBatch.from_arrays([*batch.columns, *columns], [*batch.schema.names, *names])

    return on_batches
