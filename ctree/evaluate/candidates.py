"""Who takes part in a comparison: a learner of this package or of any other, by object or by text."""

from __future__ import annotations

import ast
import copy
import re
import sys
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from importlib import import_module
from typing import Any

import numpy as np
import numpy.typing as npt

from ctree.data.dataset import Dataset
from ctree.data.relational.data import RelationalData
from ctree.errors import DataError, ParameterError
from ctree.evaluate.identity import identity
from ctree.learners.base.classifier import Classifier
from ctree.learners.base.estimator import SklearnEstimator
from ctree.learners.registry import METHODS, RELATIONAL_LEARNERS, Committee, Method, committees_for, is_registered
from ctree.wording import abbreviated, abbreviated_path, near_match

Floats = npt.NDArray[np.float64]
Codes = npt.NDArray[np.int64]
Cases = Dataset | RelationalData


@dataclass(frozen=True)
class Candidate:
    """A learner with the name under which it is shown.

    Parameters
    ----------
    name : str
    learner : object
        One of the learners here, which gets the cases as they are, a `Dataset` or a `RelationalData`; or anything with
        ``fit(X, y)`` and ``predict(X)`` as scikit-learn's, which gets a table of numbers: see `NumberCoding`.
    """

    name: str
    learner: Any

    def __post_init__(self) -> None:
        if isinstance(self.learner, type) or not (hasattr(self.learner, "fit") and hasattr(self.learner, "predict")):
            kind = "a class, not an object of it" if isinstance(self.learner, type) else "not a learner"
            raise ParameterError(f"'{abbreviated(self.name)}' is {kind}: it should have the methods fit and predict")

    def fit(self, data: Cases, seed: Sequence[int]) -> FittedModel:
        """Learn from cases. Where the learner has a `random_state` that is None, `seed` makes one."""
        learner = _unfitted(self.learner)
        _settle_chance(learner, seed)
        if isinstance(learner, Classifier) or isinstance(data, RelationalData):
            return FittedModel(learner.fit(data), None, data.schema.n_classes)
        coding = NumberCoding(data)
        weights = {} if data.weights is None else {"sample_weight": data.weights}
        learner.fit(coding.table(data), data.classes, **weights)
        return FittedModel(learner, coding, data.schema.n_classes)

    @property
    def identity(self) -> str:
        """What the results depend on: see `ctree.evaluate.identity`."""
        return identity(self.learner)


class FittedModel:
    """A fitted learner that takes cases as it was given them, and answers in codes of its classes."""

    def __init__(self, learner: Any, coding: NumberCoding | None, n_classes: int) -> None:
        self.learner = learner
        self._coding = coding
        self._n_classes = n_classes

    def predict(self, data: Cases) -> tuple[Codes, Floats | None]:
        """The predicted classes, and the probabilities of all classes; None if the learner gives none."""
        if isinstance(data, RelationalData):
            probabilities = self.learner.predict_proba(data)
            chosen = self.learner._chosen if hasattr(self.learner, "_chosen") else partial(np.argmax, axis=1)
            return np.asarray(chosen(probabilities), dtype=np.int64), probabilities
        if self._coding is None:
            probabilities = self.learner.predict_proba(data)
            return np.asarray(self.learner.predict_codes(data), dtype=np.int64), probabilities
        table = self._coding.table(data)
        codes = np.asarray(self.learner.predict(table), dtype=np.int64)
        if not hasattr(self.learner, "predict_proba"):
            return codes, None
        # a class that no training case had is not among the columns
        probabilities = np.zeros((data.n_cases, self._n_classes))
        probabilities[:, np.asarray(self.learner.classes_, dtype=np.int64)] = self.learner.predict_proba(table)
        return codes, probabilities


