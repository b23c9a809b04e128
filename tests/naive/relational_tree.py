"""Relational probability trees, learned the long way: every test of every node is tried on lists of all answers.

The yes branch of a test goes on with the answers of the query and the test, and with its variables; the no branch with
the answers as they were. Examples are counted, never rows.
"""

import copy
import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from naive.bayes_criteria import bic_threshold, chi_square, chi_square_cutoff, information, mdl_threshold, n_gain
from naive.candidate_tests import ALMOST
from naive.leaf_estimates import estimate
from naive.relational_data import RelationalData
from naive.relational_queries import Answers, Test, Variable
from naive.relational_tests import Language

METHODS = ("c4.4", "c4.5", "bic-stop", "mdl-stop", "bic-prune", "mdl-prune", "chi2")

# Figures that differ by less are equal: the sums behind them may have been made in another order.
TOLERANCE = 1e-9


@dataclass
class Node:
    """A leaf, unless it has a test; then `n_tests` is from how many the test was chosen, `figure` what it is worth."""

    counts: list[float]
    test: Test | None = None
    n_tests: int = 0
    figure: float = 0.0
    yes: "Node | None" = None
    no: "Node | None" = None

    @property
    def branches(self) -> list["Node"]:
        return [] if self.test is None else [self.yes, self.no]


