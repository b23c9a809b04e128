"""Cases that get their classes from several trees in turn, one row and one leaf at a time."""

from __future__ import annotations


def leaf_path(attributes, depth, row):
    """The branches that a row takes in a complete tree, whose nodes are listed level by level."""
    node, path = 0, []
    for _ in range(depth):
        side = int(row[attributes[node]])
        path.append(side)
        node = 2 * node + 1 + side
    return tuple(path)


def classes_in_turn(paths, coin):
    """The class of each row; `paths` has, by tree, the path of each row. `coin` is asked where either class will do.

    The first leaf from the left is taken of those with as many rows.
    """
    n = len(paths[0])
    classes = [None] * n
    turn = 0
    while None in classes:
        of_tree = paths[turn % len(paths)]
        waiting = {}
        for i in range(n):
            if classes[i] is None:
                waiting.setdefault(of_tree[i], []).append(i)
        leaf = max(sorted(waiting), key=lambda path: len(waiting[path]))
        sibling = (*leaf[:-1], 1 - leaf[-1])
        beside = [classes[i] for i in range(n) if of_tree[i] == sibling and classes[i] is not None]
        ones = beside.count(1)
        chosen = coin() if 2 * ones == len(beside) else (0 if 2 * ones > len(beside) else 1)
        for i in waiting[leaf]:
            classes[i] = chosen
        turn += 1
    return classes
