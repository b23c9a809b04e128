"""Windowing: the random numbers, the first window, and whole runs against the naive version."""

from itertools import islice

import pytest
from naive.release8_window import class_targets, glibc_random, initial_size, windowed
from support.problems import GOLF, as_nodes, random_problem

from ctree import C45Classifier
from ctree.learners.c45.windowing import GlibcRandom, _Windower, best_trial, default_window, run_trials


class TestRandomNumbers:
    def test_the_first_draws_of_glibc(self):
        draws = GlibcRandom()
        assert [draws.next31() for _ in range(5)] == [1804289383, 846930886, 1681692777, 1714636915, 1957747793]

    def test_many_draws_are_the_naive_ones(self):
        draws = GlibcRandom()
        assert [draws.next31() for _ in range(1000)] == list(islice(glibc_random(), 1000))

    @pytest.mark.parametrize("n", [0, 1, 30, 31, 32, 1000])
    def test_many_draws_at_once(self, n):
        draws, naive = GlibcRandom(), glibc_random()
        for _ in range(3):
            assert draws.units(n).tolist() == [next(naive) / 2**31 for _ in range(n)]
            assert draws.next31() == next(naive)

    def test_unit_draws_are_below_one(self):
        draws = GlibcRandom()
        units = [draws.next_unit() for _ in range(1000)]
        assert units[0] == 1804289383 / 2**31
        assert 0 <= min(units) <= max(units) < 1


@pytest.mark.parametrize(("n", "window"), [(14, 7), (100, 20), (99, 19), (1000, 200), (1, 2)])
def test_the_first_window(n, window):
    assert default_window(n) == initial_size(n) == window


@pytest.mark.parametrize(
    ("counts", "window", "expected"),
    [
        ([9, 5], 6, [3, 3]),
        ([9, 2], 8, [6, 2]),
        ([5, 5, 5], 7, [2, 2, 3]),
        ([2, 50, 20], 12, [2, 5, 5]),
        ([0, 10], 4, [0, 4]),
        ([3, 3], 6, [3, 3]),
    ],
)
def test_a_window_has_as_many_of_each_class_as_it_can(counts, window, expected):
    classes = [cls for cls, n in enumerate(counts) for _ in range(n)]
    problem = random_problem(0, len(classes), len(counts), [0])
    problem.classes = classes
    windower = _Windower(C45Classifier(), problem.dataset())
    assert windower.targets(window) == class_targets(counts, window) == expected


def problem_of(name):
    if name == "golf":
        return GOLF
    seed, n, n_classes, n_values, unknown = {
        "numbers": (1, 150, 3, [0, 0, 0], 0.0),
        "values": (2, 200, 2, [3, 4, 2, 6], 0.0),
        "mixed": (3, 250, 4, [0, 3, 0, 5], 0.0),
        "unknown values": (4, 150, 3, [0, 3, 0, 4], 0.1),
    }[name]
    return random_problem(seed, n, n_classes, n_values, unknown)


SETS = ["golf", "numbers", "values", "mixed", "unknown values"]


def assert_same_trials(problem, trials, window=None, increment=None, **options):
    learner = C45Classifier(
        min_cases=options.get("min_cases", 2),
        criterion="gain" if options.get("gain_only") else "gain-ratio",
        group_values=options.get("subset", False),
    )
    done = list(run_trials(learner, problem.dataset(), trials, window, increment))
    naive, best = windowed(*problem.arguments, trials=trials, size=window, increment=increment, **options)
    assert len(done) == trials
    for trial, expected in zip(done, naive, strict=True):
        assert as_nodes(problem, trial.grown.arrays) == expected.grown
        assert trial.pruned.n_nodes == size(expected.pruned)
        assert trial.estimated_errors == pytest.approx(expected.pruned.errors, rel=1e-5)
    assert best_trial(done) == best


def size(node):
    return 1 + sum(size(branch) for branch in node.branches)


@pytest.mark.parametrize("name", SETS)
@pytest.mark.parametrize("options", [{}, {"gain_only": True}, {"subset": True}, {"min_cases": 4}], ids=str)
def test_one_trial_is_the_naive_one(name, options):
    assert_same_trials(problem_of(name), 1, **options)


@pytest.mark.parametrize("name", SETS)
@pytest.mark.parametrize(("window", "increment"), [(None, None), (10, 1), (12, 50)])
def test_several_trials_are_the_naive_ones(name, window, increment):
    assert_same_trials(problem_of(name), 4, window, increment)


def test_cycles_tell_how_the_window_grew():
    (trial,) = run_trials(C45Classifier(), problem_of("mixed").dataset(), 1, 30, 10)
    assert trial.cycles[0].window == 30
    windows = [cycle.window for cycle in trial.cycles]
    assert windows == sorted(windows)
    assert all(cycle.window + cycle.other_cases == 250 for cycle in trial.cycles)
    assert trial.cycles[-1].other_errors == 0
    for before, after in zip(trial.cycles, trial.cycles[1:], strict=False):
        step = max(min(before.other_errors, 10), before.other_errors // 2)
        assert after.window == min(before.window + step, 250)


def test_the_learner_is_left_unfitted():
    learner = C45Classifier()
    list(run_trials(learner, GOLF.dataset(), 1))
    assert not hasattr(learner, "tree_")


def test_a_window_larger_than_the_data_is_all_of_them():
    (trial,) = run_trials(C45Classifier(), GOLF.dataset(), 1, 1000)
    assert [(cycle.window, cycle.other_cases) for cycle in trial.cycles] == [(14, 0)]
    assert trial.grown == C45Classifier().fit(GOLF.dataset()).unpruned_tree_