class NumberCoding:
    """Cases as a table of numbers, for learners that take nothing else.

    A continuous attribute is one column, its unknown values the mean of the training cases; a discrete one has a column
    of 0 and 1 for each of its values, all 0 where it is unknown. Values are those that the schema lists.

    Parameters
    ----------
    train : Dataset
        The training cases.

    Examples
    --------
    >>> import ctree
    >>> golf = ctree.load_golf()
    >>> NumberCoding(golf).table(golf)[0].tolist()
    [1.0, 0.0, 0.0, 85.0, 85.0, 0.0, 1.0]
    """

    def __init__(self, train: Dataset) -> None:
        self._means: list[float] = []
        weights = np.ones(train.n_cases) if train.weights is None else train.weights
        for attribute, column in zip(train.schema, train.columns, strict=True):
            mean = 0.0
            if attribute.has_order and column is not None:
                known = ~np.isnan(column)
                mean = float(np.average(column[known], weights=weights[known])) if known.any() else 0.0
            self._means.append(mean)

    def table(self, data: Dataset) -> Floats:
        """The table of numbers, one row a case."""
        columns: list[Floats] = []
        for attribute, column, mean in zip(data.schema, data.columns, self._means, strict=True):
            if column is None:
                continue
            if attribute.has_order:
                columns.append(np.where(np.isnan(column), mean, column))
            else:
                columns += [(column == code).astype(np.float64) for code in range(len(attribute.values))]
        return np.column_stack(columns) if columns else np.empty((data.n_cases, 0))


def candidates(learners: Mapping[str, Any] | Iterable[Any]) -> list[Candidate]:
    """Learners with their names: those they are given by, or what they look like as text.

    Examples
    --------
    >>> import ctree
    >>> [c.name for c in candidates([ctree.C45Classifier(prune=False), ctree.NaiveBayesClassifier()])]
    ['C45Classifier(prune=False)', 'NaiveBayesClassifier()']
    """
    if isinstance(learners, Mapping):
        found = [Candidate(str(name), learner) for name, learner in learners.items()]
    else:
        found = [c if isinstance(c, Candidate) else Candidate(repr(c), c) for c in learners]
    if not found:
        raise ParameterError("there is no learner to compare")
    names = [c.name for c in found]
    for name in names:
        if names.count(name) > 1:
            raise ParameterError(f"two learners are called '{abbreviated(name)}'")
    return found


def parsed_candidates(text: str, methods: Mapping[str, Method] = METHODS) -> list[Candidate]:
    """Learners from a text such as ``c4.5,laplace=c4.5(estimate=laplace),sklearn.tree:DecisionTreeClassifier``.

    Each is the name of a method of `ctree learn`, or the place of a class as ``module:Class``; then its parameters, if
    any, in parentheses, words without quotes being text; and before it, if it is to be shown under another name, that
    name and an equals sign. ``c4.5(committee=boosting, members=10)`` is a committee of trees. For linked tables
    `methods` are others.

    Examples
    --------
    >>> for c in parsed_candidates("c4.5(prune=no), m=c4.5(estimate=m, m=1.5)"):
    ...     print(c.name, c.learner)
    c4.5(prune=no) C45Classifier(prune=False)
    m C45Classifier(estimate='m', m=1.5)
    """
    return candidates([_parsed(part, methods) for part in _parts(text)])


_ENTRY = re.compile(r"(?:(?P<label>[^=():]+)=)?(?P<name>[^=()]+?)(?:\((?P<arguments>.*)\))?", re.DOTALL)


def _parts(text: str) -> list[str]:
    """The parts between commas that stand in no brackets and no quotes."""
    parts, depth, quote, start = [], 0, "", 0
    for i, sign in enumerate(text):
        if quote:
            quote = "" if sign == quote else quote
        elif sign in "\"'":
            quote = sign
        elif sign in "([{":
            depth += 1
        elif sign in ")]}":
            depth -= 1
        elif sign == "," and depth == 0:
            parts.append(text[start:i])
            start = i + 1
    parts.append(text[start:])
    return [part.strip() for part in parts if part.strip()]


