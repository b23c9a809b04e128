"""Links of random tables against rows that are compared one by one: up, down, rows seen twice, closure."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st
from naive.linked_rows import reached_rows, seen_cell, seen_rows
from support.linked_tables import molecules, problems


def shape(problem, data):
    """For each table that is linked, its rows as they are seen."""
    return {
        table.schema.name: seen_rows(table.n_rows, problem.symmetric.get(table.schema.name)) for table in data.tables
    }


@given(problems())
def test_up_and_down_are_what_a_comparison_of_all_keys_finds(problem):
    data = problem.data()
    seen = shape(problem, data)
    for link, key in enumerate(data.schema.foreign_keys):
        symmetric = problem.symmetric.get(key.table)
        keys = problem.tables[key.references][problem.keys[key.references]]
        cells = [seen_cell(problem.tables[key.table], key.column, *row, symmetric) for row in seen[key.table]]
        up = data.up(link)
        assert up.dtype == np.int32
        assert up.tolist() == [-1 if cell is None else keys.index(cell) for cell in cells]
        start, rows = data.down(link)
        assert start.dtype == rows.dtype == np.int32
        assert len(start) == len(keys) + 1
        for i, value in enumerate(keys):
            assert rows[start[i] : start[i + 1]].tolist() == [row for row, cell in enumerate(cells) if cell == value]


@given(problems())
def test_rows_of_symmetric_tables_are_seen_with_ends_exchanged(problem):
    data = problem.data()
    for table, twice in zip(data.tables, data.seen, strict=True):
        name = table.schema.name
        symmetric = problem.symmetric.get(name)
        rows = seen_rows(table.n_rows, symmetric)
        assert twice.n_rows == len(rows)
        for column, values, cells in zip(table.schema.columns, twice.values, twice.columns, strict=True):
            if cells is None:
                continue
            expected = [seen_cell(problem.tables[name], column.name, *row, symmetric) for row in rows]
            kind = problem.kinds.get(f"{name}.{column.name}")
            if kind == "discrete":
                found = [None if code < 0 else values[code] for code in cells.tolist()]
            elif kind == "continuous":
                found = [None if x != x else x for x in cells.tolist()]
            else:
                other = problem.foreign_keys[name, column.name]
                keys = problem.tables[other][problem.keys[other]]
                found = [None if row < 0 else keys[row] for row in cells.tolist()]
            assert found == expected


@given(problems(), st.data())
def test_the_closure_is_what_steps_from_row_to_row_reach(problem, draw):
    data = problem.data()
    places = draw.draw(st.lists(st.integers(0, len(data) - 1), unique=True))
    closure = data.take(places).closure()
    linked = {table.schema.name for table in data.tables}
    foreign_keys = {key: other for key, other in problem.foreign_keys.items() if key[0] in linked}
    reached = reached_rows(problem.tables, problem.keys, foreign_keys, problem.target[0], places)
    seen = shape(problem, data)
    assert set(closure) == linked
    for name, mask in closure.items():
        assert mask.dtype == np.bool_
        assert mask.tolist() == [(name, row) in reached for row, _ in seen[name]]


@given(problems(), st.data())
def test_values_in_the_closure(problem, draw):
    data = problem.data().take(draw.draw(st.lists(st.integers(0, len(problem.data()) - 1), unique=True)))
    closure, found = data.closure(), data.closure_values()
    linked = {table.schema.name for table in data.tables}
    assert set(found) == {
        n for n, kind in problem.kinds.items() if kind == "discrete" and n.rpartition(".")[0] in linked
    }
    for name, values in found.items():
        table, _, column = name.rpartition(".")
        cells = problem.tables[table][column]
        reached = {cell for cell, here in zip(cells, closure[table], strict=False) if here and cell is not None}
        numbers = all(value in ("1", "2", "10") for value in reached)
        assert list(values) == sorted(reached, key=int if numbers else None)


def test_a_molecule_by_hand():
    data = molecules().data()
    assert data.take([0]).closure()["atom"].tolist() == [True, True, False, False]
    assert data.take([0]).closure()["bond"].tolist() == [True, False, True, False]
    assert data.take([2]).closure()["atom"].tolist() == [False] * 4
    assert data.take([2]).closure()["molecule"].tolist() == [False, False, True]
    start, rows = data.down(1)  # bond.atom1: from an atom to its bonds
    assert [rows[start[i] : start[i + 1]].tolist() for i in range(4)] == [[0], [2], [1, 3], []]
    assert data.up(2)[[0, 2]].tolist() == [1, 0]  # whose other end is the other atom


def test_a_long_chain_has_a_closure():
    n = 50_000
    tables = {"train": {"id": [0], "class": ["x"]}, "car": {"id": range(n), "front": [None, *range(n - 1)]}}
    tables["car"]["train"] = [None] * (n - 1) + [0]
    import ctree

    data = ctree.RelationalData(
        {name: {column: list(cells) for column, cells in table.items()} for name, table in tables.items()},
        target=("train", "class"),
        keys={"train": "id", "car": "id"},
        foreign_keys={"car.front": "car", "car.train": "train"},
    )
    assert data.closure()["car"].all()
