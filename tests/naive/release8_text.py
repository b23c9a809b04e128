"""The output of C4.5 release 8: trees and the tables of their errors."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

from naive.release8_classify import predict
from naive.release8_grow import Node
from naive.release8_numbers import f

WIDTH = 80
GROUP_WIDTH = 70
MAX_SUBTREES = 99
MAX_CONFUSION_CLASSES = 21


@dataclass
class Names:
    """What a .names file declares; an attribute without values is continuous."""

    classes: list[str]
    attributes: list[str] = field(default_factory=list)
    values: list[list[str]] = field(default_factory=list)
    ignored: set[int] = field(default_factory=set)


def tree_text(node: Node, names: Names) -> str:
    """A tree as release 8 prints it, followed by the subtrees too wide for their place."""
    printer = TreePrinter(names)
    text = printer.lines(node, 0) if node.kind != "leaf" else leaf_text(node, names)
    number = 0
    while number < len(printer.subtrees):
        text += f"\n\n\nSubtree [S{number + 1}]\n" + printer.lines(printer.subtrees[number], 0)
        number += 1
    return text + "\n"


class TreePrinter:
    def __init__(self, names: Names):
        self.names = names
        self.subtrees: list[Node] = []

    def lines(self, node: Node, depth: int) -> str:
        """The lines of a test and all below it, each begun by a newline; leaves come before subtrees."""
        branches = list(enumerate(node.branches))
        ordered = [b for b in branches if b[1].kind == "leaf"] + [b for b in branches if b[1].kind != "leaf"]
        text = ""
        for number, branch in ordered:
            if node.kind == "groups" and not node.groups[number]:
                continue
            text += "\n" + "|   " * depth + self.outcome(node, number, depth)
            if branch.kind == "leaf":
                text += leaf_text(branch, self.names)
            elif self.is_too_wide(branch, depth + 1):
                text += self.deferred(branch)
            else:
                text += self.lines(branch, depth + 1)
        return text

    def outcome(self, node: Node, number: int, depth: int) -> str:
        """The test of a node with the outcome of one of its branches."""
        name = self.names.attributes[node.attribute]
        values = self.names.values[node.attribute]
        if node.kind == "threshold":
            return f"{name} {('<=', '>')[number]} {node.threshold:g} :"
        group = [number] if node.kind == "values" else node.groups[number]
        if len(group) == 1:
            return f"{name} = {values[group[0]]}:"
        return wrapped(f"{name} in {{", [values[value] for value in group], depth) + ":"

    def is_too_wide(self, node: Node, depth: int) -> bool:
        """Would a line of this test pass the right margin?"""
        values = self.names.values[node.attribute]
        widest = 0
        for number, branch in enumerate(node.branches):
            width = (4 if node.kind == "threshold" else len(values[number])) + 1
            if branch.kind == "leaf":
                width += len(self.names.classes[branch.cls]) + 6
            widest = max(widest, width)
        return depth * 4 + len(self.names.attributes[node.attribute]) + 4 + widest > WIDTH

    def deferred(self, node: Node) -> str:
        """The mark of a subtree to be printed later; those after the 99th never are."""
        if len(self.subtrees) == MAX_SUBTREES:
            return "[S??]"
        self.subtrees.append(node)
        return f"[S{len(self.subtrees)}]"


def wrapped(start: str, values: Sequence[str], depth: int) -> str:
    """A group of values in braces, on as many lines as it takes; indentation does not count in their width."""
    lines = [start]
    for number, value in enumerate(values):
        value += "}" if number + 1 == len(values) else ","
        if len(lines[-1]) + len(value) > GROUP_WIDTH:
            lines.append(" " * len(start))
        lines[-1] += value
    return ("\n" + "|   " * depth).join(lines)


def leaf_text(leaf: Node, names: Names) -> str:
    errors = f"/{leaf.errors:.1f}" if leaf.errors > 0 else ""
    return f" {names.classes[leaf.cls]} ({leaf.cases:.1f}{errors})"


def size(node: Node) -> int:
    """Number of nodes, empty leaves included."""
    return 1 + sum(size(branch) for branch in node.branches)


def trial_text(number: int, cycles: Sequence) -> str:
    """The heading of a trial of windowing, and a row for each of its cycles."""
    text = f"\n--------\nTrial {number}\n--------\n\n"
    text += "Cycle   Tree    -----Cases----    -----------------Errors-----------------\n"
    text += "        size    window   other    window  rate   other  rate   total  rate\n"
    text += "-----   ----    ------  ------    ------  ----  ------  ----  ------  ----\n"
    for k, cycle in enumerate(cycles, 1):
        total = cycle.window_errors + cycle.exceptions
        text += (
            f"{k:3d}  {cycle.tree_size:7d}  {cycle.window:8d}  {cycle.others:6d}"
            f"  {cycle.window_errors:8d}{f(100 * cycle.window_errors / cycle.window):5.1f}%"
            f"  {cycle.exceptions:6d}{f(100 * cycle.exceptions / (cycle.others + 0.001)):5.1f}%"
            f"  {total:6d}{f(100 * total / (cycle.window + cycle.others)):5.1f}%\n"
        )
    return text


def evaluation_text(
    grown: Sequence[Node],
    pruned: Sequence[Node],
    cases: Iterable[Sequence],
    classes: Sequence[int],
    names: Names,
    best: int,
) -> str:
    """The table of errors, a row for each pair of trees; the `best` one is marked."""
    cases = list(cases)
    n = len(cases)
    trials = len(grown) > 1
    text = "\n"
    text += ("Trial" if trials else "") + "\t Before Pruning           After Pruning\n"
    text += ("-----" if trials else "") + "\t----------------   ---------------------------\n"
    text += "\tSize      Errors   Size      Errors   Estimate\n\n"
    for trial, (before, after) in enumerate(zip(grown, pruned, strict=True)):
        columns = []
        for tree in (before, after):
            wrong = sum(
                predict(tree, case, len(names.classes)) != cls for case, cls in zip(cases, classes, strict=True)
            )
            columns.append(f"{size(tree):4d}  {wrong:3d}({100 * wrong / n:4.1f}%)")
        number = f"{trial:4d}" if trials else ""
        mark = "   <<" if trial == best else ""
        text += f"{number}\t{columns[0]}   {columns[1]}    ({100 * after.errors / after.cases:4.1f}%){mark}\n"
    return text


def confusion_text(tree: Node, cases: Iterable[Sequence], classes: Sequence[int], names: Names) -> str:
    """How the cases of each class are classified."""
    n_classes = len(names.classes)
    if n_classes > MAX_CONFUSION_CLASSES:
        return ""
    table = [[0] * n_classes for _ in range(n_classes)]
    for case, cls in zip(cases, classes, strict=True):
        table[cls][predict(tree, case, n_classes)] += 1
    letters = [chr(ord("a") + cls) for cls in range(n_classes)]
    text = "\n\n\t" + "".join(f"  ({letter})" for letter in letters) + "\t<-classified as\n"
    text += "\t" + " ----" * n_classes + "\n"
    for row, letter, name in zip(table, letters, names.classes, strict=True):
        text += "\t" + "".join(f"{n:5d}" if n else "     " for n in row) + f"\t({letter}): class {name}\n"
    return text + "\n"