def _parsed(entry: str, methods: Mapping[str, Method]) -> Candidate:
    match = _ENTRY.fullmatch(entry)
    if match is None:
        raise ParameterError(f"'{entry}' is not a learner: write name, name(parameter=value) or module:Class")
    name, arguments = match["name"].strip(), match["arguments"]
    if ":" not in name and name not in methods:
        known = ", ".join(methods)
        raise ParameterError(
            f"there is no method '{abbreviated(name)}'{near_match(name, methods)}; the methods are {known}, or give a "
            "class as module:Class"
        )
    shown = name.partition(":")[2] or name
    label = match["label"].strip() if match["label"] else shown if arguments is None else f"{shown}({arguments})"
    given = {}
    for part in _parts(arguments or ""):
        key, equals, value = part.partition("=")
        if not equals or not key.strip().isidentifier():
            raise ParameterError(f"'{part}' in '{entry}' should be parameter=value")
        given[key.strip()] = value.strip()
    try:
        return Candidate(label, _learner(name, given, methods))
    except (ParameterError, TypeError) as error:
        raise ParameterError(f"'{entry}' cannot be made: {error}") from None


def _learner(name: str, given: Mapping[str, str], methods: Mapping[str, Method]) -> Any:
    """A learner of ours, whose parameters know their spelling, or of any other package, by Python's literals."""
    if name in methods:
        method = methods[name]
        if "committee" in given:
            given = dict(given)
            committees = committees_for(method.learner in RELATIONAL_LEARNERS)
            method = _committee(given.pop("committee"), committees).of(method)
    else:
        made = _class_at(name)
        if not is_registered(made):
            return made(**{key: _value(text) for key, text in given.items()})
        method = Method(made.__name__, "")
    declared = method.parameters()
    return method.make({key: declared[key].read(text) if key in declared else text for key, text in given.items()})


def _committee(name: str, known: Mapping[str, Committee]) -> Committee:
    if name not in known:
        hint = near_match(name, known)
        raise ParameterError(f"there is no committee '{abbreviated(name)}', only {', '.join(known)}{hint}")
    return known[name]


def _value(text: str) -> Any:
    try:
        return ast.literal_eval(text)
    except (ValueError, SyntaxError):
        return text


def _class_at(place: str) -> Callable[..., Any]:
    module, _, name = place.partition(":")
    try:
        found: Any = import_module(module)
        for part in name.split("."):
            found = getattr(found, part)
    except ImportError as error:
        raise ParameterError(
            f"'{abbreviated(place)}': the module cannot be imported ({abbreviated(error, 200)})"
        ) from None
    except AttributeError:
        raise ParameterError(
            f"'{abbreviated(place)}': the module {abbreviated(module)} has no '{abbreviated(name)}'"
        ) from None
    if not callable(found):
        raise ParameterError(f"'{abbreviated(place)}' is not a class")
    made: Callable[..., Any] = found
    return made


def _unfitted(learner: Any) -> Any:
    """Another learner with the same parameters."""
    if isinstance(learner, SklearnEstimator):
        # a generator of random numbers, too, so that each split begins with the same
        return type(learner)(**copy.deepcopy(learner.get_params(deep=False), learner._not_copied()))
    if hasattr(learner, "get_params") and "sklearn" in sys.modules:
        return import_module("sklearn.base").clone(learner)
    return copy.deepcopy(learner)


def _settle_chance(learner: Any, seed: Sequence[int]) -> None:
    """Give every random state that is open a seed, so that the same split gives the same result again."""
    if not (hasattr(learner, "get_params") and hasattr(learner, "set_params")):
        return
    state = int(np.random.SeedSequence(list(seed)).generate_state(1)[0] >> 1)
    open_states = [
        name
        for name, value in learner.get_params(deep=True).items()
        if value is None and (name == "random_state" or name.endswith("__random_state"))
    ]
    if open_states:
        learner.set_params(**dict.fromkeys(open_states, state))


def check_classes(name: str, data: Cases) -> npt.NDArray[np.int32]:
    """The classes of a data set; a case without is an error."""
    if data.classes is None:
        raise DataError(f"{abbreviated_path(name)}: the cases have no classes")
    if (data.classes < 0).any():
        case = int(np.flatnonzero(data.classes < 0)[0])
        raise DataError(
            f"{abbreviated_path(name)}: case {case + 1} has no class; leave such cases out to compare on the others"
        )
    return data.classes
