"""How good the probabilities are: all learners here and scikit-learn's on a directory of data sets.

    python benchmarks/probabilities.py ../shared/data --cache results --jobs 2 --out probabilities
    python benchmarks/probabilities.py ../shared/data --sets iris,vote --out probabilities

Ten stratified folds, the same for all. The probabilities that the test cases of all folds were given are kept (--cache)
and judged together: log-loss, Brier score, calibration error, expected AUC, accuracy; besides, leaves and seconds of a
fit. Sets with more than --most-cases are cut to so many at random. Written to --out: tables in Markdown, a
critical-difference diagram of the log-loss, and reliability diagrams. docs/probabilities.md is made of them.

A probability of 0 for the true class is counted as 2.2e-16 in the log-loss; `zeros` says how many there were.
"""

from __future__ import annotations

import argparse
import hashlib
import sys
import time
import warnings
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
from joblib import Parallel, delayed
from peers import Peer, peers

import ctree
from ctree.evaluate.calibration import calibration_error, calibration_groups
from ctree.evaluate.measures import accuracy, brier, expected_auc, log_likelihood, tree_size
from ctree.evaluate.significance import friedman
from ctree.render.plots.comparison import draw_critical_differences
from ctree.render.plots.figures import new_figure, saved

Floats = npt.NDArray[np.float64]
FOLDS = 10
SEED = 1
TIME_LIMIT = 20.0
MEASURES = {  # title, sign, digits
    "log-loss": ("Log-loss (natural logarithm)", -1, 3),
    "zeros": ("True classes given probability 0", -1, 0),
    "brier": ("Brier score", -1, 3),
    "calibration": ("Calibration error, points", -1, 2),
    "auc": ("Expected AUC, %", 1, 2),
    "accuracy": ("Accuracy, %", 1, 2),
    "leaves": ("Leaves", -1, 1),
    "seconds": ("Seconds a fit", -1, 4),
}


def own() -> dict[str, Any]:
    """The learners here, with their defaults and a few settings that users ask about."""
    probability = ctree.ProbabilityTreeClassifier
    return {
        "c4.5": ctree.C45Classifier(),
        "c4.5, Laplace": ctree.C45Classifier(estimate="laplace"),
        "c4.5rules": ctree.C45RulesClassifier(),
        **{name: probability(approach=name) for name in ("c4.4", "mdl-stop", "mdl-prune", "bic-stop", "bic-prune")},
        "chi2": probability(approach="chi2"),
        "bayesian, 5 bins": ctree.BayesianTreeClassifier(bins=5),
        "bayesian, thresholds": ctree.BayesianTreeClassifier(bins=None),
        "bayesian, prunings": ctree.BayesianTreeClassifier(bins=None, averaging="prunings"),
        "bayes-optimal": ctree.BayesOptimalClassifier(max_depth=3, time_limit=TIME_LIMIT),
        "dl8": ctree.OptimalTreeClassifier(max_depth=3, time_limit=TIME_LIMIT),
        "map": ctree.OptimalTreeClassifier(objective="posterior", max_depth=3, time_limit=TIME_LIMIT),
        "mcmc": ctree.MCMCTreeClassifier(random_state=SEED),
        "naive-bayes": ctree.NaiveBayesClassifier(),
    }


def out_of_fold(name: str, learner: Any, data: ctree.Dataset, cache: Path) -> dict[str, Any]:
    """The probabilities that each case is given by a model that has not seen it; leaves and seconds by fold."""
    text = f"{ctree.__version__} {learner!r} {getattr(learner, '__dict__', None)} {FOLDS} {SEED}".encode()
    columns = b"".join(np.asarray(c).tobytes() for c in data.columns if c is not None)
    key = hashlib.sha256(name.encode() + text + columns + data.classes.tobytes()).hexdigest()[:24]
    file = cache / f"{key}.npz"
    if file.exists():
        return dict(np.load(file))
    given = np.zeros((data.n_cases, data.schema.n_classes))
    leaves, seconds = [], []
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        for split in ctree.StratifiedFolds(FOLDS, 1, SEED).series(data.classes)[0].splits:
            start = time.process_time()
            model = learner.fit(data.take(split.train))
            seconds.append(time.process_time() - start)
            given[split.test] = model.predict_proba(data.take(split.test))
            size = tree_size(model.fitted if isinstance(model, Peer) else model)
            leaves.append(np.nan if size is None else size.leaves)
    result = {"given": given, "leaves": np.array(leaves), "seconds": np.array(seconds)}
    cache.mkdir(parents=True, exist_ok=True)
    np.savez_compressed(file, **result)
    return result


def scores(data: ctree.Dataset, result: dict[str, Any]) -> dict[str, float]:
    """All measures of one learner on one set."""
    given = result["given"]
    likelihood = log_likelihood(data.classes, given)
    return {
        "log-loss": -likelihood.mean,
        "zeros": likelihood.zeros,
        "brier": brier(data.classes, given),
        "calibration": 100 * calibration_error(data.classes, given),
        "auc": 100 * expected_auc(data.classes, given).value,
        "accuracy": 100 * accuracy(data.classes, given.argmax(axis=1)),
        "leaves": float(np.mean(result["leaves"])),
        "seconds": float(np.mean(result["seconds"])),
    }


def loaded(folder: Path, names: list[str], most: int) -> dict[str, ctree.Dataset]:
    sets = {}
    for file in sorted(folder.glob("*.names")):
        if names and file.stem not in names:
            continue
        data = ctree.read_c45(str(file.with_suffix("")), unknown_class="drop")
        data = data[0] if isinstance(data, tuple) else data
        if data.n_cases >= 5 * FOLDS:
            rows = np.sort(np.random.default_rng(SEED).permutation(data.n_cases)[:most])
            sets[file.stem] = data.take(rows)
    return sets


