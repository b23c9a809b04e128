"""Cross-validation of all methods on a directory of data sets in the form of C4.5: the patterns of the papers.

    python benchmarks/cross_validation.py ../shared/data --jobs 2
    python benchmarks/cross_validation.py ../shared/data --sets iris,vote,letter --most-cases 5000 --out results.csv

The folds are stratified, and the same for all methods. Of a set with a `.test` file its `.data` alone is taken: some of
these files repeat cases of the other. Per set and method, averages over the folds:

- accuracy, the share of cases whose class is predicted right;
- the mean natural log-likelihood of the true class, whose probability is taken to be at least 1e-9; `clipped` counts
  the cases for which it is less;
- expected AUC: one class against the others, weighted by the share of the class among the cases of the fold. Classes
  that a fold does not have are skipped; a fold of one class has no AUC and is left out of its average;
- leaves of the tree, those without cases included; and the time of all fits.

The Bayesian trees have uniform priors with S = 2, continuous attributes in five bins, and averages along the path or
over all prunings; `nonuniform` and `thresholds` differ from `bayes` by what they are named after.

Warnings are listed. An exception, or probabilities that are none, are failures: they are listed, the set is left out of
the tables, and the exit status is 1.
"""

from __future__ import annotations

import argparse
import csv
import sys
import time
import warnings
from collections.abc import Iterator
from concurrent.futures import ProcessPoolExecutor
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt
from scipy.stats import rankdata

import ctree
from ctree.errors import CtreeError, DataError

Floats = npt.NDArray[np.float64]
Ints = npt.NDArray[np.int64]

PROBABILITY_METHODS = ("c4.5", "c4.4", "mdl-stop", "mdl-prune", "bic-stop", "bic-prune", "chi2")


def bayesian(averaging: str, nonuniform: bool = False, bins: int | None = 5) -> ctree.BayesianTreeClassifier:
    """A Bayesian tree, uniform and with S = 2 unless said otherwise."""
    return ctree.BayesianTreeClassifier(prior_weight=2, averaging=averaging, uniform_prior=not nonuniform, bins=bins)


METHODS: dict[str, Any] = {
    "C4.5 release 8": ctree.C45Classifier(),
    **{name: ctree.ProbabilityTreeClassifier(approach=name) for name in PROBABILITY_METHODS},
    "bayes": bayesian("none"),
    "bayes path": bayesian("path"),
    "bayes prunings": bayesian("prunings"),
    "nonuniform": bayesian("none", nonuniform=True),
    "nonuniform path": bayesian("path", nonuniform=True),
    "thresholds": bayesian("none", bins=None),
    "thresholds path": bayesian("path", bins=None),
    "naive bayes frequency": ctree.NaiveBayesClassifier(estimate="frequency"),
    "naive bayes laplace": ctree.NaiveBayesClassifier(estimate="laplace"),
    "naive bayes m": ctree.NaiveBayesClassifier(estimate="m"),
}
NAMES = list(METHODS)
MEASURES = ("accuracy", "log_likelihood", "auc", "leaves", "clipped", "fit_seconds")
# The first word of each is the same tree without averaging.
AVERAGES = ("bayes path", "bayes prunings", "nonuniform path", "thresholds path")
# Least and most classes of a set, of those that some case has; a set may declare others.
GROUPS = {"all": (1, sys.maxsize), "two classes": (2, 2), "3 to 5 classes": (3, 5), "6 and more": (6, sys.maxsize)}
MIN_PROBABILITY = 1e-9
TIE = 0.005


class CaseSet(NamedTuple):
    name: str
    data: ctree.Dataset
    n_classes: int
    """Classes that some case has."""
    folds: Ints
    """The fold of each case."""


class FoldResult(NamedTuple):
    name: str
    scores: Floats
    """A row for each method, a column for each measure; NaN where there is none."""
    failures: list[str]
    notices: list[str]


