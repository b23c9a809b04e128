"""The compiled search over all trees against the listing of them."""

import math

import numpy as np
import pytest
from naive.all_trees import AllTrees, Problem, replace_options
from naive.all_trees import Lattice as SlowLattice
from support.lattices import lattice_of, plain, random_problem, wide_problem, worth

from ctree_ext.base.processor import use_processor
from ctree_ext.lattice.lattice import Lattice
from ctree_ext.lattice.posterior import Posterior

SIZES = range(60)


@pytest.mark.usefixtures("processor")
@pytest.mark.parametrize("seed", SIZES)
def test_evidence_best_trees_and_least_errors_are_those_of_the_listing(seed):
    problem = random_problem(seed)
    slow, fast = AllTrees(problem), lattice_of(problem)
    low, high = fast.search("evidence")
    assert low == high == pytest.approx(slow.log_evidence, rel=1e-10)
    value, trees = slow.most_probable()
    assert fast.search("posterior") == (pytest.approx(value, rel=1e-10),) * 2
    assert plain(fast.tree("posterior")) in trees
    assert lattice_of(problem).search("posterior") == (pytest.approx(value, rel=1e-10),) * 2
    errors, trees = slow.least_error()
    assert fast.search("errors") == (-errors, -errors)
    assert plain(fast.tree("errors")) in trees


@pytest.mark.parametrize("seed", range(100, 125))
def test_every_way_to_search_gives_the_same(seed):
    """Known by cases or by itemset, with and without the last two levels from pairs, and with equal tests merged."""
    rng = np.random.default_rng(seed)
    n, m = int(rng.integers(10, 90)), int(rng.integers(3, 8))
    rows = rng.integers(2, size=(n, m))
    rows = np.column_stack([rows, rows[:, 0], 1 - rows[:, 1]])
    problem = Problem(
        rows.tolist(),
        rng.integers(3, size=n).tolist(),
        3,
        min_support=int(rng.integers(1, 4)),
        max_depth=int(rng.integers(3, 5)),
        prior="uniform" if seed % 3 == 0 else "size",
        features=None if seed % 2 else [0, 0, 1, *range(2, m + 1)][: m + 2],
    )
    expected = [lattice_of(problem).search(o) for o in ("evidence", "posterior", "errors")]
    assert all(low == high for low, high in expected)
    for options in (
        {"merge": False},
        {"pairs": False},
        {"by_cover": False},
        {"merge": False, "pairs": False, "by_cover": False},
    ):
        for objective, value in zip(("evidence", "posterior", "errors"), expected, strict=True):
            assert lattice_of(problem, **options).search(objective) == pytest.approx(value, rel=1e-10)
    use_processor(0)
    try:
        # to the last bit
        assert [lattice_of(problem).search(o) for o in ("evidence", "posterior", "errors")] == expected
    finally:
        use_processor(3)


@pytest.mark.usefixtures("processor")
@pytest.mark.parametrize("seed", SIZES)
def test_predictions_and_marginals_are_those_of_the_listing(seed):
    problem = random_problem(seed)
    slow, fast = AllTrees(problem), lattice_of(problem)
    fast.search("evidence")
    rows = np.array(problem.rows, dtype=np.uint8)
    columns, classes = np.ascontiguousarray(rows.T), np.array(problem.classes, dtype=np.int32)
    cases = np.array(np.meshgrid(*[[0, 1]] * rows.shape[1])).reshape(rows.shape[1], -1).astype(np.uint8)
    given = Posterior(fast, columns, classes, np.ascontiguousarray(cases)).probabilities()
    for x, p in zip(cases.T.tolist(), given, strict=True):
        np.testing.assert_allclose(p, slow.predict(x), rtol=1e-9)
    features = problem.features or range(rows.shape[1])
    names = sorted(set(features))
    attributes = np.array([names.index(f) for f in features], dtype=np.int32)
    tests, included = Posterior(fast, columns, classes, None, attributes).marginals()
    np.testing.assert_allclose(tests, slow.expected_tests(), atol=1e-11)
    np.testing.assert_allclose(included, slow.feature_inclusion(), atol=1e-11)
    assert 1 + tests.sum() == pytest.approx(slow.expected_leaves())