class RelationalTree:
    """Learns a tree from `data` at once; `grown` is it before pruning, `root` the final one.

    Machines (Blockeel and De Raedt) are sent back if a worn part cannot be replaced, else repaired if any is worn:

    >>> schema = {
    ...     "target": {"table": "machine", "column": "action"},
    ...     "tables": {
    ...         "machine": {"key": "machine", "columns": {"machine": "key", "action": "class"}},
    ...         "worn": {"columns": {"machine": "key", "part": "key"}},
    ...         "part": {"key": "part", "columns": {"part": "key", "replaceable": "discrete"}},
    ...     },
    ...     "foreign_keys": [
    ...         {"table": "worn", "column": "machine", "references": "machine"},
    ...         {"table": "worn", "column": "part", "references": "part"},
    ...     ],
    ... }
    >>> actions = ["fix"] * 2 + ["ok"] + ["sendback"] * 2
    >>> columns = {
    ...     "machine": {"machine": [1, 2, 3, 4, 5], "action": actions},
    ...     "worn": {"machine": [1, 1, 2, 4, 4, 5], "part": ["gear", "belt", "gear", "engine", "gear", "engine"]},
    ...     "part": {"part": ["gear", "belt", "engine"], "replaceable": ["yes", "yes", "no"]},
    ... }
    >>> tree = RelationalTree(RelationalData(schema, columns))
    >>> for line in tree.to_lines():
    ...     print(line)
    exists X1 in worn(machine=X0): X1.part.replaceable = no
    yes: [fix 0, ok 0, sendback 2]
    no:  exists X1 in worn(machine=X0)
      yes: [fix 2, ok 0, sendback 0]
      no:  [fix 0, ok 1, sendback 0]

    Parameters
    ----------
    data
        Linked tables; only those of the target table's rows that `examples` numbers are learned from, if given.
    method
        One of METHODS.
    thresholds
        How many cuts of each continuous column are tried all over the tree; None: every threshold.
    min_cases
        What the examples of each branch have to weigh.
    max_depth
        How many tests there may be on the way to a leaf; None: any number.
    sample_weight
        What each of the examples weighs, 1 if not given. One of no weight is as good as absent.
    class_weight
        By what these weights are multiplied, for each class; 1 for one that is not named. "balanced": so that all
        classes that occur weigh the same.
    confidence, level
        Of the errors of "c4.5", and of "chi2".
    present_classes
        Degrees of freedom of chi-square from the classes present at the node, not from all.
    tests_of
        The examples whose linked rows have the values and cuts that are tried: those that are learned from, if not
        given.
    language
        lookahead, forward, max_variables, closing, links, constants, aggregates.
    """

    def __init__(
        self,
        data: RelationalData,
        method: str = "c4.4",
        *,
        examples: Sequence[int] | None = None,
        thresholds: int | None = None,
        min_cases: float = 1,
        max_depth: int | None = None,
        sample_weight: Sequence[float] | None = None,
        class_weight: Mapping[str, float] | str | None = None,
        confidence: float = 0.25,
        level: float = 0.1,
        present_classes: bool = False,
        tests_of: Sequence[int] | None = None,
        **language,
    ):
        if method not in METHODS:
            raise ValueError(f"no method {method!r}, only {', '.join(METHODS)}")
        self.data = data
        self.method = method
        self.min_cases = min_cases
        self.max_depth = math.inf if max_depth is None else max_depth
        self.level = level
        self.present_classes = present_classes
        examples = list(range(len(data.examples))) if examples is None else list(examples)
        self.weights = example_weights(data, examples, sample_weight, class_weight)
        self.n = math.fsum(self.weights.values())
        self.language = made_language(data, tests_of or list(self.weights), thresholds, language)
        self.grown = self.grow(self.language.root_query(), {example: [(example,)] for example in self.weights})
        self.root = copy.deepcopy(self.grown)
        if method == "c4.5":
            prune_by_errors(self.root, confidence)
        elif method.endswith("prune"):
            self.prune_by_length(self.root)

    def counts(self, examples) -> list[float]:
        """What the examples of each class weigh."""
        weights: list[list[float]] = [[] for _ in self.data.classes]
        for example in examples:
            weights[self.data.class_of(example)].append(self.weights[example])
        return [math.fsum(of_class) for of_class in weights]

    def grow(self, query: tuple[Variable, ...], answers: Answers, depth: int = 0) -> Node:
        """The tree for examples that all have answers of the query, below so many tests."""
        node = Node(self.counts(answers))
        if sum(n > 0 for n in node.counts) < 2 or depth >= self.max_depth:
            return node
        tests = self.dividing_tests(query, answers)
        best, figure = self.best_test(tests)
        if best is None or figure < self.threshold(node, len(tests)) - TOLERANCE:
            return node
        node.test, node.n_tests, node.figure = best, len(tests), figure
        with_test = best.answers(self.data, answers)
        without = {example: listed for example, listed in answers.items() if example not in with_test}
        node.yes = self.grow((*query, *(step.variable for step in best.steps)), with_test, depth + 1)
        node.no = self.grow(query, without, depth + 1)
        return node

    def dividing_tests(self, query, answers: Answers) -> list[tuple[Test, list[list[float]]]]:
        """The tests that leave enough examples in both branches, each with the class counts of these."""
        result = []
        for test, holds in self.language.candidates(query, answers):
            matrix = [self.counts(holds), self.counts(e for e in answers if e not in holds)]
            if all(sum(row) > 0 and math.fsum(row) >= self.min_cases * ALMOST for row in matrix):
                result.append((test, matrix))
        return result

    def best_test(self, tests) -> tuple[Test | None, float]:
        """The first test that no other exceeds, and its figure."""
        best, best_figure = None, -math.inf
        for test, matrix in tests:
            figure = chi_square(matrix) if self.method == "chi2" else n_gain(matrix)
            if figure > best_figure + TOLERANCE:
                best, best_figure = test, figure
        return best, best_figure

    def threshold(self, node: Node, n_tests: int) -> float:
        """What the best of so many tests has to reach at a node."""
        n_classes = len(self.data.classes)
        if self.method == "bic-stop":
            return bic_threshold(self.n, n_classes)
        if self.method == "mdl-stop":
            return mdl_threshold(self.n, n_classes, n_tests)
        if self.method == "chi2":
            present = sum(n > 0 for n in node.counts)
            return chi_square_cutoff(n_tests, present if self.present_classes else n_classes, level=self.level)
        return 0.0

    def prune_by_length(self, node: Node) -> None:
        """Make leaves of the tests that cost more bits than they save, the lowest first."""
        for branch in node.branches:
            self.prune_by_length(branch)
        if node.test is not None and information(node.counts) - remaining(node) < self.length(node) - TOLERANCE:
            make_leaf(node)

    def length(self, node: Node) -> float:
        """Bits that the tests of a tree cost."""
        if node.test is None:
            return 0.0
        n_classes = len(self.data.classes)
        if self.method == "mdl-prune":
            here = mdl_threshold(self.n, n_classes, node.n_tests)
        else:
            here = bic_threshold(self.n, n_classes)
        return here + sum(self.length(branch) for branch in node.branches)

    def paths(self, data: RelationalData | None = None) -> list[list[Node]]:
        """The nodes that each example of the data passes, from the root to its leaf; the data may be others."""
        data = self.data if data is None else data
        result: list[list[Node]] = [[] for _ in data.examples]

        def descend(node: Node, answers: Answers) -> None:
            for example in answers:
                result[example].append(node)
            if node.test is not None:
                with_test = node.test.answers(data, answers)
                descend(node.yes, with_test)
                descend(node.no, {e: listed for e, listed in answers.items() if e not in with_test})

        descend(self.root, {example: [(example,)] for example in range(len(data.examples))})
        return result

    def probabilities(self, data: RelationalData | None = None, leaves: str = "laplace", **how) -> list[list[float]]:
        """Of each class, for each example of the data."""
        return [estimate([node.counts for node in path], leaves, **how) for path in self.paths(data)]

    def to_canonical(self) -> dict:
        return canonical(self.root)

    def to_lines(self) -> list[str]:
        """The lines of the canonical text."""
        return lines(self.root, self.data.classes)


def example_weights(data: RelationalData, examples, sample_weight, class_weight) -> dict[int, float]:
    """What each example weighs, of those that weigh something."""
    weights = [1] * len(examples) if sample_weight is None else sample_weight
    labels = [data.examples[example][data.class_column] for example in examples]
    if class_weight == "balanced":
        class_weight = balanced(labels, weights)
    factors = [(class_weight or {}).get(label, 1) for label in labels]
    weighed = zip(examples, weights, factors, strict=True)
    return {example: weight * factor for example, weight, factor in weighed if weight * factor > 0}


