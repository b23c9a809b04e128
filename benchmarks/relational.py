"""Relational trees: how long they take, how much memory, and how good they are beside trees on made features.

    python benchmarks/relational.py ../shared/relational/data --folds ../shared/relational/folds
    python benchmarks/relational.py ../shared/relational/data --only time,large
    python benchmarks/relational.py ../shared/relational/data --only predict,scale,rare --rows 1000000

The folder has sets of linked tables, each a folder with a schema.json; trains and the largest set are made here. Times
are processor times of one thread, the least of several fits, without reading. The parts scale and rare are made of so
many linked rows as --rows says: all phases from files and databases to predictions, and tables that could be slow, with
a row to which half of the others refer, a column of very many values, one in which all numbers differ, chains of
tables, rows that must be the same, and aggregates. They are measured once. With --folds, a folder of files that say
for each example which fold it is in, AUC and leaves of all methods are shown beside those of a slow program that was
written from the description of the method alone; and, if featuretools is installed, beside those of scikit-learn's
trees on the features that it makes of the same tables.
"""

from __future__ import annotations

import argparse
import contextlib
import csv
import resource
import sqlite3
import tempfile
import time
import warnings
from collections.abc import Callable, Iterator
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
from relational_tables import chain, hub, parts_of, shop, shop_tables

import ctree
from ctree.evaluate.measures import expected_auc
from ctree.evaluate.papers.fierens2005.trains import trains
from ctree.evaluate.protocols import Split
from ctree.learners.probability.classifier import APPROACHES

SETS = ("mutagenesis", "biodegradability", "carcinogenesis")
SLOW: dict[str, dict[str, tuple[float, int]]] = {
    name: dict(zip(("c4.4", "c4.5", "mdl-stop", "mdl-prune", "bic-stop", "bic-prune", "chi2"), row, strict=True))
    for name, row in {
        "mutagenesis": [(84.6, 37), (83.1, 15), (74.8, 3), (75.5, 3), (82.9, 10), (83.5, 12), (77.5, 5)],
        "biodegradability": [(75.6, 62), (75.8, 26), (66.9, 3), (66.9, 3), (75.6, 12), (75.3, 15), (72.0, 6)],
        "carcinogenesis": [(62.9, 61), (62.5, 43), (55.6, 2), (55.6, 2), (64.4, 10), (61.9, 19), (59.5, 2)],
    }.items()
}
"""AUC in percent and leaves by the slow program, on the same folds."""


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("data", type=Path, help="folder with the sets")
    parser.add_argument("--folds", type=Path, help="folder with the folds")
    parser.add_argument(
        "--only", default="time,trains,large,committees,folds,features", help="parts, by default %(default)s"
    )
    parser.add_argument("--repeats", type=int, default=5)
    parser.add_argument(
        "--rows", type=int, default=1_000_000, help="of the parts scale and rare, by default %(default)s"
    )
    args = parser.parse_args()
    parts = args.only.split(",")
    if "time" in parts:
        for name in SETS:
            data = ctree.read_relational(args.data / name)
            print(f"\n{name}, {len(data)} examples, {linked_rows(data):,} linked rows")
            show_times(data, tuple(APPROACHES), args.repeats)
    if "trains" in parts:
        data = trains(25_000, seed=1)
        print(f"\n{len(data):,} trains, {linked_rows(data):,} cars")
        show_times(data, ("c4.4", "mdl-stop"), args.repeats, forward=1)
    if "large" in parts:
        show_large(args.repeats)
    if "committees" in parts:
        show_committees(args.data, args.folds, args.repeats)
    if "predict" in parts:
        show_predictions(args.data / "mutagenesis", args.repeats)
    if "scale" in parts:
        show_phases(args.rows)
    if "rare" in parts:
        show_rare(args.data, args.rows)
    if "folds" in parts and args.folds:
        for name in SETS:
            show_folds(name, ctree.read_relational(args.data / name), args.folds)
    if "features" in parts and args.folds:
        show_features(args.data, args.folds)


def show_times(data: ctree.RelationalData, methods: tuple[str, ...], repeats: int, **parameters: Any) -> None:
    for method in methods:
        for thresholds in (8, None):
            model = ctree.RelationalTreeClassifier(method=method, thresholds=thresholds, **parameters)
            seconds = least(lambda model=model: model.fit(data), repeats)
            what = "all thresholds" if thresholds is None else f"{thresholds} thresholds"
            print(f"  {method:10s} {what:15s}{1000 * seconds:9.1f} ms {model.tree_.n_leaves:6} leaves")


