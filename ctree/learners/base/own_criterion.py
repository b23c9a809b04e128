"""A split criterion of the user's: what it may be, how it is asked, and what is said of scores that are none."""

from __future__ import annotations

import re
from collections.abc import Callable
from numbers import Real
from typing import Any, NoReturn

import numpy as np
import numpy.typing as npt

from ctree.data.schema import Schema
from ctree.domains.domain import Choice, Domain
from ctree.errors import ParameterError
from ctree.wording import abbreviated, shortened
from ctree_ext.grow.own_criterion import OwnCriterion

Floats = npt.NDArray[np.float64]

SIGNATURE = "double (const double *counts, int n_branches, int n_classes, void *user_data)"
"""Of a compiled criterion."""

NAMED = "own: "
"""How the name begins that stands for a criterion in a file."""

AT_ONCE = 64
"""Tests that a function of one matrix scores between two checks for Ctrl-C."""


class SplitCriterion(Domain):
    """None, or a function of the class counts of a test, in Python or compiled.

    A model that was read from a file has its name instead, which is all that the file has.

    Examples
    --------
    >>> SplitCriterion().to_plain(len), SplitCriterion().accepts("gini")
    ('own: builtins.len', False)
    """

    metavar = "none"

    def accepts(self, value: Any) -> bool:
        return value is None or callable(value) or is_compiled(value) or is_name(value)

    def words(self) -> list[str]:
        return ["None", "a function of class counts", "a scipy.LowLevelCallable"]

    def typed(self) -> list[str]:
        return ["none (functions are for Python)"]

    def type_text(self) -> str:
        return "None, callable or LowLevelCallable"

    def parse(self, text: str) -> None:
        if text.lower() != "none":
            raise ValueError

    def spelled(self, value: Any) -> str:
        return "none" if value is None else criterion_name(value)

    def to_plain(self, value: Any) -> Any:
        return None if value is None else criterion_name(value)


class NamedCriterion(Choice):
    """The name of a criterion, for a learner that takes no other."""

    def _hints(self, value: Any) -> list[str]:
        if not (callable(value) or is_compiled(value)):
            return super()._hints(value)
        return ["; a criterion of your own is for ProbabilityTreeClassifier, with approach='c4.5' if it is to prune so"]


def is_compiled(value: Any) -> bool:
    """Whether this is a `scipy.LowLevelCallable`."""
    if not isinstance(value, tuple) or type(value) is tuple:
        return False
    from scipy import LowLevelCallable  # takes a while; whoever has such a value has loaded it

    return isinstance(value, LowLevelCallable)


def is_name(value: Any) -> bool:
    """Whether this only names a criterion."""
    return isinstance(value, str) and value.startswith(NAMED)


def criterion_name(value: Any) -> str:
    """What stands for a criterion in a file."""
    if is_name(value):
        return str(value)
    if is_compiled(value):
        return f"{NAMED}compiled {abbreviated(getattr(value.function, '__name__', 'function'))}"
    named = value if hasattr(value, "__qualname__") else type(value)
    return f"{NAMED}{named.__module__}.{named.__qualname__}"


def own_criterion(value: Any, schema: Schema) -> OwnCriterion:
    """What the kernels ask for scores."""
    if is_name(value):
        raise ParameterError(
            f"criterion is '{abbreviated(value, 120)}', the name of a function that a saved model was learned by: "
            "to learn again, set criterion to that function"
        )
    judge = _Judge(value, schema)
    if not is_compiled(value):
        return OwnCriterion(judge, batch=None if judge.stacked else AT_ONCE)
    if _types(value.signature) != _types(SIGNATURE):
        raise ParameterError(
            f"criterion is compiled with the signature '{abbreviated(value.signature, 120)}', but should have "
            f"'{SIGNATURE}'"
        )
    return OwnCriterion(judge, tuple.__getitem__(value, 0))


def _types(signature: str) -> str:
    """The types in a signature of C, without names of arguments, spaces and what changes nothing about a call."""
    words = re.sub(r"\b(const|noexcept|nogil|counts|n_branches|n_classes|user_data)\b", "", signature)
    return re.sub(r"\s+", "", words)


