"""The printed tree read as a person reads it: its leaves from the top, each with the conditions that lead to it."""

import re

LINE = re.compile(
    r"^((?:\|   )*)(.+?) (<=|>|=|in) (.+?)(?: )?:(?: (.+) \(([\d.]+)(?:/[\d.]+)?\)(?: \[leaf (\d+)\])?)?$"
)


def printed_leaves(text):
    """Of each leaf its conditions, (attribute, sign, value), its class, its cases, and its number if it is printed."""
    path, result = [], []
    for line in text.split("\n"):
        margin, attribute, sign, value, label, cases, number = LINE.match(line).groups()
        del path[len(margin) // 4 :]
        path.append((attribute, sign, value))
        if label is not None:
            result.append((tuple(path), label, float(cases), None if number is None else int(number)))
    return result


def meets(conditions, case):
    """Whether a case, a dict of values, meets all conditions."""
    return all(_meets(case[attribute], sign, value) for attribute, sign, value in conditions)


def _meets(have, sign, value):
    if sign == "=":
        return have == value
    if sign == "in":
        return have in value.strip("{}").split(",")
    return (have <= float(value)) == (sign == "<=")


def shown_nodes(tree, node=0):
    """The nodes as they stand in the printed tree: of the branches of a node the leaves first."""
    branches = list(tree.branches(node))
    leaves = [branch for branch in branches if not tree.branches(branch)]
    inner = [branch for branch in branches if tree.branches(branch)]
    return [node, *leaves, *(below for branch in inner for below in shown_nodes(tree, branch))]
