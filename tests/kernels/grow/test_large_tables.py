"""Subtrees of large tables are grown from parts with rows of their own, and blocks of cases are skipped.

The other storage, which keeps release 8's list, does neither, and its trees are compared with the naive version's.
"""

import numpy as np
import pytest

from ctree_ext.base.cases import CaseTable
from ctree_ext.grow.gain_ratio_grower import GainRatioGrower

N_CASES = 140_000  # parts are taken beyond four times 32,768


@pytest.fixture(scope="module")
def columns():
    rng = np.random.default_rng(3)
    numbers = [np.round(rng.normal(size=N_CASES), decimals) for decimals in (5, 2, 0)]
    codes = [rng.integers(0, k, N_CASES).astype(np.int32) for k in (3, 70, 300)]
    concept = (numbers[0] > 0.3) + 2 * (codes[1] % 3 == 1) * (numbers[1] < 0.5) + (codes[0] == 2)
    classes = np.where(rng.random(N_CASES) < 0.1, rng.integers(0, 4, N_CASES), concept).astype(np.int32)
    return [*numbers, *codes], [0, 0, 0, 3, 70, 300], classes


@pytest.mark.parametrize("options", [{}, {"gain_only": True, "min_cases": 20}], ids=str)
@pytest.mark.parametrize("n_classes", [4, 11])  # up to eight are counted in the bytes of one number
def test_both_storages_grow_the_same_tree(columns, n_classes, options):
    values, sizes, classes = columns
    table = CaseTable(values, sizes, classes * (n_classes // 4) % n_classes, n_classes)
    tree = GainRatioGrower(table, **options).grow()
    assert len(tree.test) > 1000
    assert tree == GainRatioGrower(table, keep_order=True, **options).grow()
    assert tree == GainRatioGrower(table, n_threads=3, **options).grow()


@pytest.mark.parametrize("unit", [0.0, 2.0**-30])
@pytest.mark.parametrize("options", [{"j48": True}, {}, {"group_values": True, "min_cases": 5}], ids=str)
def test_with_fractions_a_part_has_the_tree_of_its_cases_alone(columns, options, unit):
    # In 64 bits a table of 32,768 cases or fewer takes no parts.
    values, sizes, classes = columns
    rng = np.random.default_rng(4)
    numbers = [np.where(rng.random(34_000) < 0.1, np.nan, column[:34_000]) for column in values[:3]]
    codes = [np.where(rng.random(34_000) < 0.1, -1, column[:34_000]).astype(np.int32) for column in values[3:5]]
    weights = None if unit else rng.choice([0.5, 1.0, 1.0, 3.0], 34_000)
    trees = []
    for n in (34_000, 20_000):
        table = CaseTable(
            [column[:n].copy() for column in (*numbers, *codes)],
            sizes[:5],
            classes[:n] % 4,
            4,
            weights=None if weights is None else weights[:n].copy(),
            single=False,
            unit=unit,
        )
        grower = GainRatioGrower(table, actual_thresholds=False, whole=34_000, **options)
        trees.append(grower.grow(np.arange(20_000, dtype=np.int32)))
    assert len(trees[0].test) > 1000
    assert trees[0] == trees[1]
