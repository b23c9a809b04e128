"""RuleList: rules in the order in which they are tried, and the class if none applies."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any, overload

import numpy as np
import numpy.typing as npt

from ctree.data.dataset import Dataset
from ctree.data.schema import Kind, Label, Schema
from ctree.errors import DataError, ModelError
from ctree.tree.explain.explanation import one_or_list
from ctree.tree.explain.rule import explain_by_rules
from ctree.tree.rules import Condition, Rule
from ctree.tree.validation import check_cases
from ctree.wording import abbreviated
from ctree_ext.base.cases import CaseTable
from ctree_ext.rules.covers import ConditionKind, RuleSet

Floats = npt.NDArray[np.float64]
Ints = npt.NDArray[np.int32]

MAX_ERROR = 0.7
"""As in release 8, a rule that is expected to be wrong more often than this applies to nothing."""


MAX_MEMBERS = 1 << 26
"""Bytes that say which values of their attributes conditions are on, so that few bytes of a file do not become many."""


class RuleList(Sequence[Rule]):
    """Rules in the order in which they are tried: the first that applies gives the class.

    Parameters
    ----------
    schema : Schema
    rules : sequence of Rule
    default : label
        The class if no rule applies.
    probabilities : array (rules + 1, classes)
        The class probabilities of each rule, and in the last row those if none applies.
    float32 : bool
        Numbers are rounded to 32 bits before they are compared with a threshold, as they were in learning.

    Notes
    -----
    A rule with an `error` above 0.7 applies to no case, as in release 8.

    Examples
    --------
    >>> import ctree
    >>> rules = ctree.C45RulesClassifier().fit(ctree.load_golf()).rules_
    >>> len(rules), rules[0].prediction, str(rules[0].conditions[0]), rules.default
    (4, 'Play', 'outlook = overcast', 'Play')
    """

    def __init__(
        self,
        schema: Schema,
        rules: Sequence[Rule],
        default: Label,
        probabilities: npt.ArrayLike,
        *,
        float32: bool = False,
    ) -> None:
        self.schema = schema
        self.rules = tuple(rules)
        self.default = default
        self.float32 = bool(float32)
        self.probabilities: Floats = np.array(probabilities, dtype=np.float64)
        self.probabilities.flags.writeable = False
        if self.probabilities.shape != (len(self.rules) + 1, schema.n_classes):
            raise ModelError(
                f"{len(self.rules)} rules and a default need {len(self.rules) + 1} rows of {schema.n_classes} "
                f"probabilities, not the shape {self.probabilities.shape}"
            )
        codes = {label: code for code, label in enumerate(schema.classes)}
        unknown = next((label for label in (*(r.prediction for r in self.rules), default) if label not in codes), None)
        if unknown is not None:
            raise ModelError(f"the rules refer to a class '{abbreviated(unknown)}', which the schema does not have")
        self._predictions = np.array([codes[r.prediction] for r in self.rules] + [codes[default]], dtype=np.int32)
        self._kernel = rule_set(schema, self.rules)

    @overload
    def __getitem__(self, index: int) -> Rule: ...
    @overload
    def __getitem__(self, index: slice) -> tuple[Rule, ...]: ...
    def __getitem__(self, index: int | slice) -> Rule | tuple[Rule, ...]:
        return self.rules[index]

    def __len__(self) -> int:
        return len(self.rules)

    def __iter__(self) -> Iterator[Rule]:
        return iter(self.rules)

    def __repr__(self) -> str:
        return f"<RuleList: {len(self)} rules, default {abbreviated(self.default)}>"

    def _repr_html_(self) -> str:
        from ctree.render.cells.rules_cell import rules_cell

        return rules_cell("RuleList", self.rules, self.default, self.schema.classes)

    def __str__(self) -> str:
        return "\n\n".join([*map(str, self.rules), f"Default class: {self.default}"])

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, RuleList):
            return NotImplemented
        return (
            self.schema == other.schema
            and self.rules == other.rules
            and self.default == other.default
            and self.float32 == other.float32
            and np.array_equal(self.probabilities, other.probabilities)
        )

    __hash__ = None  # type: ignore[assignment]

    def __reduce__(self) -> tuple[Any, ...]:
        return _rebuilt, (self.schema, self.rules, self.default, self.probabilities, self.float32)

    def apply(self, data: Dataset) -> Ints:
        """The index of the first rule that applies to each case, -1 if none does."""
        return self._kernel.first(self._table(data))

    def covers(self, data: Dataset) -> tuple[npt.NDArray[np.int64], Ints]:
        """The cases to which each rule applies, whatever comes before it: of rule i ``rows[start[i]:start[i + 1]]``."""
        return self._kernel.covers(self._table(data))

    def class_codes(self, rules: Ints) -> Ints:
        """The class code that each of these rules gives, and the default for -1."""
        return np.asarray(self._predictions[rules])

    def predict_proba(self, data: Dataset) -> Floats:
        """Class probabilities of each case, (cases, classes)."""
        return np.asarray(self.probabilities[self.apply(data)])

    def explain(self, X: Any) -> Any:
        """Why cases are given their classes.

        Parameters
        ----------
        X : one case, or several
            One case is a dict of values by name, a list or array of values in the order of the attributes, a pandas
            Series, or a table or `Dataset` of one row.

        Returns
        -------
        RuleExplanation, or a list of them for several cases
        """
        from ctree.data.recode import cases_of

        data = cases_of(X, self.schema)
        return one_or_list(explain_by_rules(self, data), data.case_names)

    def _table(self, data: Dataset) -> CaseTable:
        check_cases(self.schema, data)
        n_values = [len(a.values) for a in self.schema]
        return CaseTable(data.columns, n_values, None, self.schema.n_classes, None, self.float32, data.n_cases)


def _rebuilt(schema: Schema, rules: Sequence[Rule], default: Label, probabilities: Floats, float32: bool) -> RuleList:
    return RuleList(schema, rules, default, probabilities, float32=float32)


def rule_set(schema: Schema, rules: Sequence[Rule]) -> RuleSet:
    """The conditions of rules as arrays for the kernel."""
    builder = _Builder(schema)
    for rule in rules:
        builder.add(rule)
    return builder.rule_set()


class _Builder:
    def __init__(self, schema: Schema) -> None:
        self.schema = schema
        self.index = {name: i for i, name in enumerate(schema.names)}
        self.start = [0]
        self.conditions: list[tuple[int, int, float, int]] = []
        self.members = bytearray()
        self.places: dict[tuple[int, frozenset[Label]], int] = {}
        self.codes: dict[int, dict[Label, int]] = {}
        self.seen: dict[int, tuple[int, int, float, int]] = {}  # by identity: rules of one tree share many

    def add(self, rule: Rule) -> None:
        if rule.error > MAX_ERROR:
            self.conditions.append(self._coded(self.impossible()))
        else:
            for condition in rule.conditions:
                self.conditions.append(self.coded(condition))
                if condition.at_most is not None and condition.above is not None:
                    # the kernel knows one bound at a time
                    self.conditions.append(self._coded(Condition(condition.attribute, above=condition.above)))
        self.start.append(len(self.conditions))

    def rule_set(self) -> RuleSet:
        columns = list(zip(*self.conditions, strict=True)) or [(), (), (), ()]
        return RuleSet(
            np.array(self.start, dtype=np.int64),
            np.array(columns[0], dtype=np.int32),
            np.array(columns[1], dtype=np.int8),
            np.array(columns[2], dtype=np.float64),
            np.array(columns[3], dtype=np.int64),
            np.ndarray((len(self.members),), np.uint8, bytes(self.members)),
        )

    def coded(self, condition: Condition) -> tuple[int, int, float, int]:
        if id(condition) not in self.seen:
            self.seen[id(condition)] = self._coded(condition)
        return self.seen[id(condition)]

    def _coded(self, condition: Condition) -> tuple[int, int, float, int]:
        if condition.attribute not in self.index:
            raise ModelError(
                f"a rule refers to an attribute '{abbreviated(condition.attribute)}', which the schema does not have"
            )
        a = self.index[condition.attribute]
        attribute = self.schema[a]
        if attribute.has_order is not (condition.kind is Kind.CONTINUOUS) or attribute.kind is Kind.IGNORE:
            raise ModelError(
                f"the condition '{abbreviated(condition, 100)}' does not fit the attribute, which is "
                f"{attribute.kind.value}"
            )
        if condition.at_most is not None:
            return a, ConditionKind.AT_MOST, condition.at_most, 0
        if condition.above is not None:
            return a, ConditionKind.ABOVE, condition.above, 0
        if not set(condition.values) <= self._codes(a).keys():
            raise ModelError(
                f"the condition '{abbreviated(condition, 100)}' refers to a value that the attribute does not have"
            )
        if len(condition.values) == 1:
            return a, ConditionKind.EQUAL, 0.0, self._codes(a)[condition.values[0]]
        return a, ConditionKind.AMONG, 0.0, self._place(a, frozenset(condition.values))

    def _codes(self, attribute: int) -> dict[Label, int]:
        """The code of each value of an attribute."""
        if attribute not in self.codes:
            self.codes[attribute] = {label: code for code, label in enumerate(self.schema[attribute].values)}
        return self.codes[attribute]

    def _place(self, attribute: int, meant: frozenset[Label]) -> int:
        """Where the values of an attribute stand in `members`, with 1 for those that are meant."""
        if (attribute, meant) not in self.places:
            codes = self._codes(attribute)
            if len(self.members) + len(codes) > MAX_MEMBERS:
                raise ModelError(
                    f"the rules have too many conditions on attributes of many values: they should name at most "
                    f"{MAX_MEMBERS} values in all, counted once for each set of values"
                )
            self.places[attribute, meant] = len(self.members)
            mask = bytearray(len(codes))
            for value in meant:
                mask[codes[value]] = 1
            self.members += mask
        return self.places[attribute, meant]

    def impossible(self) -> Condition:
        """What no case meets."""
        for attribute in self.schema:
            if attribute.has_order:
                return Condition(attribute.name, above=float("inf"))
            if attribute.is_discrete:
                return Condition(attribute.name, values=())
        raise DataError("rules need an attribute that is not ignored")
