"""New tables for a model: its columns, links and codes."""

import re
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from support.linked_tables import molecules, problems, same

from ctree.errors import DataError


def values_of(data):
    """The values of all discrete columns by their full names."""
    return {
        f"{table.schema.name}.{column.name}": values
        for table in data.tables
        for column, values in zip(table.schema.columns, table.values, strict=True)
        if column.kind.value == "discrete"
    }


def atoms(data):
    return data.table("atom")


@given(problems())
def test_data_conform_to_themselves(problem):
    data = problem.data()
    assert data.conformed(data.schema) is data
    # and so do those of another schema whose tables stand in another order
    tables = tuple(reversed(data.schema.tables))
    schema = replace(data.schema, tables=tables)
    assert same(data.conformed(schema).conformed(data.schema), data)
    assert data.conformed(schema).schema.tables == tables


def test_columns_and_tables_in_another_order_and_more_of_them():
    problem = molecules()
    model = problem.data()
    problem.tables = {
        "extra": {"atom": ["a1"], "x": [1.0]},
        **{name: dict(reversed(problem.tables[name].items())) for name in ("bond", "atom", "molecule")},
    }
    problem.tables["atom"]["weight"] = [1.0] * 4
    problem.foreign_keys = {("extra", "atom"): "atom", **dict(reversed(problem.foreign_keys.items()))}
    problem.symmetric = {}
    assert same(problem.data().conformed(model.schema), model)


def test_the_examples_stay_those_that_were_taken():
    data = molecules().data().take([2, 0])
    new = data.conformed(data.schema)
    assert new.keys == ["m3", "m1"]
    assert new.take([1]).closure()["atom"].tolist() == [True, True, False, False]


def test_numbers_where_the_model_has_values():
    problem = molecules()
    model = problem.data()
    problem.tables["bond"]["type"] = [2, 3.5]
    bond = problem.data().conformed(model.schema).table("bond")
    assert [bond.values[2][code] for code in bond.column("type")] == ["2", "3.5"]


def test_nothing_known_where_the_model_has_numbers():
    problem = molecules()
    model = problem.data()
    problem.kinds = {"molecule.lumo": "discrete"}
    problem.tables["molecule"]["lumo"] = [None] * 3
    assert np.isnan(problem.data().conformed(model.schema).table("molecule").column("lumo")).all()


def test_unseen_values_can_be_an_error():
    problem = molecules()
    known = values_of(problem.data())
    problem.tables["atom"]["element"][1] = "n"
    new = problem.data()
    message = "table 'atom', row 2: element is 'n', which is not one of c, o; with unseen='unknown' it would equal none"
    for needed in (None, ["atom.element"]):
        with pytest.raises(DataError, match=message):
            new.check_values(known, needed=needed)
    new.check_values(values_of(new))
    new.check_values(known, needed=["atom", "bond.type"])


def test_unseen_values_of_rows_that_belong_to_no_example_are_allowed():
    problem = molecules()
    known = values_of(problem.data())
    problem.tables["atom"]["element"][1] = "n"  # of the first molecule
    new = problem.data()
    new.take([1, 2]).check_values(known)
    with pytest.raises(DataError, match="row 2: element is 'n'"):
        new.take([2, 0]).check_values(known)


def test_values_have_codes():
    data = molecules().data()
    for name, values in values_of(data).items():
        assert data.codes_of(*name.split(".")) == {value: code for code, value in enumerate(values)}
    assert molecules().data().take([0]).codes_of("atom", "element") == {"c": 0, "o": 1}


def test_values_that_a_model_does_not_know_stay_so():
    """Data that have the form of one model have their own values still."""
    problem = molecules()
    model = problem.data()
    problem.tables["atom"]["element"][1] = "n"
    known = problem.data().conformed(model.schema)
    atoms = known.conformed(model.schema).table("atom")
    codes, values = atoms.column("element").tolist(), atoms.values[atoms.schema.index("element")]
    assert [None if code < 0 else values[code] for code in codes] == problem.tables["atom"]["element"]


def without(problem, *names):
    """The problem without a table or some columns, and what hangs on them."""
    for name in names:
        table, _, column = name.partition(".")
        if column:
            problem.tables[table].pop(column)
        else:
            problem.tables.pop(table)
        problem.foreign_keys = {
            key: other
            for key, other in problem.foreign_keys.items()
            if key != (table, column) and (column or key[0] != table)
        }
        if table == "bond":
            problem.symmetric = {}
    return problem


MISSING = {
    "a table": (("bond",), "there is no table 'bond', which the model asks for", ("bond", "bond.type")),
    "a column": (
        ("atom.element",),
        "table 'atom' has no column 'element', which the model asks for",
        ("atom.element",),
    ),
    "a link": (("bond.atom2",), "table 'bond' has no column 'atom2', which the model asks for", ("bond.atom2",)),
}


@pytest.mark.parametrize("case", MISSING)
def test_what_the_model_asks_for_must_be_there_and_nothing_else(case):
    names, message, asked = MISSING[case]
    model = molecules().data()
    new = without(molecules(), *names).data()
    for needed in (None, asked):
        with pytest.raises(DataError, match=re.escape(message)):
            new.conformed(model.schema, needed=needed)
    found = new.conformed(model.schema, needed=["atom", "atom.charge"])
    assert found.schema == model.schema
    assert found.table("atom").column("charge").tolist()[0] == 0.5
    table, _, column = names[0].partition(".")
    if column:
        assert set(found.table(table).column(column).tolist()) == {-1}
    else:
        assert found.table(table).n_rows == 0
        assert found.closure()[table].size == 0
    assert len(found.down(1)[0]) == 5


def test_kinds_and_links_that_differ():
    model = molecules().data()
    problem = molecules()
    problem.kinds = {"atom.charge": "discrete"}
    with pytest.raises(DataError, match="column 'charge' of table 'atom' is discrete, but continuous in the model"):
        problem.data().conformed(model.schema)
    problem = molecules()
    problem.tables["bond"]["atom2"] = ["m1", "m2"]
    problem.foreign_keys["bond", "atom2"] = "molecule"
    problem.symmetric = {}
    message = "column 'atom2' of table 'bond' refers to 'molecule', but in the model it refers to 'atom'"
    with pytest.raises(DataError, match=message):
        problem.data().conformed(model.schema)
    problem = molecules()
    problem.target = ("atom", "element")
    problem.tables["atom"]["element"] = ["c", "o", "c", "c"]
    message = "the examples are in table 'atom', but the model was learned from examples in 'molecule'"
    with pytest.raises(DataError, match=message):
        problem.data().conformed(model.schema)


def test_classes_of_the_model():
    model = molecules().data(classes=["pos", "neg"])
    problem = molecules()
    assert problem.data().classes.tolist() == [1, 0, 0]
    assert problem.data().conformed(model.schema).classes.tolist() == [0, 1, 1]
    problem.tables["molecule"]["class"][0] = "Pos"
    with pytest.raises(DataError, match=r"the class 'Pos' is not one of pos, neg, which the model knows .*'pos'"):
        problem.data().conformed(model.schema)
    problem.tables["molecule"].pop("class")
    problem.target = "molecule"
    new = problem.data().conformed(model.schema)
    assert new.classes is None
    assert new.schema == model.schema
