"""The tests and cases of the learners over all trees as plain fields, and back.

::

    "tests": [[0, "value", 2], [1, "threshold", 75.0], ...],
    "fill": [0, 72.0, ...],
    "cases": {"passed": ["5", "13", ...], "counts": [[2, 0], [0, 1], ...]}

The average over all trees is no more and no less than the training cases with the prior: what is saved is which tests
each different case passes, four a hexadecimal digit, and how many cases of each class do so. A model that was loaded
makes the search again when it is first asked. Where the search was stopped is saved with it: after how many "states",
and, if it was within one, after how many "rows" of that.
"""

from __future__ import annotations

import math
import re
from dataclasses import dataclass
from itertools import groupby, pairwise
from typing import Any

import numpy as np
import numpy.typing as npt

from ctree.data.binary_tests import BinaryTests, Bytes, Levels
from ctree.data.fields import Fields, checked, shown_json
from ctree.data.schema import Schema
from ctree.errors import ModelError
from ctree.learners.base.fields import filling_number
from ctree.learners.base.training import MAX_CASES
from ctree.wording import abbreviated

MAX_COUNT = 1 << 62
"""Of states and the like, which are numbers of 64 bits."""

HEXADECIMAL = re.compile("[0-9a-fA-F]*")

ALWAYS_ALLOWED = 1 << 26
"""Bytes that the cases of a loaded model may take whatever its limit of memory is."""

BYTES_PER_CASE = 64
"""What a case takes besides a byte a test: its class, its place, and what the search notes of it."""


def tests_to_dict(tests: BinaryTests) -> dict[str, Any]:
    """The tests that trees are made of, and what stands for unknown values."""
    entries = [[t.attribute, *(("threshold", t.threshold) if t.is_threshold else ("value", t.value))]
               for t in tests.tests]  # fmt: skip
    return {"tests": entries, "fill": list(tests.fill)}


def cases_to_dict(columns: Bytes, codes: npt.NDArray[np.int32], n_classes: int) -> dict[str, Any]:
    """Which tests each different case passes, and how many cases of each class do so."""
    rows, places = np.unique(columns.T, axis=0, return_inverse=True)
    counts = np.zeros((len(rows), n_classes), dtype=np.int64)
    np.add.at(counts, (places.reshape(-1), codes), 1)
    return {"passed": [row.tobytes().hex() for row in np.packbits(rows, axis=1)], "counts": counts.tolist()}


def tests_from_dict(fields: Fields, schema: Schema) -> BinaryTests:
    tests, fill = [], fields.get("fill", list)
    for i, entry in enumerate(fields.get("tests", list)):
        place = fields.place_of(f"tests[{i}]")
        if type(entry) is not list or len(entry) != 3 or type(entry[0]) is not int:
            raise ModelError(f"'{place}' should be an attribute's number, 'value' or 'threshold', and which")
        if not 0 <= entry[0] < len(schema):
            raise ModelError(f"'{place}' tests an attribute that the schema does not have")
        attribute = schema[entry[0]]
        if entry[1] == "threshold" and attribute.has_order:
            tests.append((entry[0], checked(entry[2], float, place)))
        elif entry[1] == "value" and attribute.is_discrete and _is_code(entry[2], len(attribute.values)):
            tests.append((entry[0], entry[2]))
        else:
            raise ModelError(f"'{place}' is not a test of the attribute '{abbreviated(attribute.name)}'")
    if any(one >= other for one, other in pairwise(tests)):
        raise ModelError(f"'{fields.place_of('tests')}' should be in the order of the attributes, each test once")
    if len(fill) != len(schema):
        raise ModelError(f"'{fields.place_of('fill')}' should have {len(schema)} entries, not {len(fill)}")
    for i, (attribute, value) in enumerate(zip(schema, fill, strict=True)):
        place = fields.place_of(f"fill[{i}]")
        if attribute.has_order:
            filling_number(attribute, value, place)
        elif attribute.is_discrete and not _is_code(value, max(len(attribute.values), 1)):
            raise ModelError(f"'{place}' is not the code of a value of '{abbreviated(attribute.name)}'")
        elif not attribute.has_order and not attribute.is_discrete and value is not None:
            raise ModelError(f"'{place}' should be null, as the attribute is ignored")
    levels = []
    for a, of_attribute in groupby(tests, key=lambda test: test[0]):
        which = tuple(value for _, value in of_attribute)
        if schema[a].has_order:
            levels.append(Levels(a, which, (), int(np.searchsorted(which, fill[a]))))
        elif len(which) == 2:
            raise ModelError(
                f"'{fields.place_of('tests')}' has two tests of '{abbreviated(schema[a].name)}', "
                "but of two values one is enough"
            )
        else:
            levels.append(Levels(a, (), which, which.index(fill[a]) if fill[a] in which else 0))
    return BinaryTests(schema, tuple(levels), tuple(fill))


