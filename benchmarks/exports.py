"""Exports against `predict_proba` on data sets in C4.5's form: the greatest difference of each, over all sets.

    python benchmarks/exports.py FOLDER [--sets golf,vote] [--cases 500] [--java]

Each learner is fitted to each set; its exports are then run on some of the cases as they are, and on as many with a
fifth of their values unknown. With --java the PMML is also evaluated by pypmml and jpmml_evaluator, on fewer cases.
"""

from __future__ import annotations

import argparse
import sys
import tempfile
import time
from collections import defaultdict
from pathlib import Path

import numpy as np

sys.path.insert(0, str(Path(__file__).parents[1] / "tests"))

from support import exported

import ctree

LEARNERS = {
    "c4.5": ctree.C45Classifier(),
    "c4.5 -s": ctree.C45Classifier(group_values=True, estimate="laplace"),
    "j48": ctree.C45Classifier(variant="j48", estimate="laplace"),
    "c4.4": ctree.ProbabilityTreeClassifier(),
    "bayesian": ctree.BayesianTreeClassifier(),
    "bayesian imputed": ctree.BayesianTreeClassifier(unknown="impute", averaging="prunings", bins=None),
    "optimal": ctree.OptimalTreeClassifier(max_depth=2, bins=2),
}
JAVA_CASES = 20


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("folder", type=Path)
    parser.add_argument("--sets", default="")
    parser.add_argument("--learners", default="")
    parser.add_argument("--cases", type=int, default=200)
    parser.add_argument("--java", action="store_true")
    args = parser.parse_args()
    stems = args.sets.split(",") if args.sets else sorted(p.stem for p in args.folder.glob("*.names"))
    learners = args.learners.split(",") if args.learners else list(LEARNERS)
    worst: dict[str, float] = defaultdict(float)
    models: dict[str, int] = defaultdict(int)
    seconds: dict[str, float] = defaultdict(float)
    refused: dict[str, list[str]] = defaultdict(list)
    for stem in stems:
        data = ctree.read_c45(str(args.folder / stem))
        some = np.random.default_rng(1).permutation(len(data))[: args.cases]
        few = exported.together(data.take(some), exported.with_unknown(data.take(some), 0.2))
        for name in learners:
            try:
                model = LEARNERS[name].fit(data)
            except ctree.errors.CtreeError as error:
                print(f"{stem}, {name}: not fitted ({error})")
                continue
            seen: dict[str, float] = {}
            expected = model.predict_proba(few)
            for export, run in runs(model, few, args.java).items():
                start = time.perf_counter()
                try:
                    rows, found = run()
                except ctree.errors.ModelError as error:
                    refused[export].append(f"{stem} ({name}): {error}")
                    continue
                seconds[export] += time.perf_counter() - start
                assert not np.isnan(found).any(), (stem, name, export)
                seen[export] = float(np.abs(found - expected[rows]).max(initial=0.0))
            for export, off in seen.items():
                worst[export] = max(worst[export], off)
                models[export] += 1
            print(f"{stem}, {name}: {model.tree_.n_nodes} nodes, {max(seen.values()):.1e}", flush=True)
    print(f"\n{'export':<28} {'models':>6} {'refused':>8} {'greatest difference':>20} {'seconds':>8}")
    for export, off in worst.items():
        print(f"{export:<28} {models[export]:>6} {len(refused[export]):>8} {off:>20.1e} {seconds[export]:>8.1f}")
    for export, reasons in refused.items():
        print(f"\nrefused by {export}:", *reasons, sep="\n  ")


def runs(model, data, java):
    """Each export as a function that gives the rows it was asked for, and what it says of them."""
    every = np.arange(len(data))
    some = np.concatenate([every[:JAVA_CASES], every[-JAVA_CASES:]])

    def with_folder(function, rows, **options):
        with tempfile.TemporaryDirectory() as folder:
            return rows, function(model, data.take(rows), Path(folder), **options)

    result = {
        "python": lambda: (every, exported.by_python(model, data)),
        "c": lambda: with_folder(exported.by_c, every),
        "sql, sqlite": lambda: (every, exported.by_sqlite(model, data)),
        "sql, duckdb": lambda: (every, exported.by_duckdb(model, data)),
        "pmml tree, by the standard": lambda: (every, exported.by_the_standard(model, data)),
    }
    # The CASE expression, and what Java has of weightedConfidence, are for cases of which the tree knows all it asks.
    path = model.decision_path(data)
    whole = every[np.asarray((path.tocsr()[:, model.tree_.attribute < 0]).max(axis=1).todense()).ravel() == 1]
    result["sql case, sqlite"] = lambda: (whole, exported.by_sqlite(model, data.take(whole), "case"))
    if model.tree_.n_nodes < 1000:  # beyond, DuckDB takes long to plan so many conditions
        result["sql case, duckdb"] = lambda: (whole, exported.by_duckdb(model, data.take(whole), "case"))
    if java:
        few = whole[:JAVA_CASES]
        result["pmml shares, pypmml"] = lambda: (some, exported.by_pypmml(model, data.take(some)))
        result["pmml shares, jpmml"] = lambda: with_folder(exported.by_jpmml, some)
        result["pmml tree, pypmml"] = lambda: (few, exported.by_pypmml(model, data.take(few), "tree"))
        result["pmml tree, jpmml"] = lambda: with_folder(exported.by_jpmml, few, form="tree")
    return result


if __name__ == "__main__":
    main()
