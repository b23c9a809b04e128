"""What winnowing leaves out, and what that does to errors and log-losses in cross-validation.

python benchmarks/winnowing.py [--learners c4.5,probability] [--losses log-loss,error] [--folds 10] [SET ...]

A SET is the stem of C4.5 files, or one of the wide sets that are made here, of which the useful attributes are known.
"""

from __future__ import annotations

import argparse
import time
from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np

import ctree

LEARNERS: dict[str, Callable[..., Any]] = {
    "c4.5": lambda **more: ctree.C45Classifier(estimate="laplace", **more),
    "j48": lambda **more: ctree.C45Classifier(variant="j48", estimate="laplace", **more),
    "probability": ctree.ProbabilityTreeClassifier,
    "bayesian": ctree.BayesianTreeClassifier,
    "rules": ctree.C45RulesClassifier,
    "naive-bayes": ctree.NaiveBayesClassifier,
    "bagging": lambda **more: ctree.CommitteeClassifier(members=20, random_state=0, **more),
    "boosting": lambda **more: ctree.CommitteeClassifier(method="boosting", random_state=0, **more),
}
LEAST = 1e-15
"""What a probability counts as at least."""


class Figures(NamedTuple):
    """Of all folds together: errors in percent, log-loss, attributes kept, useful ones among them, seconds."""

    error: float
    log_loss: float
    kept: float
    useful: float
    seconds: float


def main() -> None:
    """Print a row for each set, learner and loss."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("sets", nargs="*", default=list(WIDE), metavar="SET")
    parser.add_argument("--learners", default="c4.5,probability,bayesian,naive-bayes")
    parser.add_argument("--losses", default="log-loss")
    parser.add_argument("--folds", type=int, default=10)
    args = parser.parse_args()
    print("| set | learner | attributes | kept | useful | error % | winnowed | log-loss | winnowed | s | winnowed |")
    print("|---|---|---|---|---|---|---|---|---|---|---|")
    for name in args.sets:
        data, useful = WIDE[name]() if name in WIDE else (ctree.read_c45(name), ())
        n = sum(column is not None for column in data.columns)
        for learner in args.learners.split(","):
            all_ = figures(LEARNERS[learner], data, args.folds, useful)
            for loss in args.losses.split(","):
                some = figures(LEARNERS[learner], data, args.folds, useful, winnow=True, winnow_loss=loss)
                what = learner if args.losses == "log-loss" else f"{learner}, {loss}"
                found = f"{some.useful:.1f} of {len(useful)}" if useful else ""
                print(
                    f"| {name.rpartition('/')[2]} | {what} | {n} | {some.kept:.1f} | {found} | {all_.error:.2f} | "
                    f"{some.error:.2f} | {all_.log_loss:.3f} | {some.log_loss:.3f} | {all_.seconds:.1f} | "
                    f"{some.seconds:.1f} |",
                    flush=True,
                )


def figures(make: Callable[..., Any], data: ctree.Dataset, folds: int, useful: tuple[str, ...], **more: Any) -> Figures:
    """Cross-validate a learner."""
    wrong, lost, kept, found, seconds = 0, 0.0, [], [], 0.0
    fold_of = np.empty(len(data), dtype=np.intp)  # class by class, in an order drawn at random
    order = np.random.default_rng(7).permutation(len(data))
    fold_of[order[np.argsort(data.classes[order], kind="stable")]] = np.arange(len(data)) % folds
    for fold in range(folds):
        start = time.process_time()
        model = make(**more).fit(data.take(fold_of != fold))
        seconds += time.process_time() - start
        test = data.take(fold_of == fold)
        p = model.predict_proba(test)
        wrong += int((model.predict_codes(test) != test.classes).sum())
        lost -= float(np.log(np.maximum(p[np.arange(len(test)), test.classes], LEAST)).sum())
        if more:
            kept.append(len(model.winnowing_.kept))
            found.append(len(set(useful) & set(model.winnowing_.kept)))
    mean = (float(np.mean(kept)), float(np.mean(found))) if kept else (0.0, 0.0)
    return Figures(100 * wrong / len(data), lost / len(data), *mean, seconds)


def rules_in_noise(n: int = 2000, width: int = 1000) -> tuple[ctree.Dataset, tuple[str, ...]]:
    """A tree of five numbers among a thousand, and a tenth of the classes wrong."""
    rng = np.random.default_rng(1)
    x = rng.random((n, width))
    y = np.where(x[:, 0] > 0.5, np.where(x[:, 1] > 0.3, 0, 1), np.where(x[:, 2] > 0.6, x[:, 3] > 0.5, x[:, 4] > 0.4))
    return ctree.from_arrays(x, _disturbed(y.astype(int), rng, 0.1)), tuple(f"x{i}" for i in range(5))


def words_in_texts(n: int = 2000, width: int = 5000) -> tuple[ctree.Dataset, tuple[str, ...]]:
    """Rare words, ten of five thousand of which are more frequent in one of three classes."""
    rng = np.random.default_rng(2)
    y = rng.integers(3, size=n)
    shares = np.tile(rng.uniform(0.02, 0.2, width), (3, 1))
    for word in range(10):
        shares[word % 3, word] += 0.5
    x = (rng.random((n, width)) < shares[y]).astype(int)
    return ctree.from_arrays(x, y, categorical_features=list(range(width))), tuple(f"x{i}" for i in range(10))


def few_of_many(n: int = 2000, width: int = 10_000) -> tuple[ctree.Dataset, tuple[str, ...]]:
    """Eight of ten thousand numbers with other means in each of two classes."""
    rng = np.random.default_rng(3)
    y = rng.integers(2, size=n)
    x = rng.normal(size=(n, width))
    x[:, :8] += np.linspace(1.5, 0.5, 8) * (2 * y[:, None] - 1)
    return ctree.from_arrays(x, y), tuple(f"x{i}" for i in range(8))


def _disturbed(y: Any, rng: np.random.Generator, share: float) -> Any:
    return np.where(rng.random(len(y)) < share, 1 - y, y)


WIDE = {"rules-in-noise": rules_in_noise, "words-in-texts": words_in_texts, "few-of-many": few_of_many}

if __name__ == "__main__":
    main()
