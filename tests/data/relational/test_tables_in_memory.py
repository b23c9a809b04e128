"""Tables in memory of any library hold the same data; kinds, keys, orders and examples."""

import datetime
import pickle
from decimal import Decimal

import numpy as np
import pytest
from hypothesis import given, settings
from support.linked_tables import molecules, problems, same

import ctree
from ctree.data.relational.checked import checked_relational
from ctree.errors import DataError, DataTypeError, ParameterError

WORN = {
    "tables": {"machine": {"id": [1, 2, 3], "action": ["fix", "ok", "fix"]}, "worn": {"machine": [1, 1, 3]}},
    "target": ("machine", "action"),
    "keys": {"machine": "id"},
    "foreign_keys": {"worn.machine": "machine"},
}


def in_library(name, table, kinds, keys):
    if name == "dicts of arrays":
        return {column: np.array(cells, dtype=object) for column, cells in table.items()}
    if name == "pandas":
        return pytest.importorskip("pandas").DataFrame(table)
    if name == "polars":
        pl = pytest.importorskip("polars")
        return pl.DataFrame({c: pl.Series(c, cells, dtype=_polars_type(pl, cells)) for c, cells in table.items()})
    if name == "lazy polars":
        return in_library("polars", table, kinds, keys).lazy()
    pa = pytest.importorskip("pyarrow")
    return pa.table({c: pa.array(cells, type=_arrow_type(pa, cells)) for c, cells in table.items()})


def _polars_type(pl, cells):
    return {str: pl.String, int: pl.Int64, float: pl.Float64, type(None): pl.String}[_type(cells)]


def _arrow_type(pa, cells):
    return {str: pa.string(), int: pa.int64(), float: pa.float64(), type(None): pa.string()}[_type(cells)]


def _type(cells):
    return next((type(cell) for cell in cells if cell is not None), type(None))


@pytest.mark.parametrize("library", ["dicts of arrays", "pandas", "polars", "lazy polars", "pyarrow"])
@given(problem=problems())
@settings(max_examples=25)
def test_every_library_gives_the_same(library, problem):
    if library != "dicts of arrays":
        pytest.importorskip("narwhals")
    data = problem.data()
    problem.tables = {
        name: in_library(library, table, problem.kinds, problem.keys) for name, table in problem.tables.items()
    }
    assert same(problem.data(), data)


def test_kinds_that_are_not_given():
    problem = molecules()
    problem.tables["atom"] |= {
        "number": [6, 8, None, 6],
        "ring": [True, None, False, True],
        "decimal": [Decimal(1)] * 4,
    }
    kinds = {f"{t.name}.{c.name}": c.kind.value for t in problem.data().schema.tables for c in t.columns}
    assert kinds == {
        "molecule.id": "key",
        "molecule.lumo": "continuous",
        "molecule.class": "class",
        "atom.id": "key",
        "atom.molecule": "key",
        "atom.element": "discrete",
        "atom.charge": "continuous",
        "atom.number": "continuous",
        "atom.ring": "discrete",
        "atom.decimal": "continuous",
        "bond.atom1": "key",
        "bond.atom2": "key",
        "bond.type": "discrete",
    }
    problem.kinds = {"atom.number": "discrete", "atom.element": "ignore", "atom.charge": "key"}
    atom = problem.data().table("atom")
    assert atom.schema.names == ("id", "molecule", "number", "ring", "decimal")
    assert atom.values[2] == ("6", "8")
    assert atom.values[3] == ("false", "true")


def test_columns_to_be_ignored_may_hold_anything():
    pd = pytest.importorskip("pandas")
    pytest.importorskip("narwhals")
    days = [datetime.datetime(2020, 1, day) for day in (1, 2, 3)]
    frame = pd.DataFrame({"id": [1, 2, 3], "day": days, "action": ["fix", "ok", "fix"]})
    options = {**WORN, "tables": {**WORN["tables"], "machine": frame}}
    with pytest.raises(DataTypeError, match="table 'machine': column 'day' holds dates or times"):
        ctree.RelationalData(**options)
    data = ctree.RelationalData(**options, kinds={"machine.day": "ignore"})
    assert data.schema.table("machine").names == ("id", "action")
    options["tables"]["machine"] = {"id": [1, 2, 3], "day": days, "action": ["fix", "ok", "fix"]}
    with pytest.raises(DataError, match=r"table 'machine': column 'day': it has the value datetime.datetime\(2020"):
        ctree.RelationalData(**options)
    assert same(ctree.RelationalData(**options, kinds={"machine.day": "ignore"}), data)


