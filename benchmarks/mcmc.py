"""Sampled trees: how fast the chains are, how near the exact answer, and the paper's tables.

    python benchmarks/mcmc.py speed FOLDER
    python benchmarks/mcmc.py exact FOLDER
    python benchmarks/mcmc.py tables FOLDER

FOLDER has the data in C4.5's form (australian, credit-g, heart-cleveland), and a folder `binary` with 0/1 sets, class
first, separated by blanks (tic-tac-toe, vote, hepatitis, primary-tumor). Times are the least of several repeats.

speed   Proposals a second of one chain in one thread, beside a plain sampler in NumPy in the same run; and two chains
        in two threads beside one chain. On 0/1 data change-rule has nowhere to go: there is a line without it as well.
exact   Expected leaves, the chances of attributes, and predictions of all trees up to a depth, by
        BayesOptimalClassifier (every test as likely, five cases in a leaf), beside those of four chains, with R-hat;
        continuous attributes in four bins.
tables  Table 2 of Schetinin et al. (XOR3), and Tables 3 and 4 (five folds): accuracy, tests of a tree, and the three
        shares of the Uncertainty Envelope, for the paper's two strategies and for the two that sample the posterior.
"""

from __future__ import annotations

import argparse
import concurrent.futures
import time
import warnings
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
from scipy.special import gammaln

import ctree
from ctree.data.binary_tests import BinaryTests
from ctree_ext.mcmc.chain import Chain
from ctree_ext.mcmc.rng import Stream

PAPER = {
    # what the paper says of its two strategies, as far as it is known here
    "xor3": "the paper: sweeping finds the true model, 100 % correct, about 3.4 tests; standard larger",
    "australian": "the paper: confident incorrect 2.9 % (standard), 4.3 % (sweeping)",
    "credit-g": "the paper: 27.3 tests (standard), 20.7 (sweeping); confident incorrect 4.7 % and 6.2 %",
}


def binary_set(path: Path) -> ctree.Dataset:
    """A file of 0 and 1, the class first."""
    table = np.loadtxt(path, dtype=np.int64)
    columns = list(range(table.shape[1] - 1))
    return ctree.from_arrays(table[:, 1:], table[:, 0], categorical_features=columns)


def least_time(work: Callable[[], Any], repeats: int) -> float:
    times = []
    for _ in range(repeats):
        start = time.perf_counter()
        work()
        times.append(time.perf_counter() - start)
    return min(times)


# speed


