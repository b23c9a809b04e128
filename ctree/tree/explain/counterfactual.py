"""Counterfactual: the fewest changes of a case that give it another class."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from html import escape
from typing import Any

import numpy as np

from ctree.data.dataset import Dataset
from ctree.data.recode import cases_of
from ctree.data.schema import Label
from ctree.errors import ParameterError
from ctree.tree.explain.explanation import by_label, condition_data, percent, plain, value_text
from ctree.tree.interface import TreeInterface, first_best
from ctree.tree.rules import Condition, conditions_of, simplified
from ctree.tree.tree import Test, Tree
from ctree.wording import plural

Limits = dict[int, Condition]

MAX_SHOWN = 10
"""So many ways are listed in the text; the data has all."""


@dataclass(frozen=True)
class Change:
    """What an attribute would have to be.

    Parameters
    ----------
    condition : Condition
    value : label or None
        What it is; None if that is unknown.
    """

    condition: Condition
    value: Label | None

    def __str__(self) -> str:
        return f"{self.condition} (it is {'unknown' if self.value is None else value_text(self.value)})"


@dataclass(frozen=True)
class Way:
    """Changes that together give a case another class.

    Parameters
    ----------
    changes : tuple of Change
        In the order of the attributes.
    prediction : label
        The class that it would get.
    probabilities : dict of label to float
    leaf : int
        The number of the node where the case would end.
    """

    changes: tuple[Change, ...]
    prediction: Label
    probabilities: dict[Label, float]
    leaf: int

    def __str__(self) -> str:
        needed = " and ".join(map(str, self.changes))
        return f"{needed}: {self.prediction} [{percent(self.probabilities[self.prediction])}]"

    def to_dict(self) -> dict[str, Any]:
        """The way as plain data."""
        return {
            "changes": [{**condition_data(change.condition), "value": plain(change.value)} for change in self.changes],
            "prediction": plain(self.prediction),
            "probabilities": by_label(self.probabilities),
            "leaf": self.leaf,
        }


@dataclass(frozen=True)
class Counterfactual:
    """What would have to be different for a case to get another class: the fewest attributes.

    A way leads to a leaf of a tree. It changes the attributes that are tested on the path to the leaf and do not have a
    value that leads there, or have none that is known. So the whole case would end in that leaf, and no fewer changes
    lead to a leaf of another class.

    Parameters
    ----------
    prediction : label
        The class that the case gets as it is.
    probability : float
        Of this class.
    ways : tuple of Way
        All with the fewest changes, those to leaves of most training cases first; none if no leaf has another class.

    Examples
    --------
    >>> import ctree
    >>> model = ctree.C45Classifier().fit(ctree.load_golf())
    >>> what = model.counterfactual({"outlook": "sunny", "temperature": 70, "humidity": 90, "windy": "false"})
    >>> print(what)
    class Don't Play [100.0%]; 1 change gives class Play, in 3 ways:
        outlook = overcast (it is sunny): Play [100.0%]
        outlook = rain (it is sunny): Play [100.0%]
        humidity <= 75 (it is 90): Play [100.0%]
    >>> what.ways[2].changes[0].condition.at_most
    75.0
    """

    prediction: Label
    probability: float
    ways: tuple[Way, ...]

    @property
    def n_changes(self) -> int:
        """How many attributes change in each way; 0 if there is none."""
        return len(self.ways[0].changes) if self.ways else 0

    def __str__(self) -> str:
        return self.to_text()

    def _heading(self) -> str:
        heading = f"class {self.prediction} [{percent(self.probability)}]"
        if not self.ways:
            return f"{heading}; no change gives another one"
        gives = f"{plural(self.n_changes, 'change')} {'gives' if self.n_changes == 1 else 'give'}"
        classes = {way.prediction for way in self.ways}
        other = f"class {self.ways[0].prediction}" if len(classes) == 1 else "another class"
        ways = f", in {len(self.ways)} ways" if len(self.ways) > 1 else ""
        return f"{heading}; {gives} {other}{ways}"

    def to_text(self) -> str:
        """The ways with the fewest changes."""
        lines = [self._heading() + ":" * bool(self.ways), *(f"    {way}" for way in self.ways[:MAX_SHOWN])]
        if len(self.ways) > MAX_SHOWN:
            lines.append(f"    and {len(self.ways) - MAX_SHOWN} more")
        return "\n".join(lines)

    def to_dict(self) -> dict[str, Any]:
        """The same as plain data: dicts, lists, texts, numbers and None, as JSON has them."""
        return {
            "prediction": plain(self.prediction),
            "probability": self.probability,
            "n_changes": self.n_changes,
            "ways": [way.to_dict() for way in self.ways],
        }

    def _repr_html_(self) -> str:
        lines = "".join(f"<li>{escape(str(way).replace(' <= ', ' ≤ '))}</li>" for way in self.ways[:MAX_SHOWN])
        return f"<div><p>{escape(self._heading())}</p>{f'<ul>{lines}</ul>' if lines else ''}</div>"


class Counterfactuals:
    """Finds the fewest changes for cases of one tree.

    Parameters
    ----------
    tree : Tree
    interface : TreeInterface
        How cases come to it.
    to : label, optional
        The class that cases should get; any other than theirs if None.
    """

    def __init__(self, tree: Tree, interface: TreeInterface, to: Label | None = None) -> None:
        if to is not None and to not in tree.schema.classes:
            raise ParameterError(f"to must be one of the classes of the model or None, not {to!r}")
        self.tree = tree
        self.interface = interface
        self.wanted = None if to is None else tree.schema.classes.index(to)
        self.fillers = interface.fillers()
        votes = tree.probabilities if interface.votes is None else interface.votes
        self.codes = first_best(votes / votes.sum(axis=1, keepdims=True), interface.tie_tolerance).tolist()
        cuts = interface.bin_cuts()
        self.branches = [list(tree.branches(node)) for node in range(tree.n_nodes)]
        self.conditions = [conditions_of(tree, node, cuts, interface.schema) for node in range(tree.n_nodes)]

    def of(self, given: Dataset, case: int, code: int) -> list[tuple[int, Limits]]:
        """The leaves with the fewest changes for a case which gets this class, and the changes by attribute."""
        if code == self.wanted:
            return []
        values = [self._value(given, case, a) for a in range(len(given.schema))]
        fewest = len(values)
        found: list[tuple[int, Limits]] = []
        # a node, what its path requires of each attribute, and which of these change
        waiting: list[tuple[int, Limits, frozenset[int]]] = [(0, {}, frozenset())]
        while waiting:
            node, limits, changed = waiting.pop()
            if len(changed) > fewest:
                continue
            if self.branches[node]:
                waiting.extend(self._further(node, limits, changed, values))
            elif self._is_aim(node, code):
                if len(changed) < fewest:
                    fewest, found = len(changed), []
                found.append((node, {a: limits[a] for a in sorted(changed)}))
        return sorted(found, key=lambda way: (-float(self.tree.cases[way[0]]), way[0]))

    def _is_aim(self, leaf: int, code: int) -> bool:
        return bool(self.codes[leaf] != code if self.wanted is None else self.codes[leaf] == self.wanted)

    def _further(
        self, node: int, limits: Limits, changed: frozenset[int], values: Sequence[Label | None]
    ) -> Iterator[tuple[int, Limits, frozenset[int]]]:
        """The branches of a node that some value leads to, with what they require and what changes."""
        attribute = int(self.tree.attribute[node])
        before = limits.get(attribute)
        for branch, condition in zip(self.branches[node], self.conditions[node], strict=True):
            limit = condition if before is None else simplified([before, condition])[0]
            if _possible(limit):
                stays = attribute in changed or self._meets(values[attribute], limit, node)
                yield branch, {**limits, attribute: limit}, changed if stays else changed | {attribute}

    def _value(self, given: Dataset, case: int, attribute: int) -> Label | None:
        """The value of a case as the tree takes it, but not in bins; a number where it asks for bounds."""
        value: Label | None = given.value(case, attribute)
        known, column = given.schema[attribute], given.columns[attribute]
        if value is not None and known.has_order and column is not None:
            value = float(column[case])
        filler = self.fillers[attribute]
        if value is not None or filler is None:
            return value
        return known.values[int(filler)] if known.is_discrete else float(filler)

    def _meets(self, value: Label | None, limit: Condition, node: int) -> bool:
        if value is None:
            return False
        if limit.threshold is None:
            return value in limit.values
        assert isinstance(value, float)
        number = value
        if self.tree.float32 and self.tree.test[node] == Test.THRESHOLD:
            with np.errstate(over="ignore"):  # beyond its range, a number is infinite in 32 bits
                number = float(np.float32(value))
        return (limit.above is None or limit.above < number) and (limit.at_most is None or number <= limit.at_most)


def _possible(limit: Condition) -> bool:
    """Whether any value meets a condition: pruning can leave branches that no case comes to."""
    if limit.threshold is None:
        return bool(limit.values)
    return limit.above is None or limit.at_most is None or limit.above < limit.at_most


def tree_counterfactuals(tree: Tree, X: Any, to: Label | None = None) -> Any:
    """What would change the class of a case, or of each of several, by a tree alone."""
    data = cases_of(X, tree.schema)
    probabilities = tree.predict_proba(data)
    codes = probabilities.argmax(axis=1).tolist()
    found = counterfactuals(tree, TreeInterface(tree.schema), data, codes, probabilities, to)
    return found[0] if len(found) == 1 else found


def counterfactuals(
    tree: Tree,
    interface: TreeInterface,
    given: Dataset,
    codes: Sequence[int],
    probabilities: Any,
    to: Label | None = None,
) -> list[Counterfactual]:
    """What would change the class of each case.

    Parameters
    ----------
    tree : Tree
    interface : TreeInterface
    given : Dataset
        The cases as they were given.
    codes : sequence of int
        The classes that they get.
    probabilities : array (cases, classes)
    to : label, optional
        The class that they should get; any other if None.
    """
    search = Counterfactuals(tree, interface, to)
    classes = tree.schema.classes
    result = []
    for case, code in enumerate(codes):
        ways = []
        for leaf, limits in search.of(given, case, int(code)):
            changes = tuple(Change(limit, given.value(case, a)) for a, limit in limits.items())
            row = tree.probabilities[leaf]
            by_class = dict(zip(classes, (row / row.sum()).tolist(), strict=True))
            ways.append(Way(changes, classes[search.codes[leaf]], by_class, leaf))
        result.append(Counterfactual(classes[int(code)], float(probabilities[case, int(code)]), tuple(ways)))
    return result