@pytest.mark.parametrize(
    ("keys", "references"),
    [
        ([1, 2, 3], ["1", "1", None]),
        (["1", "2", "3"], [1, 1, None]),
        ([1, 2, 3], np.array([1.0, 1.0, np.nan])),
        (np.array([1, 2, 3], dtype=np.int8), [1, 1, np.nan]),
        ([1.0, 2.0, 3.5], ["1", Decimal(1), None]),
        ([2**60 + 1, 2**60, 0], [str(2**60 + 1), 2**60 + 1, None]),
        (np.array([2**63, 2**63 + 1, 1], dtype=np.uint64), [2**63, str(2**63), None]),
    ],
)
def test_keys_are_compared_as_text_after_whole_numbers_lose_their_point(keys, references):
    tables = {"machine": {"id": keys, "action": ["fix", "ok", "fix"]}, "worn": {"machine": references}}
    data = ctree.RelationalData(**{**WORN, "tables": tables})
    assert data.table("worn").column("machine").tolist() == [0, 0, -1]


def test_keys_that_differ_as_text():
    tables = {"machine": {"id": ["007", "7", "x"], "action": ["fix", "ok", "fix"]}, "worn": {"machine": [7, 7, 7]}}
    assert ctree.RelationalData(**{**WORN, "tables": tables}).table("worn").column("machine").tolist() == [1, 1, 1]
    tables["machine"]["id"] = ["007", "8", "x"]
    message = "table 'worn', row 1: none of the 3 values of machine is a key of table 'machine': here it is '7', and"
    with pytest.raises(DataError, match=message):
        ctree.RelationalData(**{**WORN, "tables": tables})
    tables["machine"]["id"] = [1, "1", 2]
    message = "table 'machine', row 2: the key '1' of table 'machine' occurs twice, first in row 1"
    with pytest.raises(DataError, match=message):
        ctree.RelationalData(**{**WORN, "tables": tables})
    tables["machine"]["id"] = [1, None, 2]
    with pytest.raises(DataError, match="table 'machine', row 2: the key is empty"):
        ctree.RelationalData(**{**WORN, "tables": tables})
    tables["machine"]["id"] = [1, [2], 3]
    with pytest.raises(DataError, match=r"table 'machine': column 'id': it has the value \[2\], which is not text"):
        ctree.RelationalData(**{**WORN, "tables": tables})


@pytest.mark.parametrize(
    ("cells", "values"),
    [
        (["10", "9", "-1.5", "9"], ("-1.5", "9", "10")),
        (["10", "9", "x", None], ("10", "9", "x")),
        ([10, 9, 2.5, "9"], ("2.5", "9", "10")),
        ([True, False, None, True], ("false", "true")),
        (["1", "01", "1.0", "+1"], ("+1", "01", "1", "1.0")),
        (["b", "B", "a", "ä"], ("B", "a", "b", "ä")),
        (["inf", "1", "nan", "2"], ("1", "2", "inf", "nan")),
        ([1, "1", 1.0, 2], ("1", "2")),
        (np.array([3.0, 1.0, np.nan, 2.5]), ("1", "2.5", "3")),
    ],
)
def test_the_order_of_values(cells, values):
    tables = {"t": {"d": cells, "y": ["a", "b", "a", "b"]}}
    data = ctree.RelationalData(tables, target=("t", "y"), kinds={"t.d": "discrete"})
    assert data.table("t").values[0] == values
    texts = [None if code < 0 else values[code] for code in data.table("t").column("d").tolist()]
    as_text = {None: None, True: "true", False: "false"}
    for cell, text in zip(cells, texts, strict=True):
        if cell is None or cell != cell:
            assert text is None
        elif isinstance(cell, bool):
            assert text == as_text[cell]
        else:
            assert text == (cell if isinstance(cell, str) else f"{cell:g}")