class NumpyChain:
    """A sampler as one would write it in NumPy: every proposal is a new tree, whose leaves are found by masks."""

    def __init__(self, holds: npt.NDArray[np.bool_], attribute: npt.NDArray[np.int32], classes: npt.NDArray[np.int32],
                 min_cases: int, moves: tuple[float, ...], seed: int) -> None:  # fmt: skip
        self.holds, self.attribute, self.classes = holds, attribute, classes
        self.n_classes = int(classes.max()) + 1
        self.min_cases, self.moves = min_cases, moves
        self.rng = np.random.default_rng(seed)
        self.tree: Any = None
        self.worth = self.log_likelihood(None)

    def leaves(self, tree: Any, cases: npt.NDArray[np.bool_]) -> list[npt.NDArray[np.bool_]]:
        if tree is None:
            return [cases]
        test, yes, no = tree
        return self.leaves(yes, cases & self.holds[test]) + self.leaves(no, cases & ~self.holds[test])

    def log_likelihood(self, tree: Any) -> float:
        leaves = self.leaves(tree, np.ones(len(self.classes), dtype=bool))
        counts = np.array([np.bincount(self.classes[leaf], minlength=self.n_classes) for leaf in leaves])
        if (counts.sum(axis=1) < self.min_cases).any():
            return -np.inf
        C = self.n_classes
        return float((gammaln(C) - gammaln(C + counts.sum(axis=1)) + gammaln(counts + 1).sum(axis=1)).sum())

    def paths(self, tree: Any, path: tuple[int, ...] = ()) -> list[tuple[tuple[int, ...], Any]]:
        if tree is None:
            return [(path, None)]
        return [(path, tree), *self.paths(tree[1], (*path, 1)), *self.paths(tree[2], (*path, 2))]

    def replaced(self, tree: Any, path: tuple[int, ...], by: Any) -> Any:
        if not path:
            return by
        parts = list(tree)
        parts[path[0]] = self.replaced(tree[path[0]], path[1:], by)
        return tuple(parts)

    def draw(self, tests: npt.NDArray[np.intp]) -> int | None:
        return int(tests[self.rng.integers(len(tests))]) if len(tests) else None

    def step(self) -> None:
        nodes = self.paths(self.tree)
        leaves = [path for path, node in nodes if node is None]
        inner = [(path, node) for path, node in nodes if node is not None]
        twigs = [path for path, node in inner if node[1] is None and node[2] is None]
        k, ratio = len(leaves), 1.0
        move = int(self.rng.choice(4, p=self.moves))
        if move == 0:
            path = leaves[self.rng.integers(k)]
            chosen = self.rng.integers(self.attribute.max() + 1)
            new = self.replaced(self.tree, path, (self.draw(np.flatnonzero(self.attribute == chosen)), None, None))
            after = sum(n is not None and n[1] is None and n[2] is None for _, n in self.paths(new))
            ratio = self.moves[1] / self.moves[0] * k / after * (k + 1) / (2 * (2 * k - 1))
        elif not inner:
            return
        elif move == 1:
            new = self.replaced(self.tree, twigs[self.rng.integers(len(twigs))], None)
            ratio = self.moves[0] / self.moves[1] * len(twigs) / (k - 1) * 2 * (2 * k - 3) / k
        else:
            path, node = inner[self.rng.integers(len(inner))]
            own = self.attribute == self.attribute[node[0]]
            if move == 2:
                others = np.unique(self.attribute[~own])
                tests = np.flatnonzero(self.attribute == others[self.rng.integers(len(others))])
            else:
                tests = np.setdiff1d(np.flatnonzero(own), [node[0]])
            test = self.draw(tests)
            if test is None:
                return
            new = self.replaced(self.tree, path, (test, node[1], node[2]))
        worth = self.log_likelihood(new)
        if np.log(1 - self.rng.random()) <= worth - self.worth + np.log(ratio):
            self.tree, self.worth = new, worth


def speed(folder: Path) -> None:
    sets = {
        "tic-tac-toe": binary_set(folder / "binary" / "tic-tac-toe.txt"),
        "credit-g": ctree.read_c45(folder / "credit-g"),
    }
    usual, without_rules = (0.1, 0.1, 0.2, 0.6, 0.0), (0.2, 0.2, 0.6, 0.0, 0.0)
    for name, data in sets.items():
        tests = BinaryTests.of_cases(data)
        grid = tests.grid(data)
        print(f"{name}: {data.n_cases} cases, {len(tests)} tests")
        lines = [("usual moves", {"moves": usual}), ("no change-rule", {"moves": without_rules}),
                 ("Chipman's prior", {"moves": usual, "prior": "chipman"}),
                 ("latent sweeping", {"moves": usual, "treatment": "sweep-latent"})]  # fmt: skip
        for label, options in lines:
            chain = Chain(grid, Stream(1), min_cases=2, thin=7, **options)
            chain.advance(50_000, 0)
            steps, done = (40_000 if "prior" in options else 200_000), [50_000]

            def work(chain: Chain = chain, steps: int = steps, done: list[int] = done) -> None:
                done[0] += steps
                chain.advance(done[0], 0)

            rate = steps / least_time(work, 5)
            line = f"  {label:<16}{rate:>12,.0f} proposals/s, {chain.traces(True)['leaves'][-5000:].mean():5.1f} leaves"
            if options.keys() == {"moves"}:
                slow = _numpy_rate(data, tests, chain.tree(), options["moves"])
                line += f"; in NumPy {slow:,.0f}, {rate / slow:,.0f} times as fast"
            print(line, flush=True)
    _threads(sets["tic-tac-toe"])


