"""What of linked tables the tests of a relational tree ask for."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ctree.data.relational.data import RelationalData

if TYPE_CHECKING:
    from ctree.tree.relational_tree import RelationalTree


def needed_by(tree: RelationalTree) -> tuple[str, ...]:
    """The names of tables, columns and foreign keys, ``"atom"`` and ``"atom.type"``."""
    keys = tree.schema.foreign_keys
    names = tree.schema.column_names
    found: dict[str, None] = {tree.schema.target: None}
    for test in tree.tests:
        if test is None:
            continue
        links = [link for step in test.steps for link in (*step.path, step.link)]
        condition = test.condition
        if condition is not None:
            links += [*condition.path, *condition.other_path]
            aggregate = tree.aggregate(condition)
            column = condition.column if aggregate is None else aggregate.column
            if aggregate is not None:
                links += [aggregate.link, *aggregate.path]
            if column >= 0 and condition.op != "is":
                found[names[column]] = None
        for link in links:
            found |= {keys[link].table: None, keys[link].references: None, keys[link].name: None}
    return tuple(found)


def unseen_by(tree: RelationalTree, data: RelationalData) -> dict[str, str]:
    """Of columns that tests compare the first value that the tree does not know; see `RelationalTree.unseen_values`."""
    found = {}
    needed = frozenset(tree.needed)
    for name, values in data.closure_values().items():
        known = frozenset(tree.values.get(name, values))
        strange = [value for value in values if value not in known]
        if strange and name in needed:
            found[name] = strange[0]
    return found
