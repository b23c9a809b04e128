"""Committees beside scikit-learn's: how long they take, how much memory, and how good they are.

    python benchmarks/committee.py speed [--cases 100000] [--members 100] [--jobs 2]
    python benchmarks/committee.py quality ../shared/data [--sets iris,vote] [--most-cases 3000] [--cache results]

`speed`: bagged C4.5 trees beside scikit-learn's BaggingClassifier over trees by entropy, and a forest beside its
RandomForestClassifier(criterion="entropy"), on the same mixed cases with as many threads or processes. Discrete
attributes are codes for scikit-learn, as one column for each value would only make it slower. Processor seconds are
those of this process and of its children; each committee is fitted by a process of its own, whose greatest memory is
shown, less that of the same process before the fit, and how large the fitted model is as a pickle. (BaggingClassifier
works by processes, whose memory comes on top.) At the end stands how many times as fast ctree's were.

`quality`: ten stratified folds on the sets of a directory, the same for all, with the corrected resampled t-test and
mean ranks. scikit-learn's get numbers: a column of 0 and 1 for each value, unknown numbers the mean. What is found is
kept in --cache, so that the same command goes on where it was stopped.
"""

from __future__ import annotations

import argparse
import multiprocessing
import pickle
import resource
import time
import warnings
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
from joblib.externals.loky import get_reusable_executor
from mixed import mixed_dataset, mixed_table
from scipy.stats import rankdata
from sklearn.ensemble import (
    AdaBoostClassifier,
    BaggingClassifier,
    HistGradientBoostingClassifier,
    RandomForestClassifier,
)
from sklearn.tree import DecisionTreeClassifier

import ctree
from ctree.evaluate.cache import ResultCache

SEED = 1
PAIRS = (
    ("ctree bagging, C4.5", "scikit-learn bagging"),
    ("ctree bagging, C4.5 unpruned", "scikit-learn bagging"),
    ("ctree forest", "scikit-learn forest"),
    ("ctree boosting, 10", "scikit-learn AdaBoost, 10"),
    ("ctree boosting, 10, one fit a round", "scikit-learn AdaBoost, 10"),
)
"""Whose times are compared."""
MEASURES = ("accuracy", "log-likelihood", "auc")


def committees(members: int, jobs: int) -> dict[str, Callable[[], Any]]:
    """What is timed, by name; the peers of ctree's stand next to them."""
    entropy = DecisionTreeClassifier(criterion="entropy")
    shared = {"n_jobs": jobs, "random_state": SEED}
    return {
        "ctree bagging, C4.5": lambda: ctree.CommitteeClassifier(members=members, **shared),
        "ctree bagging, C4.5 unpruned": lambda: ctree.CommitteeClassifier(
            members=members, learner=ctree.C45Classifier(prune=False), **shared
        ),
        "scikit-learn bagging": lambda: BaggingClassifier(entropy, members, **shared),
        "ctree forest": lambda: ctree.CommitteeClassifier(method="forest", members=members, **shared),
        "scikit-learn forest": lambda: RandomForestClassifier(members, criterion="entropy", **shared),
        "ctree boosting, 10": lambda: ctree.CommitteeClassifier(method="boosting", members=10, **shared),
        "ctree boosting, 10, one fit a round": lambda: ctree.CommitteeClassifier(
            method="boosting", members=10, calibration_folds=None, **shared
        ),
        "scikit-learn AdaBoost, 10": lambda: AdaBoostClassifier(entropy, n_estimators=10, random_state=SEED),
    }


def fitted(name: str, cases: int, members: int, jobs: int, found: Any) -> None:
    """Fit a committee and say how long it took, and how much memory; in a process of its own."""
    X, y = mixed_table(cases)
    data = mixed_dataset(X, y)
    model = committees(members, jobs)[name]()
    given = (data,) if name.startswith("ctree") else (X, y)
    before, start, at = _memory(), time.perf_counter(), _seconds()
    model.fit(*given)
    clock, used, memory = time.perf_counter() - start, _seconds() - at, _memory() - before
    found.put((used, clock, memory, len(pickle.dumps(model)) / 1e6))
    get_reusable_executor().shutdown(kill_workers=True)  # else this process waits for those of scikit-learn, minutes


def _seconds() -> float:
    return sum(
        used.ru_utime + used.ru_stime
        for used in (resource.getrusage(resource.RUSAGE_SELF), resource.getrusage(resource.RUSAGE_CHILDREN))
    )


def _memory() -> float:
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024


def speed(args: argparse.Namespace) -> None:
    """Print a line for each committee."""
    print(f"{args.cases} cases of mixed data, {args.members} members, {args.jobs} thread(s)")
    print(f"{'':38s}{'CPU s':>9s}{'clock s':>9s}{'MB':>8s}{'model MB':>10s}")
    took = {}
    fork = multiprocessing.get_context("spawn")
    for name in committees(1, 1):
        found = fork.SimpleQueue()
        work = fork.Process(target=fitted, args=(name, args.cases, args.members, args.jobs, found))
        work.start()
        work.join()
        if work.exitcode:
            raise SystemExit(f"{name}: the process ended with status {work.exitcode}")
        processor, took[name], memory, size = found.get()
        print(f"{name:38s}{processor:9.2f}{took[name]:9.2f}{memory:8.0f}{size:10.1f}", flush=True)
    for ours, theirs in PAIRS:
        print(f"{ours}: {took[theirs] / took[ours]:.1f} times as fast as {theirs}")


