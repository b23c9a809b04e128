"""Relational schemas and trees as JSON objects, and back.

::

    "schema": {"target": {...}, "tables": {...}, "foreign_keys": [...]},
    "values": {"atom.element": ["c", "o"], ...},
    "paths": [[], [3], ...],
    "aggregates": [{"name": "count", "link": 0, ...}, ...],
    "trees": {"tree": {...}, "unpruned": "tree"}

A path is a list of links, that is of places in the list of foreign keys. The arrays of a tree stand under their own
names; see `ctree.tree.relational_arrays.RelationalArrays`.
"""

from __future__ import annotations

import math
from itertools import accumulate, chain, pairwise
from typing import Any

import numpy as np
import numpy.typing as npt

from ctree.data.fields import Fields, checked
from ctree.data.relational.schema import ColumnKind, RelationalSchema
from ctree.data.relational.schema_file import schema_from_fields, schema_to_dict
from ctree.errors import DataError, ModelError, ParameterError
from ctree.tree.fields import MAX_RATIO, MIN_WEIGHT, array_of, check_distributions, label_to_json, matrix_of, weights_of
from ctree.tree.relational_aggregates import Aggregate
from ctree.tree.relational_arrays import N_NUMBERS, RelationalArrays
from ctree.tree.relational_tree import RelationalTree
from ctree.tree.relational_validation import check_paths, check_relational_tree
from ctree_ext.base.node_arrays import Ints

INT32, INT64, FLOAT64 = np.dtype(np.int32), np.dtype(np.int64), np.dtype(np.float64)


def trees_to_dict(tree: RelationalTree, unpruned: RelationalTree) -> dict[str, Any]:
    """A tree and what it was before pruning, with the schema, the values, the paths and the aggregates of both."""
    return {**frame_to_dict(tree), "trees": pair_to_dict(tree, unpruned)}


def frame_to_dict(tree: RelationalTree) -> dict[str, Any]:
    """What the trees of a model share: the schema, the values, the paths and the aggregates."""
    start, links = tree.arrays.path_start.tolist(), tree.arrays.path_links.tolist()
    schema = schema_to_dict(tree.schema)
    schema["target"]["classes"] = [label_to_json(label) for label in tree.schema.classes]
    return {
        "schema": schema,
        "values": {name: list(known) for name, known in tree.values.items()},
        "paths": [links[begin:end] for begin, end in pairwise(start)],
        "aggregates": [{**aggregate._asdict(), "path": list(aggregate.path)} for aggregate in tree.aggregates],
    }


def pair_to_dict(tree: RelationalTree, unpruned: RelationalTree) -> dict[str, Any]:
    """A tree and what it was before pruning, without what they share."""
    return {"tree": _tree_to_dict(tree), "unpruned": "tree" if unpruned is tree else _tree_to_dict(unpruned)}


def trees_from_dict(fields: Fields) -> tuple[RelationalTree, RelationalTree]:
    """The two trees that `trees_to_dict` wrote; whatever is wrong with them is a `ModelError`."""
    return Frame(fields).pair(fields.object("trees"))


class Frame:
    """What the trees of a model share, and the trees that fit it; whatever is wrong with them is a `ModelError`.

    Parameters
    ----------
    fields : Fields
        What `frame_to_dict` wrote is among them.
    """

    def __init__(self, fields: Fields) -> None:
        self.schema = _schema(fields.object("schema"))
        self.values = _values(fields.object("values"), self.schema)
        paths = [_whole_numbers(path, fields.place_of("paths")) for path in fields.get("paths", list)]
        check_paths(self.schema, paths)
        self._path_start = np.array(list(accumulate(map(len, paths), initial=0)), dtype=np.int32)
        self._path_links = np.array(list(chain.from_iterable(paths)), dtype=np.int32)
        entries = fields.get("aggregates", list)
        self.aggregates = [_aggregate(Fields(e, fields.place_of(f"aggregates[{i}]"))) for i, e in enumerate(entries)]

    def pair(self, fields: Fields) -> tuple[RelationalTree, RelationalTree]:
        """The two trees that `pair_to_dict` wrote."""
        tree = self._tree(fields.object("tree"))
        return tree, tree if fields.value("unpruned") == "tree" else self._tree(fields.object("unpruned"))

    def _tree(self, fields: Fields) -> RelationalTree:
        arrays, probabilities = _arrays(fields, self.schema, self._path_start, self._path_links)
        check_relational_tree(self.schema, self.values, arrays, self.aggregates)
        _check_counts(arrays, fields)
        return RelationalTree(self.schema, self.values, arrays, probabilities, self.aggregates)


