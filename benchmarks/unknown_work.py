"""How much more there is to do with unknown values: cases at the nodes that are searched, with none and 5 % unknown.

    python benchmarks/unknown_work.py                  # 100,000 rows, both kinds of data
    python benchmarks/unknown_work.py --rows 1000000 --only release8 --data rounded

A case of unknown outcome goes down every branch with a part of its weight, so nodes have more cases than without, and a
tree has more nodes. A node is searched unless it is known to stay a leaf: its cases are of one class, or too few for a
test. There each case is looked at once for each attribute, but for discrete ones that were tested above. Equal code
would take as much longer as there are more of these looks, if a case took no longer at a small node than at a large
one; how many of the looks are at nodes of up to 64 cases is printed, too.
"""

from __future__ import annotations

import argparse
from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np
from unknown import dataset

import ctree
from ctree_ext.base.node_arrays import NodeArrays, Test

SMALL_NODE = 64


class Work(NamedTuple):
    """What a search for tests has to look at."""

    nodes: int
    searched: int
    cases: int
    looks: int
    at_small_nodes: int


def methods() -> dict[str, tuple[Callable[[], Any], bool]]:
    """A learner that does not prune, by name, and whether it tests discrete attributes again."""
    return {
        "release8": (lambda: ctree.C45Classifier(n_jobs=1, prune=False, collapse=False), False),
        "j48": (lambda: ctree.C45Classifier(n_jobs=1, variant="j48", prune=False, collapse=False), True),
        "c4.4": (lambda: ctree.ProbabilityTreeClassifier(approach="c4.4", n_jobs=1), True),
        "bic-stop": (lambda: ctree.ProbabilityTreeClassifier(approach="bic-stop", n_jobs=1), True),
    }


def _outcomes(arrays: NodeArrays, node: int, column: Any) -> Any:
    """The branch of each case, -1 where it is unknown."""
    if arrays.test[node] == Test.THRESHOLD:
        return np.where(np.isnan(column), -1, column > arrays.threshold[node])
    if arrays.test[node] == Test.VALUES:
        return column
    start = arrays.group_start[node]
    return np.where(column < 0, -1, arrays.group[start + column])


def work_of(arrays: NodeArrays, data: ctree.Dataset, least: float, again: bool) -> Work:
    """Count the cases at all nodes of a tree that had to be searched, by sending them down."""
    searched = cases = looks = at_small = 0
    stack = [(0, np.arange(data.n_cases), 0)]
    while stack:
        node, rows, tested = stack.pop()
        if arrays.counts[node].max() < arrays.cases[node] * (1 - 1e-9) and arrays.cases[node] >= least:
            searched += 1
            cases += len(rows)
            looks += len(rows) * (len(data.columns) - tested)
            at_small += len(rows) * (len(data.columns) - tested) if len(rows) <= SMALL_NODE else 0
        if arrays.test[node] == Test.LEAF:
            continue
        attribute = int(arrays.attribute[node])
        branch = _outcomes(arrays, node, data.columns[attribute][rows])
        by_branch = np.argsort(branch, kind="stable")
        ends = np.searchsorted(branch[by_branch], np.arange(-1, arrays.n_branches[node]), side="right")
        discrete = arrays.test[node] != Test.THRESHOLD
        for b in range(arrays.n_branches[node]):
            if ends[b] < ends[b + 1]:
                below = np.concatenate((rows[by_branch[: ends[0]]], rows[by_branch[ends[b] : ends[b + 1]]]))
                stack.append((int(arrays.first_branch[node]) + b, below, tested + (discrete and not again)))
    return Work(len(arrays.test), searched, cases, looks, at_small)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rows", type=int, default=100_000)
    parser.add_argument("--unknown", type=float, default=0.05, help="share of unknown values")
    parser.add_argument("--data", default="mixed,rounded")
    parser.add_argument("--only", default="", help="methods, separated by commas")
    args = parser.parse_args()
    for kind in args.data.split(","):
        tables = [dataset(kind, args.rows, share) for share in (0.0, args.unknown)]
        for name, (new, again) in methods().items():
            if args.only and name not in args.only.split(","):
                continue
            found = []
            for data in tables:
                learner = new().fit(data)
                found.append(work_of(learner.tree_.arrays, data, 2 * getattr(learner, "min_cases", 0), again))
            none, some = found
            print(
                f"{kind:8}{name:10} nodes {none.nodes:9,} {some.nodes:9,}  searched {none.searched:9,} "
                f"{some.searched:9,}  cases {none.cases:11,} {some.cases:11,}  looks {some.looks / none.looks:5.2f}"
                f" times  small nodes {none.at_small_nodes / none.looks:4.0%} {some.at_small_nodes / some.looks:4.0%}",
                flush=True,
            )


if __name__ == "__main__":
    main()
