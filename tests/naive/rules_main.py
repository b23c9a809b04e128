"""The whole of a run of c4.5rules of release 8, for files without mistakes, on the tree that c4.5 would have left."""

import argparse
import sys
from collections.abc import Sequence
from pathlib import Path

from naive.release8_grow import Node, grow
from naive.release8_main import columns_of, read_cases, read_names, text_of
from naive.release8_numbers import f
from naive.release8_text import Names
from naive.rules_evaluate import evaluate, evaluate_and_drop
from naive.rules_extract import Rule, Table, extract
from naive.rules_select import arrange, select, set_bits
from naive.rules_text import evaluations_text, rules_text

TITLE = "C4.5 [release 8] rule generator"


def ruleset(
    tree: Node,
    table: Table,
    *,
    confidence: float = 25,
    redundancy: float = 1.0,
    fisher: float | None = None,
) -> tuple[list[Rule], int]:
    """The rules from an unpruned tree in the order in which they are tried, before any is dropped, and the default."""
    level = None if fisher is None else f(fisher / 100)
    rules = extract(tree, table, f(confidence / 100), level)
    set_bits(rules, table, redundancy)
    return arrange(select(rules, table), table)


def table_of(cases: Sequence[Sequence], classes: Sequence[int], names: Names) -> Table:
    n_values = [len(values) for values in names.values]
    return Table(columns_of(cases, names), n_values, classes, len(names.classes))


def report(tree: Node, names: Names, train: Table, read_test=None, **options: float | None) -> str:
    """What is printed from the tree on; the test cases are read last, if there is a function that does."""
    rules, default = ruleset(tree, train, **options)
    text = f"\n{'-' * 18}\nProcessing tree 0\n\nFinal rules from tree 0:\n" + rules_text(rules, default, names)
    rules, evaluations = evaluate_and_drop(rules, default, train)
    text += evaluations_text(evaluations, names, "training")
    if read_test is not None:
        text += evaluations_text([evaluate(rules, default, read_test())], names, "test")
    return text


def main(argv: Sequence[str]) -> str:
    """The output of `c4.5rules` with options -f, -u, -c, -r, -F; there is no tree file, it is grown anew."""
    parser = argparse.ArgumentParser()
    parser.add_argument("-f", dest="stem", default="DF")
    parser.add_argument("-u", dest="unseen", action="store_true")
    parser.add_argument("-c", dest="confidence", type=float, default=25)
    parser.add_argument("-r", dest="redundancy", type=float, default=1.0)
    parser.add_argument("-F", dest="fisher", type=float)
    given = parser.parse_args(argv)

    path = Path(given.stem)
    names = read_names(text_of(path, "names"))
    cases, classes = read_cases(text_of(path, "data"), names)
    text = f"\n{TITLE}\n{'-' * len(TITLE)}\n\n    Options:\n\tFile stem <{path.name}>\n"
    if given.unseen:
        text += "\tRulesets evaluated on unseen cases\n"
    text += f"\nRead {len(cases)} cases ({len(names.attributes)} attributes) from {path.name}\n"

    train = table_of(cases, classes, names)
    tree = grow(columns_of(cases, names), train.n_values, classes, len(names.classes))
    read_test = (lambda: table_of(*read_cases(text_of(path, "test"), names), names)) if given.unseen else None
    options = {"confidence": given.confidence, "redundancy": given.redundancy, "fisher": given.fisher}
    return text + report(tree, names, train, read_test, **options)


if __name__ == "__main__":
    print(main(sys.argv[1:]), end="")
