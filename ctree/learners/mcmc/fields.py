"""The chains of a sampler as plain fields, and back.

::

    "seed": "1f", "fingerprint": "…", "interrupted": false,
    "tests": [{"attribute": "outlook", "codes": [0, 1, 2], "fill": 2}, {"attribute": "humidity", "cuts": […], …}, …],
    "chains": [{"state": {…}, "traces": {…}, "burn_in_traces": {…}, "bank": {…}, "moves": {…}}, …]

Each chain is there in full, so that it can go on. Numbers of 64 bits are hexadecimal text, which every reader of JSON
keeps to the last bit.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import pairwise
from typing import Any

import numpy as np
import numpy.typing as npt

from ctree.data.binary_tests import BinaryTests, Levels
from ctree.data.fields import Fields, checked, shown_json
from ctree.data.schema import Schema
from ctree.errors import ModelError
from ctree.learners.base.fields import hexadecimal
from ctree.learners.mcmc.agreement import Agreement
from ctree.learners.mcmc.sampled_trees import ChainRecord
from ctree.tree.fields import weights_of
from ctree_ext.mcmc.chain import MOVES

TRACE_DTYPES: dict[str, Any] = {
    "log_likelihood": np.float64,
    "log_posterior": np.float64,
    "leaves": np.int32,
    "depth": np.int32,
    "tree": np.int64,
}
N_OLDER_MOVES = 5  # that older files have
MAX_LOG = 1e150  # of a likelihood; its square has to be finite
COUNTERS = {"proposed": "proposed", "invalid": "unavailable", "accepted": "accepted"}  # as files call them


def levels_to_fields(levels: BinaryTests) -> list[dict[str, Any]]:
    """The tests of each attribute."""
    return [_levels_to_dict(levels.schema, entry) for entry in levels.levels]


def levels_from_fields(fields: Fields, schema: Schema) -> BinaryTests:
    """The tests of each attribute, in the order of the schema."""
    entries = [Fields(e, f"tests[{i}]") for i, e in enumerate(fields.get("tests", list))]
    numbers = {name: number for number, name in enumerate(schema.names)}
    levels = BinaryTests.of_levels(schema, [_levels_from_dict(schema, numbers, entry) for entry in entries])
    if any(one.attribute >= other.attribute for one, other in pairwise(levels.levels)):
        raise ModelError("'tests' should name each attribute once, in the order of the schema")
    return levels


def lengths_from_fields(fields: Fields, settings: Mapping[str, Any]) -> tuple[int, int, Agreement | None]:
    """Steps of burn-in, steps between draws, and how far the chains agree; older files have only parameters."""
    if "thin" not in fields:
        return settings["burn_in"], settings["thin"], None
    burn_in, thin = _count(fields, "burn_in"), _count(fields, "thin")
    if thin < 1:
        raise ModelError(f"'{fields.place_of('thin')}' should be 1 at least")
    agreement = None if fields.value("agreement") is None else Agreement.from_fields(fields.object("agreement"))
    return burn_in, thin, agreement


def records_to_fields(records: Sequence[ChainRecord]) -> list[dict[str, Any]]:
    """All that there is of each chain."""
    return [_record_to_dict(record) for record in records]


def records_from_fields(fields: Fields, levels: BinaryTests, n_chains: int, n_powers: int) -> list[ChainRecord]:
    """The records of so many chains with so many temperatures each."""
    chains = [Fields(c, f"chains[{i}]") for i, c in enumerate(fields.get("chains", list))]
    if len(chains) != n_chains:
        raise ModelError(f"'chains' should be {n_chains}, not {len(chains)}")
    return [_record_from_dict(chain, levels.schema, levels, n_powers) for chain in chains]


def _levels_to_dict(schema: Schema, entry: Levels) -> dict[str, Any]:
    tests = {"cuts": list(entry.cuts)} if entry.is_ordered else {"codes": list(entry.codes)}
    return {"attribute": schema[entry.attribute].name, **tests, "fill": entry.fill}


def _levels_from_dict(schema: Schema, numbers: dict[str, int], fields: Fields) -> Levels:
    name = fields.get("attribute", str)
    if name not in numbers:
        raise ModelError(f"'{fields.place_of('attribute')}' is no attribute of the schema")
    index, fill = numbers[name], fields.get("fill", int)
    cuts: tuple[float, ...] = ()
    codes: tuple[int, ...] = ()
    if schema[index].has_order:
        place = fields.place_of("cuts")
        cuts = tuple(checked(value, float, place) for value in fields.get("cuts", list))
        right = len(cuts) > 0 and all(low < high for low, high in pairwise(cuts))
    else:
        place = fields.place_of("codes")
        codes = tuple(checked(value, int, place) for value in fields.get("codes", list))
        in_range = all(0 <= code < len(schema[index].values) for code in codes)
        right = len(codes) > 1 and in_range and all(low < high for low, high in pairwise(codes))
    entry = Levels(index, cuts, codes, fill)
    if not right or not 0 <= fill < entry.n_levels:
        raise ModelError(f"'{place}' should ascend, and 'fill' be one of the levels")
    return entry


def _record_to_dict(record: ChainRecord) -> dict[str, Any]:
    streams = [[f"{number:x}" for number in stream] for stream in record.state["streams"]]
    return {
        "state": {**record.state, "streams": streams},
        "traces": {name: record.traces[name].tolist() for name in TRACE_DTYPES},
        "burn_in_traces": {name: record.burn_in_traces[name].tolist() for name in TRACE_DTYPES},
        "bank": {name: array.tolist() for name, array in record.bank.items()},
        "moves": {move: {COUNTERS[name]: n for name, n in counts.items()} for move, counts in record.moves.items()},
    }


def _record_from_dict(fields: Fields, schema: Schema, levels: BinaryTests, n_powers: int) -> ChainRecord:
    place = fields.object("bank").place_of
    bank = {name: _numbers(fields.object("bank"), name, np.int64) for name in ("node_start", "leaf_start")}
    bank["tests"] = _numbers(fields.object("bank"), "tests", np.int32)
    bank["counts"] = weights_of(fields.object("bank").get("counts", list), schema.n_classes, place("counts"))
    for name, most in (("node_start", len(bank["tests"])), ("leaf_start", len(bank["counts"]))):
        ends = bank[name][:1].tolist() + bank[name][-1:].tolist()
        if ends != [0, most] or (np.diff(bank[name]) <= 0).any() or len(bank[name]) != len(bank["node_start"]):
            raise ModelError(f"'{place(name)}' should ascend from 0 to {most}")
    traces, burn_in = (_traces(fields.object(name)) for name in ("traces", "burn_in_traces"))
    n_trees = len(bank["node_start"]) - 1
    # Where trees are kept every draw has one, and else none has; burn-in keeps none.
    least, most = (0, n_trees - 1) if n_trees else (-1, -1)
    if n_trees < 0 or (traces["tree"] < least).any() or (traces["tree"] > most).any() or (burn_in["tree"] != -1).any():
        raise ModelError(f"'{fields.place_of('traces')}' has a draw without a tree")
    state = _state(fields.object("state"), levels, n_powers)
    if max(state["used"], default=0) > len(traces["tree"]):
        raise ModelError(f"'{fields.place_of('state.used')}' has an attribute that more trees test than were drawn")
    return ChainRecord(state, traces, burn_in, bank, _moves(fields.object("moves")))


def _state(fields: Fields, levels: BinaryTests, n_powers: int) -> dict[str, Any]:
    state: dict[str, Any] = {name: _count(fields, name) for name in ("steps", "burnt_steps", "drawn_steps")}
    streams = fields.get("streams", list)
    trees = fields.get("trees", list)
    place = fields.place_of("streams")
    if len(streams) != n_powers + 1 or len(trees) != n_powers:
        raise ModelError(f"'{fields.place}' should have a tree for each temperature, and a stream more")
    state["streams"] = [[hexadecimal(number, place) for number in checked(stream, list, place)] for stream in streams]
    if any(len(stream) != 5 or not any(stream[1:]) for stream in state["streams"]):
        raise ModelError(f"'{place}' should have five numbers each, of which the last four are not all 0")
    state["trees"] = [_whole_list(tree, fields.place_of("trees"), -1, len(levels) - 1) for tree in trees]
    place = fields.place_of("orders")
    orders = [[_whole_list(order, place, 0) for order in checked(o, list, place)] for o in fields.get("orders", list)]
    if [len(order) for order in orders] != [3] * n_powers:
        raise ModelError(f"'{place}' should be three lists for each tree")
    state["orders"] = orders
    counts = fields.get("moves", list)
    state["moves"] = [_whole_list(row, fields.place_of("moves"), 0) for row in counts]
    if [len(row) for row in state["moves"]] == [N_OLDER_MOVES] * 3:
        state["moves"] = [row + [0] * (len(MOVES) - N_OLDER_MOVES) for row in state["moves"]]
    state["exchanges"] = _whole_list(fields.value("exchanges"), fields.place_of("exchanges"), 0)
    state["used"] = _whole_list(fields.value("used"), fields.place_of("used"), 0)
    state["changed"] = fields.get("changed", bool)
    sizes = [len(row) for row in state["moves"]]
    if sizes != [len(MOVES)] * 3 or len(state["exchanges"]) != 2 or len(state["used"]) != len(levels.levels):
        raise ModelError(f"'{fields.place}' does not have the counts that it should")
    return state


def _moves(fields: Fields) -> dict[str, dict[str, int]]:
    return {
        move: {
            name: 0 if move in MOVES[N_OLDER_MOVES:] and move not in fields else _count(fields.object(move), key)
            for name, key in COUNTERS.items()
        }
        for move in (*MOVES, "exchange")
    }


def _traces(fields: Fields) -> dict[str, npt.NDArray[Any]]:
    result = {name: _numbers(fields, name, dtype) for name, dtype in TRACE_DTYPES.items()}
    if len({len(trace) for trace in result.values()}) != 1:
        raise ModelError(f"'{fields.place}' has lists of different lengths")
    if (result["leaves"] < 1).any() or (result["depth"] < 0).any():
        raise ModelError(f"'{fields.place}' has a tree without leaves, or of negative depth")
    for name in ("log_likelihood", "log_posterior"):
        if (abs(result[name]) > MAX_LOG).any():
            raise ModelError(f"'{fields.place_of(name)}' has a number beyond all logarithms of likelihoods")
    return result


def _numbers(fields: Fields, name: str, dtype: Any) -> npt.NDArray[Any]:
    """A list of numbers as an array."""
    place, values = fields.place_of(name), fields.get(name, list)
    kind: type = float if dtype is np.float64 else int
    if kind is int:
        bounds = np.iinfo(dtype)
        return np.array(_whole_list(values, place, int(bounds.min), int(bounds.max)), dtype=dtype)
    return np.array([checked(value, kind, place) for value in values], dtype=dtype)


def _whole_list(values: Any, place: str, least: int, most: int = (1 << 62)) -> list[int]:
    for value in checked(values, list, place):
        if not least <= checked(value, int, place) <= most:
            raise ModelError(f"'{place}' has {shown_json(value)}, which is too large or too small")
    return list(values)


def _count(fields: Fields, name: str) -> int:
    return _whole_list([fields.value(name)], fields.place_of(name), 0)[0]
