"""The parameter `monotone`: in which attributes the probability of a class has to rise or fall."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from ctree.data.schema import Kind, Label, Schema
from ctree.domains.domain import AnyOf, Domain, Nothing
from ctree.domains.plain import plain
from ctree.errors import NamingError, ParameterError
from ctree.learners.base.estimator import SklearnEstimator
from ctree.learners.base.parameters import parameter
from ctree.tree.monotone import extremes, monotone_values, whole_shares
from ctree.wording import abbreviated, abbreviated_list, no_such, shortened, unquoted
from ctree_ext.base.node_arrays import Floats, NodeArrays

SIGNS = {"+": 1, "-": -1}


class Directions(Domain):
    """Attributes with 1 or -1, or with a class and one of these; whether the cases have them is seen in `fit`.

    Examples
    --------
    >>> Directions().read("monotone", "income:+, age:-, debts:-good")
    {'income': 1, 'age': -1, 'debts': ('good', -1)}
    """

    names_attributes = True
    metavar = "A:+,B:-"

    def accepts(self, value: Any) -> bool:
        return isinstance(value, Mapping) and all(_is_direction(one) for one in value.values())

    def words(self) -> list[str]:
        return ["a dict of attributes to 1 or -1, or to (class, 1) or (class, -1)"]

    def typed(self) -> list[str]:
        return ["attributes with + or -, as in income:+,age:-"]

    def type_text(self) -> str:
        return "dict"

    def parse(self, text: str) -> dict[str, Any]:
        result: dict[str, Any] = {}
        for part in text.strip("{} ").split(","):
            name, _, direction = part.strip().rpartition(":")
            sign, label = direction.strip()[:1], unquoted(direction.strip()[1:].strip())
            if not name or sign not in SIGNS or unquoted(name.strip()) in result:
                raise ValueError
            number = label in ("", "1")  # as +1 and -1 may be written out
            result[unquoted(name.strip())] = SIGNS[sign] if number else (label, SIGNS[sign])
        return result

    def spelled(self, value: Any) -> str:
        signs = {1: "+", -1: "-"}
        pairs = {name: one if isinstance(one, tuple | list) else ("", one) for name, one in value.items()}
        return ",".join(f"{name}:{signs[int(sign)]}{label}" for name, (label, sign) in pairs.items())

    def to_plain(self, value: Any) -> Any:
        return [
            [plain(name), *([plain(part) for part in one] if isinstance(one, tuple | list) else [plain(one)])]
            for name, one in value.items()
        ]

    def from_plain(self, value: Any) -> Any:
        entries = isinstance(value, list) and all(isinstance(one, list) and len(one) in (2, 3) for one in value)
        if not entries or not all(isinstance(one[0], str) and isinstance(one[1], str | int | float) for one in value):
            return value
        return {one[0]: one[1] if len(one) == 2 else (one[1], one[2]) for one in value}


def _is_direction(value: Any) -> bool:
    if isinstance(value, tuple | list):
        return len(value) == 2 and isinstance(value[0], Label) and _is_sign(value[1])
    return _is_sign(value)


def _is_sign(value: Any) -> bool:
    return isinstance(value, int | np.integer) and not isinstance(value, bool) and value in (1, -1)


class WithMonotone(SklearnEstimator):
    """For learners of one tree whose probabilities can be made monotone."""

    monotone: Any = parameter(
        None,
        AnyOf(Nothing(), Directions()),
        "Attributes that the probability of the second class has to rise with (1) or to fall with (-1), by name; of "
        "the class that is named in ``(class, 1)``. For two classes, and attributes of numbers, dates or order. "
        "None: none. Once the tree is pruned, the probabilities of its leaves are changed as little as that takes.",
    )

    def _check_monotone(self, schema: Schema) -> None:
        """Refuse attributes and classes that the cases do not have."""
        if self.monotone:
            directions_of(self.monotone, schema)

    def _monotone(self, schema: Schema, arrays: NodeArrays) -> NodeArrays:
        """The tree with monotone probabilities, without the tests that these make useless."""
        if not self.monotone:
            return arrays
        directions = directions_of(self.monotone, schema)
        while True:
            assert arrays.probabilities is not None
            before = arrays.probabilities[:, 1]
            after = monotone_values(arrays, before, arrays.cases, directions)
            useless = _useless(arrays, before, after)
            if not useless.any():
                arrays = self._with_probabilities(arrays, before, after)
                return arrays.replace(cases=whole_shares(arrays))
            errors = np.array(arrays.errors)
            errors[useless] = self._leaf_errors(*_cases_and_wrong(arrays, arrays.best, useless))
            arrays = arrays.replace(errors=errors).collapsed(useless)
            arrays = arrays.replace(probabilities=self._node_probabilities(arrays))

    def _with_probabilities(self, arrays: NodeArrays, before: Floats, after: Floats) -> NodeArrays:
        """The tree with these probabilities of the second class, and the classes and errors that follow."""
        assert arrays.probabilities is not None
        probabilities, best, errors = np.array(arrays.probabilities), np.array(arrays.best), np.array(arrays.errors)
        changed = np.flatnonzero(before != after)
        probabilities[changed] = np.column_stack([1 - after[changed], after[changed]])
        best[changed] = self._choices(probabilities[changed])
        leaves = changed[(best != arrays.best)[changed] & (arrays.n_branches[changed] == 0)]
        errors[leaves] = self._leaf_errors(*_cases_and_wrong(arrays, best, leaves))
        return arrays.replace(probabilities=probabilities, best=best, errors=errors)

    def _node_probabilities(self, arrays: NodeArrays) -> Floats:
        """What the nodes say by their class counts."""
        raise NotImplementedError

    def _choices(self, probabilities: Floats) -> Any:
        """The places of the classes that are predicted by these probabilities."""
        return probabilities.argmax(axis=1)

    def _leaf_errors(self, cases: Floats, wrong: Floats) -> Floats:
        """What leaves show as errors, if so many of their cases are wrong."""
        return wrong


def _cases_and_wrong(arrays: NodeArrays, best: Any, nodes: Any) -> tuple[Floats, Floats]:
    """What the cases of nodes weigh, and those that are not of the best class."""
    cases = arrays.cases[nodes]
    return cases, np.maximum(cases - arrays.counts[nodes, best[nodes]], 0.0)


def _useless(arrays: NodeArrays, before: Floats, after: Floats) -> Any:
    """The nodes below which all leaves have become the same."""
    low, high = extremes(arrays, after)
    leaf = arrays.n_branches == 0
    changed, _ = extremes(arrays, np.where(leaf & (before != after), -1.0, 0.0))
    return ~leaf & (low == high) & (changed < 0)


def directions_of(monotone: Mapping[str, Any], schema: Schema) -> list[int]:
    """Per attribute 1 or -1 if the probability of the second class has to rise or fall with it, else 0."""
    if schema.n_classes != 2:
        raise ParameterError(
            f"monotone is for two classes, and here are {schema.n_classes}: {abbreviated_list(schema.classes)}"
        )
    result = [0] * len(schema)
    for name, direction in monotone.items():
        if name not in schema.names:
            raise NamingError(f"monotone: {no_such('attribute', name, schema.names)}")
        place = schema.names.index(name)
        if schema[place].kind in (Kind.DISCRETE, Kind.IGNORE):
            what = "is ignored" if schema[place].kind is Kind.IGNORE else "is discrete, and its values have no order"
            raise NamingError(
                f"monotone names the attribute '{abbreviated(name)}', which {what}: it should be of numbers, dates or "
                "ordered values"
            )
        sign = direction
        if isinstance(direction, tuple | list):
            label, sign = direction
            if label not in schema.classes:
                raise NamingError(f"monotone['{abbreviated(name)}']: {no_such('class', label, schema.classes)}")
            sign = sign if label == schema.classes[1] else -sign
        result[place] = int(sign)
    return result


def check_for_boosting(learner: Any) -> None:
    """Refuse what votes of boosted trees do not keep."""
    if getattr(learner, "monotone", None):
        raise ParameterError(
            f"the learner has monotone={shortened(learner.monotone)}, which averages of trees keep, but not the votes "
            "of boosting: use method='bagging' or 'forest'"
        )
