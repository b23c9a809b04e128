"""What relational learners are given."""

from __future__ import annotations

from typing import Any

from ctree.data.relational.data import RelationalData
from ctree.errors import DataTypeError


def checked_relational(X: Any) -> RelationalData:
    """What a relational learner is given, which must be linked tables."""
    if not isinstance(X, RelationalData):
        raise DataTypeError(
            f"this is a {type(X).__name__}, but relational trees learn from linked tables: give a RelationalData "
            "(ctree.read_relational)"
        )
    return X
