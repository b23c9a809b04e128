"""A number for linked tables, by which they are known again."""

from __future__ import annotations

import hashlib
from typing import Any

import numpy.typing as npt

from ctree.data.relational.data import RelationalData


def linked_digest(data: RelationalData, *more: npt.NDArray[Any] | None) -> str:
    """A number for all that is in linked tables with examples, and for further arrays.

    Examples
    --------
    >>> import ctree
    >>> one, same, other = (
    ...     ctree.RelationalData({"machine": {"age": ages, "action": ["fix", "ok"]}}, target=("machine", "action"))
    ...     for ages in ([1, 2], [1, 2], [1, 3]))
    >>> linked_digest(one) == linked_digest(same), linked_digest(one) == linked_digest(other)
    (True, False)
    """
    values = [(table.n_rows, table.values) for table in data.tables]
    digest = hashlib.sha256(repr((data.schema, values)).encode())
    columns = [column for table in data.tables for column in table.columns]
    for array in (data.rows, data.classes, *columns, *more):
        digest.update(b"none" if array is None else array.tobytes())
        digest.update(b";")
    return digest.hexdigest()