def averages(table: dict[str, Floats], learners: list[str]) -> str:
    """Means over the sets of every measure, and mean ranks by log-loss."""
    ranks = friedman(-table["log-loss"]).ranks
    order = np.argsort(ranks, kind="stable")
    lines = ["| learner | rank by log-loss | " + " | ".join(title for title, _, _ in MEASURES.values()) + " |"]
    lines.append("| --- |" + " ---: |" * (len(MEASURES) + 1))
    for i in order:
        cells = []
        for name, (_, _, digits) in MEASURES.items():
            value = table[name][:, i].sum() if name == "zeros" else np.mean(table[name][:, i])
            cells.append("" if np.isnan(value) else f"{value:.{digits}f}")
        lines.append(f"| {learners[i]} | {ranks[i]:.2f} | " + " | ".join(cells) + " |")
    return "\n".join(lines)


def by_set(table: dict[str, Floats], measure: str, sets: list[str], learners: list[str]) -> str:
    title, sign, digits = MEASURES[measure]
    lines = [f"**{title}**", "", "| | " + " | ".join(learners) + " |", "| --- |" + " ---: |" * len(learners)]
    for name, row in zip(sets, table[measure], strict=True):
        best = np.nanmax(sign * row)
        cells = [f"**{v:.{digits}f}**" if sign * v >= best - 10**-digits / 2 else f"{v:.{digits}f}" for v in row]
        lines.append(f"| {name} | " + " | ".join(cells) + " |")
    return "\n".join(lines)


def reliability(
    out: Path, sets: dict[str, ctree.Dataset], results: dict[tuple[str, str], Any], names: list[str]
) -> None:
    """For some learners: of all cases of all sets, each class in turn, the share observed against that given."""
    figure = new_figure(3.2 * len(names), 3.4)
    for axes, name in zip(np.atleast_1d(figure.subplots(1, len(names), sharey=True)), names, strict=True):
        own, given, weights = [], [], []
        for set_name, data in sets.items():
            table = results[set_name, name]["given"]
            truth = np.eye(table.shape[1], dtype=bool)[data.classes]
            own.append(truth.ravel())
            given.append(table.ravel())
            weights.append(np.full(truth.size, 1 / truth.size))  # every set counts the same
        groups = calibration_groups(np.concatenate(own), np.concatenate(given), 20, np.concatenate(weights))
        axes.plot([0, 1], [0, 1], color="grey", linewidth=0.8)
        axes.plot([g.given for g in groups], [g.observed for g in groups], "o-", markersize=3)
        axes.set_title(name, fontsize=9)
        axes.set_xlabel("probability given")
    figure.axes[0].set_ylabel("share observed")
    saved(figure, out / "reliability.svg")


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("folder", type=Path)
    parser.add_argument("--sets", default="", help="only these, separated by commas")
    parser.add_argument("--only", default="", help="only these learners, separated by semicolons")
    parser.add_argument("--most-cases", type=int, default=2000)
    parser.add_argument("--jobs", type=int, default=1)
    parser.add_argument("--cache", type=Path, default=Path("probabilities-cache"))
    parser.add_argument("--out", type=Path, default=Path("probabilities"))
    args = parser.parse_args()
    sets = loaded(args.folder, [n for n in args.sets.split(",") if n], args.most_cases)
    learners = {**own(), **peers(SEED)}
    if args.only:
        learners = {name: learners[name] for name in args.only.split(";")}
    tasks = [(set_name, name) for set_name in sets for name in learners]
    started = time.perf_counter()
    found = Parallel(args.jobs, return_as="generator")(
        delayed(out_of_fold)(name, learners[name], sets[set_name], args.cache) for set_name, name in tasks
    )
    results = {}
    for number, (task, result) in enumerate(zip(tasks, found, strict=True), 1):
        results[task] = result
        if sys.stderr.isatty() or number % 50 == 0:
            print(f"{number} of {len(tasks)}, {time.perf_counter() - started:.0f} s", file=sys.stderr, flush=True)
    table = {m: np.full((len(sets), len(learners)), np.nan) for m in MEASURES}
    for i, (set_name, data) in enumerate(sets.items()):
        for k, name in enumerate(learners):
            for measure, value in scores(data, results[set_name, name]).items():
                table[measure][i, k] = value
    args.out.mkdir(parents=True, exist_ok=True)
    names = list(learners)
    text = f"{len(sets)} sets, {FOLDS} folds, seed {SEED}, at most {args.most_cases} cases a set\n\n" + averages(
        table, names
    )
    for measure in ("log-loss", "brier", "calibration", "auc", "accuracy"):
        text += "\n\n" + by_set(table, measure, list(sets), names)
    (args.out / "tables.md").write_text(text + "\n", encoding="utf-8")
    figure = new_figure(9, 1.2 + 0.3 * ((len(names) + 1) // 2))
    draw_critical_differences(figure.subplots(), friedman(-table["log-loss"]), names, "log-loss")
    saved(figure, args.out / "ranks.svg")
    shown = [n for n in ("bayesian, thresholds", "bic-prune", "c4.5", "random forest", "sklearn tree") if n in learners]
    if shown:
        reliability(args.out, sets, results, shown)
    print(text.split("\n\n**")[0])
    return 0


if __name__ == "__main__":
    sys.exit(main())