@pytest.mark.parametrize("seed", range(200, 220))
def test_every_itemset_has_the_sums_of_the_slow_recursion(seed):
    problem = random_problem(seed)
    slow, fast = SlowLattice(problem), lattice_of(problem)
    fast.search("evidence")
    for itemset, log_u in slow.log_u.items():
        items = reachable_order(problem, itemset)
        leaf, counts, tests, chance, passed, failed = fast.expand(items)
        node = problem.node(itemset)
        assert counts.tolist() == list(node.counts)
        assert leaf == pytest.approx(node.log_v_leaf)
        assert dict(zip(tests.tolist(), chance, strict=True)) == pytest.approx(dict(node.log_splits))
        for t, u1, u0 in zip(tests.tolist(), passed, failed, strict=True):
            assert u1 == pytest.approx(slow.log_u[itemset | {(t, 1)}])
            assert u0 == pytest.approx(slow.log_u[itemset | {(t, 0)}])
        terms = [leaf, *(chance + passed + failed)]
        assert math.log(math.fsum(math.exp(x) for x in terms)) == pytest.approx(log_u)


def reachable_order(problem, itemset):
    """The items in an order in which tests lead to them."""
    if not itemset:
        return []
    for item in itemset:
        rest = itemset - {item}
        if item[0] in problem.node(rest).log_splits:
            before = reachable_order(problem, rest)
            if before is not None:
                return [*before, item]
    return None


@pytest.mark.parametrize("seed", range(300, 310))
def test_the_prior_sums_to_one(seed):
    """With one class the likelihood of any leaf is 1, and the evidence is the mass of the prior."""
    problem = random_problem(seed)
    problem = replace_options(problem, classes=[0] * len(problem.rows), n_classes=1, prior="size")
    assert lattice_of(problem).search("evidence") == pytest.approx((0.0, 0.0), abs=1e-12)


@pytest.mark.parametrize("n", [900, 2500])
def test_many_cases_are_done_in_logarithms(n):
    """Products of likelihoods that underflow; the slow version has only logarithms."""
    rng = np.random.default_rng(n)
    rows, classes = rng.integers(2, size=(n, 4)), rng.integers(2, size=n)
    problem = Problem(rows.tolist(), classes.tolist(), 2, max_depth=2)
    slow = SlowLattice(problem)
    assert lattice_of(problem).search("evidence")[0] == pytest.approx(slow.log_evidence, rel=1e-12)
    assert lattice_of(problem).search("posterior")[0] == pytest.approx(slow.most_probable()[0], rel=1e-12)


@pytest.mark.usefixtures("processor")
@pytest.mark.parametrize(
    ("n", "n_classes", "alpha", "prior", "least"),
    [
        (520, 3, 40.0, "size", 2),
        (1300, 2, 1.0, "size", 1),
        (1800, 2, 0.3, "uniform", 4),
        (1800, 1, 1.0, "size", 1),
        (1801, 2, 1.0, "size", 1),
    ],
)
def test_many_cases_that_tests_tell_apart_are_done_as_products(n, n_classes, alpha, prior, least):
    """Likelihoods within the range of plain products, up to the most cases for them and one beyond."""
    rng = np.random.default_rng(n)
    rows = (rng.random((n, 4)) < [0.5, 0.3, 0.1, 0.9]).astype(int)
    # One class has nearly nine of ten cases, so that even the likelihood of all cases together is not too small.
    classes = ((rows[:, 0] & rows[:, 1]) * (1 + rows[:, 2]) + (rng.random(n) < 0.01)) % n_classes
    problem = Problem(
        rows.tolist(), classes.tolist(), n_classes, max_depth=2, alpha=alpha, prior=prior, min_support=least
    )
    slow = SlowLattice(problem)
    assert lattice_of(problem).search("evidence")[0] == pytest.approx(slow.log_evidence, rel=1e-11, abs=1e-11)


