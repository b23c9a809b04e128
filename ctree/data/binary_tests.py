"""Cases as answers to questions of yes or no: thresholds, and one value against the others."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from ctree.data.bins import equal_frequency_cuts
from ctree.data.dataset import Column, Dataset
from ctree.data.schema import Schema
from ctree.errors import DataError

Bytes = npt.NDArray[np.uint8]

ZERO_ONE = ({"0", "1"}, {"false", "true"})
"""What the values of a binary attribute may be, as text."""


@dataclass(frozen=True)
class BinaryTest:
    """One question: whether an attribute is at most a threshold, or has a value.

    Parameters
    ----------
    attribute : int
        Its place in the schema.
    value : int
        The code of the value, -1 for a threshold.
    threshold : float
    """

    attribute: int
    value: int = -1
    threshold: float = 0.0

    @property
    def is_threshold(self) -> bool:
        return self.value < 0


@dataclass(frozen=True)
class BinaryTests:
    """All the tests of a data set.

    Parameters
    ----------
    schema : Schema
    tests : tuple of BinaryTest
        Attribute by attribute, as in the schema.
    fill : tuple
        Per attribute the code or number that stands for an unknown value: the most frequent one, the median; None for
        an ignored attribute.

    Examples
    --------
    >>> import ctree
    >>> golf = ctree.read_c45("examples/golf")
    >>> tests = BinaryTests.of(golf, bins=4)
    >>> len(tests), [t.threshold for t in tests.tests if t.attribute == golf.schema.index("humidity")]
    (10, [70.0, 80.0, 90.0])
    >>> tests.columns(golf).shape
    (10, 14)
    """

    schema: Schema
    tests: tuple[BinaryTest, ...]
    fill: tuple[float | int | None, ...]

    @classmethod
    def of(cls, data: Dataset, bins: int | str | None) -> BinaryTests:
        """The tests of these cases: thresholds between `bins` bins of about as many cases, or all that divide them
        (None), or none at all, since every attribute is 0 or 1 (``"binary"``)."""
        tests: list[BinaryTest] = []
        fill: list[float | int | None] = []
        for a, column in enumerate(data.columns):
            if column is None:
                fill.append(None)
                continue
            if bins == "binary":
                if not data.schema[a].is_discrete and ((column == 0) | (column == 1)).all():
                    # A quick way for what is most of the time spent here: columns of 0 and 1, all of them known.
                    ones = np.count_nonzero(column)
                    fill.append(float(len(column) - ones <= (len(column) - 1) // 2))
                    if 0 < ones < len(column):
                        tests.append(BinaryTest(a, threshold=0.0))
                    continue
                _check_binary(data, a)
            if data.schema[a].is_discrete:
                counts = np.bincount(column[column >= 0].astype(np.int64), minlength=1)
                fill.append(int(counts.argmax()))
                values = np.flatnonzero(counts)
                # Of two values one test tells all.
                tests += [BinaryTest(a, value=int(v)) for v in (values[:1] if len(values) <= 2 else values)]
            else:
                known = np.sort(column[~np.isnan(column)])
                fill.append(float(known[(len(known) - 1) // 2]) if len(known) else 0.0)
                cuts = np.unique(known)[:-1]
                if bins is not None and not isinstance(bins, str):
                    cuts = equal_frequency_cuts(np.asarray(column, dtype=np.float64), int(bins))
                tests += [BinaryTest(a, threshold=float(cut)) for cut in cuts]
        return cls(data.schema, tuple(tests), tuple(fill))

    def __len__(self) -> int:
        return len(self.tests)

    @property
    def attributes(self) -> npt.NDArray[np.int32]:
        """The attribute of each test."""
        return np.array([t.attribute for t in self.tests], dtype=np.int32)

    def groups(self, test_prior: str) -> npt.NDArray[np.int32] | None:
        """Which tests share the chance of one: none, those of one attribute, or the thresholds of one attribute."""
        if test_prior == "per_test":
            return None
        keys: list[Any] = [
            t.attribute if test_prior == "per_feature" or t.is_threshold else (t.attribute, t.value) for t in self.tests
        ]
        numbers = {key: i for i, key in enumerate(dict.fromkeys(keys))}
        return np.array([numbers[key] for key in keys], dtype=np.int32)

    def columns(self, data: Dataset) -> Bytes:
        """1 where a case passes a test, (tests, cases); unknown values are filled in."""
        result = np.empty((len(self.tests), data.n_cases), dtype=np.uint8)
        columns = self.filled(data).columns
        for row, test in zip(result, self.tests, strict=True):
            column = columns[test.attribute]
            assert column is not None
            row[:] = column <= test.threshold if test.is_threshold else column == test.value
        return result

    def filled(self, data: Dataset) -> Dataset:
        """The same cases with unknown values filled in."""
        columns: list[Column | None] = list(data.columns)
        known = True
        for a, (column, value) in enumerate(zip(data.columns, self.fill, strict=True)):
            if column is not None and value is not None:
                unknown = column < 0 if column.dtype.kind == "i" else np.isnan(column)
                if unknown.any():
                    known = False
                    columns[a] = np.where(unknown, value, column).astype(column.dtype)  # type: ignore[assignment]
        if known:
            return data
        return Dataset(data.schema, columns, data.classes, data.weights, n_cases=data.n_cases)


def _check_binary(data: Dataset, attribute: int) -> None:
    """Refuse an attribute with other values than 0 and 1."""
    name, column = data.schema[attribute].name, data.columns[attribute]
    assert column is not None
    if data.schema[attribute].is_discrete:
        values = {str(v).lower() for v in data.schema[attribute].values}
        if not any(values <= allowed for allowed in ZERO_ONE):
            wrong = next(v for v in data.schema[attribute].values if str(v).lower() not in ("0", "1", "false", "true"))
            raise DataError(f"attribute '{name}' has the value '{wrong}', but with bins='binary' all are 0 or 1")
        return
    bad = np.flatnonzero(~np.isnan(column) & (column != 0) & (column != 1))
    if len(bad):
        case = int(bad[0])
        raise DataError(
            f"attribute '{name}' has the value {float(column[case]):g} in case {case + 1}, "
            "but with bins='binary' all are 0 or 1"
        )
