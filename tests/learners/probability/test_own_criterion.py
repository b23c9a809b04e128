"""Probability trees by a criterion of the user's, against the naive version and the built-in criteria."""

import copy
import ctypes
import pickle
import signal
import threading
import time
from functools import partial

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from naive import own_criterion as naive
from scipy import LowLevelCallable
from support.compared import assert_same, naive_data
from support.compiled import TYPE, compiled
from support.problems import problems, random_problem

import ctree
from ctree import C45Classifier, CommitteeClassifier, ProbabilityTreeClassifier, criteria
from ctree.errors import ParameterError
from ctree.evaluate.candidates import _unfitted
from ctree.learners.base.own_criterion import criterion_name
from ctree.scale.coded_dataset import coded_from_dataset


def purity(counts):
    return float((counts**2 / counts.sum(axis=1, keepdims=True)).sum())


def right(counts):
    return counts.max(axis=1).sum()


def picky(counts):
    sizes = counts.sum(axis=1)
    return right(counts) if sizes.min() >= (0.2 - 1e-9) * sizes.sum() else -np.inf


@criteria.stacked
def many_purity(counts):
    return (counts**2 / counts.sum(axis=2, keepdims=True)).sum(axis=(1, 2))


@criteria.stacked
def many_gain(counts):
    def part(x):
        return x * np.log2(np.where(x > 0, x, 1))

    inside, sizes, classes = part(counts).sum(axis=(1, 2)), part(counts.sum(axis=2)), part(counts.sum(axis=1))
    gain = inside - sizes.sum(axis=1) - classes.sum(axis=1) + part(counts.sum(axis=(1, 2)))
    return np.where(gain < 1e-9, 0, gain)


CRITERIA = {"purity": purity, "right": right, "picky": picky}
approaches = st.sampled_from(["c4.4", "mdl-prune", "bic-prune"])
options = st.fixed_dictionaries({"binary": st.booleans(), "min_cases": st.sampled_from([0.01, 1.37, 3.3])})


@settings(deadline=None, max_examples=200)
@given(problems(most_unknown=0.2), approaches, st.sampled_from(list(CRITERIA)), options)
def test_trees_are_those_of_the_naive_version(problem, approach, name, options):
    slow = naive.OwnTree(naive_data(problem), approach, getattr(naive, name), **options)
    model = ProbabilityTreeClassifier(
        approach=approach,
        criterion=CRITERIA[name],
        binary_splits=options["binary"],
        min_cases=options["min_cases"],
    ).fit(problem.dataset())
    assert_same(model.unpruned_tree_, slow.grown)
    assert_same(model.tree_, slow.root)


@pytest.mark.filterwarnings("ignore::ctree.errors.SmallWeightsWarning")
@settings(deadline=None, max_examples=60)
@given(problems(most_unknown=0), st.data())
def test_weights_are_in_the_counts(problem, data):
    weights = data.draw(
        st.lists(st.sampled_from([0.5, 1.0, 2.0]), min_size=len(problem.cases), max_size=len(problem.cases))
    )
    slow = naive.OwnTree(naive_data(problem, weights), "c4.4", naive.right, min_cases=1.0)
    model = ProbabilityTreeClassifier(criterion=right).fit(problem.dataset(), sample_weight=weights)
    assert_same(model.tree_, slow.root)


@settings(deadline=None, max_examples=60)
@given(problems(most_unknown=0.2), st.booleans(), st.sampled_from([1.0, 3.3]))
def test_one_matrix_a_stack_and_compiled_give_the_same_tree(problem, binary, min_cases):
    made = [
        ProbabilityTreeClassifier(criterion=criterion, binary_splits=binary, min_cases=min_cases)
        .fit(problem.dataset())
        .tree_.arrays
        for criterion in (purity, many_purity, compiled("purity"))
    ]
    assert made[0] == made[1] == made[2]


@pytest.mark.parametrize("unknown", [0.0, 0.02])
@pytest.mark.parametrize("binary", [True, False])
@pytest.mark.parametrize("approach", ["c4.4", "c4.5"])
def test_the_gain_written_by_hand_gives_the_tree_of_the_built_in_one(unknown, binary, approach):
    cases = random_problem(5, 4000, 3, [0, 0, 4, 7, 0, 2], unknown).dataset()
    shared = {"approach": approach, "binary_splits": binary, "min_cases": 5}
    expected = ProbabilityTreeClassifier(**shared).fit(cases)
    assert expected.unpruned_tree_.n_nodes > 100
    for criterion in (many_gain, compiled("n_gain")):
        found = ProbabilityTreeClassifier(criterion=criterion, **shared).fit(cases)
        assert found.unpruned_tree_.arrays == expected.unpruned_tree_.arrays
        assert found.tree_.arrays == expected.tree_.arrays


