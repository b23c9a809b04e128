"""Linked rows by going through all pairs of rows: what refers to what, what is seen twice, what can be reached."""

from __future__ import annotations


def seen_rows(n_rows: int, symmetric: tuple[str, str] | None) -> list[tuple[int, bool]]:
    """The rows of a table as queries see them: each with whether its two ends are exchanged."""
    plain = [(row, False) for row in range(n_rows)]
    return plain + [(row, True) for row in range(n_rows)] if symmetric else plain


def seen_cell(cells: dict[str, list], column: str, row: int, exchanged: bool, symmetric: tuple[str, str] | None):
    """A cell of a row as it is seen."""
    if exchanged and column in symmetric:
        column = symmetric[1 - symmetric.index(column)]
    return cells[column][row]


def reached_rows(
    tables: dict[str, dict[str, list]],
    keys: dict[str, str],
    foreign_keys: dict[tuple[str, str], str],
    target: str,
    examples: list[int],
) -> set[tuple[str, int]]:
    """All rows that can be reached from the examples, one step after the other, without entering the target."""

    def refers(table: str, row: int, column: str, other: str, place: int) -> bool:
        value = tables[table][column][row]
        return value is not None and value == tables[other][keys[other]][place]

    def n_rows(table: str) -> int:
        return len(next(iter(tables[table].values())))

    reached = {(target, row) for row in examples}
    steps = list(reached)
    while steps:
        table, row = steps.pop()
        found = []
        for (here, column), there in foreign_keys.items():
            if here == table and there != target:
                found += [(there, i) for i in range(n_rows(there)) if refers(table, row, column, there, i)]
            if there == table and here != target:
                found += [(here, i) for i in range(n_rows(here)) if refers(here, i, column, table, row)]
        for place in found:
            if place not in reached:
                reached.add(place)
                steps.append(place)
    return reached