@dataclass(frozen=True)
class PackedCases:
    """The cases of a model that was loaded, as they stand in the file: what they come to may be far more.

    Parameters
    ----------
    rows : uint8 array (different cases, bytes)
        Which tests each different case passes, a bit each.
    counts : int64 array (different cases, classes)
        How many cases of each class do.
    n_tests : int
    """

    rows: Bytes
    counts: npt.NDArray[np.int64]
    n_tests: int

    def unpacked(self, memory_limit: int | None) -> tuple[Bytes, npt.NDArray[np.int32]]:
        """Which tests all the cases pass, (tests, cases), and their classes; a `ModelError` if that is too much."""
        n_cases = int(self.counts.sum())
        n_bytes = n_cases * (self.n_tests + BYTES_PER_CASE)
        if memory_limit is not None and n_bytes > max(memory_limit, ALWAYS_ALLOWED):
            raise ModelError(
                f"the {n_cases} cases of the model take {n_bytes} bytes, but its memory_limit is {memory_limit}; "
                "set a greater one if the file is to be trusted"
            )
        bits = np.unpackbits(self.rows, axis=1)[:, : self.n_tests]
        per_row = np.repeat(np.arange(len(self.rows)), self.counts.sum(axis=1))
        classes = np.tile(np.arange(self.counts.shape[1], dtype=np.int32), len(self.rows))
        return np.ascontiguousarray(bits[per_row].T), np.repeat(classes, self.counts.reshape(-1))

    def to_dict(self) -> dict[str, Any]:
        """As `cases_to_dict` writes all of them."""
        return {"passed": [row.tobytes().hex() for row in self.rows], "counts": self.counts.tolist()}


def cases_from_dict(fields: Fields, tests: BinaryTests, min_cases: int) -> PackedCases:
    passed, counts = fields.get("passed", list), fields.get("counts", list)
    n_bytes, n_classes = (len(tests) + 7) // 8, tests.schema.n_classes
    if len(passed) != len(counts):
        raise ModelError(f"'{fields.place}' has {len(passed)} different cases, but counts of {len(counts)}")
    contents = []
    for i, (text, row) in enumerate(zip(passed, counts, strict=True)):
        if type(text) is not str or len(text) != 2 * n_bytes or not HEXADECIMAL.fullmatch(text):
            place = fields.place_of(f"passed[{i}]")
            raise ModelError(f"'{place}' should be {2 * n_bytes} hexadecimal digits, not {shown_json(text)}")
        contents.append(bytes.fromhex(text))
        if type(row) is not list or len(row) != n_classes or not all(type(n) is int and n >= 0 for n in row):
            raise ModelError(f"'{fields.place_of(f'counts[{i}]')}' should be {n_classes} whole numbers, one per class")
    total = sum(map(sum, counts))
    if not max(min_cases, 1) <= total <= MAX_CASES:
        raise ModelError(f"'{fields.place_of('counts')}' counts {shown_json(total)} cases, which is impossible")
    rows: Bytes = np.ndarray((len(passed), n_bytes), np.uint8, b"".join(contents))
    return PackedCases(rows, np.array(counts, dtype=np.int64), len(tests))


def _is_code(value: object, n_values: int) -> bool:
    return type(value) is int and 0 <= value < n_values


def count_from_fields(fields: Fields, name: str) -> int:
    value: int = fields.get(name, int)
    if not 0 <= value <= MAX_COUNT:
        raise ModelError(f"'{fields.place_of(name)}' should be from 0 to {MAX_COUNT}, not {shown_json(value)}")
    return value


def finite_or_none(bound: float) -> float | None:
    """A bound as JSON: null for none at all."""
    return bound if math.isfinite(bound) else None


def bound_from_fields(value: Any, place: str) -> float:
    return math.inf if value is None else float(checked(value, float, place))