def show_large(repeats: int) -> None:
    """A million orders of 100,000 customers."""
    start = time.process_time()
    data = shop(100_000, 1_000_000)
    read, before = time.process_time() - start, peak_memory()
    print(f"\n{len(data):,} customers, {linked_rows(data):,} orders and products: coded in {read:.2f} s")
    for method in ("bic-stop", "mdl-prune"):
        model = ctree.RelationalTreeClassifier(method=method, thresholds=8)
        seconds = least(lambda model=model: model.fit(data), min(repeats, 3))
        predicted = least(lambda model=model: model.predict_proba(data), 1)
        print(f"  {method:10s}{seconds:8.2f} s, prediction {predicted:.2f} s, {model.tree_.n_leaves} leaves")
    print(f"  memory: {before:,.0f} MB at most before fitting, {peak_memory():,.0f} MB with it")


def show_predictions(folder: Path, repeats: int) -> None:
    """One set again and again: all examples, one after the other, a committee of trees, cross-validation by keys."""
    data = ctree.read_relational(folder)
    model = ctree.RelationalTreeClassifier(thresholds=8).fit(data)
    rng = np.random.default_rng(1)
    samples = [data.take(rng.integers(len(data), size=len(data))) for _ in range(20)]
    committee = [ctree.RelationalTreeClassifier(thresholds=8).fit(sample) for sample in samples]
    seconds = least(lambda: model.predict_proba(data), repeats)
    alone = least(lambda: [model.predict_proba(data.take([i])) for i in range(len(data))], repeats) / len(data)
    trees = least(lambda: [tree.predict_proba(data) for tree in committee], repeats) / len(committee)
    print(
        f"\n{folder.name}: predictions for {len(data)} examples {1000 * seconds:.2f} ms, for one {1000 * alone:.2f} ms"
    )
    print(f"  a tree of a committee {1000 * trees:.2f} ms")
    if find_spec("sklearn") is not None:
        from sklearn.model_selection import cross_val_score

        keyed = ctree.RelationalTreeClassifier(thresholds=8, data=data)
        keys, labels = np.array(data.keys), np.array(data.labels)
        seconds = least(lambda: cross_val_score(keyed, keys, labels, cv=10), repeats)
        print(f"  ten folds by keys {1000 * seconds:.0f} ms")


