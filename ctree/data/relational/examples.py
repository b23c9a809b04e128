"""From a schema and the sources of its tables to coded tables and the rows that are examples."""

from __future__ import annotations

import warnings
from collections.abc import Mapping

import numpy as np

from ctree.data.files.c45_cases import LEAVE_OUT, UnknownClass, check_choice
from ctree.data.relational.keys import DANGLING
from ctree.data.relational.schema import RelationalSchema
from ctree.data.relational.sources import Source
from ctree.data.relational.tables import LinkedTables, code_tables
from ctree.data.tables.levels import Codes
from ctree.errors import DataConversionWarning
from ctree.wording import abbreviated, abbreviated_list


def check_options(dangling: str, unknown_class: UnknownClass) -> None:
    """Refuse what is no way to treat wrong keys and unknown classes."""
    DANGLING.check("dangling", dangling)
    check_choice("unknown_class", unknown_class, ("error", "drop", "keep"))


def warn_of_unlinked(schema: RelationalSchema, unlinked: tuple[str, ...]) -> None:
    """Say which tables are left out."""
    if unlinked:
        one = len(unlinked) == 1
        names = f"table '{abbreviated(unlinked[0])}'" if one else f"tables {abbreviated_list(unlinked)}"
        verb = "is" if one else "are"
        message = f"{names} cannot be reached from '{abbreviated(schema.target)}' and {verb} left out"
        warnings.warn(message, DataConversionWarning, stacklevel=2)


def linked_examples(
    schema: RelationalSchema, sources: Mapping[str, Source], dangling: str, unknown_class: UnknownClass
) -> tuple[LinkedTables, Codes]:
    """The coded tables that are linked, and the rows of the target that are examples."""
    check_options(dangling, unknown_class)
    used, unlinked = schema.without_unused()
    warn_of_unlinked(schema, unlinked)
    tables = code_tables(used, sources, dangling, unlinked)
    target = sources[schema.target]
    rows = np.arange(target.n_rows, dtype=np.int32)
    if tables.classes is None or unknown_class == "keep":
        return tables, rows
    known = tables.classes >= 0
    if unknown_class == "error" and not known.all():
        assert schema.class_column is not None
        told = f"the class '{abbreviated(schema.class_column)}' is unknown; {LEAVE_OUT}"
        raise target.error(told, int(np.argmin(known)))
    if not known.any():
        raise target.error("there are no examples: the class of every one is unknown")
    return tables, rows[known]
