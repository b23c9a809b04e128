"""Relational trees of any schema that hypothesis draws: those of the learner that lists all answers."""

import json

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st
from naive.relational_check import difference
from naive.relational_data import RelationalData
from naive.relational_tests import AGGREGATES
from naive.relational_tree import METHODS, RelationalTree
from support.linked_tables import Problem, problems

import ctree


def plain_schema(problem: Problem) -> dict:
    """What schema.json would say of the tables."""
    tables = {}
    for name, columns in problem.tables.items():
        kinds = {}
        for column in columns:
            is_key = column == problem.keys.get(name) or (name, column) in problem.foreign_keys
            kinds[column] = "key" if is_key else problem.kinds.get(f"{name}.{column}", "class")
        tables[name] = {"key": problem.keys.get(name), "columns": kinds}
        if name in problem.symmetric:
            tables[name]["symmetric"] = list(problem.symmetric[name])
    foreign_keys = [{"table": t, "column": c, "references": other} for (t, c), other in problem.foreign_keys.items()]
    target = {"table": problem.target[0], "column": problem.target[1]}
    return {"target": target, "tables": tables, "foreign_keys": foreign_keys}


def plain_columns(problem: Problem, schema: dict) -> dict:
    """The tables with keys, values and classes as text."""

    def cell(value, kind):
        return value if value is None or kind == "continuous" else str(value)

    return {
        name: {
            column: [cell(v, schema["tables"][name]["columns"][column]) for v in cells] for column, cells in t.items()
        }
        for name, t in problem.tables.items()
    }


PARAMETERS = st.fixed_dictionaries(
    {
        "method": st.sampled_from(["c4.4", *METHODS]),
        "lookahead": st.integers(0, 1),
        "forward": st.integers(0, 2),
        "max_variables": st.integers(1, 3),
        "thresholds": st.sampled_from([None, 1, 3]),
        "closing": st.booleans(),
        "aggregates": st.lists(st.sampled_from(AGGREGATES), unique=True, max_size=3).map(tuple),
    }
)


@given(problem=problems(), parameters=PARAMETERS)
@settings(max_examples=80, deadline=None)
def test_any_schema(problem, parameters):
    data = problem.data()
    model = ctree.RelationalTreeClassifier(**parameters).fit(data)
    schema = plain_schema(problem)
    naive = RelationalTree(RelationalData(schema, plain_columns(problem, schema)), **parameters)
    ours, theirs = (json.loads(json.dumps(tree.to_canonical())) for tree in (model.tree_, naive))
    assert difference(theirs, ours) is None
    assert np.abs(model.predict_proba(data) - naive.probabilities()).max() <= 1e-12