def show_phases(m: int) -> None:
    """Every phase on orders of customers, ten each."""
    tables, options = shop_tables(m // 10, m)
    print(f"\n{m // 10:,} customers, {m:,} orders")
    data = timed("code tables in memory", lambda: ctree.RelationalData(tables, **options))
    with tempfile.TemporaryDirectory() as folder:
        timed("write CSV", lambda: ctree.write_relational(data, folder))
        timed("read CSV", lambda: ctree.read_relational(folder))
        if find_spec("pyarrow") is not None:
            timed("write Parquet", lambda: ctree.write_relational(data, folder, format="parquet"))
            timed("read Parquet", lambda: ctree.read_relational(folder))
        path = Path(folder, "shop.sqlite")
        with contextlib.closing(sqlite3.connect(path)) as base:
            for name, columns in tables.items():
                base.execute(f'CREATE TABLE "{name}" ({", ".join(columns)})')
                cells = zip(*(np.asarray(column).tolist() for column in columns.values()), strict=True)
                base.executemany(f'INSERT INTO "{name}" VALUES ({", ".join("?" * len(columns))})', cells)
            base.commit()
        timed("read SQLite", lambda: ctree.RelationalData.from_sqlite(path, **options))
    timed("values of the closure", data.closure_values)
    for method in ("c4.4", "bic-stop", "mdl-prune"):
        model = timed_fit(f"{method}, 8 thresholds", data, method=method, thresholds=8)
    if find_spec("duckdb") is not None:
        import duckdb

        base = duckdb.connect(config={"threads": 1})
        for name, columns in tables.items():
            frame = {column: np.asarray(cells).astype(str) for column, cells in columns.items()}
            frame |= {column: cells for column, cells in columns.items() if np.asarray(cells).dtype.kind in "if"}
            base.register("frame", pandas_frame(frame))
            base.execute(f'CREATE TABLE "{name}" AS SELECT * FROM frame')
        query = model.to_sql("duckdb")
        timed(f"the query of {model.tree_.n_leaves} leaves in DuckDB", lambda: base.execute(query).fetchnumpy())


def pandas_frame(columns: dict[str, Any]) -> Any:
    import pandas

    return pandas.DataFrame(columns)


def show_rare(folder: Path, m: int) -> None:
    """Tables that could be slow."""
    rng = np.random.default_rng(1)
    print(f"\na row to which {m // 2:,} others refer")
    data = hub(20, m // 2)
    timed_fit("c4.4", data)
    timed_fit("c4.4, max_rows=1,000,000", data, max_rows=1_000_000)
    values = np.array([f"v{i}" for i in range(m // 10)])[rng.integers(m // 10, size=m)]
    print(f"\n{m:,} rows with {m // 10:,} values, of {m // 10:,} examples")
    data = timed("code", lambda: parts_of(m // 10, {"value": values}))
    timed_fit("c4.4, max_depth=6", data, max_depth=6)
    timed_fit("bic-stop", data, method="bic-stop")
    timed_fit("c4.4 of a hundredth", data.take(range(m // 1000)))
    print(f"\n{m:,} rows with different numbers, of {m // 10:,} examples")
    data = timed("code", lambda: parts_of(m // 10, {"number": rng.random(m)}))
    timed_fit("c4.4", data)
    timed_fit("c4.4, 8 thresholds", data, thresholds=8)
    data = parts_of(m // 10, {"number": rng.random(m), "value": rng.choice(["u", "v", "w"], m)})
    for name in ("count", "min", "mean", "mode", "share", "nunique"):
        timed_fit(name, data, aggregates=(name,), max_variables=1, max_depth=2)
    print(f"\na chain of five tables, {m // 250 * 363:,} rows")
    data = chain(m // 250)
    timed_fit("c4.4, lookahead", data, lookahead=1, thresholds=8)
    timed_fit("bic-stop, lookahead", data, lookahead=1, method="bic-stop")
    data = ctree.read_relational(folder / "uwcse")
    print(f"\nuwcse, {len(data):,} examples, {linked_rows(data):,} linked rows")
    for method in ("c4.4", "mdl-stop"):
        timed_fit(f"{method}, lookahead, closing", data, method=method, lookahead=1, closing=True)


def timed(what: str, call: Callable[[], Any]) -> Any:
    """Show the processor time of a call, and the most memory up to now."""
    start = time.process_time()
    result = call()
    print(f"  {what:40s}{time.process_time() - start:8.2f} s {peak_memory():8,.0f} MB at most", flush=True)
    return result


def timed_fit(what: str, data: ctree.RelationalData, **parameters: Any) -> Any:
    """The time of a fit and of predictions for the same examples."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # steps that are left out
        model = timed(f"fit {what}", lambda: ctree.RelationalTreeClassifier(**parameters).fit(data))
    timed(f"    predict by {model.tree_.n_leaves} leaves", lambda: model.predict_proba(data))
    return model


def show_folds(name: str, data: ctree.RelationalData, folder: Path) -> None:
    print(
        f"\n{name}: AUC in percent and leaves, with standard deviations over the folds, and those of the slow program"
    )
    for method, (auc, leaves) in SLOW[name].items():
        found = []
        for split in folds(data, folder / f"{name}.csv"):
            test = data.take(split.test)
            model = ctree.RelationalTreeClassifier(method=method, thresholds=8).fit(data.take(split.train))
            assert test.classes is not None
            area = expected_auc(test.classes, model.predict_proba(test)).value
            found.append((100 * area, model.tree_.n_leaves))
        (mean, size), (spread, size_spread) = np.mean(found, axis=0), np.std(found, axis=0, ddof=1)
        print(f"  {method:10s}{mean:6.1f} ± {spread:3.1f} ({auc}){size:7.0f} ± {size_spread:.0f} ({leaves})")


def show_committees(folder: Path, fold_folder: Path | None, repeats: int) -> None:
    """100 trees beside 100 fits of one tree; and, with folds, AUC and accuracy beside those of one tree."""
    sets = {name: ctree.read_relational(folder / name) for name in (*SETS, "uwcse")}
    print(
        "\ncommittees of 100 trees, c4.4, 8 thresholds: beside 100 fits of one tree to weights, and their predictions"
    )
    for name, data in {"mutagenesis": sets["mutagenesis"], "carcinogenesis": sets["carcinogenesis"], "5,000 trains":
                       trains(5_000, seed=1)}.items():  # fmt: skip
        learner = ctree.RelationalTreeClassifier(thresholds=8, forward=1 if "trains" in name else 2)
        model = ctree.BaggedTreesClassifier(learner=learner, random_state=1)
        singles = [ctree.RelationalTreeClassifier(**learner.get_params()) for _ in range(100)]
        bags = np.random.default_rng(1).multinomial(len(data), np.full(len(data), 1 / len(data)), 100)
        seconds = [
            least(lambda model=model, data=data: model.fit(data), min(repeats, 2)),
            least(lambda s=singles, d=data, b=bags: [one.fit(d, None, w) for one, w in zip(s, b, strict=True)], 1),
            least(lambda model=model, data=data: model.predict_proba(data), min(repeats, 2)),
            least(lambda s=singles, d=data: [one.predict_proba(d) for one in s], 1),
        ]
        figures = (
            f"fit {seconds[0]:5.2f} s (100 fits {seconds[1]:5.2f}), predict {seconds[2]:5.2f} s ({seconds[3]:5.2f})"
        )
        print(f"  {name:15s}{figures}, right out of bag {100 * model.oob_score_:.1f}%")
    for name, data in sets.items() if fold_folder else ():
        print(f"\n{name}: AUC and accuracy in percent, one tree and 100")
        for method in ("c4.4", "bic-prune"):
            tree = ctree.RelationalTreeClassifier(method=method, thresholds=8, closing=name == "uwcse")
            for title, learner in {
                "one": tree,
                "100": ctree.BaggedTreesClassifier(learner=tree, random_state=1),
            }.items():
                found = []
                for split in folds(data, fold_folder / f"{name}.csv"):
                    test = data.take(split.test)
                    start = time.process_time()
                    learner.fit(data.take(split.train))
                    seconds_of_fit = time.process_time() - start
                    assert test.classes is not None
                    probabilities = learner.predict_proba(test)
                    area = expected_auc(test.classes, probabilities).value
                    right = np.mean(probabilities.argmax(axis=1) == test.classes)
                    found.append((100 * area, 100 * right, seconds_of_fit))
                (auc, right, seconds_of_fit), spread = np.mean(found, axis=0), np.std(found, axis=0, ddof=1)
                print(f"  {method:10s}{title:>4s}{auc:6.1f} ± {spread[0]:.1f}{right:7.1f}{seconds_of_fit:8.2f} s a fit")


def show_features(data: Path, folder: Path) -> None:
    if find_spec("featuretools") is None:
        print("\nfeaturetools is not installed: its features are left out (pip install featuretools)")
        return
    from relational_features import made_features, peers

    for name in SETS[:2]:
        start = time.process_time()
        table = made_features(data / name)
        seconds = time.process_time() - start
        examples = ctree.read_relational(data / name)
        print(f"\n{name}: {table.shape[1]} features by featuretools in {seconds:.0f} s")
        for title, learner in peers().items():
            found = []
            for split in folds(examples, folder / f"{name}.csv"):
                start = time.process_time()
                learner.fit(table[split.train], examples.classes[split.train])
                seconds = time.process_time() - start
                area = expected_auc(examples.classes[split.test], learner.predict_proba(table[split.test])).value
                leaves = learner.get_n_leaves() if hasattr(learner, "get_n_leaves") else np.nan
                found.append((100 * area, leaves, seconds))
            mean, spread = np.mean(found, axis=0), np.std(found, axis=0, ddof=1)
            size = "" if np.isnan(mean[1]) else f"{mean[1]:.0f} leaves"
            print(f"  {title:26s}{mean[0]:6.1f} ± {spread[0]:.1f}{size:>12s}{1000 * mean[2]:8.0f} ms a fit")


def folds(data: ctree.RelationalData, file: Path) -> Iterator[Split]:
    """The splits that a file says, which has a column of keys and one of folds for each run."""
    with open(file, encoding="utf-8", newline="") as lines:
        _, *rows = csv.reader(lines)
    places = data.places([row[0] for row in rows])
    for run in range(1, len(rows[0])):
        fold: npt.NDArray[np.int64] = np.empty(len(data), dtype=np.int64)
        fold[places] = [int(row[run]) for row in rows]
        for f in np.unique(fold):
            yield Split(np.flatnonzero(fold != f), np.flatnonzero(fold == f))


def least(call: Callable[[], object], repeats: int) -> float:
    """The least processor time of several calls; a first one imports what is needed."""
    times = []
    for _ in range(repeats + 1):
        start = time.process_time()
        call()
        times.append(time.process_time() - start)
    return min(times[1:])


def linked_rows(data: ctree.RelationalData) -> int:
    return sum(table.n_rows for table in data.tables if table.schema.name != data.schema.target)


def peak_memory() -> float:
    """The most memory that this process has had, in MB."""
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024


if __name__ == "__main__":
    main()
