"""New tables for a model: its columns, links and codes."""

import re

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from support.linked_tables import VALUES, molecules, problems, same

from ctree.errors import DataError, ParameterError


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
    assert same(data.conformed(data.schema, values_of(data)), data)


@given(problems(), st.lists(st.sampled_from(VALUES), unique=True))
def test_values_are_coded_by_any_list(problem, known):
    data = problem.data()
    new = data.conformed(data.schema, dict.fromkeys(values_of(data), known))
    for table in new.tables:
        for column, codes in zip(table.schema.columns, table.columns, strict=True):
            if column.kind.value == "discrete":
                cells = problem.tables[table.schema.name][column.name]
                expected = [-1 if c is None else known.index(c) if c in known else -2 for c in cells]
                assert codes.tolist() == expected


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
    assert same(problem.data().conformed(model.schema, values_of(model)), model)


def test_the_examples_stay_those_that_were_taken():
    data = molecules().data().take([2, 0])
    new = data.conformed(data.schema, values_of(data))
    assert new.keys == ["m3", "m1"]
    assert new.take([1]).closure()["atom"].tolist() == [True, True, False, False]


def test_numbers_where_the_model_has_values():
    problem = molecules()
    model = problem.data()
    problem.tables["bond"]["type"] = [2, 3.5]
    new = problem.data().conformed(model.schema, values_of(model))
    assert new.table("bond").column("type").tolist() == [0, -2]
    assert new.table("bond").values[2] == ("2", "10")


def test_nothing_known_where_the_model_has_numbers():
    problem = molecules()
    model = problem.data()
    problem.kinds = {"molecule.lumo": "discrete"}
    problem.tables["molecule"]["lumo"] = [None] * 3
    assert np.isnan(problem.data().conformed(model.schema, values_of(model)).table("molecule").column("lumo")).all()


def test_unseen_values_can_be_an_error():
    problem = molecules()
    model = problem.data()
    problem.tables["atom"]["element"][1] = "n"
    new = problem.data()
    assert new.conformed(model.schema, values_of(model)).table("atom").column("element").tolist() == [0, -2, -1, 0]
    message = "table 'atom', row 2: element is 'n', which is not one of c, o; with unseen='unknown' it would equal none"
    with pytest.raises(DataError, match=message):
        new.conformed(model.schema, values_of(model), unseen="error")
    with pytest.raises(ParameterError, match="unseen must be 'unknown' or 'error', not 'drop'"):
        new.conformed(model.schema, values_of(model), unseen="drop")


def test_values_that_a_model_does_not_know_stay_so():
    """Data that have the form of one model can take that of another, which knows no more of what was lost."""
    problem = molecules()
    model = problem.data()
    problem.tables["atom"]["element"][1] = "n"
    known = problem.data().conformed(model.schema, values_of(model))
    again = known.conformed(model.schema, {**values_of(model), "atom.element": ("o", "n", "c")})
    assert again.table("atom").column("element").tolist() == [2, -2, -1, 2]


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
            new.conformed(model.schema, values_of(model), needed=needed)
    found = new.conformed(model.schema, values_of(model), needed=["atom", "atom.charge"])
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
        problem.data().conformed(model.schema, values_of(model))
    problem = molecules()
    problem.tables["bond"]["atom2"] = ["m1", "m2"]
    problem.foreign_keys["bond", "atom2"] = "molecule"
    problem.symmetric = {}
    message = "column 'atom2' of table 'bond' refers to 'molecule', but in the model it refers to 'atom'"
    with pytest.raises(DataError, match=message):
        problem.data().conformed(model.schema, values_of(model))
    problem = molecules()
    problem.target = ("atom", "element")
    problem.tables["atom"]["element"] = ["c", "o", "c", "c"]
    message = "the examples are in table 'atom', but the model was learned from examples in 'molecule'"
    with pytest.raises(DataError, match=message):
        problem.data().conformed(model.schema, values_of(model))


def test_classes_of_the_model():
    model = molecules().data(classes=["pos", "neg"])
    problem = molecules()
    assert problem.data().classes.tolist() == [1, 0, 0]
    assert problem.data().conformed(model.schema, values_of(model)).classes.tolist() == [0, 1, 1]
    problem.tables["molecule"]["class"][0] = "Pos"
    with pytest.raises(DataError, match=r"the class 'Pos' is not one of pos, neg, which the model knows .*'pos'"):
        problem.data().conformed(model.schema, values_of(model))
    problem.tables["molecule"].pop("class")
    problem.target = "molecule"
    new = problem.data().conformed(model.schema, values_of(model))
    assert new.classes is None
    assert new.schema == model.schema
