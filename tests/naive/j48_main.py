"""The whole of a run of Weka's J48, for C4.5's files without mistakes."""

import sys
from collections.abc import Sequence
from pathlib import Path

import numpy as np

from naive.j48_grow import Data, Grower, Node, make_share
from naive.j48_prune import Pruner, collapse, prune_by_fold, stratified
from naive.j48_text import tree_text
from naive.release8_main import read_names, text_of, tokens
from naive.release8_text import Names

# For each option of Weka its name here, and its value; or the type of the value that follows.
OPTIONS = {
    "-U": ("unpruned", True),
    "-O": ("collapsing", False),
    "-S": ("raising", False),
    "-B": ("binary", True),
    "-R": ("reduced_error", True),
    "-A": ("laplace", True),
    "-J": ("mdl_correction", False),
    "-doNotMakeSplitPointActualValue": ("actual_cut", False),
    "-C": ("confidence", float),
    "-M": ("min_cases", int),
    "-N": ("n_folds", int),
    "-Q": ("seed", int),
}


def learn(
    data: Data,
    weights: Sequence[float] | None = None,
    *,
    confidence: float = 0.25,
    min_cases: float = 2,
    unpruned: bool = False,
    collapsing: bool = True,
    raising: bool = True,
    binary: bool = False,
    reduced_error: bool = False,
    n_folds: int = 3,
    mdl_correction: bool = True,
    actual_cut: bool = True,
    grower: type[Grower] = Grower,
) -> Node:
    """The tree for some data.

    Parameters
    ----------
    data
        The cases; those without a class are not learned from.
    weights
        Of each case; 1 if not given.
    confidence
        The less, the more is pruned.
    min_cases
        Two branches of each test need this many cases.
    unpruned, raising
        Whether to leave out pruning; and when pruning, whether a branch may take the place of its parent.
    collapsing
        Whether to remove the tests that save no error on the cases themselves.
    binary
        Test a discrete attribute for one value against the others.
    reduced_error, n_folds
        Prune by the errors on one of so many folds, and grow from the others.
    mdl_correction
        Whether a test of a continuous attribute pays for the choice among many cuts.
    actual_cut
        Whether a threshold is always a value that occurs in the data.
    grower
        What grows the tree.
    """
    weights = np.ones(len(data.classes)) if weights is None else np.asarray(weights, dtype=float)
    cases = np.flatnonzero(data.classes >= 0)
    growing = grower(data, min_cases=min_cases, binary=binary, mdl_correction=mdl_correction, actual_cut=actual_cut)
    if reduced_error:
        folds = [cases[numbers] for numbers in stratified(data.classes[cases].tolist(), n_folds)]
        # Weka shuffles the growing cases by the seed, of which no tree should take notice.
        rest, pruning = np.concatenate(folds[:-1]), folds[-1]
        tree = growing.node(make_share(data, rest, weights[rest]))
        prune_by_fold(tree, data, make_share(data, pruning, weights[pruning]))
        return tree
    tree = growing.node(make_share(data, cases, weights[cases]))
    if collapsing:
        collapse(tree)
    if not unpruned:
        Pruner(data, confidence, raising).prune(tree)
    return tree


def read_data(text: str, names: Names) -> Data:
    """The cases of a .data or .test file. Attributes that are ignored are dropped, from the names as well."""
    words = [word for word, _ in tokens(text)]
    n = len(names.attributes)
    kept = [attribute for attribute in range(n) if attribute not in names.ignored]
    columns = []
    for attribute in kept:
        column = words[attribute :: n + 1]
        if names.values[attribute] is None:  # `discrete N`: the values are those met
            names.values[attribute] = list(dict.fromkeys(word for word in column if word != "?"))
        values = names.values[attribute]
        number_of = values.index if values else float
        columns.append(np.array([np.nan if word == "?" else number_of(word) for word in column]))
    classes = [-1 if word == "?" else names.classes.index(word) for word in words[n :: n + 1]]
    names.attributes = [names.attributes[attribute] for attribute in kept]
    names.values = [names.values[attribute] for attribute in kept]
    names.ignored = set()
    return Data(columns, [len(values) for values in names.values], np.array(classes), len(names.classes))


def read_options(arguments: Sequence[str]) -> dict:
    """The options of `learn` for those of Weka; together with 'laplace' and 'seed', which are not for learning.

    >>> read_options(["-M", "5", "-B"])
    {'min_cases': 5, 'binary': True}
    """
    options = {}
    rest = iter(arguments)
    for argument in rest:
        name, value = OPTIONS[argument]
        options[name] = value if not isinstance(value, type) else value(next(rest))
    if "unpruned" in options and {"raising", "reduced_error", "confidence"} & set(options):
        raise ValueError("-U leaves out pruning, so it cannot be given with -S, -R or -C")
    if "reduced_error" in options and "confidence" in options:
        raise ValueError("-R prunes without a confidence, so it cannot be given with -C")
    if "n_folds" in options and "reduced_error" not in options:
        raise ValueError("-N is the number of folds for -R, which is not given")
    if not 0 < options.get("confidence", 0.25) < 1:
        raise ValueError("the confidence must be between 0 and 1")
    return options


def main(stem: str, arguments: Sequence[str] = ()) -> str:
    """The tree of J48 for `stem.names` and `stem.data`, as Weka prints it."""
    options = read_options(arguments)
    path = Path(stem)
    names = read_names(text_of(path, "names"))
    data = read_data(text_of(path, "data"), names)
    tree = learn(data, **{name: value for name, value in options.items() if name not in ("laplace", "seed")})
    return tree_text(tree, names, pruned="unpruned" not in options, binary="binary" in options)


if __name__ == "__main__":
    print(main(sys.argv[1], sys.argv[2:]), end="")
