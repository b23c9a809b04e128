"""The programs that `scale.py` runs one at a time: each learns from Parquet files and tells what it took.

python benchmarks/scale_jobs.py ctree "data/*.parquet" --method bic-stop --memory 500MB
"""

from __future__ import annotations

import argparse
import glob
import hashlib
import json
import os
import resource
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

DEPTH = 10
LABEL = "label"


def ctree_fit(args: argparse.Namespace) -> dict[str, Any]:
    """A learner of ours; with enough memory the cases are collected."""
    import ctree

    with ctree.scan_parquet(args.files, LABEL, memory=args.memory, n_jobs=args.threads, ignore=args.ignore) as cases:
        coded = _cpu()
        model = learner(args.method).fit(cases)
        parts = {one.kind: [] for one in cases.passes}
        for one in cases.passes:
            parts[one.kind].append(one.seconds)
        info = model.fit_info_
        told = {
            "cases": cases.n_cases,
            "coding": coded,
            "engine": info["engine"],
            "passes": info["passes"],
            "pass_seconds": {kind: sum(seconds) for kind, seconds in parts.items()},
            "opened_share": info.get("opened_share", 0.0),
            "levels": info.get("levels", 0),
            "subtrees": info.get("subtrees", 0),
        }
    told |= _own()
    tree = model.tree_
    digest = hashlib.sha256(repr(model.schema_).encode())
    for one in (tree, getattr(model, "unpruned_tree_", tree)):
        for array in one.arrays.by_name().values():
            digest.update(array)
    return {**told, "leaves": int((tree.arrays.n_branches == 0).sum()), "model": digest.hexdigest()[:16]}


def learner(method: str) -> Any:
    """A learner by the name of its method."""
    import ctree

    if method == "c4.5":
        return ctree.C45Classifier(arithmetic="double")
    if method == "j48":
        return ctree.C45Classifier(variant="j48")
    if method == "bayesian":
        return ctree.BayesianTreeClassifier()
    return ctree.ProbabilityTreeClassifier(approach=method)


def rates(args: argparse.Namespace) -> dict[str, Any]:
    """Rows a second of one thread: of coding, and of counting at the nodes of growing trees."""
    import ctree
    from ctree.scale.top_tree import TopTree
    from ctree_ext.base.node_arrays import Test

    start = _cpu()
    with ctree.scan_parquet(args.files, LABEL, memory=args.memory, n_jobs=1) as cases:
        coding = cases.n_cases / (_cpu() - start)
        counting = {}
        n_classes = cases.schema.n_classes
        shifts = {a: max(0, (len(bins) - 1).bit_length() - 8) for a, bins in enumerate(cases.bins) if bins is not None}
        top = TopTree(n_classes)
        leaves = [top.add_leaf(np.ones(n_classes))]
        for depth in range(8):
            if depth in (0, 4, 7):
                begin = _cpu()
                cases.count(top.routing(), leaves, None, shifts)
                counting[len(leaves)] = cases.n_cases / (_cpu() - begin)
            attribute = depth % 10
            middle = float(np.median(cases.bins[attribute].cuts))
            halves = [np.ones(n_classes), np.ones(n_classes)]
            leaves = [
                branch
                for leaf in leaves
                for branch in top.divide(leaf, Test.THRESHOLD, attribute, halves, threshold=middle, shares=[0.5, 0.5])
            ]
    return {"coding": coding, "counting": counting, "columns": len(cases.schema)}


def sklearn_tree(args: argparse.Namespace) -> dict[str, Any]:
    """scikit-learn's tree, discrete values as numbers."""
    from sklearn.tree import DecisionTreeClassifier

    X, y = _numbers(sorted(glob.glob(args.files)))
    tree = DecisionTreeClassifier(max_depth=DEPTH, random_state=0).fit(X, y)
    return {"leaves": int(tree.get_n_leaves())}


def _numbers(paths: list[str]) -> tuple[Any, Any]:
    import pyarrow.parquet as pq

    found = [_arrays(pq.read_table(path)) for path in paths]
    return np.concatenate([X for X, _ in found]), np.concatenate([y for _, y in found])


def _arrays(table: Any) -> tuple[Any, Any]:
    table = table.unify_dictionaries()
    columns = []
    for name in table.column_names:
        column = table.column(name).combine_chunks()
        columns.append(np.asarray(column.indices if hasattr(column, "indices") else column, dtype=np.float32))
    return np.column_stack(columns[:-1]), columns[-1].astype(np.int32)