LIMITS = [
    {"max_depth": 3},
    {"max_leaves": 5},
    {"first_tests": ["x1"]},
    {"first_tests": ["d0", "x0"], "max_depth": 4},
    {"not_below": {"x0": ["x1"], "d0": ["d0"]}},
]


@pytest.mark.parametrize("limits", LIMITS, ids=repr)
@pytest.mark.parametrize("unknown", [False, True])
def test_limits_hold_with_a_criterion_as_with_the_built_in_one(limits, unknown):
    rng = np.random.default_rng(21)
    X = {"x0": rng.random(300), "x1": rng.random(300), "d0": rng.choice(["a", "b", "c"], 300)}
    y = np.where((X["x0"] + X["x1"] > 1) ^ (rng.random(300) < 0.15), "yes", "no")
    if unknown:
        X["x1"][rng.random(300) < 0.1] = np.nan
    ours = ProbabilityTreeClassifier(approach="c4.4", criterion=many_gain, **limits).fit(X, y)
    expected = ProbabilityTreeClassifier(approach="c4.4", **limits).fit(X, y)
    assert ours.to_text() == expected.to_text()
    with pytest.raises(ParameterError, match="min_gain is in bits"):
        ProbabilityTreeClassifier(approach="c4.4", criterion=many_gain, min_gain=0.1).fit(X, y)


@pytest.mark.parametrize("unknown", [0.0, 0.02])
def test_threads_call_a_compiled_criterion(unknown):
    cases = random_problem(3, 20_000, 3, [0, 0, 4], unknown).dataset()
    alone, shared = (
        ProbabilityTreeClassifier(criterion=compiled("purity"), min_cases=20, n_jobs=n).fit(cases) for n in (1, 3)
    )
    assert alone.tree_.n_nodes > 100
    assert alone.tree_.arrays == shared.tree_.arrays


def test_thresholds_that_are_listed_are_offered_alone():
    cases = random_problem(5, 2000, 2, [0, 0]).dataset()
    shared = {"max_thresholds": 5, "min_cases": 5}
    expected = ProbabilityTreeClassifier(**shared).fit(cases)
    assert ProbabilityTreeClassifier(criterion=many_gain, **shared).fit(cases).tree_.arrays == expected.tree_.arrays