def learners() -> dict[str, Any]:
    """What is compared, by name."""
    entropy = DecisionTreeClassifier(criterion="entropy")
    entropy_of_two = DecisionTreeClassifier(criterion="entropy", min_samples_leaf=2)  # as C4.5's min_cases
    entropy_of_3 = DecisionTreeClassifier(criterion="entropy", max_depth=3)
    own = {
        "bagging": ctree.CommitteeClassifier(),
        "forest": ctree.CommitteeClassifier(method="forest"),
        "boosting": ctree.CommitteeClassifier(method="boosting"),
        "boosting, 10": ctree.CommitteeClassifier(method="boosting", members=10),
        "boosting, Quinlan's": ctree.CommitteeClassifier(
            method="boosting", members=10, algorithm="m1", voting="error", learner=ctree.C45Classifier()
        ),
        "c4.5": ctree.C45Classifier(),
    }
    peers = {
        "sk bagging": BaggingClassifier(entropy, 100, random_state=SEED),
        "sk forest": RandomForestClassifier(100, criterion="entropy", random_state=SEED),
        "sk AdaBoost, depth 1": AdaBoostClassifier(random_state=SEED),
        "sk AdaBoost, depth 3": AdaBoostClassifier(entropy_of_3, n_estimators=50, random_state=SEED),
        "sk AdaBoost, trees": AdaBoostClassifier(entropy_of_two, n_estimators=50, random_state=SEED),
        "sk hist boosting": HistGradientBoostingClassifier(random_state=SEED),
    }
    return {**own, **peers}


def sets_of(directory: Path, wanted: str | None, most_cases: int) -> dict[str, ctree.Dataset]:
    """The sets of C4.5 files in a directory, cut to so many cases at random."""
    names = sorted(path.stem for path in directory.glob("*.names"))
    names = [name for name in names if wanted is None or name in wanted.split(",")]
    result = {}
    for name in names:
        data = ctree.read_c45(directory / name, unknown_class="drop")
        if data.n_cases > most_cases:
            data = data.take(np.sort(np.random.default_rng(SEED).permutation(data.n_cases)[:most_cases]))
        if np.bincount(data.classes).max() < data.n_cases:
            result[name] = data
    return result


def quality(args: argparse.Namespace) -> None:
    """Print the mean of each measure over the sets, the mean rank, and wins and losses against each peer."""
    sets = sets_of(Path(args.directory), args.sets, args.most_cases)
    cache = None if args.cache is None else ResultCache(args.cache)
    chosen = {name: made for name, made in learners().items() if args.only is None or name in args.only.split(";")}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        result = ctree.compare(
            sets,
            chosen,
            protocol=ctree.StratifiedFolds(folds=args.folds, repeats=1),
            cache=cache,
            n_jobs=args.jobs,
            progress=True,
        )
    names = list(chosen)
    print(f"{len(sets)} sets of up to {args.most_cases} cases, {args.folds} folds")
    for measure in MEASURES:
        means = result.means(measure)
        ranks = np.array([rankdata(-row, nan_policy="omit") for row in means])
        print(f"\n{measure}: mean, mean rank, and against each: significantly better/worse by the corrected t-test")
        for place, name in enumerate(names):
            against = []
            for other in range(len(names)):
                tests = [result.t_test(measure, row, place, other) for row in range(len(sets))]
                sure = [t for t in tests if t is not None and t.p < 0.05]
                against.append(f"{sum(t.mean > 0 for t in sure)}/{sum(t.mean < 0 for t in sure)}")
            column = np.nanmean(means[:, place])
            print(f"{name:30s}{column:9.4f}{np.nanmean(ranks[:, place]):7.2f}  {' '.join(f'{a:>6s}' for a in against)}")


def main() -> None:
    """Do what the arguments say."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    commands = parser.add_subparsers(required=True)
    one = commands.add_parser("speed")
    one.add_argument("--cases", type=int, default=100_000)
    one.add_argument("--members", type=int, default=100)
    one.add_argument("--jobs", type=int, default=2)
    one.set_defaults(run=speed)
    two = commands.add_parser("quality")
    two.add_argument("directory")
    two.add_argument("--sets", help="only these, with commas between them")
    two.add_argument("--only", help="only these learners, with semicolons between them")
    two.add_argument("--most-cases", type=int, default=3000)
    two.add_argument("--folds", type=int, default=10)
    two.add_argument("--jobs", type=int, default=1)
    two.add_argument("--cache")
    two.set_defaults(run=quality)
    args = parser.parse_args()
    args.run(args)


if __name__ == "__main__":
    main()