def _tree_to_dict(tree: RelationalTree) -> dict[str, Any]:
    arrays = tree.arrays
    return {
        "n_branches": arrays.n_branches.tolist(),
        "n_tests": arrays.n_tests.tolist(),
        "figure": arrays.figure.tolist(),
        "threshold": arrays.threshold.tolist(),
        "tests": arrays.tests.tolist(),
        "counts": arrays.counts.tolist(),
        "probabilities": tree.probabilities.tolist(),
    }


def _schema(fields: Fields) -> RelationalSchema:
    try:
        schema = schema_from_fields(fields)
    except (DataError, ParameterError) as error:
        raise ModelError(f"'{fields.place}': {error}") from None
    if not schema.classes:
        raise ModelError(f"'{fields.place_of('target')}' has no classes")
    if any(isinstance(label, float) and not math.isfinite(label) for label in schema.classes):
        raise ModelError(f"'{fields.place_of('target')}' has a class that is not a finite number")
    return schema


def _values(fields: Fields, schema: RelationalSchema) -> dict[str, tuple[str, ...]]:
    columns = schema.columns_by_name()
    result = {}
    for name in fields:
        if name not in columns or columns[name].kind is not ColumnKind.DISCRETE:
            raise ModelError(f"'{fields.place_of(name)}' does not belong to a discrete column of the schema")
        known = [checked(value, str, fields.place_of(name)) for value in fields.get(name, list)]
        if len(set(known)) < len(known):
            raise ModelError(f"'{fields.place_of(name)}' has a value twice")
        result[name] = tuple(known)
    for name, column in columns.items():
        if column.kind is ColumnKind.DISCRETE:
            fields.value(name)
    return result


def _whole_numbers(values: Any, place: str) -> tuple[int, ...]:
    return tuple(array_of(checked(values, list, place), INT32, place).tolist())


def _aggregate(fields: Fields) -> Aggregate:
    numbers = {name: _whole_numbers([fields.value(name)], fields.place_of(name))[0] for name in ("column", "code")}
    link = _whole_numbers([fields.value("link")], fields.place_of("link"))[0]
    path = _whole_numbers(fields.value("path"), fields.place_of("path"))
    return Aggregate(fields.get("name", str), link, path, **numbers)


def _arrays(
    fields: Fields, schema: RelationalSchema, path_start: Ints, path_links: Ints
) -> tuple[RelationalArrays, npt.NDArray[np.float64]]:
    """The arrays of a tree, each as long as the others."""

    def array(name: str, dtype: np.dtype[Any]) -> npt.NDArray[Any]:
        return array_of(fields.get(name, list), dtype, fields.place_of(name)).astype(dtype)

    probabilities = matrix_of(
        fields.get("probabilities", list), schema.n_classes, place := fields.place_of("probabilities")
    )
    check_distributions(probabilities, place)
    arrays = RelationalArrays(
        array("n_branches", INT32),
        weights_of(fields.get("counts", list), schema.n_classes, fields.place_of("counts")),
        array("n_tests", INT64),
        array("figure", FLOAT64),
        _tests(fields),
        array("threshold", FLOAT64),
        path_start,
        path_links,
    )
    for name in ("counts", "n_tests", "figure", "tests", "threshold"):
        if len(getattr(arrays, name)) != len(arrays):
            raise ModelError(f"'{fields.place_of(name)}' should have an entry for each of the {len(arrays)} nodes")
    if len(probabilities) != len(arrays):
        raise ModelError(f"'{place}' should have a row for each of the {len(arrays)} nodes")
    return arrays, probabilities


def _tests(fields: Fields) -> npt.NDArray[np.int32]:
    rows, place = fields.get("tests", list), fields.place_of("tests")
    for node, row in enumerate(rows):
        if type(row) is not list or len(row) != N_NUMBERS:
            raise ModelError(f"'{place}[{node}]' should be a list of {N_NUMBERS} numbers")
    numbers = array_of(list(chain.from_iterable(rows)), INT32, place).astype(np.int32)
    return numbers.reshape(len(rows), N_NUMBERS)


def _check_counts(arrays: RelationalArrays, fields: Fields) -> None:
    """Refuse counts that would make nonsense of a text or of importances."""
    if (arrays.n_tests < 0).any():
        raise ModelError(f"'{fields.place_of('n_tests')}' has a negative number")
    cases, place = arrays.cases, fields.place_of("counts")
    if (cases < MIN_WEIGHT).any():
        raise ModelError(f"'{place}' has a node without examples")
    inner = arrays.n_branches > 0
    shares = np.bincount(arrays.parents()[1:], weights=cases[1:], minlength=len(arrays))[inner]
    ratio = shares / cases[inner]
    if not ((ratio < MAX_RATIO) & (ratio > 1 / MAX_RATIO)).all():
        raise ModelError(f"'{place}' has a node whose branches do not share its examples")