def xgboost_round(args: argparse.Namespace) -> dict[str, Any]:
    """One round of xgboost from external memory: a tree for each class."""
    import pyarrow.parquet as pq
    import xgboost

    places = [(path, g) for path in sorted(glob.glob(args.files)) for g in range(pq.ParquetFile(path).num_row_groups)]

    class Batches(xgboost.DataIter):
        def __init__(self, folder: str) -> None:
            self._next = 0
            super().__init__(cache_prefix=os.path.join(folder, "cache"))

        def next(self, input_data: Callable[..., Any]) -> bool:
            if self._next == len(places):
                return False
            path, g = places[self._next]
            X, y = _arrays(pq.ParquetFile(path).read_row_group(g))
            input_data(data=X, label=y)
            self._next += 1
            return True

        def reset(self) -> None:
            self._next = 0

    with tempfile.TemporaryDirectory() as folder:
        data = xgboost.ExtMemQuantileDMatrix(Batches(folder), max_bin=256, nthread=args.threads)
        settings = {
            "objective": "multi:softprob",
            "num_class": 3,
            "max_depth": DEPTH,
            "tree_method": "hist",
            "nthread": args.threads,
        }
        model = xgboost.train(settings, data, num_boost_round=1)
        return {"leaves": sum(tree.count("leaf=") for tree in model.get_dump())}


def spark_tree(args: argparse.Namespace) -> dict[str, Any]:
    """Spark MLlib's tree."""
    from pyspark.ml import Pipeline
    from pyspark.ml.classification import DecisionTreeClassifier
    from pyspark.ml.feature import StringIndexer, VectorAssembler
    from pyspark.sql import SparkSession

    builder = SparkSession.builder.master("local[2]").config("spark.driver.memory", "6g")
    spark = builder.config("spark.ui.enabled", "false").config("spark.driver.bindAddress", "127.0.0.1").getOrCreate()
    spark.sparkContext.setLogLevel("ERROR")
    frame = spark.read.parquet(*sorted(glob.glob(args.files)))
    discrete = [name for name in frame.columns if name.startswith("d")]
    numbers = [name for name in frame.columns if name.startswith("x")]
    coded = [f"{name}i" for name in discrete]
    tree = DecisionTreeClassifier(
        featuresCol="features", labelCol="labeli", maxDepth=DEPTH, maxBins=64, maxMemoryInMB=1024
    )
    steps = [
        StringIndexer(inputCols=[*discrete, LABEL], outputCols=[*coded, "labeli"]),
        VectorAssembler(inputCols=[*numbers, *coded], outputCol="features"),
        tree,
    ]
    model = Pipeline(stages=steps).fit(frame).stages[-1]
    leaves = (model.numNodes + 1) // 2
    told = {"leaves": int(leaves), **_all_processes()}
    spark.stop()
    return told


JOBS = {"ctree": ctree_fit, "rates": rates, "sklearn": sklearn_tree, "xgboost": xgboost_round, "spark": spark_tree}


def _cpu() -> float:
    own = os.times()
    return own.user + own.system


def _own() -> dict[str, Any]:
    """Processor seconds and the peak of this process, so far."""
    return {"cpu": _cpu(), "peak": 1024 * resource.getrusage(resource.RUSAGE_SELF).ru_maxrss}


def _all_processes() -> dict[str, Any]:
    """Processor seconds and the sum of the peaks of this process and those it has started."""
    import psutil

    this = psutil.Process()
    processes = [this, *this.children(recursive=True)]
    cpu = sum(sum(one.cpu_times()[:2]) for one in processes)
    peak = 0
    for one in processes:
        lines = Path(f"/proc/{one.pid}/status").read_text().splitlines()
        peak += sum(1024 * int(line.split()[1]) for line in lines if line.startswith("VmHWM"))
    return {"cpu": cpu, "peak": peak}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("job", choices=JOBS)
    parser.add_argument("files")
    parser.add_argument("--method", default="bic-stop")
    parser.add_argument("--memory", default="2GB")
    parser.add_argument("--threads", type=int, default=1)
    parser.add_argument("--ignore", action="append", default=[])
    args = parser.parse_args()
    start = time.monotonic()
    told = JOBS[args.job](args)
    print(json.dumps({"fit_seconds": time.monotonic() - start, **_own(), **told}))


if __name__ == "__main__":
    main()
