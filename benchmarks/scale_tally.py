"""How fast coded cases are counted at the nodes of a tree, beside what else could count them.

    python benchmarks/scale_tally.py [--cases 1000000] [--repeats 3]

20 attributes, 3 classes, one thread; the best of some repeats, in CPU seconds, as millions of cases a second. The floor
is a copy of the codes. numpy.bincount, polars and DuckDB count the same for all attributes, given each case's node.
"""

from __future__ import annotations

import argparse
import time
from collections.abc import Callable
from typing import Any

import numpy as np
import numpy.typing as npt

import ctree
from ctree.scale.coded_dataset import DatasetCoding, HeldPart
from ctree.scale.coded_part import CodedPart
from ctree.scale.coded_source import CodedSource
from ctree.scale.counting import CountTask
from ctree.scale.engines.local import LocalEngine
from ctree.scale.source import Bins, Opening
from ctree.scale.top_tree import Routing, TopTree
from ctree.scale.way_down import way_down
from ctree_ext.base.node_arrays import Test

ATTRIBUTES = 20
CLASSES = 3
ROWS_OF_PART = 250_000


def source_of(n: int, n_bins: int, n_threads: int = 1) -> CodedSource:
    """Random codes in parts of 250,000 cases; a column has a value for each bin."""
    rng = np.random.default_rng(0)
    dtype = np.uint8 if n_bins < 256 else np.uint16
    parts = []
    counts = np.zeros(CLASSES, dtype=np.int64)
    for start in range(0, n, ROWS_OF_PART):
        size = min(ROWS_OF_PART, n - start)
        codes = tuple(rng.integers(1, n_bins + 1, size).astype(dtype) for _ in range(ATTRIBUTES))
        classes = rng.integers(0, CLASSES, size).astype(np.uint8)
        counts += np.bincount(classes, minlength=CLASSES)
        parts.append(HeldPart(CodedPart(size, codes, (None,) * ATTRIBUTES, classes, None)))
    numbers = np.arange(n_bins, dtype=np.float64)
    attributes = tuple(ctree.Attribute(f"x{a}", ctree.Kind.CONTINUOUS) for a in range(ATTRIBUTES))
    coding = DatasetCoding(
        ctree.Schema(attributes, tuple(range(CLASSES))),
        [Bins(numbers[:-1], numbers, numbers)] * ATTRIBUTES,
        counts,
        np.zeros(ATTRIBUTES, dtype=np.int64),
    )
    return CodedSource(parts, coding, LocalEngine(n_threads), 8 << 30)