class _Judge:
    """Asks a criterion, and says what is wrong with its answers.

    Parameters
    ----------
    criterion : callable or LowLevelCallable
    schema : Schema
        Of the cases, for the names in messages.
    """

    def __init__(self, criterion: Any, schema: Schema) -> None:
        self._criterion: Callable[[Floats], Any] = criterion
        self._schema = schema
        self.stacked = bool(getattr(criterion, "stacked", False))

    def scores(self, stack: Floats, attributes: npt.NDArray[np.int32], node_counts: Floats) -> Floats:
        """The score of each matrix of a stack."""
        if self.stacked:
            return self._of_stack(stack, attributes, node_counts)
        result = np.empty(len(stack))
        for k, matrix in enumerate(stack):
            where = _Where(self._schema, stack, attributes, node_counts, k)
            try:
                score = self._criterion(matrix)
            except Exception as error:
                raise ParameterError(where.raised(error)) from error
            if not _is_number(score):
                raise ParameterError(where.returned(shortened(score)))
            result[k] = score
            if not result[k] < np.inf:
                raise ParameterError(where.returned(str(result[k])))
        return result

    def _of_stack(self, stack: Floats, attributes: npt.NDArray[np.int32], node_counts: Floats) -> Floats:
        try:
            result = np.asarray(self._criterion(stack))
        except Exception as error:
            first = next((k for k in range(len(stack)) if self._fails(stack[k : k + 1])), 0)
            where = _Where(self._schema, stack, attributes, node_counts, first)
            raise ParameterError(where.raised(error)) from error
        if result.shape != (len(stack),) or result.dtype.kind not in "iufb":
            where = _Where(self._schema, stack, attributes, node_counts, 0)
            raise ParameterError(
                f"criterion returned {_array_text(result)} for a stack of tests of shape {stack.shape}, the first "
                f"a test of {where}: it should be one number for each test, of shape {(len(stack),)}"
            )
        scores = np.ascontiguousarray(result, dtype=np.float64)
        right = scores < np.inf
        if not right.all():
            first = int(np.argmin(right))
            where = _Where(self._schema, stack, attributes, node_counts, first)
            raise ParameterError(where.returned(str(scores[first])))
        return scores

    def _fails(self, stack: Floats) -> bool:
        try:
            self._criterion(stack.copy())
        except Exception:
            return True
        return False

    def refuse(self, score: float, matrix: Floats, attribute: int, node_counts: Floats) -> NoReturn:
        """Say what is wrong with the score of a compiled criterion."""
        where = _Where(self._schema, matrix[None], np.array([attribute], dtype=np.int32), node_counts, 0)
        raise ParameterError(where.returned(str(score)))


class _Where:
    """A test of a stack in words."""

    def __init__(
        self, schema: Schema, stack: Floats, attributes: npt.NDArray[np.int32], node_counts: Floats, k: int
    ) -> None:
        self._parts = schema, stack, attributes, node_counts, k

    def __str__(self) -> str:
        schema, stack, attributes, node_counts, k = self._parts
        name = abbreviated(schema[int(attributes[k])].name)
        branches = "; ".join(_numbers(row) for row in stack[k][:8]) + ("; …" if len(stack[k]) > 8 else "")
        return (
            f"attribute '{name}' with the class counts {branches} in its branches, at a node with the class counts "
            f"{_numbers(node_counts)}"
        )

    def raised(self, error: Exception) -> str:
        return f"criterion raised {type(error).__name__} for a test of {self}: {abbreviated(error, 200)}"

    def returned(self, what: str) -> str:
        return (
            f"criterion returned {what} for a test of {self}: it should be a number less than infinity, larger for "
            "better tests, or -inf for one that is not to be used"
        )


def _is_number(score: Any) -> bool:
    is_array = isinstance(score, np.ndarray)
    return isinstance(score, Real) or (is_array and score.shape == () and score.dtype.kind in "iuf")


def _numbers(counts: Floats) -> str:
    return ", ".join(f"{count:g}" for count in counts[:8].tolist()) + (", …" if len(counts) > 8 else "")


def _array_text(result: npt.NDArray[Any]) -> str:
    kind = "numbers" if result.dtype.kind in "iufb" else f"type {result.dtype}"
    return f"an array of {kind} of shape {result.shape}" if result.ndim else shortened(result.item())
