"""What documents of PMML have in common: the dictionary of fields, what goes into a model, what comes out of it."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from ctree.data.dates import SINCE
from ctree.data.schema import Label, Schema
from ctree.export.decision import Worth, pmml_outputs
from ctree.export.pmml_words import data_type, quoted, text_of

NAMESPACE = "http://www.dmg.org/PMML-4_4"

Fillers = Sequence[float | int | None]


def document(schema: Schema, asked: Sequence[int], target: str, body: Iterable[str]) -> Iterable[str]:
    """The lines of a document with one model, which asks for these attributes."""
    yield '<?xml version="1.0" encoding="UTF-8"?>'
    yield f'<PMML xmlns="{NAMESPACE}" version="4.4">'
    yield '  <Header><Application name="ctree"/></Header>'
    yield f'  <DataDictionary numberOfFields="{len(asked) + 1}">'
    for attribute in asked:
        entry = schema[attribute]
        if entry.is_moment:
            shown = quoted(f"{entry.name} ({SINCE[entry.kind]})")
            yield (
                f'    <DataField name={quoted(entry.name)} displayName={shown} optype="continuous" dataType="double"/>'
            )
        elif entry.has_order:
            yield f'    <DataField name={quoted(entry.name)} optype="continuous" dataType="double"/>'
        else:
            yield from _categorical(entry.name, entry.values)
    yield from _categorical(target, schema.classes)
    yield "  </DataDictionary>"
    yield from body
    yield "</PMML>"


def model_fields(
    schema: Schema, asked: Sequence[int], fillers: Fillers, target: str, worth: Worth | None = None
) -> Iterable[str]:
    """What goes into a model, and what comes out of it."""
    yield "    <MiningSchema>"
    for attribute in asked:
        yield f"      {_mining_field(schema, attribute, fillers[attribute])}"
    yield f'      <MiningField name={quoted(target)} usageType="target"/>'
    yield "    </MiningSchema>"
    yield "    <Output>"
    for label in schema.classes:
        text = text_of(label)
        yield (
            f'      <OutputField name={quoted(f"probability({text})")} optype="continuous" dataType="double" '
            f'feature="probability" value={quoted(text)}/>'
        )
    yield from pmml_outputs(schema, target, worth)
    yield "    </Output>"


def _mining_field(schema: Schema, attribute: int, filler: float | int | None) -> str:
    entry = schema[attribute]
    text = f"<MiningField name={quoted(entry.name)} "
    if entry.is_discrete:
        text += 'invalidValueTreatment="asMissing" '
    if filler is not None:
        value = text_of(entry.values[int(filler)]) if entry.is_discrete else repr(float(filler))
        text += f'missingValueReplacement={quoted(value)} missingValueTreatment="asValue" '
    return f'{text}usageType="active"/>'


def _categorical(name: str, values: tuple[Label, ...]) -> Iterable[str]:
    yield f'    <DataField name={quoted(name)} optype="categorical" dataType="{data_type(values, name)}">'
    for value in values:
        yield f"      <Value value={quoted(text_of(value))}/>"
    yield "    </DataField>"
