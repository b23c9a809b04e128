"""Effective samples a second: sampled trees beside those of stochtree, and beside the exact answer.

    python benchmarks/mcmc_effective.py FOLDER [NAME ...]

FOLDER is as for `mcmc.py`. What is sampled are the probabilities of the first class for 200 training cases. Of each the
effective sample size is computed by ArviZ from four chains, so that chains that disagree count for little, and divided
by the processor seconds of all four, burn-in included. Each line has the median case, the one of a twentieth that mix
worst, and the standard error that the average over the draws would have after one second, for the median case.

stochtree samples Bayesian additive regression trees with a probit link. With one tree its model is the nearest to ours:
a single tree under Chipman's prior; with 200 it is what its users have by default. A draw of stochtree has its own
values in the leaves; ours has the mean of all values that they may have, so its draws vary less.

On the sets of 0 and 1 all trees of depth 3 can be summed up. There the average over the draws is held against that of
all trees, and the difference against its standard error: were it known exactly, they would be equal on the average.
"""

from __future__ import annotations

import argparse
import time
import warnings
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
from mcmc import binary_set

import ctree

with warnings.catch_warnings():
    warnings.simplefilter("ignore")
    import arviz

BINARY = ("tic-tac-toe", "vote", "hepatitis", "primary-tumor")
TABLES = ("heart-cleveland", "australian", "credit-g")
CASES = 200
CHAINS = 4
Draws = npt.NDArray[np.float64]
"""(chains, draws, cases)"""


def set_of(folder: Path, name: str) -> ctree.Dataset:
    """A set without unknown values, which stochtree does not take."""
    if name in BINARY:
        return binary_set(folder / "binary" / f"{name}.txt")
    data = ctree.read_c45(folder / name)
    known = np.ones(data.n_cases, dtype=bool)
    for attribute, column in zip(data.schema, data.columns, strict=True):
        if column is not None:
            known &= ~np.isnan(column) if attribute.is_continuous else column >= 0
    return data.take(np.flatnonzero(known))


def some(data: ctree.Dataset) -> ctree.Dataset:
    """The cases whose probabilities are sampled."""
    return data.take(np.unique(np.linspace(0, data.n_cases - 1, CASES).astype(int)))


def ours(data: ctree.Dataset, **options: Any) -> tuple[Draws, float]:
    """Draws of the probability of the first class, and processor seconds."""
    start = time.process_time()
    chosen = {"tree_prior": "chipman", "chains": CHAINS, "samples": 2_000, "random_state": 1, "n_jobs": 1, **options}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        model = ctree.MCMCTreeClassifier(**chosen).fit(data)
    seconds = time.process_time() - start
    return model._draws(some(data))[0], seconds


def matrix(data: ctree.Dataset) -> npt.NDArray[np.float64]:
    """The attributes as numbers: a column for each value of those that have more than two."""
    columns = []
    for attribute, column in zip(data.schema, data.columns, strict=True):
        if column is None:
            continue
        if attribute.is_continuous or len(attribute.values) <= 2:
            columns.append(np.asarray(column, dtype=np.float64))
        else:
            columns += [(column == value).astype(np.float64) for value in range(len(attribute.values))]
    return np.column_stack(columns)


def stochtree_draws(data: ctree.Dataset, trees: int, steps: int) -> tuple[Draws, float]:
    """The same of stochtree: probit BART with so many trees, half of the steps burn-in."""
    from scipy.stats import norm
    from stochtree import BARTModel

    X, y = matrix(data), (data.classes == 0).astype(np.float64)
    cases = matrix(some(data))
    keep_every = max(1, steps // 2 // 2_000)
    start, draws = time.process_time(), []
    for chain in range(CHAINS):
        model = BARTModel()
        model.sample(
            X,
            y,
            X_test=cases,
            num_gfr=0,
            num_burnin=steps // 2,
            num_mcmc=steps // 2 // keep_every,
            general_params={
                "probit_outcome_model": True,
                "sample_sigma2_global": False,
                "random_seed": chain,
                "keep_every": keep_every,
                "num_threads": 1,
            },
            mean_forest_params={"num_trees": trees, "sample_sigma2_leaf": trees > 1},
        )
        draws.append(norm.cdf(np.asarray(model.y_hat_test)).T)
    return np.stack(draws), time.process_time() - start


def sizes_of(draws: Draws) -> npt.NDArray[np.float64]:
    """The effective sample size of each case whose probability varies at all."""
    varying = draws[..., draws.std(axis=(0, 1)) > 1e-9]
    return np.array([arviz.ess(varying[..., i], method="mean") for i in range(varying.shape[2])])


def tell(what: str, draws: Draws, seconds: float) -> None:
    """Print what a sampler got done."""
    sizes = sizes_of(draws)
    rates = sizes / seconds
    spread = draws[..., draws.std(axis=(0, 1)) > 1e-9].std(axis=(0, 1))
    error = float(np.median(spread / np.sqrt(rates)))
    print(
        f"  {what:<24}{seconds:7.1f} s {np.median(rates):12,.1f} a second, worst {np.quantile(rates, 0.05):10,.2f}; "
        f"error after a second {error:.5f}",
        flush=True,
    )


def against_all_trees(name: str, data: ctree.Dataset) -> None:
    """The average over the draws beside that of all trees of depth 3."""
    shared: dict[str, Any] = {"max_depth": 3, "min_cases": 5, "test_prior": "per-test"}
    exact = ctree.BayesOptimalClassifier(bins=None, **shared).fit(data).predict_proba(some(data))[:, 0]
    for samples, thin in ((500, 10), (1_000, 20), (2_000, 40)):
        draws, seconds = ours(data, samples=samples, thin=thin, burn_in=5_000, **shared)
        found, spread = draws.mean(axis=(0, 1)), draws.std(axis=(0, 1))
        varying = spread > 1e-9
        errors = spread[varying] / np.sqrt(sizes_of(draws))
        off = np.abs(found - exact)
        print(
            f"  {name}, all trees of depth 3: {seconds:6.2f} s, off by {np.sqrt((off**2).mean()):.5f} (root of the "
            f"mean square), at most {off.max():.5f}; expected of the sizes {np.sqrt((errors**2).mean()):.5f}",
            flush=True,
        )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=Path)
    parser.add_argument("names", nargs="*", help="of sets; by default seven")
    parser.add_argument("--steps", type=int, default=20_000, help="of each chain of stochtree with one tree")
    args = parser.parse_args()
    for name in args.names or [*BINARY, *TABLES]:
        data = set_of(args.folder, name)
        print(f"{name}: {data.n_cases} cases, {len(data.schema)} attributes")
        tell("ctree", *ours(data))
        tell("stochtree, one tree", *stochtree_draws(data, 1, args.steps))
        tell("stochtree, 200 trees", *stochtree_draws(data, 200, max(400, args.steps // 10)))
        if name in BINARY:
            against_all_trees(name, data)


if __name__ == "__main__":
    main()