def test_an_identifier_has_its_values_in_order():
    n = 40
    names = [f"n{i:03d}" for i in range(n)]
    seen = []

    def noted(counts):
        seen.append(counts)
        return -np.inf if len(counts) == 2 else 1.0

    y = [i % 3 == 0 for i in range(n)]
    cases = ctree.from_arrays({"name": names}, y)
    half = cases.take(np.arange(n - 1, n // 2, -1, dtype=np.int32))  # fewer cases than values, in another order
    ProbabilityTreeClassifier(criterion=noted, binary_splits=False).fit(half)
    expected = [[float(i % 3 != 0), float(i % 3 == 0)] for i in range(n // 2 + 1, n)]
    assert seen[0].tolist() == expected


def test_user_data_reach_a_compiled_criterion():
    cases = random_problem(5, 500, 3, [0, 0]).dataset()
    for of in (0, 2):
        place = ctypes.c_int(of)
        pointer = ctypes.cast(ctypes.pointer(place), ctypes.c_void_p)
        made = ProbabilityTreeClassifier(criterion=compiled("first", pointer), min_cases=20).fit(cases)
        expected = ProbabilityTreeClassifier(criterion=lambda counts, of=of: counts[0, of], min_cases=20).fit(cases)
        assert made.tree_.arrays == expected.tree_.arrays


@criteria.stacked
def one_too_few(counts):
    return np.zeros(len(counts) - 1)


@criteria.stacked
def nan_of_many(counts):
    return np.full(len(counts), np.nan)


@criteria.stacked
def refuses_two(counts):
    if (counts[:, 0].sum(axis=1) == 2).any():
        raise RuntimeError("two are too few")
    return np.zeros(len(counts))


def failing(counts):
    return 1 / 0


WRONG = {
    "text": (
        lambda counts: "good",
        "criterion returned 'good' for a test of attribute 'outlook' with the class counts",
    ),
    "nan": (lambda counts: float("nan"), "returned nan for a test of attribute 'outlook'"),
    "inf": (lambda counts: np.inf, "returned inf .* less than infinity, larger for better tests, or -inf"),
    "array": (lambda counts: counts.sum(axis=1), r"returned array\("),
    "none": (lambda counts: None, "returned None"),
    "raises": (failing, "criterion raised ZeroDivisionError for a test of attribute 'outlook' .*: division by zero"),
    "arguments": (lambda: 1.0, "criterion raised TypeError"),
    "few": (one_too_few, r"an array of numbers of shape \(\d+,\) for a stack of tests of shape \(\d+, 2, 2\)"),
    "nans": (nan_of_many, "returned nan for a test of attribute 'outlook'"),
    "second": (refuses_two, "raised RuntimeError for a test of attribute 'temperature' .*: two are too few"),
}


@pytest.mark.parametrize("kind", WRONG)
def test_a_score_that_is_none_is_told_with_its_test(kind):
    criterion, message = WRONG[kind]
    with pytest.raises(ParameterError, match=message) as caught:
        ProbabilityTreeClassifier(criterion=criterion).fit(ctree.load_golf())
    assert "\n" not in str(caught.value)
    if "raised" in message:
        assert isinstance(caught.value.__cause__, Exception)
    if "node" in str(caught.value):
        assert "at a node with the class counts 9, 5" in str(caught.value)


def test_a_compiled_score_that_is_none_is_told_with_its_test():
    with pytest.raises(
        ParameterError,
        match=r"^criterion returned nan for a test of attribute 'outlook' with the class counts 2, 3; 7, 2 in its "
        "branches, at a node with the class counts 9, 5: it should be a number",
    ):
        ProbabilityTreeClassifier(criterion=compiled("never")).fit(ctree.load_golf())


def test_a_wrong_signature_is_refused_with_the_right_one():
    wrong = LowLevelCallable(ctypes.CFUNCTYPE(ctypes.c_double, ctypes.c_double)(abs))
    with pytest.raises(
        ParameterError,
        match=r"the signature 'double \(double\)', but should have 'double \(const double \*counts, int n_branches",
    ):
        ProbabilityTreeClassifier(criterion=wrong).fit(ctree.load_golf())


@pytest.mark.parametrize(
    "signature", ["double (double const *, int, int, void *)", "double(double *, int, int, void*) noexcept nogil"]
)
def test_a_signature_may_be_spelled_otherwise(signature):
    function = LowLevelCallable(TYPE(lambda counts, b, c, data: counts[0]), signature=signature)
    assert ProbabilityTreeClassifier(criterion=function).fit(ctree.load_golf()).tree_.n_leaves > 1


def test_what_is_no_criterion_is_refused():
    with pytest.raises(ParameterError, match=r"criterion must be None, a function of class counts or a scipy.Low"):
        ProbabilityTreeClassifier(criterion="gini").fit(ctree.load_golf())
    with pytest.raises(
        ParameterError, match=r"approach='bic-stop' holds tests to a threshold .* 'c4.5', 'c4.4', 'mdl-pr"
    ):
        ProbabilityTreeClassifier(criterion=purity, approach="bic-stop").fit(ctree.load_golf())
    for own in (purity, compiled("purity")):
        with pytest.raises(ParameterError, match=r"not .*; a criterion of your own is for ProbabilityTreeClassifier"):
            C45Classifier(criterion=own).fit(ctree.load_golf())


def test_a_matrix_is_the_users():
    def spoils(counts):
        score = right(counts)
        counts[:] = 0
        return score

    cases = random_problem(5, 300, 3, [0, 4, 0], 0.1).dataset()
    spoilt, kept = (ProbabilityTreeClassifier(criterion=one).fit(cases).tree_.arrays for one in (spoils, right))
    assert spoilt == kept


def test_a_source_that_fits_into_memory_is_learned_from(tmp_path):
    path = tmp_path / "cases.csv"
    lines = [",".join([f"{i % 17}", f"{i % 5}", "yes" if i % 17 > i % 7 else "no"]) for i in range(3000)]
    path.write_text("\n".join(["a,b,class", *lines]) + "\n")
    with ctree.scan_csv(path, "class") as scanned:
        found = ProbabilityTreeClassifier(criterion=purity, min_cases=50).fit(scanned)
    expected = ProbabilityTreeClassifier(criterion=purity, min_cases=50).fit(ctree.read_csv(path, "class"))
    assert found.tree_.arrays == expected.tree_.arrays


def test_a_source_beyond_memory_is_refused():
    source = coded_from_dataset(random_problem(5, 300, 2, [0, 3]).dataset(), 3, 4, memory=2_000)
    with pytest.raises(ParameterError, match=r"a criterion of your own needs all cases in memory, .* criterion=None"):
        ProbabilityTreeClassifier(criterion=purity).fit(source)


@pytest.mark.parametrize("criterion", [purity, many_purity, partial(purity)])
def test_a_model_is_saved_with_the_name_of_its_criterion(criterion, tmp_path):
    cases = ctree.load_iris()
    model = ProbabilityTreeClassifier(criterion=criterion).fit(cases)
    ctree.save(model, tmp_path / "model.json")
    loaded = ctree.load(tmp_path / "model.json")
    assert loaded.criterion == criterion_name(criterion)
    assert loaded.criterion.startswith("own: ")
    assert loaded.predict_proba(cases).tolist() == model.predict_proba(cases).tolist()
    with pytest.raises(
        ParameterError, match=r"^criterion is 'own: .*', the name .*: to learn again, set criterion to that"
    ):
        loaded.fit(cases)
    assert loaded.set_params(criterion=criterion).fit(cases).tree_.arrays == model.tree_.arrays
    ctree.save(loaded, tmp_path / "again.json")
    assert (tmp_path / "again.json").read_text() == (tmp_path / "model.json").read_text()


def test_names_of_criteria():
    assert criterion_name(purity).endswith("test_own_criterion.purity")
    assert criterion_name(partial(purity)) == "own: functools.partial"
    assert criterion_name(compiled("purity")) == "own: compiled purity"


@pytest.mark.parametrize("own", [purity, "compiled"])
def test_copies_have_the_same_criterion(own):
    criterion = compiled("purity") if own == "compiled" else own
    learner = ProbabilityTreeClassifier(criterion=criterion)
    assert learner.get_params()["criterion"] is criterion
    for made in (copy.deepcopy(learner), _unfitted(learner), _unfitted(CommitteeClassifier(learner=learner)).learner):
        assert made.criterion is criterion
    sklearn = pytest.importorskip("sklearn.base")
    assert sklearn.clone(learner).criterion is criterion
    assert sklearn.clone(CommitteeClassifier(learner=learner)).learner.criterion is criterion


def test_a_pickled_model_predicts(tmp_path):
    cases = ctree.load_iris()
    for criterion, kept in ((purity, purity), (compiled("purity"), "own: compiled purity")):
        model = ProbabilityTreeClassifier(criterion=criterion).fit(cases)
        again = pickle.loads(pickle.dumps(model))
        assert again.criterion == kept
        assert again.predict_proba(cases).tolist() == model.predict_proba(cases).tolist()
        assert model.criterion is criterion


@pytest.mark.parametrize("own", [many_purity, "compiled"])
def test_members_of_committees_have_a_criterion(own, tmp_path):
    criterion = compiled("purity") if own == "compiled" else own
    cases = random_problem(5, 600, 2, [0, 4, 0], 0.05).dataset()
    learner = ProbabilityTreeClassifier(criterion=criterion)
    committee = CommitteeClassifier(learner=learner, members=3, random_state=1).fit(cases)
    other = CommitteeClassifier(learner=ProbabilityTreeClassifier(), members=3, random_state=1).fit(cases)
    assert committee.predict_proba(cases).tolist() != other.predict_proba(cases).tolist()
    parallel = CommitteeClassifier(learner=learner, members=3, random_state=1, n_jobs=2).fit(cases)
    assert committee.predict_proba(cases).tolist() == parallel.predict_proba(cases).tolist()
    ctree.save(committee, tmp_path / "committee.json")
    loaded = ctree.load(tmp_path / "committee.json")
    assert loaded.predict_proba(cases).tolist() == committee.predict_proba(cases).tolist()
    assert loaded.learner.criterion.startswith("own: ")


@pytest.mark.slow
@pytest.mark.parametrize("kind", ["python", "stacked", "compiled", "threads"])
def test_ctrl_c_ends_a_fit(kind):
    cases = random_problem(5, 20_000, 2, [0, 0, 0]).dataset()

    def slow(counts):
        time.sleep(0.001)
        return right(counts)

    @criteria.stacked
    def slow_stack(counts):
        time.sleep(0.05)
        return many_purity(counts)

    own = {"python": slow, "stacked": slow_stack}.get(kind) or compiled("wait")
    learner = ProbabilityTreeClassifier(criterion=own, n_jobs=2 if kind == "threads" else None)
    timer = threading.Timer(0.5, lambda: signal.raise_signal(signal.SIGINT))
    timer.start()
    start = time.monotonic()
    with pytest.raises(KeyboardInterrupt):
        learner.fit(cases)
    timer.join()
    assert time.monotonic() - start < 30  # all of it would take minutes
    assert not hasattr(learner, "tree_")
