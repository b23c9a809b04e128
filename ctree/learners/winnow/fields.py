"""What winnowing has found, from the plain fields of a saved model; `Winnowing.to_dict` writes them."""

from __future__ import annotations

from ctree.data.fields import Fields, checked
from ctree.data.schema import Kind, Schema
from ctree.errors import ModelError
from ctree.learners.winnow.losses import LOSSES
from ctree.learners.winnow.winnowing import WORDS, AttributeUse, Winnowing
from ctree.wording import abbreviated


def winnowing_from_fields(fields: Fields, schema: Schema) -> Winnowing:
    """The findings that the fields describe, which have to fit the schema of the model."""
    kept, left_out = _names(fields, "kept", schema), _names(fields, "left_out", schema)
    twice = next((name for name in left_out if name in kept), None)
    if twice is not None:
        raise ModelError(f"'{fields.place_of('left_out')}' names '{abbreviated(twice)}', which is kept as well")
    learned_from = next((name for name in left_out if schema[schema.index(name)].kind is not Kind.IGNORE), None)
    if learned_from is not None:
        raise ModelError(f"'{fields.place_of('left_out')}' names '{abbreviated(learned_from)}', which is not ignored")
    given = fields.object("rises")
    rises = {name: float(given.get(name, float)) for name in given}
    strange = next((name for name in rises if name not in kept and name not in left_out), None)
    if strange is not None:
        raise ModelError(f"'{fields.place_of('rises')}' names '{abbreviated(strange)}', which was not winnowed")
    loss, by = fields.get("loss", str), fields.get("by", str)
    if not LOSSES.accepts(loss) or by not in WORDS:
        raise ModelError(f"'{fields.place_of('loss')}' and 'by' are '{abbreviated(loss)}' and '{abbreviated(by)}'")
    uses = tuple(
        AttributeUse(name, name in rises, rises.get(name), name in kept)
        for name in schema.names
        if name in kept or name in left_out
    )
    return Winnowing(
        uses,
        loss,
        by,
        fields.get("learner", str),
        _count(fields, "seed"),
        _count(fields, "n_learned"),
        _count(fields, "n_tested"),
        float(fields.get("loss_all", float)),
        float(fields.get("loss_kept", float)),
        fields.get("note", str),
    )


def _names(fields: Fields, name: str, schema: Schema) -> dict[str, None]:
    """Names of attributes, in their order."""
    place = fields.place_of(name)
    found = [checked(entry, str, place) for entry in fields.get(name, list)]
    known = set(schema.names)
    strange = next((entry for entry in found if entry not in known), None)
    if strange is not None:
        raise ModelError(f"'{place}' names '{abbreviated(strange)}', which is no attribute of the model")
    return dict.fromkeys(found)


def _count(fields: Fields, name: str) -> int:
    number: int = fields.get(name, int)
    if number < 0:
        raise ModelError(f"'{fields.place_of(name)}' is a negative number")
    return number
