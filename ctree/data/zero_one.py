"""Attributes that are 0 or 1."""

from __future__ import annotations

import numpy as np

from ctree.data.dataset import Dataset
from ctree.data.schema import Attribute
from ctree.errors import DataError
from ctree.wording import abbreviated

ZERO_ONE = ({"0", "1"}, {"false", "true"})
"""What the values of a binary attribute may be, as text."""


def is_zero_or_one(data: Dataset, attribute: int) -> bool:
    """Whether an attribute is continuous and every case has 0 or 1."""
    column = data.columns[attribute]
    assert column is not None
    return not data.schema[attribute].is_discrete and bool(((column == 0) | (column == 1)).all())


def check_binary_values(attribute: Attribute) -> None:
    """Refuse a discrete attribute with other values than 0 and 1."""
    values = {str(v).lower() for v in attribute.values}
    if not any(values <= allowed for allowed in ZERO_ONE):
        wrong = next(v for v in attribute.values if str(v).lower() not in ("0", "1", "false", "true"))
        raise DataError(
            f"attribute '{abbreviated(attribute.name)}' has the value '{abbreviated(wrong)}', but with bins='binary' "
            "all are 0 or 1"
        )


def check_binary(data: Dataset, attribute: int) -> None:
    """Refuse an attribute with other values than 0 and 1."""
    name, column = data.schema[attribute].name, data.columns[attribute]
    assert column is not None
    if data.schema[attribute].is_discrete:
        check_binary_values(data.schema[attribute])
        return
    bad = np.flatnonzero(~np.isnan(column) & (column != 0) & (column != 1))
    if len(bad):
        case = int(bad[0])
        raise DataError(
            f"attribute '{abbreviated(name)}' has the value {float(column[case]):g} in case {case + 1}, "
            "but with bins='binary' all are 0 or 1"
        )