def _numpy_rate(data: ctree.Dataset, tests: BinaryTests, tree: list[int], moves: tuple[float, ...]) -> float:
    """Proposals a second of the plain sampler, from the tree where the chain is."""
    levels = tests.of(data)
    holds = np.array([
        levels[:, a] <= level if tests.ordered[a] else levels[:, a] == level
        for a, level in zip(tests.attribute.tolist(), tests.level.tolist(), strict=True)
    ])  # fmt: skip
    assert data.classes is not None
    slow = NumpyChain(holds, tests.attribute, data.classes, 2, moves[:4], 0)
    rest = iter(tree)

    def built() -> Any:
        test = next(rest)
        return None if test < 0 else (test, built(), built())

    slow.tree = built()
    slow.worth = slow.log_likelihood(slow.tree)
    return 300 / least_time(lambda: [slow.step() for _ in range(300)], 5)


def _threads(data: ctree.Dataset) -> None:
    """Two threads beside one, and beside two processes, which share nothing but the machine."""
    options: dict[str, Any] = {"burn_in": 1_000_000, "samples": 100, "random_state": 0}
    one = least_time(lambda: ctree.MCMCTreeClassifier(chains=1, **options).fit(data), 7)
    two = least_time(lambda: ctree.MCMCTreeClassifier(chains=2, n_jobs=2, **options).fit(data), 7)
    single = ctree.MCMCTreeClassifier(chains=1, **options)
    with concurrent.futures.ProcessPoolExecutor(2) as pool:
        list(pool.map(_fit, [single] * 2, [data] * 2))
        apart = least_time(lambda: list(pool.map(_fit, [single] * 2, [data] * 2)), 7)
    print(f"one chain {one:.3f} s; two chains in two threads {two:.3f} s, {two / one:.2f} times as long; "
          f"one each in two processes {apart:.3f} s")  # fmt: skip


def _fit(model: ctree.MCMCTreeClassifier, data: ctree.Dataset) -> None:
    model.fit(data)


# exact


def binned(data: ctree.Dataset, bins: int = 4) -> ctree.Dataset:
    """Continuous attributes as the numbers of their bins, so that the chains have the thresholds of the lattice."""
    tests = BinaryTests.in_bins(data, bins).tests
    columns = []
    for a, column in enumerate(data.columns):
        if data.schema[a].is_continuous:
            cuts = [test.threshold for test in tests if test.attribute == a]
            column = np.where(np.isnan(column), np.nan, np.searchsorted(cuts, column).astype(float))
        columns.append(column)
    return ctree.Dataset(data.schema, columns, data.classes)


def exact(folder: Path, wanted: list[str]) -> None:
    def binary(name: str) -> ctree.Dataset:
        return binary_set(folder / "binary" / f"{name}.txt")

    sets = {name: binary(name) for name in ("primary-tumor", "tic-tac-toe", "vote", "hepatitis")}
    sets["heart-cleveland"] = binned(ctree.read_c45(folder / "heart-cleveland"))
    runs = [(name, 3) for name in sets] + [(name, 4) for name in ("tic-tac-toe", "vote", "heart-cleveland")]
    for name, depth in runs:
        if wanted and f"{name}-{depth}" not in wanted:
            continue
        data = sets[name]
        shared: dict[str, Any] = {"max_depth": depth, "test_prior": "per-test"}
        start = time.perf_counter()
        trees = ctree.BayesOptimalClassifier(min_cases=5, bins=None, **shared).fit(data)
        expected, inclusion = trees.predict_proba(data), trees.feature_inclusion_
        took = time.perf_counter() - start
        print(f"{name}, depth {depth}: {trees.expected_leaves_:.3f} leaves expected (all trees, {took:.1f} s)")
        chains: dict[str, Any] = {"burn_in": 200_000, "samples": 2_500, "thin": 400, "random_state": 1}
        chains["exchange_every"] = 10
        ways: dict[str, dict[str, Any]] = {
            "usual moves": {"moves": (0.1, 0.1, 0.2, 0.6)},
            "no change-rule": {"moves": (0.2, 0.2, 0.6, 0.0, 0.0)},
            "6 temperatures, swaps": {"moves": (0.2, 0.2, 0.5, 0.0, 0.1), "temperatures": 6},
        }
        if name == "heart-cleveland":  # the only one where an attribute has several tests
            ways["6 temperatures, swaps"]["moves"] = (0.2, 0.2, 0.3, 0.2, 0.1)
        for label, options in ways.items():
            start = time.perf_counter()
            model = ctree.MCMCTreeClassifier(tree_prior="chipman", min_cases=5, **shared, **chains, **options).fit(data)
            took = time.perf_counter() - start
            found = model.traces_["leaves"]
            error = found.std() / np.sqrt(model.effective_size_["leaves"])
            print(
                f"  {label:<22}{found.mean():7.3f} ± {error:.3f}, chains {np.round(found.mean(axis=1), 2).tolist()}, "
                f"R-hat {max(model.r_hat_.values()):.3f} (predictions "
                f"{model.diagnostics(data)['predictions']['r_hat']:.2f}), off by at most: attributes "
                f"{abs(model.feature_inclusion_ - inclusion).max():.4f}, predictions "
                f"{abs(model.predict_proba(data) - expected).max():.4f}; {took:.1f} s",
                flush=True,
            )


