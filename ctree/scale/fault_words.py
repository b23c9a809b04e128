"""What kernels find wrong with coded parts, in words."""

from __future__ import annotations

from ctree.data.schema import Schema
from ctree.wording import abbreviated
from ctree_ext.scale.faults import PartError


def fault_in_words(fault: PartError, schema: Schema) -> str:
    """A sentence that names the attribute."""
    if fault.what == "class":
        return f"a coded class is not one of the {schema.n_classes} classes: the coded cases are damaged"
    name = abbreviated(schema[fault.attribute].name)
    if fault.what == "entries":
        return f"attribute '{name}' is unknown in so many cases that their fractions are too many; impute or ignore it"
    return f"a code of attribute '{name}' is none of its values: the coded cases are damaged"
