"""Which links of a schema may be followed, and which columns are compared with constants."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

from ctree.data.files.text_file import near_match
from ctree.domains.domain import Choice, Flag
from ctree.errors import ParameterError
from ctree.wording import abbreviated, abbreviated_list, shortened

if TYPE_CHECKING:
    from ctree.data.relational.schema import RelationalSchema

DIRECTIONS = Choice("both", "down", "up", "none")
"""In which a foreign key may be followed: down to the rows that refer to a row, up to the row that one refers to."""


def check_links(schema: RelationalSchema, links: Mapping[str, str], what: str = "links") -> None:
    """Refuse names that are no foreign keys, and directions that are none.

    Examples
    --------
    >>> import ctree
    >>> tables = {"part": {"id": [1], "ok": ["yes"]}, "worn": {"part": [1]}}
    >>> data = ctree.RelationalData(tables, target=("part", "ok"), keys={"part": "id"},
    ...                             foreign_keys={"worn.part": "part"})
    >>> check_links(data.schema, {"worn.prt": "up"})
    Traceback (most recent call last):
    ...
    ctree.errors.ParameterError: links names 'worn.prt', but the foreign keys are worn.part (did you mean 'worn.part'?)
    """
    names = [key.name for key in schema.foreign_keys]
    for name, direction in _pairs(links, what, "names of foreign keys to directions"):
        if name not in names:
            known = f"the foreign keys are {abbreviated_list(names)}" if names else "there are no foreign keys"
            raise ParameterError(f"{what} names {shortened(name)}, but {known}{near_match(str(name), names)}")
        DIRECTIONS.check(f"{what}['{abbreviated(name)}']", direction)


def check_constants(schema: RelationalSchema, constants: Mapping[str, bool], what: str = "constants") -> None:
    """Refuse names that are no columns to be compared with constants, and what is neither True nor False."""
    kinds = {name: column.kind.value for name, column in schema.columns_by_name().items()}
    names = [name for name, kind in kinds.items() if kind in ("discrete", "continuous")]
    for name, compared in _pairs(constants, what, "names of columns to True or False"):
        if name not in kinds:
            known = f"the columns are {abbreviated_list(names)}" if names else "there are no such columns"
            raise ParameterError(f"{what} names {shortened(name)}, but {known}{near_match(str(name), names)}")
        Flag().check(f"{what}['{abbreviated(name)}']", compared)
        if compared and kinds[name] not in ("discrete", "continuous"):
            raise ParameterError(
                f"{what} names {shortened(name)}, a column of kind '{kinds[name]}'; only discrete and continuous ones "
                "are compared with constants"
            )


def _pairs(value: object, what: str, content: str) -> list[tuple[object, object]]:
    if not isinstance(value, Mapping):
        raise ParameterError(f"{what} must be a mapping from {content}, not {shortened(value)}")
    return list(value.items())