def test_numbers_and_classes_that_are_none():
    def of(cells, kind="continuous", labels=("a", "b"), **options):
        return ctree.RelationalData(
            {"t": {"x": cells, "y": list(labels)}}, target=("t", "y"), kinds={"t.x": kind}, **options
        )

    with pytest.raises(DataError, match="table 't', row 2: x is 'high', which is not a number"):
        of([1, "high"])
    with pytest.raises(DataError, match="table 't', row 1: x is 'inf', and an infinite number cannot be used"):
        of([np.inf, 1])
    with pytest.raises(DataError, match="table 't': column 'x': it has an infinite value"):
        of(np.array([np.inf, 1]), "discrete")
    with pytest.raises(DataError, match="table 't': column 'x': it has an infinite value"):
        of([np.inf, "a"], "discrete")
    digits = 10**5000  # more than Python writes
    with pytest.raises(DataError, match="table 't', row 2: x is a whole number of too many digits"):
        of([1, digits])
    with pytest.raises(DataError, match="table 't': column 'x': it has a whole number of too many digits"):
        of([digits, "a"], "discrete")
    with pytest.raises(DataError, match="table 't': column 'x': it has a whole number of too many digits"):
        ctree.RelationalData({"t": {"x": [digits, 1]}}, target="t", keys={"t": "x"})
    with pytest.raises(DataError, match="table 't': the class 'y': it has a whole number of too many digits"):
        of([1, 2], labels=(digits, "b"))
    with pytest.raises(DataError, match="table 't', row 2: the class 'y' is unknown"):
        of([1, 2], labels=("a", None))
    with pytest.raises(DataError, match="table 't', row 2: the class is 'b', which is not one of a, c"):
        of([1, 2], classes=["a", "c"])
    with pytest.raises(DataError, match="table 't': two of the classes 1, 1 are the same as text"):
        of([1, 2], classes=["1", 1])
    with pytest.raises(ParameterError, match="classes must be a list of classes, not 'ab'"):
        of([1, 2], classes="ab")
    with pytest.raises(
        ParameterError, match=r"classes must be a list of classes, but it has the value \[1\], which is"
    ):
        of([1, 2], classes=["a", [1]])
    with pytest.raises(DataError, match="table 't': there are no examples"):
        of([], labels=())
    assert of(["1", None]).table("t").column("x").tolist()[0] == 1


WRONG = {
    "no such target": ({"target": ("machin", "action")}, DataError, r"there is no table 'machin' .*did you mean"),
    "no such class": ({"target": ("machine", "actio")}, DataError, "table 'machine' has no column 'actio', which is"),
    "key of no table": ({"keys": {"mach": "id"}}, DataError, "keys names the table 'mach', but the tables are"),
    "composite key": ({"keys": {"machine": ("id", "action")}}, DataError, "keys are single columns; join the columns"),
    "no such key": ({"keys": {"machine": "ID"}}, DataError, r"has no column 'ID', which is named as the key .*'id'\?"),
    "target without key": ({"keys": {}}, DataError, "the target table 'machine' needs a key, by which other tables"),
    "no such column": (
        {"foreign_keys": {"worn.machin": "machine"}},
        DataError,
        r"table 'worn': there is no column 'machin' among machine \(did you mean 'machine'\?\)",
    ),
    "no such table": ({"foreign_keys": {"wrn.machine": "machine"}}, DataError, r"'wrn.machine', which is no column"),
    "to no table": ({"foreign_keys": {"worn.machine": "part"}}, DataError, "'worn.machine' refers to 'part', but the"),
    "composite foreign key": (
        {"foreign_keys": {("worn", "machine", "part"): "machine"}},
        DataError,
        "keys are single columns; join the columns into one",
    ),
    "keys as a list": ({"keys": ["machine"]}, ParameterError, r"keys must be a mapping, not \['machine'\]"),
    "kind of no column": ({"kinds": {"worn.prt": "discrete"}}, ParameterError, "kinds names 'worn.prt', which is no"),
    "nothing to ignore": (
        {"kinds": {"worn.machin": "ignore"}},
        ParameterError,
        "kinds names 'worn.machin', which is no",
    ),
    "no such kind": ({"kinds": {"worn.machine": "text"}}, DataError, "is of kind 'text'; the kinds are key, discrete"),
    "symmetric of no table": ({"symmetric": {"wrn": ("a", "b")}}, DataError, "symmetric names 'wrn', but the tables"),
    "symmetric of one end": ({"symmetric": {"worn": "ab"}}, ParameterError, "must name two columns, not 'ab'"),
    "the target is symmetric": (
        {"symmetric": {"machine": ("a", "b")}},
        DataError,
        "'machine' is the target, whose rows",
    ),
    "links": ({"links": {"worn.machin": "up"}}, ParameterError, r"links names 'worn.machin', but .*'worn.machine'\?"),
    "constants": ({"constants": {"worn.x": True}}, ParameterError, "constants names 'worn.x', but there are no such"),
}


