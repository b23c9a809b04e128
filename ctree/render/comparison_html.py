"""Two trees side by side on one page: one form for a case, and what each of them says."""

from __future__ import annotations

import html
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from ctree.data.dataset import Dataset
from ctree.data.recode import cases_of
from ctree.data.schema import Kind, label_texts
from ctree.errors import DataError, ParameterError
from ctree.learners.base.labelled_cases import labelled_cases
from ctree.learners.base.one_model import one_model
from ctree.learners.base.tree_classifier import TreeClassifier
from ctree.render.colours import class_colours
from ctree.render.html import filled_in, page_file, page_head, page_model, programs_text, script_json, whole_signs
from ctree.tree.interface import TreeInterface
from ctree.tree.tree import Tree
from ctree.wording import abbreviated

PROGRAMS = ("model", "parts", "values", "case_tree", "form", "compare")

MOST_CASES = 500
"""Of those on which two models differ: more would make the page large, and the list too long to pick from."""


@dataclass(frozen=True)
class Side:
    """One of two models.

    Parameters
    ----------
    name : str
        What the page calls it.
    model : TreeClassifier or Tree
    tree : Tree
    interface : TreeInterface
    """

    name: str
    model: Any
    tree: Tree
    interface: TreeInterface

    @property
    def about(self) -> str:
        """The model in short."""
        return repr(self.model) if isinstance(self.model, TreeClassifier) else ""

    def cases(self, X: Any) -> Dataset:
        """Cases in its codes."""
        return self.model._cases(X) if isinstance(self.model, TreeClassifier) else cases_of(X, self.tree.schema)

    def labelled(self, X: Any, y: Any) -> Dataset:
        """Cases in its codes, each with a class."""
        if isinstance(self.model, TreeClassifier):
            return labelled_cases(self.model, X, y, None, "to test on")
        data = self.cases(X)
        if data.classes is None or (data.classes < 0).any():
            raise DataError("the cases to test on need a class each")
        return data

    def predicted(self, data: Dataset) -> list[str]:
        """The classes that it gives to cases, as texts."""
        if isinstance(self.model, TreeClassifier):
            codes = self.model.predict_codes(data)
        else:
            codes = self.tree.predict_proba(data).argmax(axis=1)
        names = label_texts(self.tree.schema.classes)
        return [names[code] for code in codes.tolist()]


def side_by_side(
    first: Any,
    second: Any,
    names: Sequence[str] = ("first", "second"),
    title: str | None = None,
    test: Any = None,
) -> str:
    """Two models that are one tree each as a self-contained HTML page, which asks both about the same case.

    The page has one form, with the attributes of both. It says whether they agree, and for each of them its class, its
    probabilities, the way of the case through the tree, and what would change the class.

    Parameters
    ----------
    first, second : fitted learner of one tree, or Tree
        Attributes of the same name must be of the same kind, and there must be a class that both have.
    names : pair of str
        What the page calls them.
    title : str, optional
        The heading of the page; the names if None.
    test : Dataset, or a pair of cases and classes, optional
        The page tells the errors of both on these cases, and lists the first 500 on which they differ.

    Returns
    -------
    str

    Examples
    --------
    >>> import ctree
    >>> golf = ctree.load_golf()
    >>> one, other = ctree.C45Classifier().fit(golf), ctree.BayesianTreeClassifier().fit(golf)
    >>> page = ctree.side_by_side(one, other, ("C4.5", "Bayesian"))
    >>> page.count("C4.5 and Bayesian")
    2
    """
    if len(names) != 2 or not all(isinstance(name, str) for name in names):
        raise ParameterError(f"names must be two texts, not {names!r}")
    sides = [_side(name, model) for name, model in zip(names, (first, second), strict=True)]
    attributes, classes = united_attributes(sides), united_classes(sides)
    colours = dict(zip(classes, class_colours(len(classes)), strict=True))
    shown = {
        "attributes": attributes,
        "classes": classes,
        "colours": list(colours.values()),
        "sides": [_side_fields(side, attributes, colours) for side in sides],
        "tested": None if test is None else _tested(sides, attributes, test),
    }
    heading = html.escape(whole_signs(" and ".join(names) if title is None else title))
    parts = {
        "head": page_head(heading, page_file("page.css") + page_file("compare.css")),
        "title": heading,
        "model": script_json(shown),
        "programs": programs_text(PROGRAMS),
    }
    return filled_in("compare.html", parts)


def _side(name: str, model: Any) -> Side:
    if isinstance(model, Tree):
        return Side(name, model, model, TreeInterface(model.schema))
    if not isinstance(model, TreeClassifier):
        raise ParameterError(f"only models that are a single tree can be compared so, not a {type(model).__name__}")
    model = one_model(model)
    return Side(name, model, model.tree_, model._interface())


