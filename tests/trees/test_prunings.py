"""The nested prunings of a tree: the oracle's, and their errors are those of cases led down one after the other."""

from __future__ import annotations

import numpy as np
import pytest
from naive import cost_complexity as naive
from support.problems import random_problem

import ctree
from ctree import Dataset, Kind
from ctree.tree.prunings import errors_on, prunings_of

LEARNERS = {
    "release 8": ctree.C45Classifier(prune=False),
    "release 8, groups": ctree.C45Classifier(group_values=True, estimate="m"),
    "J48": ctree.C45Classifier(variant="j48", prune=False),
    "J48, other leaves": ctree.C45Classifier(variant="j48", estimate="laplace", prune=False),
    "C4.4": ctree.ProbabilityTreeClassifier(),
    "Bayesian": ctree.BayesianTreeClassifier(),
    "Bayesian, imputed": ctree.BayesianTreeClassifier(unknown="impute", bins=3),
    "least errors": ctree.OptimalTreeClassifier(max_depth=3),
}


def problem(seed, n=300, unknown=0.15):
    return random_problem(seed, n, 3, [0, 3, 0, 4, None, 2], unknown=unknown, noise=0.15).dataset()


def branch_of(tree, node, data, case):
    """The branch that a case takes, None if it does not tell."""
    a = int(tree.attribute[node])
    value = data.columns[a][case]
    if data.schema[a].kind is Kind.CONTINUOUS:
        if np.isnan(value):
            return None
        number = float(np.float32(value)) if tree.float32 else float(value)
        return tree.branches(node)[0 if number <= tree.threshold[node] else 1]
    found = [branch for branch, group in zip(tree.branches(node), tree.groups(node), strict=True) if value in group]
    return found[0] if found else None


def shares(tree, data, case, ends, node=0, share=1.0):
    """The leaves of a case in a pruned tree, from left to right, with its shares."""
    if node in ends or not tree.branches(node):
        return [(node, share)]
    branch = branch_of(tree, node, data, case)
    if branch is not None:
        return shares(tree, data, case, ends, branch, share)
    below = [b for b in tree.branches(node) if tree.cases[b] > 0]
    parts = [shares(tree, data, case, ends, b, share * tree.cases[b] / tree.cases[node]) for b in below]
    return [leaf for part in parts for leaf in part]


def naive_class(tree, interface, leaves):
    votes = tree.probabilities if interface.votes is None else interface.votes
    sums = np.zeros(votes.shape[1])
    for node, share in leaves:
        sums += share * votes[node]
    sums /= sum(sums.tolist())
    best = 0
    for c in range(1, len(sums)):
        if sums[c] - sums[best] > interface.tie_tolerance:
            best = c
    return best


@pytest.mark.parametrize("name", LEARNERS)
@pytest.mark.parametrize("weighted", [False, True])
def test_errors_are_those_of_cases_led_down_the_pruned_trees(name, weighted):
    model = LEARNERS[name].fit(problem(1))
    tree, interface = model.tree_, model._interface()
    nested = prunings_of(tree, interface)
    test = problem(2, n=60, unknown=0.3)
    if weighted:
        test = test.with_weights(np.linspace(0.25, 2, len(test)))
    cases = model._tree_cases(test)
    cases = Dataset(cases.schema, cases.columns, test.classes, test.weights, n_cases=len(test))
    errors = errors_on(nested, tree, interface, cases)
    assert nested.number > 3
    weights = np.ones(len(test)) if test.weights is None else test.weights
    for stop in {0, 1, 2, nested.number // 2, nested.number - 2, nested.number - 1}:
        ends = set(np.flatnonzero(nested.first <= stop).tolist())
        codes = [naive_class(tree, interface, shares(tree, cases, case, ends)) for case in range(len(test))]
        assert errors[stop] == pytest.approx(weights[np.array(codes) != test.classes].sum())
    # The first pruning is the tree itself.
    assert errors[0] == pytest.approx(weights[model.predict_codes(test) != test.classes].sum())


@pytest.mark.parametrize("name", LEARNERS)
def test_leaves_and_training_errors_are_counted_node_by_node(name):
    model = LEARNERS[name].fit(problem(3))
    tree, interface = model.tree_, model._interface()
    nested = prunings_of(tree, interface)
    for stop in range(nested.number):
        leaves, waiting = [], [0]
        while waiting:
            node = waiting.pop()
            if nested.first[node] <= stop:
                leaves.append(node)
            else:
                waiting.extend(tree.branches(node))
        assert nested.leaves[stop] == len(leaves)
        wrong = sum(tree.cases[n] - tree.class_counts[n, naive_class(tree, interface, [(n, 1.0)])] for n in leaves)
        assert nested.training[stop] == pytest.approx(wrong)
    assert nested.leaves[0] == tree.n_leaves
    assert nested.leaves[-1] == 1
    assert (np.diff(nested.leaves) < 0).all()


def test_a_tree_of_one_leaf_has_one_pruning():
    model = ctree.ProbabilityTreeClassifier(approach="mdl-stop").fit(ctree.load_golf())
    nested = prunings_of(model.tree_, model._interface())
    assert nested.leaves.tolist() == [1]
    assert nested.training.tolist() == [5.0]


@pytest.mark.parametrize("seed", range(6))
def test_each_is_the_best_of_all_prunings_at_some_price(seed):
    data = random_problem(seed, 60, 2, [0, 3, 0, 2], noise=0.2).dataset()
    tree = ctree.C45Classifier(min_cases=4, prune=False, binary_splits=True).fit(data).tree_
    assert naive.n_prunings(tree) < 20_000
    listed = [(naive.cost(tree, leaves, "errors"), len(leaves)) for leaves in naive.prunings(tree)]
    nested = prunings_of(tree, ctree.C45Classifier().fit(data)._interface())
    costs, leaves = nested.training / tree.cases[0], nested.leaves
    assert min(cost for cost, _ in listed) == pytest.approx(costs[0])
    for k in range(nested.number - 1):
        price = (costs[k + 1] - costs[k]) / (leaves[k] - leaves[k + 1])
        assert costs[k] + price * leaves[k] <= min(cost + price * n for cost, n in listed) + 1e-12
