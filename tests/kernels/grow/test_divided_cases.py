"""Trees by a score from cases of unknown values: every node compared with its cases, divided the long way."""

import numpy as np
import pytest
from scipy.special import gammaln, xlogy

from ctree_ext.base.cases import CaseTable
from ctree_ext.base.node_arrays import Test
from ctree_ext.grow.score_grower import ScoreGrower
from ctree_ext.grow.split_scores import SplitScore
from ctree_ext.grow.stopping import StoppingRule

UNIT = 2.0**-30
LEAST = 2.0


def branch(name, counts):
    # what each row of class weights adds to the score
    n = counts.sum(axis=-1)
    if name == "n_gain":
        return (xlogy(counts, counts).sum(axis=-1) - xlogy(n, n)) / np.log(2)
    alpha = 2.0 / counts.shape[-1]
    return (gammaln(counts + alpha) - gammaln(alpha)).sum(axis=-1) - gammaln(n + 2.0) + gammaln(2.0)


def scores_of(name, lows, all_):
    """The score of each division in two that leaves enough on either side."""
    lows = np.asarray(lows)
    enough = (lows.sum(axis=1) >= LEAST) & ((all_ - lows).sum(axis=1) >= LEAST)
    lows = lows[enough]
    return branch(name, lows) + branch(name, all_ - lows) - branch(name, all_)


def best_scores(name, columns, classes, n_classes, rows, weights, binary, tested):
    """The best score of each attribute at a node; -inf where it offers no test."""
    result = []
    for attribute, column in enumerate(columns):
        values = column[rows]
        known = ~np.isnan(values) if values.dtype.kind == "f" else values >= 0
        distinct, place = np.unique(values[known], return_inverse=True)
        counts = np.zeros((len(distinct), n_classes))
        np.add.at(counts, (place, classes[rows[known]]), weights[known])
        if len(distinct) < 2 or (values.dtype.kind != "f" and not binary and attribute in tested):
            result.append(-np.inf)
        elif values.dtype.kind == "f" or binary:
            lows = counts.cumsum(axis=0)[:-1] if values.dtype.kind == "f" else counts
            scores = scores_of(name, lows, counts.sum(axis=0))
            result.append(scores.max() if len(scores) else -np.inf)
        elif (counts.sum(axis=1) >= LEAST).sum() < 2:
            result.append(-np.inf)
        else:
            result.append(branch(name, counts).sum() - branch(name, counts.sum(axis=0)))
    return np.array(result)


def sides_of(arrays, node, columns, rows):
    # the branch of each case, -1 for an unknown outcome
    values = columns[arrays.attribute[node]][rows]
    if arrays.test[node] == Test.THRESHOLD:
        return np.where(np.isnan(values), -1, values > arrays.threshold[node]).astype(int)
    if arrays.test[node] == Test.GROUPS:
        group = arrays.group[arrays.group_start[node] :]
        return np.where(values < 0, -1, group[np.maximum(values, 0)])
    return values


def check_node(arrays, node, name, columns, classes, n_classes, rows, weights, binary, tested):
    """Compare a node with its cases; whether it has a test."""
    assert np.array_equal(arrays.counts[node], np.bincount(classes[rows], weights, n_classes))
    if weights.sum() < 2 * LEAST or (arrays.counts[node] > 0).sum() < 2:
        assert arrays.n_branches[node] == 0
        return False
    best = best_scores(name, columns, classes, n_classes, rows, weights, binary, tested)
    if arrays.n_branches[node] == 0:
        assert best.max() == -np.inf
        return False
    assert best[arrays.attribute[node]] == pytest.approx(best.max(), abs=1e-6)
    side = sides_of(arrays, node, columns, rows)
    counts = np.zeros((arrays.n_branches[node], n_classes))
    np.add.at(counts, (side[side >= 0], classes[rows[side >= 0]]), weights[side >= 0])
    if len(counts) == 2:
        assert scores_of(name, counts[:1], counts.sum(axis=0)) == pytest.approx(best.max(), abs=1e-6)
    return True


def check_tree(arrays, name, columns, classes, n_classes, weights, binary):
    """Pass the cases down; the sizes of the nodes with a test."""
    stack = [(0, np.arange(len(classes)), weights, ())]
    sizes = []
    while stack:
        node, rows, weights, tested = stack.pop()
        if not check_node(arrays, node, name, columns, classes, n_classes, rows, weights, binary, tested):
            continue
        sizes.append(len(rows))
        side = sides_of(arrays, node, columns, rows)
        for b in range(arrays.n_branches[node]):
            if not (side == b).any():
                continue
            share = weights[side == b].sum() / weights[side >= 0].sum()
            parts = np.maximum(np.floor(weights[side < 0] * share / UNIT + 0.5), 1) * UNIT
            stack.append(
                (
                    arrays.first_branch[node] + b,
                    np.concatenate([rows[side == b], rows[side < 0]]),
                    np.concatenate([weights[side == b], parts]),
                    (*tested, arrays.attribute[node]),
                )
            )
    return sizes


@pytest.mark.parametrize("name", ["n_gain", "bayes"])
@pytest.mark.parametrize(
    ("n", "unknown", "n_classes"),
    [(120, 0.3, 2), (120, 0.3, 5), (700, 0.1, 2), (700, 0.05, 3), (700, 0.05, 9), (9000, 0.001, 3)],
)
@pytest.mark.parametrize("binary", [True, False])
def test_every_node_has_its_cases_and_the_best_test(name, n_classes, n, unknown, binary):
    rng = np.random.default_rng([n, n_classes, binary])
    n_values = (2, 5, 300 if binary else 7)
    columns = [np.round(rng.normal(size=n), decimals) + 0.0 for decimals in (9, 9, 1)]
    columns += [rng.integers(0, k, n).astype(np.int32) for k in n_values]
    signal = columns[0] + (columns[2] > 0.5) + (columns[4] == 1)
    classes = np.digitize(signal, np.quantile(signal, np.arange(1, n_classes) / n_classes)).astype(np.int32)
    noise = rng.random(n) < 0.1
    classes[noise] = rng.integers(0, n_classes, noise.sum())
    for column in columns:
        column[rng.random(n) < unknown] = np.nan if column.dtype.kind == "f" else -1
    table = CaseTable(columns, [0, 0, 0, *n_values], classes, n_classes, None, False, n, UNIT)
    grower = ScoreGrower(
        table,
        SplitScore(name, n, n_classes),
        StoppingRule("never", n, n_classes),
        min_cases=LEAST,
        binary_splits=binary,
    )
    arrays = grower.grow()
    sizes = check_tree(arrays, name, columns, classes, n_classes, np.ones(n), binary)
    assert min(sizes) < 30
    again = grower.grow(np.arange(n, dtype=np.int32)[::-1].copy())
    for field in ("test", "attribute", "threshold", "counts", "n_tests"):
        assert np.array_equal(getattr(arrays, field), getattr(again, field))