@pytest.mark.usefixtures("processor")
@pytest.mark.parametrize("seed", range(4))
def test_many_classes(seed):
    rng = np.random.default_rng(seed)
    rows, classes = rng.integers(2, size=(200, 5)), rng.integers(40, size=200)
    problem = Problem(rows.tolist(), classes.tolist(), 40, max_depth=3, min_support=1 + seed)
    slow, fast = SlowLattice(problem), lattice_of(problem)
    assert fast.search("evidence")[0] == pytest.approx(slow.log_evidence, rel=1e-11)
    assert fast.search("errors")[0] == -slow.least_error()[0]


def test_sums_of_new_cases_are_the_evidence():
    """Before they are made to sum to 1, the class weights of every new case do so already."""
    rng = np.random.default_rng(0)
    rows, classes = rng.integers(2, size=(60, 7)), rng.integers(2, size=60)
    problem = Problem(rows.tolist(), classes.tolist(), 2, max_depth=4)
    fast = lattice_of(problem)
    fast.search("evidence")
    columns, codes = np.ascontiguousarray(rows.T.astype(np.uint8)), classes.astype(np.int32)
    posterior = Posterior(fast, columns, codes, rng.integers(2, size=(7, 50)).astype(np.uint8))
    posterior.probabilities()
    np.testing.assert_allclose(posterior.weights.sum(axis=1), 1, rtol=1e-12)


def test_wrong_arrays_are_refused():
    columns, classes = np.zeros((2, 3), dtype=np.uint8), np.zeros(3, dtype=np.int32)
    for wrong in (
        {"classes": classes[:2]},
        {"classes": classes + 2},
        {"min_support": 0},
        {"max_depth": -1},
        {"gamma": 1.0},
        {"alpha": 0.0},
        {"groups": np.zeros(1, dtype=np.int32)},
        {"columns": columns + 2},
    ):
        with pytest.raises(ValueError):  # noqa: PT011
            Lattice(**{"columns": columns, "classes": classes, "n_classes": 2, **wrong})
    given = Lattice(columns, classes, 2)
    with pytest.raises(ValueError, match="search for the evidence first"):
        Posterior(given, columns, classes).marginals()
    with pytest.raises(ValueError, match="not the cases of the lattice"):
        Posterior(given, columns[:1], classes)
    with pytest.raises(ValueError, match="not reached"):
        given.expand([(0, True)])
    with pytest.raises(ValueError, match="no such itemset"):
        given.expand([(5, True)])


@pytest.mark.parametrize("seed", range(5))
def test_groups_may_have_any_numbers(seed):
    rng = np.random.default_rng(seed)
    problem = replace_options(random_problem(seed), prior="size", max_depth=3, features=None)
    columns = np.ascontiguousarray(np.array(problem.rows, dtype=np.uint8).T)
    groups = rng.integers(2, size=len(columns)).astype(np.int32)
    slow = SlowLattice(replace_options(problem, features=groups.tolist()))
    for numbers in (groups, 5 - 3 * groups, np.array([-7, 1_000_000], dtype=np.int32)[groups]):
        fast = Lattice(
            columns,
            np.array(problem.classes, dtype=np.int32),
            problem.n_classes,
            min_support=problem.min_support,
            max_depth=3,
            gamma=problem.gamma,
            delta=problem.delta,
            alpha=problem.alpha,
            groups=numbers,
        )
        assert fast.search("evidence")[0] == pytest.approx(slow.log_evidence, rel=1e-10)


