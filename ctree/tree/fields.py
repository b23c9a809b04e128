"""Schemas and trees as JSON objects, and back."""

from __future__ import annotations

import math
from itertools import chain
from typing import Any

import numpy as np
import numpy.typing as npt

from ctree.data.fields import Fields, checked, shown_json
from ctree.data.schema import Attribute, Kind, Label, Schema
from ctree.errors import DataError, ModelError
from ctree.tree.tree import Test, Tree
from ctree.tree.validation import SOFT_ARRAYS, TREE_ARRAYS
from ctree.wording import shortened
from ctree_ext.base.node_arrays import DTYPES

MATRICES = ("counts", "probabilities")
"""The arrays with one row a node and one column a class."""

MIN_WEIGHT, MAX_WEIGHT = 1e-290, 1e290
"""Of the cases at a node, but for none at all. Sums of them, and products with shares and logarithms, are finite and
not lost; what can be learned from is within these bounds by far (`ctree.learners.base.training`)."""

MAX_RATIO = 10.0
"""The branches of a node share its cases; sums in 32 bits may miss some, but never so many."""


def schema_to_dict(schema: Schema) -> dict[str, Any]:
    """A schema as a JSON object."""
    attributes = []
    for attribute in schema:
        entry: dict[str, Any] = {"name": str(attribute.name), "kind": attribute.kind.value}
        if attribute.is_label:
            entry["label"] = True
        if attribute.is_discrete or attribute.is_ordered:
            entry["values"] = [label_to_json(v) for v in attribute.values]
        attributes.append(entry)
    return {"classes": [label_to_json(c) for c in schema.classes], "attributes": attributes}


def schema_from_dict(fields: Fields) -> Schema:
    """The schema that a JSON object describes."""
    classes = _labels(fields.get("classes", list), fields.place_of("classes"))
    if not classes:
        raise ModelError(f"'{fields.place_of('classes')}' is empty")
    entries = fields.get("attributes", list)
    try:
        attributes = [_attribute(Fields(e, fields.place_of(f"attributes[{i}]"))) for i, e in enumerate(entries)]
        return Schema(tuple(attributes), classes)
    except DataError as error:
        raise ModelError(str(error)) from None


def _attribute(fields: Fields) -> Attribute:
    name, kind = fields.get("name", str), fields.value("kind")
    kinds = [k.value for k in Kind]
    if kind not in kinds:
        raise ModelError(f"'{fields.place_of('kind')}' should be one of {', '.join(kinds)}, not {shown_json(kind)}")
    values = _labels(fields.get("values", list), fields.place_of("values")) if "values" in fields else ()
    is_label = fields.get("label", bool) if "label" in fields else False
    return Attribute(name, Kind(kind), values, is_label)


def label_to_json(label: Label) -> Label:
    if isinstance(label, str):
        return str.__str__(label)  # of numpy's texts, too, with the NULs at their end
    if isinstance(label, np.generic):
        label = label.item()
    if not isinstance(label, int | float):
        raise ModelError(f"the label {shortened(label)} is not text, a number or a boolean, and so cannot be saved")
    return label


def _labels(values: list[Any], place: str) -> tuple[Label, ...]:
    for value in values:
        if not isinstance(value, str | int | float) or (isinstance(value, float) and not math.isfinite(value)):
            raise ModelError(f"'{place}' should list texts and numbers, not {shown_json(value)}")
    return tuple(values)


def tree_to_dict(tree: Tree) -> dict[str, Any]:
    """A tree as a JSON object, without its schema."""
    return {"float32": tree.float32, **{name: array.tolist() for name, array in tree.arrays.by_name().items()}}


def tree_from_dict(fields: Fields, schema: Schema) -> Tree:
    """The tree that a JSON object describes."""
    arrays: dict[str, npt.NDArray[Any]] = {}
    soft = SOFT_ARRAYS if any(name in fields for name in SOFT_ARRAYS) else ()
    for name in (*TREE_ARRAYS, *soft):
        values, place = fields.get(name, list), fields.place_of(name)
        dtype = np.dtype(DTYPES[name])
        arrays[name] = (
            matrix_of(values, schema.n_classes, place) if name in MATRICES else array_of(values, dtype, place)
        )
    float32 = checked(fields.value("float32"), bool, fields.place_of("float32"))
    tree = Tree(schema, arrays, float32=float32)
    _check_numbers(tree, fields.place)
    return tree


