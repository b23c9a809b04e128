"""Relational trees as Prolog's clauses: run one after the other, as Prolog would, they give the leaves of the tree."""

from __future__ import annotations

import re

import numpy as np
import pytest
from support.expected_relational import data_of
from support.relational_problems import random_relational_problem, random_settings

import ctree

GOAL = re.compile(r"([\w']+)\(([^)]*)\)|(\w+) (=<|>|=) ([^,]+)|!")


class Facts:
    """Clauses run over the rows of tables; both ways of symmetric ones."""

    def __init__(self, problem):
        self.tables = {}
        for name, entry in problem.schema["tables"].items():
            columns, kinds = problem.columns[name], entry["columns"]
            rows = list(zip(*(columns[c] for c in kinds), strict=True)) if columns else []
            if entry.get("symmetric"):
                one, other = (list(kinds).index(end) for end in entry["symmetric"])
                swapped = {one: other, other: one}
                rows += [tuple(row[swapped.get(j, j)] for j in range(len(row))) for row in rows]
            self.tables[name] = rows

    def holds(self, goals, known):
        if not goals:
            return True
        name, cells, variable, op, constant = goals[0]
        if not name and not op:
            return self.holds(goals[1:], known)
        if op:
            value, number = known.get(variable, variable), constant
            same = {"=<": lambda: float(value) <= float(number), ">": lambda: float(value) > float(number)}
            right = value is not None and (value == unquoted(number) if op == "=" else same[op]())
            return right and self.holds(goals[1:], known)
        return any(
            found is not None and self.holds(goals[1:], found)
            for found in (unified(cells.split(", "), row, known) for row in self.tables[unquoted(name)])
        )


def unquoted(text):
    return text.strip("'")


def unified(cells, row, known):
    """The variables after a row has been put in place of a literal; None if it does not fit. Unknown fits nothing."""
    known = dict(known)
    for cell, value in zip(cells, row, strict=True):
        if cell == "_":
            continue
        if value is None and not cell.startswith("V"):
            return None
        if re.fullmatch(r"[XYV]\d+", cell):
            if known.setdefault(cell, value) != value:
                return None
        elif unquoted(cell) != str(value):
            return None
    return known


@pytest.mark.parametrize("seed", range(4000, 4040))
def test_clauses_give_the_classes(seed, tmp_path):
    problem = random_relational_problem(seed, most_examples=14)
    data = data_of(problem, tmp_path)
    model = ctree.RelationalTreeClassifier(
        **random_settings(seed, closing=False, aggregates=False) | {"method": "c4.4"}
    ).fit(data)
    clauses = model.to_text("prolog").split("\n")
    assert len(clauses) == model.tree_.n_leaves
    facts = Facts(problem)
    found = []
    for key in data.keys:
        for clause in clauses:
            label, body = re.fullmatch(r"class\(X0, (\w+)\) :- (.*)\.  % .*", clause).groups()
            if facts.holds([match.groups() for match in GOAL.finditer(body)], {"X0": key}):
                found.append(label)
                break
    assert np.array_equal(found, model.predict(data))


def test_quotes_and_shares():
    tables = {"Case": {"id": [1, 2, 3], "is": ["Yes", "no", "no"]}, "part": {"of": [1, 2], "kind": ["Don't", "b"]}}
    data = ctree.RelationalData(tables, target=("Case", "is"), keys={"Case": "id"}, foreign_keys={"part.of": "Case"})
    text = ctree.RelationalTreeClassifier().fit(data).to_text("prolog")
    assert text.split("\n") == [
        "class(X0, 'Yes') :- part(X0, 'Don\\'t'), !.  % 1/1",
        "class(X0, no) :- !.  % 2/2",
    ]
