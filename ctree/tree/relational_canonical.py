"""Relational trees as plain data, in a form that is the same for all programs that learn them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ctree.tree.relational_aggregates import plain_aggregate
from ctree.tree.relational_arrays import Comparison

if TYPE_CHECKING:
    from ctree.tree.relational_tree import RelationalTree


def canonical_tree(tree: RelationalTree) -> dict[str, Any]:
    """The tree as plain data, in a form that is the same for all programs that learn such trees."""
    first, links = tree.arrays.first_branch.tolist(), tree.variable_links
    nodes: list[dict[str, Any]] = [{"counts": [whole(n) for n in row]} for row in tree.counts.tolist()]
    for node, test in enumerate(tree.tests):
        if test is None:
            continue
        n_known = 1 + len(links[node])
        new = [
            {
                "variable": f"X{n_known + place}",
                "table": tree.schema.foreign_keys[step.link].table,
                "by": tree.schema.foreign_keys[step.link].column,
                "of": tree.term_text(step.variable, step.path),
            }
            for place, step in enumerate(test.steps)
        ]
        counts = nodes[node].pop("counts")
        nodes[node] |= {
            "new": new,
            "condition": None if test.condition is None else _plain_condition(tree, test.condition),
            "counts": counts,
            "n_tests": int(tree.arrays.n_tests[node]),
            "figure": round(float(tree.arrays.figure[node]), 6),
            "yes": nodes[first[node]],
            "no": nodes[first[node] + 1],
        }
    return nodes[0]


def _plain_condition(tree: RelationalTree, condition: Comparison) -> dict[str, Any]:
    term = tree.term_text(condition.variable, condition.path)
    if condition.op == "is":
        other = tree.term_text(condition.other_variable, condition.other_path)
        return {"term": term, "column": None, "op": "is", "value": other}
    aggregate = tree.aggregate(condition)
    if aggregate is None:
        what: dict[str, Any] = {"column": tree.column_name(condition.column)[1]}
    else:
        what = plain_aggregate(aggregate, tree.schema, tree.values)
    return {"term": term, **what, "op": condition.op, "value": tree.constant(condition)}


def whole(number: float) -> float | int:
    """Without a fraction if there is none."""
    return int(number) if number.is_integer() else number