# tables


def xor3(n: int = 1000, seed: int = 0) -> ctree.Dataset:
    """The class is the sign of the product of two numbers; a third has nothing to do with it."""
    rng = np.random.default_rng(seed)
    X = np.column_stack([rng.uniform(-0.5, 0.5, (n, 2)), rng.normal(0, 0.2, n)])
    return ctree.from_arrays(X, (X[:, 0] * X[:, 1] > 0).astype(int))


def tables(folder: Path) -> None:
    strategies = {
        "standard, as in the paper": {"invalid_proposals": "resample"},
        "sweeping, as in the paper": {"strategy": "sweeping", "invalid_proposals": "resample"},
        "standard, exact": {},
        "sweeping, latent": {"strategy": "sweeping"},
    }
    usual: dict[str, Any] = {"samples": 10_000, "thin": 7, "chains": 1}
    sets: dict[str, tuple[ctree.Dataset, dict[str, Any]]] = {
        "xor3": (xor3(), {**usual, "burn_in": 50_000, "min_cases": 5, "thin": 1}),
        "australian": (ctree.read_c45(folder / "australian"), {**usual, "burn_in": 100_000, "min_cases": 3}),
        "credit-g": (ctree.read_c45(folder / "credit-g"), {**usual, "burn_in": 100_000, "min_cases": 3}),
    }
    for name, (data, options) in sets.items():
        print(
            f"{name}: min_cases {options['min_cases']}, {options['burn_in']} + {options['samples']} samples, five folds"
        )
        print(f"  {'':<27}{'accuracy':>14}{'tests':>14}{'conf. right':>13}{'conf. wrong':>13}{'uncertain':>11}")
        for label, strategy in strategies.items():
            rows = np.array(_folds(data, {**options, **strategy}))
            mean, spread = rows.mean(axis=0), 2 * rows.std(axis=0, ddof=1)
            line = f"{mean[0]:.1f} ± {spread[0]:.1f}".rjust(14) + f"{mean[1]:.1f} ± {spread[1]:.1f}".rjust(14)
            print(f"  {label:<27}{line}{mean[2]:>12.1f}%{mean[3]:>12.1f}%{mean[4]:>10.1f}%", flush=True)
        print(f"  {PAPER[name]}; ± is two standard deviations over folds")


def _folds(data: ctree.Dataset, options: dict[str, Any]) -> list[list[float]]:
    parts = np.array_split(np.random.default_rng(1).permutation(data.n_cases), 5)
    rows = []
    for i, part in enumerate(parts):
        learn = np.setdiff1d(np.arange(data.n_cases), part)
        model = ctree.MCMCTreeClassifier(random_state=i, **options).fit(data.take(learn))
        test = data.take(part)
        shares = ctree.uncertainty_envelope(model, test).shares()
        rows.append([100 * model.score(test), model.traces_["leaves"].mean() - 1, *(100 * share for share in shares)])
    return rows


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("what", choices=("speed", "exact", "tables"))
    parser.add_argument("folder", type=Path)
    parser.add_argument("runs", nargs="*", help="of exact, only these: a set and a depth, as in vote-4")
    args = parser.parse_args()
    warnings.simplefilter("ignore")  # R-hat is printed
    if args.what == "exact":
        exact(args.folder, args.runs)
    else:
        {"speed": speed, "tables": tables}[args.what](args.folder)


if __name__ == "__main__":
    main()