@pytest.mark.parametrize("seed", range(400, 430))
def test_a_search_stopped_within_a_state_has_some_of_the_trees(seed):
    """After some first tests of the root: the sum and the predictions are those of the trees that begin with them."""
    problem = replace_options(random_problem(seed), max_depth=2)
    rows = np.array(problem.rows, dtype=np.uint8)
    columns, classes = np.ascontiguousarray(rows.T), np.array(problem.classes, dtype=np.int32)
    whole = AllTrees(problem)
    last = -math.inf
    for n_rows in range(rows.shape[1]):
        fast = lattice_of(problem, state_limit=1, row_limit=n_rows)
        low, high = fast.search("evidence")
        if not fast.stopped:
            break  # fewer tests divide the cases, but for those that divide them alike
        assert (fast.n_states, fast.n_rows) == (1, n_rows)
        assert low <= whole.log_evidence * (1 + 1e-12) + 1e-12
        assert low >= last
        assert high >= whole.log_evidence - 1e-9
        last = low
        _, _, tests, _, passed, _ = fast.expand([])
        done = {int(test) for test, log_u in zip(tests, passed, strict=True) if log_u > -math.inf}
        part = AllTrees(problem)
        part.entries = [entry for entry in part.entries if entry.tree is None or entry.tree[0] in done]
        part.log_evidence = math.log(math.fsum(math.exp(entry.log_joint) for entry in part.entries))
        for entry in part.entries:
            entry.posterior = math.exp(entry.log_joint - part.log_evidence)
        assert low == pytest.approx(part.log_evidence, rel=1e-10)
        given = Posterior(fast, columns, classes, columns).probabilities()
        for x, p in zip(rows.tolist(), given, strict=True):
            np.testing.assert_allclose(p, part.predict(x), rtol=1e-9)
        expected, _ = Posterior(fast, columns, classes, None, np.arange(len(columns), dtype=np.int32)).marginals()
        np.testing.assert_allclose(expected, part.expected_tests(), atol=1e-11)


@pytest.mark.parametrize("per_group", [1, 30])
@pytest.mark.parametrize("uniform", [False, True])
@pytest.mark.parametrize("max_depth", [2, 3])
def test_what_a_stopped_search_says_of_its_tree_is_so(max_depth, uniform, per_group):
    rows, classes = wide_problem(0)
    groups = np.arange(450, dtype=np.int32) // per_group
    options = {"max_depth": max_depth, "uniform": uniform, "groups": groups, "min_support": 2, "time_limit": 1e-9}
    for objective in ("errors", "posterior"):
        fast = Lattice(np.ascontiguousarray(rows.T), classes, 2, **options)
        low, high = fast.search(objective)
        assert fast.reason == "time"
        assert low < high
        tree = plain(fast.tree(objective))
        assert tree is not None
        log_joint, errors = worth(rows, classes, tree, groups.tolist(), uniform, max_depth)
        assert low == (-errors if objective == "errors" else pytest.approx(log_joint, rel=1e-10))


def test_tests_are_tried_in_order():
    """What is left of a stopped sum is that of the tests that look best, however many there are."""
    rows, classes = wide_problem(1)
    fast = Lattice(np.ascontiguousarray(rows.T), classes, 2, max_depth=2, state_limit=1, row_limit=60)
    fast.search("evidence")
    _, _, tests, _, passed, _ = fast.expand([])
    done = {int(t) for t, log_u in zip(tests, passed, strict=True) if log_u > -math.inf}
    alone = {t: worth(rows, classes, (t, (None, None)), range(450), True, 1)[0] for t in tests.tolist()}
    assert len(done) == 60
    assert min(alone[t] for t in done) >= max(alone[t] for t in set(alone) - done) - 1e-9


def test_all_memory_counts():
    rows, classes = wide_problem(2)
    columns, classes = np.ascontiguousarray(rows[:400, :60].T), classes[:400]
    searched = Lattice(columns, classes, 2, max_depth=4, state_limit=500)
    before = searched.n_bytes
    assert before > 2 * columns.size // 8  # all cases, and those at the root
    searched.search("evidence")
    after = searched.n_bytes
    assert after > before
    searched.search("posterior")
    assert searched.n_bytes > after  # the sums are still remembered
    for limit in (before // 2, 3 * before // 2):
        limited = Lattice(columns, classes, 2, max_depth=4, memory_limit=limit)
        low, high = limited.search("evidence")
        assert limited.reason == "memory"
        assert -math.inf < low < high
        assert limited.n_bytes <= max(limit, before + 100_000)  # there is always a place for the root