@pytest.mark.parametrize("case", WRONG)
def test_what_is_said_of_tables_and_wrong(case):
    options, error, message = WRONG[case]
    with pytest.raises(error, match=message):
        ctree.RelationalData(**{**WORN, **options})


def test_examples_are_taken_and_found():
    data = ctree.RelationalData(**WORN)
    assert data.take([2, 0]).keys == ["3", "1"]
    assert data.take([2, 0]).take([1]).keys == ["1"]
    assert data.take(np.array([True, False, True])).labels == ["fix", "fix"]
    assert data.take(slice(1, None)).rows.tolist() == [1, 2]
    assert data.take([]).n_examples == 0
    assert data.take([-1]).keys == ["3"]
    assert data.take([2, 0]).table("worn") is data.table("worn")
    assert data.take([0]).down(0)[0] is data.down(0)[0]
    for wrong in ([3], [True, False], [0.5], "a", None, [[0, 1], [1, 2]], [[0, 1], [1]], slice("a", None)):
        with pytest.raises(DataError, match="by their places, a mask or a slice, and there are 3"):
            data.take(wrong)
    assert data.places(["3", 1, 2.0]).tolist() == [2, 0, 1]
    assert data.take([2, 0]).places(np.array([1])).tolist() == [1]
    with pytest.raises(DataError, match="there is no example with the key '2'"):
        data.take([2, 0]).places([2])
    with pytest.raises(DataError, match="key 1 of the examples is unknown"):
        data.places([None])
    with pytest.raises(DataError, match="there is no table 'x'"):
        data.table("x")


def test_nothing_can_be_changed():
    data = molecules().data()
    arrays = [column for table in (*data.tables, *data.seen) for column in table.columns if column is not None]
    arrays += [data.rows, *data.down(0), data.up(0)]
    assert not any(array.flags.writeable for array in arrays)
    assert all(array.flags.c_contiguous for array in arrays)
    with pytest.raises(AttributeError):
        data.schema = None
    with pytest.raises(AttributeError):
        data.other = None
    floats = np.array([1.0, 2.0, 3.0])
    tables = {**WORN["tables"], "machine": {**WORN["tables"]["machine"], "x": floats}}
    made = ctree.RelationalData(**{**WORN, "tables": tables})
    floats[0] = 9
    assert made.table("machine").column("x").tolist() == [1, 2, 3]


def test_it_can_be_pickled():
    data = molecules().data().take([2, 1])
    data.down(0)
    assert same(pickle.loads(pickle.dumps(data)), data)


def test_examples_without_classes():
    data = ctree.RelationalData(**{**WORN, "target": "machine"})
    assert data.classes is None
    assert data.labels == [None] * 3
    assert data.describe().classes == {}
    assert repr(data) == "<RelationalData: 3 examples, 2 tables, 1 foreign key, no classes>"


def test_a_table_is_no_linked_tables():
    data = ctree.RelationalData(**WORN)
    assert checked_relational(data) is data
    message = "this is a dict, but relational trees learn from linked tables: give a RelationalData"
    with pytest.raises(DataTypeError, match=message):
        checked_relational({"a": [1]})