class Results(NamedTuple):
    sets: list[CaseSet]
    scores: Floats
    """Sets, methods, measures."""

    def of(self, measure: str, method: str) -> Floats:
        """A measure of a method, by sets."""
        return self.scores[:, NAMES.index(method), MEASURES.index(measure)]

    def groups(self) -> Iterator[tuple[str, Results]]:
        """The groups that have a set, by name."""
        for title, (least, most) in GROUPS.items():
            members = [i for i, one in enumerate(self.sets) if least <= one.n_classes <= most]
            if members:
                yield title, Results([self.sets[i] for i in members], self.scores[members])


def stratified_folds(classes: npt.NDArray[np.int32], n_folds: int) -> Ints:
    """The fold of each case: the cases, shuffled and sorted by class, are dealt out one by one."""
    order = np.random.default_rng(0).permutation(len(classes))
    order = order[np.argsort(classes[order], kind="stable")]
    folds = np.empty(len(classes), dtype=np.int64)
    folds[order] = np.arange(len(classes)) % n_folds
    return folds


def expected_auc(probabilities: Floats, classes: npt.NDArray[np.int32]) -> float:
    """The mean over the classes of the cases, weighted by their number; NaN if there is one class only.

    By ranks: AUC is the share of pairs, a case of the class and one of another, that are in the right order; a tie
    counts one half.
    """
    n = np.bincount(classes, minlength=probabilities.shape[1])
    present = np.flatnonzero(n)
    if len(present) < 2:
        return float("nan")
    ranks = rankdata(probabilities[:, present], axis=0)
    positive = n[present]
    sums = np.where(classes[:, None] == present, ranks, 0).sum(axis=0)
    auc = (sums - positive * (positive + 1) / 2) / (positive * (len(classes) - positive))
    return float(np.average(auc, weights=positive))


def scores_of(learner: Any, train: ctree.Dataset, test: ctree.Dataset) -> list[float]:
    """The measures of a learner that is fitted to some cases and tried on others."""
    start = time.perf_counter()
    learner.fit(train)
    seconds = time.perf_counter() - start
    probabilities = learner.predict_proba(test)
    if not (np.isfinite(probabilities).all() and probabilities.min() >= 0):
        raise ArithmeticError("a probability is negative or not finite")
    if abs(probabilities.sum(axis=1) - 1).max() > 1e-12:
        raise ArithmeticError("the probabilities of a case do not sum to 1")
    assert test.classes is not None
    of_true = probabilities[np.arange(len(test)), test.classes]
    return [
        float((learner.predict_codes(test) == test.classes).mean()),
        float(np.log(np.maximum(of_true, MIN_PROBABILITY)).mean()),
        expected_auc(probabilities, test.classes),
        float(learner.tree_.n_leaves) if hasattr(learner, "tree_") else float("nan"),
        float((of_true < MIN_PROBABILITY).sum()),
        seconds,
    ]


def run_fold(task: tuple[CaseSet, int]) -> FoldResult:
    """All methods on one fold of one set."""
    (name, data, _, folds), fold = task
    train, test = data.take(folds != fold), data.take(folds == fold)
    result = FoldResult(name, np.full((len(METHODS), len(MEASURES)), np.nan), [], [])
    for row, (method, learner) in enumerate(METHODS.items()):
        where = f"{name}, fold {fold + 1}, {method}"
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            try:
                result.scores[row] = scores_of(learner, train, test)
            except Exception as error:
                result.failures.append(f"{where}: {type(error).__name__}: {error}")
        result.notices.extend(f"{where}: {w.category.__name__}: {w.message}" for w in caught)
    return result


