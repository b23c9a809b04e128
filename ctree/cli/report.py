"""How well a model does on cases, in numbers and as text for a person."""

from __future__ import annotations

import inspect
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from ctree.data.schema import Label
from ctree.data.tables.levels import Codes
from ctree.wording import plural

MAX_CLASSES = 40
"""Up to here the confusion matrix is printed whole; beyond, its largest entries."""

MAX_WIDTH = 100
"""Up to this width the columns of the matrix are headed by the classes themselves, beyond by letters."""

MAX_NAME = 32
MAX_CONFUSIONS = 15


@dataclass(frozen=True)
class Result:
    """Predictions held against the true classes.

    Parameters
    ----------
    classes : tuple of str
    confusion : array (classes, classes)
        How many cases of the class of the row were given the class of the column.
    costs : array (classes, classes), optional
        What errors cost.
    """

    classes: tuple[str, ...]
    confusion: npt.NDArray[np.int64]
    costs: npt.NDArray[np.float64] | None = None

    @property
    def cases(self) -> int:
        return int(self.confusion.sum())

    @property
    def errors(self) -> int:
        return self.cases - int(np.trace(self.confusion))

    @property
    def error_rate(self) -> float:
        return self.errors / self.cases if self.cases else 0.0

    @property
    def mean_cost(self) -> float | None:
        """What a case costs on average; None if it is not known what errors cost."""
        if self.costs is None:
            return None
        return float((self.confusion * self.costs).sum()) / self.cases if self.cases else 0.0

    def to_dict(self) -> dict[str, Any]:
        return {
            "cases": self.cases,
            "errors": self.errors,
            "error_rate": self.error_rate,
            **({} if self.costs is None else {"mean_cost": self.mean_cost}),
            "confusion": self.confusion.tolist(),
        }

    def sentence(self, what: str = "case") -> str:
        errors = "1 error" if self.errors == 1 else f"{self.errors} errors"
        cost = "" if self.mean_cost is None else f", mean cost {self.mean_cost:.4g}"
        return f"{errors} in {plural(self.cases, what)} ({100 * self.error_rate:.1f}%){cost}"


def confusion(classes: Sequence[Label], actual: Codes, predicted: npt.NDArray[np.intp]) -> Result:
    """The predicted classes, as codes, against the true ones, of the cases that have one."""
    n_classes = len(classes)
    known = actual >= 0
    pairs = actual[known].astype(np.int64) * n_classes + predicted[known]
    confusion = np.bincount(pairs, minlength=n_classes * n_classes).reshape(n_classes, n_classes)
    return Result(tuple(str(c) for c in classes), confusion.astype(np.int64))


def probabilities_by(model: Any, data: Any) -> npt.NDArray[np.float64]:
    """Class probabilities; a model that takes long over them shows on a terminal how far it is."""
    options: dict[str, Any] = {}
    if "progress" in inspect.signature(model.predict_proba).parameters:
        options["progress"] = sys.stderr.isatty()
    return np.asarray(model.predict_proba(data, **options))


def confusion_text(result: Result) -> str:
    """The confusion matrix for a person: only its largest entries if there are very many classes."""
    if len(result.classes) > MAX_CLASSES:
        return _largest_confusions(result)
    # Classes that no case has and none was given say nothing.
    seen = np.flatnonzero(result.confusion.sum(axis=0) + result.confusion.sum(axis=1)).tolist()
    cells = [["." if n == 0 else str(n) for n in row] for row in result.confusion[np.ix_(seen, seen)].tolist()]
    widest = max(len(cell) for row in cells for cell in row)
    names = [_short(result.classes[i]) for i in seen]
    label = max(map(len, names))
    widths = [max(widest, len(name)) + 2 for name in names]
    keys = names
    if label + sum(widths) > MAX_WIDTH and label > 3:
        keys = [_letters(i) for i in range(len(names))]
        names = [f"{key:>2}  {name}" for key, name in zip(keys, names, strict=True)]
        label = max(map(len, names))
        widths = [max(widest, len(key)) + 2 for key in keys]
    lines = [" " * label + "".join(f"{key:>{w}}" for key, w in zip(keys, widths, strict=True))]
    for name, row in zip(names, cells, strict=True):
        lines.append(f"{name:<{label}}" + "".join(f"{cell:>{w}}" for cell, w in zip(row, widths, strict=True)))
    return "\n".join(lines)


def _largest_confusions(result: Result) -> str:
    wrong = result.confusion.copy()
    np.fill_diagonal(wrong, 0)
    order = np.argsort(-wrong, axis=None, kind="stable")[:MAX_CONFUSIONS]
    pairs = [(int(i), int(j)) for i, j in zip(*np.unravel_index(order, wrong.shape), strict=True) if wrong[i, j]]
    label = max((len(_short(result.classes[i])) for i, _ in pairs), default=0)
    digits = max((len(str(wrong[pair])) for pair in pairs), default=0)
    lines = [
        f"{wrong[i, j]:>{digits}}  {_short(result.classes[i]):<{label}}  taken for  {_short(result.classes[j])}"
        for i, j in pairs
    ]
    rest = result.errors - int(sum(wrong[pair] for pair in pairs))
    if rest:
        lines.append(f"and {plural(rest, 'other error')}")
    return "\n".join(lines)


def _letters(index: int) -> str:
    """a, b, …, z, aa, ab, …"""
    letters = chr(ord("a") + index % 26)
    return letters if index < 26 else _letters(index // 26 - 1) + letters


def _short(name: str) -> str:
    return name if len(name) <= MAX_NAME else name[: MAX_NAME - 1] + "…"
