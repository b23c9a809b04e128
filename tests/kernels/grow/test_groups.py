"""Groups of values, where there are many: against the naive version, and the sums by which they are judged."""

import os
import signal
import subprocess
import sys
import time

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from naive.release8_grow import grow as naive_grow
from naive.rounded_sum import rounded_sum, with_joined
from support.problems import Problem, UncollapsedGrower, as_nodes, grown, naive_options

from ctree_ext.grow.gain_ratio_grower import GainRatioGrower
from ctree_ext.grow.rounded_sums import sums_with_joined


def many_values(seed: int, n_values: int, n_classes: int, per_value: int, unknown: float = 0.0) -> Problem:
    """Values with chances of their own, few cases each, so that many are equally good."""
    rng = np.random.default_rng(seed)
    codes = rng.permutation(np.repeat(np.arange(n_values), per_value))
    chances = rng.dirichlet(np.ones(n_classes), size=n_values)
    classes = [int(rng.choice(n_classes, p=chances[code])) for code in codes]
    column = [None if rng.random() < unknown else int(code) for code in codes]
    return Problem([column], [n_values], classes, n_classes)


@pytest.mark.parametrize("unknown", [0.0, 0.1])
@pytest.mark.parametrize("gain_only", [False, True])
@pytest.mark.parametrize(("n_values", "n_classes", "per_value"), [(12, 2, 3), (25, 3, 4), (40, 2, 5)])
def test_many_values_are_grouped_as_by_the_naive_version(n_values, n_classes, per_value, gain_only, unknown):
    options = {"group_values": True, "gain_only": gain_only}
    for seed in range(3):
        problem = many_values(seed, n_values, n_classes, per_value, unknown)
        arrays, _ = grown(problem, **options)
        assert as_nodes(problem, arrays) == naive_grow(*problem.arguments, **naive_options(options)), seed


def test_values_that_are_all_alike_are_grouped_as_by_the_naive_version():
    # by gain they are joined to the end, and no pair can be ruled out on the way
    problem = Problem([[v for v in range(30) for _ in range(5)]], [30], [0, 0, 1, 1, 1] * 30, 2)
    options = {"group_values": True, "gain_only": True}
    arrays, _ = grown(problem, **options)
    assert as_nodes(problem, arrays) == naive_grow(*problem.arguments, **naive_options(options))


@pytest.mark.parametrize("seed", range(40))
def test_values_that_tell_nothing_are_grouped_as_by_the_naive_version(seed):
    # The classes are divided alike in all, so whether a test of them gains hangs on how sums are rounded.
    rng = np.random.default_rng(seed)
    times, shares = rng.integers(1, 4, size=rng.integers(3, 7)), rng.integers(1, 4, size=2)
    column = np.repeat(np.arange(len(times)), times * shares.sum())
    classes = np.concatenate([np.repeat([0, 1], shares * n) for n in times])
    problem = Problem([column.tolist()], [len(times) + 1], classes.tolist(), 2)
    naive = UncollapsedGrower(*problem.arguments, 2, False, True).whole_tree()
    grower = GainRatioGrower(problem.table(), min_cases=2, group_values=True)
    assert as_nodes(problem, grower.grow()) == naive


terms = st.one_of(
    st.integers(0, 40).map(float),
    st.integers(-3, 60).map(lambda k: k / 8),  # half way between two sums, at times
    st.floats(0, 50),
    st.floats(-1, 1),
    st.sampled_from([0.0, 2.0**-24, 2.0**-23, 1.5 * 2.0**-22, 2.0**20, 2.0**-30, 3.0 * 2.0**-52]),
)


@given(
    st.lists(terms, min_size=2, max_size=60),
    st.sampled_from([0.0, 1.0, 3.0, -0.5, 2.0**23, 2.0**22 + 1]),
    st.booleans(),
)
@settings(deadline=None, max_examples=200)
def test_sums_with_two_terms_joined_are_the_naive_ones(values, first, single):
    if single:
        values, first = np.array(values, dtype=np.float32).astype(float).tolist(), float(np.float32(first))
    assert_sums(values, first, single)


@pytest.mark.parametrize("single", [False, True])
@pytest.mark.parametrize("kind", ["alike", "random", "halves", "growing", "mixed signs", "doubles"])
def test_long_sums_with_two_terms_joined_are_the_naive_ones(kind, single):
    rng = np.random.default_rng(3)
    values = {
        "alike": np.full(130, 4.854753),
        "random": rng.random(130) * 10,
        "halves": rng.integers(0, 40, 130) + rng.choice([0.0, 2.0**-18, 1.5 * 2.0**-17], 130),
        "growing": 1.3 ** np.arange(130) % 1e6,
        "mixed signs": rng.random(130) * 3 - 0.7,
        "doubles": rng.integers(1, 30, 130) + rng.random(130) * 2.0**-30,
    }[kind]
    if kind != "doubles":
        values = values.astype(np.float32).astype(np.float64)
    assert_sums(values.tolist(), 0.0, single)


def assert_sums(values: list[float], first: float, single: bool) -> None:
    n = len(values)
    joined = np.add.outer(np.array(values), np.array(values)) * 1.1
    if single:
        joined = joined.astype(np.float32).astype(np.float64)
    found = sums_with_joined(np.array(values), first, joined, single)
    for i in range(n - 1):
        for j in range(i + 1, n):
            expected = rounded_sum(first, with_joined(values, i, j, float(joined[i, j])), single)
            assert found[i, j] == expected, (i, j)


def test_threads_group_the_values_of_several_attributes_as_one_thread_does():
    rng = np.random.default_rng(1)
    n = 9000
    columns = [rng.integers(0, 40, n).tolist() for _ in range(3)]
    classes = [int((a + b) % 3 == 0) for a, b in zip(columns[0], columns[1], strict=True)]
    table = Problem(columns, [40] * 3, classes, 2).table()
    one, two = (GainRatioGrower(table, group_values=True, n_threads=k).grow() for k in (1, 2))
    assert one == two


PROGRAM = """
import sys, time
import numpy as np
import ctree

n_values = 3000
codes = np.repeat(np.arange(n_values), 5)
X = np.char.add("v", codes.astype(str))[:, None].repeat(2, axis=1)
y = np.tile([0, 0, 1, 1, 1], n_values)
ctree.C45Classifier(group_values=True).fit(X[:50], y[:50])  # it imports what is needed
data = ctree.from_arrays(X, y)
print("fitting", flush=True)
try:
    ctree.C45Classifier(group_values=True, criterion="gain", n_jobs=int(sys.argv[1])).fit(data)
except KeyboardInterrupt:
    print("interrupted", flush=True)
"""


@pytest.mark.slow
@pytest.mark.skipif(os.name == "nt", reason="signals as POSIX has them")
@pytest.mark.parametrize("n_jobs", [1, 2])
def test_grouping_thousands_of_values_stops_when_interrupted(n_jobs):
    arguments = [sys.executable, "-c", PROGRAM, str(n_jobs)]
    with subprocess.Popen(arguments, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as process:
        try:
            assert process.stdout.readline() == "fitting\n"
            time.sleep(1)
            process.send_signal(signal.SIGINT)
            start = time.perf_counter()
            out, err = process.communicate(timeout=30)
            print(f"after {time.perf_counter() - start:.2f} s")
        finally:
            process.kill()
    assert (out, process.returncode) == ("interrupted\n", 0), err
