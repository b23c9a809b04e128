"""Fit and predict against scikit-learn's tree, in one run, on mixed data made here.

    python benchmarks/fit.py                 # 100,000 rows
    python benchmarks/fit.py --large         # 1,000,000 rows as well (scikit-learn alone takes minutes)

Times are the least of several repeats, fits include pruning; both learners get the same 20 columns: ctree as a data
set, scikit-learn as the ordinal-coded table. Memory is the peak of a process that only fits, less that of one that
only makes the data.
"""

from __future__ import annotations

import argparse
import multiprocessing
import resource
import time
from collections.abc import Callable
from typing import Any

from mixed import mixed_dataset, mixed_table

import ctree


def least_time(call: Callable[[], Any], repeats: int) -> float:
    times = []
    for _ in range(repeats):
        start = time.perf_counter()
        call()
        times.append(time.perf_counter() - start)
    return min(times)


def sklearn_tree() -> Any:
    from sklearn.tree import DecisionTreeClassifier

    return DecisionTreeClassifier(criterion="entropy", min_samples_leaf=2, random_state=0)


def compare_fits(n: int, repeats: int, sklearn_repeats: int) -> None:
    X, y = mixed_table(n)
    data = mixed_dataset(X, y)
    print(f"{n:,} rows, fit with pruning")
    theirs = least_time(lambda: sklearn_tree().fit(X, y), sklearn_repeats)
    print(f"  scikit-learn           {theirs:8.3f} s   {sklearn_tree().fit(X, y).tree_.node_count if n <= 10**5 else '':>8}")
    for threads in (1, 2):
        ours = least_time(lambda threads=threads: ctree.C45Classifier(n_jobs=threads).fit(data), repeats)  # type: ignore[misc]
        print(f"  ctree, {threads} thread{'s' if threads > 1 else ' '}       {ours:8.3f} s   {theirs / ours:6.1f} times as fast")
    arrays = least_time(lambda: ctree.C45Classifier(categorical_features=list(range(10, 20))).fit(X, y), repeats)
    print(f"  ctree, from the table  {arrays:8.3f} s   {theirs / arrays:6.1f} times as fast")


def compare_unknown(n: int, repeats: int) -> None:
    print(f"{n:,} rows, fit with 5 % of the values unknown against none")
    complete, holes = (mixed_dataset(*mixed_table(n, unknown=u)) for u in (0.0, 0.05))
    for threads in (1, 2):
        times = []
        for data in (complete, holes):
            times.append(least_time(lambda d=data, t=threads: ctree.C45Classifier(n_jobs=t).fit(d), repeats))  # type: ignore[misc]
        print(f"  {threads} thread{'s' if threads > 1 else ' '} {times[0]:8.3f} s {times[1]:8.3f} s   {times[1] / times[0]:6.2f} times as long")


def compare_predictions(n: int, repeats: int) -> None:
    X, y = mixed_table(n)
    data = mixed_dataset(X, y)
    model = ctree.C45Classifier(categorical_features=list(range(10, 20))).fit(X, y)
    on_data = ctree.C45Classifier().fit(data)
    theirs_model = sklearn_tree().fit(X, y)
    theirs = least_time(lambda: theirs_model.predict(X), repeats)
    print(f"{n:,} rows, predict")
    print(f"  scikit-learn           {theirs:8.4f} s")
    for name, call in (("ctree, from the table", lambda: model.predict(X)), ("ctree, from a data set", lambda: on_data.predict(data))):
        ours = least_time(call, repeats)
        print(f"  {name:<22} {ours:8.4f} s   {theirs / ours:6.1f} times as fast")


def memory(n: int) -> None:
    X, y = mixed_table(n)
    data = mixed_dataset(X, y)
    coded = sum(c.nbytes for c in data.columns if c is not None) + (data.classes.nbytes if data.classes is not None else 0)
    tree = sum(a.nbytes for a in ctree.C45Classifier().fit(data).unpruned_tree_.arrays.values())
    del X, y, data
    context = multiprocessing.get_context("spawn")
    results: Any = context.Queue()
    process = context.Process(target=peak_fit, args=(n, results))
    process.start()
    held, peak = results.get()
    process.join()
    print(f"{n:,} rows, memory: coded table {coded / 2**20:.0f} MB, tree {tree / 2**20:.0f} MB,")
    print(f"  fit adds {(peak - held) / 2**20:.0f} MB to the table: {(peak - held + coded - tree) / coded:.2f} times the table in all, without the tree")


def peak_fit(n: int, results: Any) -> None:
    """Resident memory with only the data set, and its peak during a fit. Runs in a process of its own."""
    import gc

    data = mixed_dataset(*mixed_table(n))
    gc.collect()
    with open("/proc/self/statm") as statm:
        held = int(statm.read().split()[1]) * resource.getpagesize()
    with open("/proc/self/clear_refs", "w") as clear:
        clear.write("5")  # resets the peak
    ctree.C45Classifier(n_jobs=2).fit(data)
    with open("/proc/self/status") as status:
        peak = next(int(line.split()[1]) * 1024 for line in status if line.startswith("VmHWM"))
    results.put((held, peak))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--large", action="store_true", help="1,000,000 rows as well")
    parser.add_argument("--repeats", type=int, default=5)
    arguments = parser.parse_args()
    compare_fits(100_000, arguments.repeats, 3)
    compare_unknown(100_000, arguments.repeats)
    compare_predictions(100_000, arguments.repeats)
    memory(1_000_000)
    if arguments.large:
        compare_fits(1_000_000, 3, 1)


if __name__ == "__main__":
    main()
