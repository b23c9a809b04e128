"""Graphs in the language of Graphviz, read by a parser of its own."""

from __future__ import annotations

import re

STRING = r'"((?:[^"\\]|\\.)*)"'


def parsed(text):
    """The nodes with their attributes, and the edges with theirs; every line has to be understood."""
    lines = text.split("\n")
    assert lines[0] == "digraph tree {"
    assert lines[-1] == "}"
    nodes, edges = {}, {}
    for line in lines[1:-1]:
        found = re.fullmatch(
            rf"  (?:n(\d+)(?: -> n(\d+))?|graph|node|edge) \[(\w+={STRING}(?:, \w+={STRING})*)\];", line
        )
        assert found, line
        attributes = {name: unquoted(value) for name, value in re.findall(rf"(\w+)={STRING}", found.group(3))}
        if found.group(2):
            edges[int(found.group(1)), int(found.group(2))] = attributes
        elif found.group(1):
            nodes[int(found.group(1))] = attributes
    return nodes, edges


def unquoted(value):
    """What Graphviz makes of a label: rows, with backslashes and quotes as they were."""
    return re.sub(r"\\(.)", lambda found: "\n" if found.group(1) == "n" else found.group(1), value)