def united_attributes(sides: Sequence[Side]) -> list[dict[str, Any]]:
    """The attributes of both models, each with all of its values."""
    result: dict[str, dict[str, Any]] = {}
    common = 0
    for side in sides:
        for attribute in side.interface.schema:
            if attribute.kind is Kind.IGNORE:
                continue
            kind, values = attribute.kind.value, label_texts(attribute.values)
            new = {"name": attribute.name, "kind": kind, "values": [], "order": None, "fill": None}
            before = result.setdefault(attribute.name, new)
            if before["kind"] != kind:
                raise ParameterError(
                    f"attribute '{abbreviated(attribute.name)}' is {before['kind']} in {sides[0].name} but {kind} in "
                    f"{side.name}: the two cannot be asked about the same case"
                )
            common += before is not new
            before["values"] += [value for value in values if value not in set(before["values"])]
            before["order"] = before["values"] if attribute.is_ordered else None
    if not common:
        raise ParameterError(f"{sides[0].name} and {sides[1].name} have no attribute in common")
    return list(result.values())


def united_classes(sides: Sequence[Side]) -> list[str]:
    """The classes of both models."""
    names = [label_texts(side.tree.schema.classes) for side in sides]
    if not set(names[0]) & set(names[1]):
        raise ParameterError(f"{sides[0].name} and {sides[1].name} have no class in common")
    return list(dict.fromkeys(names[0] + names[1]))


def _side_fields(side: Side, attributes: Sequence[dict[str, Any]], colours: dict[str, str]) -> dict[str, Any]:
    """A model, and where its attributes and their values stand among those of both."""
    place = {attribute["name"]: u for u, attribute in enumerate(attributes)}
    places, codes = [], []
    for attribute in side.interface.schema:
        ignored = attribute.kind is Kind.IGNORE
        places.append(-1 if ignored else place[attribute.name])
        own = {value: code for code, value in enumerate(label_texts(attribute.values))}
        shared = [] if ignored else attributes[place[attribute.name]]["values"]
        codes.append([own.get(value) for value in shared])
    model = page_model(side.tree, side.interface)
    model["colours"] = [colours[name] for name in model["classes"]]
    return {"name": whole_signs(side.name), "about": side.about, "model": model, "places": places, "codes": codes}


def _tested(sides: Sequence[Side], attributes: Sequence[dict[str, Any]], test: Any) -> dict[str, Any]:
    """How the two do on test cases, and those on which they differ."""
    X, y = test if isinstance(test, tuple) and len(test) == 2 else (test, None)
    labelled = sides[0].labelled(X, y)
    cases = [labelled, sides[1].cases(X)]
    if len(labelled) == 0:
        raise DataError("there are no cases to test on")
    if len(labelled) != len(cases[1]):
        raise DataError("cases of weight 0 cannot be compared: leave them out")
    said = [side.predicted(data) for side, data in zip(sides, cases, strict=True)]
    names = label_texts(labelled.schema.classes)
    assert labelled.classes is not None
    actual = [names[code] for code in labelled.classes.tolist()]
    differ = [case for case, (one, other) in enumerate(zip(*said, strict=True)) if one != other]
    listed = [
        {
            "number": case + 1,
            "labels": [said[0][case], said[1][case]],
            "actual": actual[case],
            "values": _united_values(attributes, cases, case),
        }
        for case in differ[:MOST_CASES]
    ]
    wrong = [sum(name != truth for name, truth in zip(texts, actual, strict=True)) for texts in said]
    return {"cases": len(actual), "differ": len(differ), "wrong": wrong, "listed": listed}


def _united_values(attributes: Sequence[dict[str, Any]], cases: Sequence[Dataset], case: int) -> list[Any]:
    """The values of a case by the attributes of both models: a code, a number, or None for unknown."""
    values: dict[str, Any] = {}
    for data in cases:
        for attribute, column in zip(data.schema, data.columns, strict=True):
            if column is None:
                continue
            value = column[case].item()
            if attribute.is_discrete and value >= 0:
                values[attribute.name] = label_texts(attribute.values)[value]
            elif attribute.is_ordered and not np.isnan(value):
                values[attribute.name] = label_texts(attribute.values)[int(value)]
            elif attribute.has_order and not np.isnan(value):
                values[attribute.name] = value
    result = [values.get(attribute["name"]) for attribute in attributes]
    return [
        attribute["values"].index(value) if value is not None and attribute["values"] else value
        for attribute, value in zip(attributes, result, strict=True)
    ]
