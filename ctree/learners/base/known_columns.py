"""Which columns of a frame a model looks at."""

from __future__ import annotations

from typing import Any

import numpy as np

from ctree.data.tables.raw_columns import RawTable


def known_columns(model: Any, keys: list[Any]) -> list[Any] | None:
    """Those of the keys of a frame that the model knows; None if it takes all columns in their order.

    Columns that are not there are an error, before anything is computed.
    """
    model._check_fitted()
    names = [key for key in keys if isinstance(key, str)]
    named = hasattr(model, "feature_names_in_") and bool(names)
    if named:
        known = set(model.schema_.names)
        keys = names = [name for name in names if name in known]
    model._matched(RawTable(names or None, [np.empty(0)] * len(keys), [None] * len(keys)))
    return keys if named else None