def read_sets(stems: list[Path], n_folds: int, most_cases: int | None, failures: list[str]) -> list[CaseSet]:
    """The sets that can be read, the largest first so that no process is left with one at the end."""
    sets = []
    for stem in stems:
        try:
            data = ctree.read_c45(stem)
            if len(data) < n_folds:
                raise DataError(f"{len(data)} cases are too few for {n_folds} folds")
        except CtreeError as error:
            failures.append(f"{stem.name}: {type(error).__name__}: {error}")
            continue
        if most_cases is not None and len(data) > most_cases:
            print(f"{stem.name}: {most_cases} of its {len(data)} cases, taken at random")
            data = data.take(np.sort(np.random.default_rng(0).choice(len(data), most_cases, replace=False)))
        assert data.classes is not None
        sets.append(CaseSet(stem.name, data, len(np.unique(data.classes)), stratified_folds(data.classes, n_folds)))
    return sorted(sets, key=lambda s: -len(s.data) * len(s.data.schema))


def cross_validate(sets: list[CaseSet], n_folds: int, jobs: int, failures: list[str]) -> Results:
    """Averages over the folds, the sets by name; the sets with a failure are left out."""
    tasks = [(one, fold) for one in sets for fold in range(n_folds)]
    by_set: dict[str, list[Floats]] = {}
    failed = set()
    with ProcessPoolExecutor(jobs) as pool:
        for done, (name, scores, new_failures, notices) in enumerate(pool.map(run_fold, tasks), 1):
            by_set.setdefault(name, []).append(scores)
            if new_failures:
                failed.add(name)
                failures.extend(new_failures)
            for notice in notices:
                print(f"warning: {notice}")
            if done % n_folds == 0:
                print(f"{done // n_folds} of {len(sets)} sets: {name}", file=sys.stderr, flush=True)
    kept = sorted((s for s in sets if s.name not in failed), key=lambda s: s.name)
    averages = np.full((len(kept), len(METHODS), len(MEASURES)), np.nan)
    for place, one in enumerate(kept):
        folds = np.array(by_set[one.name])
        lacking = np.isnan(folds[:, 0, MEASURES.index("auc")])
        if lacking.any():
            print(f"{one.name}: no AUC in {lacking.sum()} of {n_folds} folds, which have one class only")
        for column, measure in enumerate(MEASURES):
            values = folds[~lacking, :, column] if measure == "auc" else folds[:, :, column]
            total = measure in ("clipped", "fit_seconds")
            averages[place, :, column] = values.sum(axis=0) if total else values.mean(axis=0)
    return Results(kept, averages)


def wins(difference: Floats) -> str:
    """Sets won, tied and lost."""
    return f"{(difference > TIE).sum()}/{(abs(difference) <= TIE).sum()}/{(difference < -TIE).sum()}"


def print_sets(results: Results) -> None:
    """What the patterns are made of, set by set."""
    print(f"\n{'':<40}{'leaves':^20}{'AUC':^22}{'log-likelihood':^22}")
    print(f"{'set':<22}{'cases':>9}{'classes':>9}{'c4.4':>10}{'bic-stop':>10}", end="")
    print(f"{'c4.4':>11}{'bic-stop':>11}{'bayes':>11}{'path':>11}")
    columns = [("leaves", "c4.4"), ("leaves", "bic-stop"), ("auc", "c4.4"), ("auc", "bic-stop")]
    columns += [("log_likelihood", "bayes"), ("log_likelihood", "bayes path")]
    values = [results.of(*column) for column in columns]
    for place, (name, data, n_classes, _) in enumerate(results.sets):
        print(f"{name:<22}{len(data):>9}{n_classes:>9}{values[0][place]:>10.1f}{values[1][place]:>10.1f}", end="")
        print("".join(f"{v[place]:>11.4f}" for v in values[2:]))