def trees_to_dict(tree: Tree, unpruned: Tree | None) -> dict[str, Any]:
    """A tree and what it was before pruning; the word "tree" where that is the same, None if it was not kept."""
    kept = "tree" if unpruned is tree else None if unpruned is None else tree_to_dict(unpruned)
    return {"tree": tree_to_dict(tree), "unpruned": kept}


def trees_from_dict(fields: Fields, schema: Schema) -> tuple[Tree, Tree | None]:
    """The two trees that `trees_to_dict` wrote."""
    tree = tree_from_dict(fields.object("tree"), schema)
    if fields.value("unpruned") is None:
        return tree, None
    return tree, tree if fields.value("unpruned") == "tree" else tree_from_dict(fields.object("unpruned"), schema)


def array_of(values: list[Any], dtype: np.dtype[Any], place: str) -> npt.NDArray[Any]:
    """A list of numbers as an array; whole numbers only, and within bounds, if the array is of such."""
    is_integer = dtype.kind == "i"
    allowed = {int} if is_integer else {int, float}
    if not set(map(type, values)) <= allowed:
        at = next(i for i, v in enumerate(values) if type(v) not in allowed)
        expected = "a whole number" if is_integer else "a number"
        raise ModelError(f"'{place}[{at}]' should be {expected}, not {shown_json(values[at])}")
    try:
        array = np.array(values, dtype=np.int64 if is_integer else np.float64)
    except OverflowError:
        raise ModelError(f"'{place}' has a number that is too large") from None
    if is_integer:
        bounds = np.iinfo(dtype)
        if array.size and (array.min() < bounds.min or array.max() > bounds.max):
            raise ModelError(f"'{place}' has a number that is too large")
    elif not np.isfinite(array).all():
        raise ModelError(f"'{place}' has a number that is not finite")
    return array


def matrix_of(rows: list[Any], width: int, place: str) -> npt.NDArray[np.float64]:
    for i, row in enumerate(rows):
        if type(row) is not list or len(row) != width:
            raise ModelError(f"'{place}[{i}]' should be a list of {width} numbers, one per class")
    return array_of(list(chain.from_iterable(rows)), np.dtype(np.float64), place).reshape(len(rows), width)


def weights_of(rows: list[Any], width: int, place: str) -> npt.NDArray[np.float64]:
    """Weights by class, a row each: none negative, and all in bounds that can be computed with."""
    matrix = matrix_of(rows, width, place)
    if (matrix < 0).any():
        raise ModelError(f"'{place}' has a negative weight")
    if (matrix > MAX_WEIGHT).any():
        raise ModelError(f"'{place}' has a weight that is too large: it should be at most {MAX_WEIGHT:g}")
    return matrix


def check_distributions(p: npt.NDArray[np.float64], place: str) -> None:
    """Refuse rows that are not class probabilities."""
    if (p < 0).any() or (p > 1).any() or (abs(p.sum(axis=1) - 1) > 1e-9).any():
        raise ModelError(f"'{place}' has a row that is not a distribution")


def _check_numbers(tree: Tree, place: str) -> None:
    """Refuse what would make nonsense of a prediction or a text; the form of the tree has been checked before."""
    check_distributions(tree.probabilities, f"{place}.probabilities")
    for name in ("cases", "errors", "counts"):
        array = getattr(tree.arrays, name)
        if (array < 0).any():
            raise ModelError(f"'{place}.{name}' has a negative number")
        if (array > MAX_WEIGHT).any() or (name != "errors" and ((array > 0) & (array < MIN_WEIGHT)).any()):
            raise ModelError(
                f"'{place}.{name}' has a number that cannot be computed with: it should be 0, or from {MIN_WEIGHT:g} "
                f"to {MAX_WEIGHT:g}"
            )
    grouped = tree.test == Test.GROUPS
    n_values = np.array([len(a.values) for a in tree.schema], dtype=np.int64)
    if (tree.arrays.n_branches[grouped] > n_values[tree.attribute[grouped]]).any():
        raise ModelError(f"'{place}' has a node with more groups of values than there are values")
    inner = tree.test != Test.LEAF
    shares = np.bincount(tree.parent[1:], weights=tree.cases[1:], minlength=len(tree))[inner]
    with np.errstate(all="ignore"):
        ratio = shares / tree.cases[inner]
    if not ((ratio < MAX_RATIO) & (ratio > 1 / MAX_RATIO)).all():
        raise ModelError(f"'{place}.cases' has a node whose branches do not share its cases")
