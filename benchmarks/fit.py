"""Fit and predict against other trees, in one run, on two kinds of data made here.

    python benchmarks/fit.py                            # 100,000 rows of `mixed` data
    python benchmarks/fit.py --data rounded --large     # 1,000,000 rows as well (scikit-learn alone takes a minute)
    python benchmarks/fit.py --data rounded --only fits # only fits with pruning

Times are the least of several repeats: of the processor where learners are compared, each with one thread, and of the
clock where threads are. Fits include pruning. All learners get the same 20 columns, ctree as data set, scikit-learn as
the ordinal-coded table. LightGBM (one iteration, a tree of 1,023 leaves for each class, from bins of numbers) and the
CART of ydf (to depth 16, pruned by a tenth of the cases) take part if they are installed. Memory is what a fit adds at
its peak to a process that holds the data.
"""

from __future__ import annotations

import argparse
import gc
import multiprocessing
import resource
import time
from collections.abc import Callable
from typing import Any

from fit_peers import PEERS, fit_sklearn
from generators import GENERATORS, Generator

import ctree

DISCRETE = list(range(10, 20))
THREADS = (1, 2)


def least_time(
    repeats: int, call: Callable[..., Any], *arguments: Any, clock: Callable[[], float] = time.perf_counter
) -> float:
    times = []
    for _ in range(repeats):
        start = clock()
        call(*arguments)
        times.append(clock() - start)
    return min(times)


def fit_ctree(data: ctree.Dataset, threads: int) -> ctree.C45Classifier:
    return ctree.C45Classifier(n_jobs=threads).fit(data)


def fit_ctree_table(X: Any, y: Any) -> ctree.C45Classifier:
    return ctree.C45Classifier(categorical_features=DISCRETE).fit(X, y)


def line(name: str, seconds: float, reference: float | None = None) -> None:
    ratio = "" if reference is None else f"{reference / seconds:8.1f} times as fast"
    print(f"  {name:<24}{seconds:9.4f} s{ratio}", flush=True)


def compare_fits(made: Generator, n: int, repeats: int, peer_repeats: int) -> None:
    print(f"{n:,} rows, fit with pruning")
    X, y = made.table(n)
    data = made.dataset(X, y)
    processor = time.process_time
    theirs = least_time(peer_repeats, fit_sklearn, X, y, clock=processor)
    line("scikit-learn", theirs)
    for name, prepare in PEERS.items():
        fit = prepare(X, y)
        if fit is not None:
            line(name, least_time(peer_repeats, fit, clock=processor), theirs)
    line("ctree", least_time(repeats, fit_ctree, data, 1, clock=processor), theirs)
    line("ctree, from the table", least_time(repeats, fit_ctree_table, X, y, clock=processor), theirs)
    least = dict.fromkeys(THREADS, float("inf"))
    for _ in range(repeats):  # in turn, so that all meet the same machine
        for threads in THREADS:
            least[threads] = min(least[threads], least_time(1, fit_ctree, data, threads))
    for threads, seconds in least.items():
        line(f"by the clock, threads: {threads}", seconds, least[1] if threads > 1 else None)


def compare_unknown(made: Generator, n: int, repeats: int) -> None:
    print(f"{n:,} rows, fit with 5 % of the values unknown, against none")
    complete, holes = (made.data(n, unknown=u) for u in (0.0, 0.05))
    for threads in THREADS:
        without, with_unknown = float("inf"), float("inf")
        for _ in range(repeats):  # in turn, so that both meet the same machine
            without = min(without, least_time(1, fit_ctree, complete, threads))
            with_unknown = min(with_unknown, least_time(1, fit_ctree, holes, threads))
        line(f"none, threads: {threads}", without)
        line(f"5 %, threads: {threads}", with_unknown)
        print(f"  {with_unknown / without:.2f} times as long")


def compare_variants(made: Generator, n: int, repeats: int) -> None:
    print(f"{n:,} rows, fit as release 8 and as J48")
    data = made.data(n)
    for threads in THREADS:
        times = dict.fromkeys(("release8", "j48"), float("inf"))
        for _ in range(repeats):  # in turn, so that both meet the same machine
            for variant in times:
                model = ctree.C45Classifier(variant=variant, n_jobs=threads)
                times[variant] = min(times[variant], least_time(1, model.fit, data))
        for variant, seconds in times.items():
            line(f"{variant}, threads: {threads}", seconds)
        print(f"  J48 {times['j48'] / times['release8']:.2f} times as long")


def compare_predictions(made: Generator, n: int, repeats: int) -> None:
    print(f"{n:,} rows, predict")
    X, y = made.table(n)
    data = made.dataset(X, y)
    theirs = least_time(repeats, fit_sklearn(X, y).predict, X)
    line("scikit-learn", theirs)
    line("ctree, from the table", least_time(repeats, fit_ctree_table(X, y).predict, X), theirs)
    line("ctree, from a data set", least_time(repeats, fit_ctree(data, 1).predict, data), theirs)


def peak_of_fit(kind: str, n: int, threads: int, results: Any) -> None:
    """Resident memory with only the data, and its peak during a fit; runs in a process of its own."""
    data = GENERATORS[kind].data(n)
    gc.collect()
    with open("/proc/self/statm") as statm:
        held = int(statm.read().split()[1]) * resource.getpagesize()
    with open("/proc/self/clear_refs", "w") as clear:
        clear.write("5")  # the peak starts anew
    fit_ctree(data, threads)
    with open("/proc/self/status") as status:
        peak = next(int(row.split()[1]) * 1024 for row in status if row.startswith("VmHWM"))
    results.put((held, peak))


def memory(kind: str, n: int) -> None:
    """Linux only: it reads /proc."""
    data = GENERATORS[kind].data(n)
    assert data.classes is not None
    coded = sum(c.nbytes for c in data.columns if c is not None) + data.classes.nbytes
    tree = sum(a.nbytes for a in fit_ctree(data, 1).unpruned_tree_.arrays.by_name().values())
    del data
    print(f"{n:,} rows, memory: the coded table has {coded / 2**20:.0f} MB, the tree {tree / 2**20:.0f} MB")
    for threads in THREADS:
        context = multiprocessing.get_context("spawn")
        results: Any = context.Queue()
        process = context.Process(target=peak_of_fit, args=(kind, n, threads, results))
        process.start()
        held, peak = results.get()
        process.join()
        added = peak - held
        print(
            f"  threads: {threads}, a fit adds {added / 2**20:.0f} MB; "
            f"table and fit without the tree: {(coded + added - tree) / coded:.2f} times the table"
        )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data", choices=GENERATORS, default="mixed", help="kind of data")
    parser.add_argument("--large", action="store_true", help="1,000,000 rows as well")
    parser.add_argument("--only", help="fits, unknown, variants, predictions, memory; several separated by commas")
    parser.add_argument("--repeats", type=int, default=5)
    arguments = parser.parse_args()
    kind, repeats = arguments.data, arguments.repeats
    made = GENERATORS[kind]
    parts: dict[str, Callable[[], None]] = {
        "fits": lambda: compare_fits(made, 100_000, repeats, 3),
        "unknown": lambda: compare_unknown(made, 100_000, repeats),
        "variants": lambda: compare_variants(made, 100_000, repeats),
        "predictions": lambda: compare_predictions(made, 100_000, repeats),
        "memory": lambda: memory(kind, 1_000_000),
    }
    print(f"{kind} data")
    for part in arguments.only.split(",") if arguments.only else parts:
        parts[part]()
    if arguments.large:
        compare_fits(made, 1_000_000, 3, 1)


if __name__ == "__main__":
    main()