def print_averages(results: Results) -> None:
    """By group of sets, a line for each method."""
    for title, group in results.groups():
        print(f"\n{title}: averages over {len(group.sets)} sets")
        print(f"{'method':<24}{'accuracy':>9}{'log-lik.':>10}{'AUC':>9}{'w/t/l':>10}", end="")
        print(f"{'leaves':>9}{'of c4.4':>9}{'clipped':>9}{'fits, s':>9}")
        for method in NAMES:
            auc = group.of("auc", method)
            line = f"{method:<24}{group.of('accuracy', method).mean():>9.4f}"
            line += f"{group.of('log_likelihood', method).mean():>10.4f}{np.nanmean(auc):>9.4f}"
            line += f"{wins(auc - group.of('auc', 'c4.4')):>10}"
            leaves = group.of("leaves", method)
            ratio = np.exp(np.log(leaves / group.of("leaves", "c4.4")).mean())
            line += f"{leaves.mean():>9.1f}{ratio:>9.3f}" if not np.isnan(ratio) else f"{'-':>9}{'-':>9}"
            line += f"{group.of('clipped', method).sum():>9.0f}{group.of('fit_seconds', method).sum():>9.2f}"
            print(line)
    print("\nw/t/l: sets won, tied and lost against c4.4 in AUC; a tie is a difference of at most 0.005.")
    print("of c4.4: leaves relative to c4.4's, the geometric mean.")


def print_patterns(results: Results) -> None:
    """What the papers found, in numbers."""
    print("\nAUC of bic-stop against c4.4")
    for title, group in results.groups():
        difference = group.of("auc", "bic-stop") - group.of("auc", "c4.4")
        print(f"  {title:<20}{wins(difference):>10}   mean difference {np.nanmean(difference):+.4f}")
    for method in AVERAGES:
        without = method.split()[0]
        print(f"\nlog-likelihood of {method} against the same tree without averaging")
        for title, group in results.groups():
            gain = group.of("log_likelihood", method) - group.of("log_likelihood", without)
            print(f"  {title:<20}higher in {(gain > 0).sum()} of {len(gain)} sets, ", end="")
            print(f"lower in {(gain < 0).sum()}, mean gain {gain.mean():+.4f}, least {gain.min():+.4f}")


def write_csv(file: Path, results: Results) -> None:
    """A line for each set and method."""
    with file.open("w", newline="") as out:
        writer = csv.writer(out)
        writer.writerow(["set", "cases", "classes", "method", *MEASURES])
        for one, scores in zip(results.sets, results.scores, strict=True):
            for method, row in zip(NAMES, scores.tolist(), strict=True):
                writer.writerow([one.name, len(one.data), one.n_classes, method, *(f"{x:.6g}" for x in row)])


def main() -> int:
    parser = argparse.ArgumentParser(description="Cross-validate all methods on data sets in the form of C4.5.")
    parser.add_argument("directory", type=Path, help="where the .names and .data files are")
    parser.add_argument("--folds", type=int, default=10)
    parser.add_argument("--sets", help="only these, separated by commas")
    parser.add_argument("--most-cases", type=int, help="take so many cases at random of a set that has more")
    parser.add_argument("--jobs", type=int, default=1, help="processes")
    parser.add_argument("--out", type=Path, help="write the measures of each set and method to this csv file")
    options = parser.parse_args()
    stems = {file.stem: file.with_suffix("") for file in sorted(options.directory.glob("*.names"))}
    names = list(dict.fromkeys(options.sets.split(","))) if options.sets else list(stems)
    lacking = [name for name in names if name not in stems]
    if lacking or not names:
        parser.error(f"no {', '.join(lacking) or 'set'} in {options.directory}")
    too_few = options.most_cases is not None and options.most_cases < options.folds
    if options.folds < 2 or options.jobs < 1 or too_few:
        parser.error("at least 2 folds, 1 process, and as many cases as folds are needed")
    failures: list[str] = []
    sets = read_sets([stems[name] for name in names], options.folds, options.most_cases, failures)
    results = cross_validate(sets, options.folds, options.jobs, failures)
    if results.sets:
        print_sets(results)
        print_averages(results)
        print_patterns(results)
    if options.out:
        write_csv(options.out, results)
    print(f"\n{len(failures)} failures", *failures, sep="\n  ")
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
