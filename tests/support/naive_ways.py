"""The ways of examples through naive relational trees, and the rows of problems that pages name."""

from __future__ import annotations


def numbered(root):
    """The nodes of a naive tree, level by level."""
    nodes = [root]
    for node in nodes:
        nodes += node.branches
    return nodes


def naive_way(naive, data, example):
    """The nodes from the root to the leaf of an example, and its answers of the query there."""
    numbers = {id(node): number for number, node in enumerate(numbered(naive.root))}
    node, answers, way = naive.root, {example: [(example,)]}, [0]
    while node.test is not None:
        longer = node.test.answers(data, answers)
        holds = bool(longer.get(example))
        answers, node = (longer, node.yes) if holds else (answers, node.no)
        way.append(numbers[id(node)])
    return way, answers[example]


def places(problem, name, key):
    """The rows of the naive tables that a found row may be: both ways of one of a symmetric table."""
    table = name.rpartition(" ")[0]
    entry, columns = problem.schema["tables"][table], problem.columns[table]
    place = key - 1 if isinstance(key, int) else columns[entry["key"]].index(key)
    n_rows = len(next(iter(columns.values())))
    return (place, place + n_rows) if entry.get("symmetric") else (place,)


def contents(problem, name, row):
    """What the page says of a row: its known values, without its own key and those of examples."""
    table = name.rpartition(" ")[0]
    references = {(key["table"], key["column"]): key["references"] for key in problem.schema["foreign_keys"]}
    parts = []
    for column, kind in problem.schema["tables"][table]["columns"].items():
        value = problem.columns[table][column][row]
        own = kind == "key" and references.get((table, column), "example") == "example"
        if value is not None and not own:
            parts.append(f"{column} = {value:g}" if kind == "continuous" else f"{column} = {value}")
    return f": {', '.join(parts)}" if parts else ""
