"""How good the probabilities are: all learners here and scikit-learn's on a directory of data sets.

    python benchmarks/probabilities.py ../shared/data --jobs 2 --page docs/probabilities.md
    python benchmarks/probabilities.py ../shared/data --sets iris,vote --only 'c4.5;random forest'

Ten stratified folds, the same for all learners. The probabilities that the test cases of all folds were given are kept
(--cache) and judged together; so the same command continues where it was stopped. Sets with more than --most-cases are
cut to so many at random. Smaller sets are done again under three conditions: few training cases, wrong classes,
unknown values. The tables and pictures of docs/probabilities.md are replaced by what is found.
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
from joblib import Parallel, delayed
from peers import Peer, peers
from probability_tables import Results, tables_of, text_blocks, write_page
from threadpoolctl import threadpool_limits

import ctree
from ctree.evaluate.measures import tree_size
from ctree.evaluate.protocols import Split

FOLDS = 10
SEED = 1
TIME_LIMIT = 20.0
SMALL = 1000
"""Sets of at most so many cases are done again under conditions."""
FEW = 50
"""Training cases where they are few."""
SHARE = 0.2
"""Of the classes that are made wrong, and of the values that are made unknown."""
CONDITIONS = ("", "few", "noise", "unknown")


def own() -> dict[str, Any]:
    """The learners here, with their defaults and a few settings that users ask about."""
    probability = ctree.ProbabilityTreeClassifier
    bayesian = ctree.BayesianTreeClassifier
    return {
        "c4.5": ctree.C45Classifier(),
        "c4.5, Laplace": ctree.C45Classifier(estimate="laplace"),
        "c4.5rules": ctree.C45RulesClassifier(),
        **{name: probability(approach=name) for name in ("c4.4", "mdl-stop", "mdl-prune", "bic-stop", "bic-prune")},
        "chi2": probability(approach="chi2"),
        "bayesian": bayesian(),
        "bayesian, prunings": bayesian(averaging="prunings"),
        "bayesian, no averaging": bayesian(averaging="none"),
        "bayesian, prior of each": bayesian(threshold_prior="each"),
        "bayesian, 5 bins": bayesian(bins=5),
        "bayes-optimal": ctree.BayesOptimalClassifier(max_depth=3, time_limit=TIME_LIMIT),
        "dl8": ctree.OptimalTreeClassifier(max_depth=3, bins=4, time_limit=TIME_LIMIT),
        "map": ctree.OptimalTreeClassifier(objective="posterior", max_depth=3, time_limit=TIME_LIMIT),
        "mcmc": ctree.MCMCTreeClassifier(moves=(0.1, 0.1, 0.2, 0.6), burn_in=50_000, random_state=SEED),
        "naive-bayes": ctree.NaiveBayesClassifier(),
    }


def changed(data: ctree.Dataset, condition: str, split: Split, number: int) -> tuple[ctree.Dataset, ctree.Dataset]:
    """Training and test cases of a fold under a condition; the same for all learners."""
    rng = np.random.default_rng([SEED, number])
    if condition == "unknown":
        data = with_unknown_values(data, rng)
    train = split.train
    if condition == "few":
        train = np.sort(rng.permutation(train)[:FEW])
    training = data.take(train)
    if condition == "noise":
        classes = training.classes.copy()
        wrong = rng.random(len(classes)) < SHARE
        others = rng.integers(1, data.schema.n_classes, size=len(classes))
        classes[wrong] = (classes[wrong] + others[wrong]) % data.schema.n_classes
        training = ctree.Dataset(training.schema, training.columns, classes)
    return training, data.take(split.test)


def with_unknown_values(data: ctree.Dataset, rng: np.random.Generator) -> ctree.Dataset:
    columns = []
    for attribute, column in zip(data.schema, data.columns, strict=True):
        if column is not None:
            unknown = rng.random(data.n_cases) < SHARE
            column = np.where(unknown, -1 if attribute.is_discrete else np.nan, column).astype(column.dtype)
        columns.append(column)
    return ctree.Dataset(data.schema, columns, data.classes)


def out_of_fold(name: str, learner: Any, data: ctree.Dataset, condition: str, cache: Path) -> dict[str, Any]:
    """The probabilities that each case is given by a model that has not seen it; leaves and seconds by fold."""
    settings = learner if isinstance(learner, Peer) else sorted(learner.get_params().items())
    text = f"{ctree.__version__} {learner!r} {settings!r} {FOLDS} {SEED} {condition}".encode()
    columns = b"".join(np.asarray(c).tobytes() for c in data.columns if c is not None)
    key = hashlib.sha256(name.encode() + text + columns + data.classes.tobytes()).hexdigest()[:24]
    file = cache / f"{key}.npz"
    if file.exists():
        return dict(np.load(file))
    given = np.zeros((data.n_cases, data.schema.n_classes))
    leaves, seconds = [], []
    with warnings.catch_warnings(), threadpool_limits(1):
        warnings.simplefilter("ignore")
        for number, split in enumerate(ctree.StratifiedFolds(FOLDS, 1, SEED).series(data.classes)[0].splits):
            training, test = changed(data, condition, split, number)
            start = time.process_time()
            model = learner.fit(training)
            seconds.append(time.process_time() - start)
            given[split.test] = model.predict_proba(test)
            size = tree_size(model.fitted if isinstance(model, Peer) else model)
            leaves.append(np.nan if size is None else size.leaves)
    result = {"given": given, "leaves": np.array(leaves), "seconds": np.array(seconds)}
    cache.mkdir(parents=True, exist_ok=True)
    np.savez_compressed(file, **result)
    return result


def loaded(folder: Path, names: list[str], most: int) -> dict[str, ctree.Dataset]:
    """The sets with at least 5 cases a fold; of a set with a test file, the cases to learn from."""
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


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("folder", type=Path)
    parser.add_argument("--sets", default="", help="only these, separated by commas")
    parser.add_argument("--only", default="", help="only these learners, separated by semicolons")
    parser.add_argument("--most-cases", type=int, default=2000)
    parser.add_argument("--jobs", type=int, default=1)
    parser.add_argument("--cache", type=Path, default=Path("probabilities-cache"))
    parser.add_argument("--page", type=Path, help="whose tables and pictures to replace; else tables are printed")
    args = parser.parse_args()
    sets = loaded(args.folder, [n for n in args.sets.split(",") if n], args.most_cases)
    learners = {**own(), **peers(SEED)}
    if args.only:
        learners = {name: learners[name] for name in args.only.split(";")}
    tasks = [
        (condition, set_name, name)
        for condition in CONDITIONS
        for set_name, data in sets.items()
        if not condition or data.n_cases <= SMALL
        for name in learners
    ]
    started = time.perf_counter()
    found = Parallel(args.jobs, return_as="generator")(
        delayed(out_of_fold)(name, learners[name], sets[set_name], condition, args.cache)
        for condition, set_name, name in tasks
    )
    results: Results = {}
    for number, (task, result) in enumerate(zip(tasks, found, strict=True), 1):
        results[task] = result
        if sys.stderr.isatty() or number % 100 == 0:
            print(f"{number} of {len(tasks)}, {time.perf_counter() - started:.0f} s", file=sys.stderr, flush=True)
    own_names = list(own())
    if args.page:
        write_page(args.page, sets, list(learners), results, own_names)
    else:
        table = tables_of(sets, list(learners), results, "")
        print("\n\n".join(text_blocks(sets, table, list(learners), results, own_names).values()))
    return 0


if __name__ == "__main__":
    sys.exit(main())