def full_tree(depth: int, n_bins: int) -> tuple[Routing, list[int]]:
    """Thresholds near the middle at every node, and the leaves."""
    rng = np.random.default_rng(depth)
    top = TopTree(CLASSES)
    nothing = np.zeros(CLASSES)
    leaves = [top.add_leaf(nothing)]
    for level in range(depth):
        leaves = [
            branch
            for place, node in enumerate(leaves)
            for branch in top.divide(
                node,
                Test.THRESHOLD,
                (7 * (2**level + place)) % ATTRIBUTES,
                [nothing] * 2,
                threshold=float(rng.integers(n_bins // 4, 3 * n_bins // 4)),
            )
        ]
    return top.routing(), leaves


def rate(n: int, work: Callable[[], Any], repeats: int, clock: Callable[[], float] = time.process_time) -> float:
    """Millions of cases a second."""
    best = np.inf
    for _ in range(repeats):
        start = clock()
        work()
        best = min(best, clock() - start)
    return n / best / 1e6


def whole(source: CodedSource) -> tuple[list[npt.NDArray[Any]], npt.NDArray[Any]]:
    loaded = [part.load() for part in source.parts]
    columns: list[npt.NDArray[Any]] = []
    for a in range(ATTRIBUTES):
        some = [part.codes[a] for part in loaded]
        columns.append(np.concatenate([codes for codes in some if codes is not None]))
    return columns, np.concatenate([part.classes for part in loaded])


def peers(source: CodedSource, slots: int, n_bins: int, repeats: int) -> dict[str, float]:
    """The same counts by others, who are told the node of each case."""
    columns, classes = whole(source)
    n = len(classes)
    nodes = np.random.default_rng(1).integers(0, slots, n).astype(np.int32)
    room = [np.zeros_like(column) for column in columns]

    def copy() -> None:
        for to, column in zip(room, columns, strict=True):
            to[:] = column

    result = {"copy of the codes (floor)": rate(n, copy, repeats)}
    keys = (nodes * CLASSES + classes).astype(np.int64)
    width = slots * CLASSES
    result["numpy.bincount"] = rate(
        n,
        lambda: [np.bincount(column * np.int64(width) + keys, minlength=width * (n_bins + 1)) for column in columns],
        1,
    )
    try:
        import polars as pl
    except ImportError:
        pass
    else:
        table = pl.DataFrame({"c": classes, "s": nodes, **{f"x{a}": column for a, column in enumerate(columns)}})
        result["polars group_by"] = rate(
            n, lambda: [table.group_by("s", f"x{a}", "c").len() for a in range(ATTRIBUTES)], 1
        )
    try:
        import duckdb
    except ImportError:
        return result
    base = duckdb.connect()
    base.execute("set threads = 1")
    frame = {"c": classes, "s": nodes, **{f"x{a}": column for a, column in enumerate(columns)}}
    base.register("given", frame)
    base.execute("create table cases as select * from given")
    result["duckdb group by"] = rate(
        n,
        lambda: [
            base.execute(f"select s, x{a}, c, count(*) from cases group by all").fetchnumpy() for a in range(ATTRIBUTES)
        ],
        1,
    )
    return result


def rates_at(source: CodedSource, n_bins: int, depth: int, repeats: int) -> list[float]:
    """Of the kernel, a whole pass, the way down, and a look into a hundredth of the bins of three attributes."""
    n = source.n_cases
    routing, leaves = full_tree(depth, n_bins)
    parts = [part.load() for part in source.parts]
    way = way_down(routing, leaves, source.schema, source.bins)
    # four times, for what a pass has to allocate is no part of the kernel
    task = CountTask(way, tuple(range(ATTRIBUTES)), (0,) * ATTRIBUTES)
    few = np.array([[n_bins // 2, n_bins // 2 + max(1, n_bins // 100)]])
    wanted = [Opening(node, a, few) for node in leaves for a in (0, 1, 2)]
    return [
        rate(4 * n, lambda: task(parts * 4), repeats),
        rate(n, lambda: source.count(routing, leaves), repeats),
        rate(n, lambda: CountTask(way, (), ())(parts), repeats),
        rate(n, lambda: source.open(routing, wanted), repeats),
    ]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--cases", type=int, default=1_000_000)
    parser.add_argument("--repeats", type=int, default=3)
    options = parser.parse_args()
    n, repeats = options.cases, options.repeats
    print("millions of cases a second, one thread: kernel alone, whole pass, way down only, open bins")
    for n_bins in (10, 255, 256, 4_096, 65_535):
        source = source_of(n, n_bins)
        for depth in (0, 3, 5, 7):
            if n_bins << depth <= 1 << 20:
                rates = " ".join(f"{one:8.1f}" for one in rates_at(source, n_bins, depth, repeats))
                print(f"  {n_bins:6,} bins {2**depth:4} nodes {rates}", flush=True)
    print("256 bins, 32 nodes: others")
    source = source_of(n, 256)
    routing, leaves = full_tree(5, 256)
    ours = rate(n, lambda: source.count(routing, leaves), repeats)
    for name, theirs in peers(source, 32, 256, repeats).items():
        print(f"  {name:28} {theirs:8.1f}; the whole pass is {ours / theirs:.2f} times as fast", flush=True)


if __name__ == "__main__":
    main()