def balanced(labels: Sequence[str], weights: Sequence[float]) -> dict[str, float]:
    """Factors by which the classes weigh the same, and all of them as much as before.

    >>> balanced(["a", "b", "b", "b"], [1, 1, 1, 1]) == {"a": 2.0, "b": 2 / 3}
    True
    """
    sums = {label: math.fsum(w for each, w in zip(labels, weights, strict=True) if each == label) for label in labels}
    present = {label: weight for label, weight in sums.items() if weight > 0}
    return {label: math.fsum(weights) / (len(present) * weight) for label, weight in present.items()}


def made_language(data: RelationalData, examples, thresholds: int | None, settings: Mapping) -> Language:
    """The language with the values and cuts that are fixed before the root."""
    closure = data.closure(examples)
    of_kind: dict[str, list[tuple[str, str]]] = {"discrete": [], "continuous": []}
    for table in data.tables.values():
        for column, kind in table.columns.items():
            of_kind.setdefault(kind, []).append((table.name, column))
    values = {place: data.values(closure, *place) for place in of_kind["discrete"]}
    cuts = None
    if thresholds is not None:
        cuts = {place: data.cuts(closure, *place, thresholds) for place in of_kind["continuous"]}
    return Language(data, values, cuts, **settings)


def remaining(node: Node) -> float:
    """Bits that the classes take in the leaves."""
    return sum(remaining(branch) for branch in node.branches) if node.branches else information(node.counts)


def make_leaf(node: Node) -> None:
    node.test, node.yes, node.no = None, None, None


def prune_by_errors(node: Node, confidence: float) -> float:
    """Make leaves of tests that are not expected to err less; the errors expected of what is left.

    No branch takes the place of its parent, as in C4.5: those of the yes branch need the variables of the test.
    """
    n = math.fsum(node.counts)
    wrong = n - max(node.counts)
    as_leaf = wrong + added_errors(n, wrong, confidence)
    if node.test is None:
        return as_leaf
    as_tree = sum(prune_by_errors(branch, confidence) for branch in node.branches)
    if as_leaf <= as_tree + 0.1:
        make_leaf(node)
        return as_leaf
    return as_tree


# The deviations of the normal distribution between which the confidence level is interpolated.
DEVIATIONS = (0.0, 4.0), (0.001, 3.09), (0.005, 2.58), (0.01, 2.33), (0.05, 1.65), (0.1, 1.28), (0.2, 0.84), (0.4, 0.25)


def deviation(confidence: float) -> float:
    """One-sided normal deviation of a confidence level, interpolated in C4.5's short table.

    >>> deviation(0.25), deviation(1.0)
    (0.6925, 0.0)
    """
    below = max(level for level in DEVIATIONS if level[0] <= confidence)
    above = min((level for level in DEVIATIONS if level[0] > confidence), default=(1.0, 0.0))
    if confidence >= 1.0:
        return 0.0
    return below[1] + (above[1] - below[1]) * (confidence - below[0]) / (above[0] - below[0])


def added_errors(n: float, wrong: float, confidence: float) -> float:
    """C4.5's errors to add to those seen among n cases, in double precision.

    >>> [round(e + added_errors(n, e, 0.25), 4) for n, e in [(6, 0), (16, 1), (14, 5), (4, 0.5)]]
    [1.2378, 2.5069, 6.795, 1.6805]
    """
    none = n * (1 - math.exp(math.log(confidence) / n))
    if wrong < 1e-6:
        return none
    if wrong < 0.9999:
        return none + wrong * (added_errors(n, 1, confidence) - none)
    if wrong + 0.5 >= n:
        return 0.67 * (n - wrong)
    k = deviation(confidence) ** 2
    root = math.sqrt(k * ((wrong + 0.5) * (1 - (wrong + 0.5) / n) + k / 4))
    return n * (wrong + 0.5 + k / 2 + root) / (n + k) - wrong


def canonical(node: Node) -> dict:
    """The canonical JSON of a tree."""
    counts = [whole(n) for n in node.counts]
    if node.test is None:
        return {"counts": counts}
    return {
        "new": [step.to_json() for step in node.test.steps],
        "condition": node.test.condition and node.test.condition.to_json(),
        "counts": counts,
        "n_tests": node.n_tests,
        "figure": round(node.figure, 6),
        "yes": canonical(node.yes),
        "no": canonical(node.no),
    }


def whole(n: float) -> float:
    """Without a fraction if there is none."""
    return int(n) if n == int(n) else n


def lines(node: Node, classes: Sequence[str]) -> list[str]:
    """The canonical text of a tree: the branches of the root stand at the margin, all others two spaces deeper."""
    if node.test is None:
        return ["[" + ", ".join(f"{cls} {whole(n)}" for cls, n in zip(classes, node.counts, strict=True)) + "]"]
    result = [str(node.test)]
    for label, branch in (("yes: ", node.yes), ("no:  ", node.no)):
        first, *others = lines(branch, classes)
        result += [label + first, *("  " + line for line in others)]
    return result


def n_leaves(node: Node) -> int:
    return sum(n_leaves(branch) for branch in node.branches) if node.branches else 1
