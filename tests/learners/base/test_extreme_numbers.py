"""Numbers near the ends of what 64 and 32 bits can hold: thresholds are finite and divide the cases as they should."""

import numpy as np
import pytest
from support import exported

import ctree
from ctree.data.boundaries import middle
from ctree.export.plan import double_threshold
from ctree_ext.base.node_arrays import Test as Kind

LARGEST, LARGEST32 = float(np.finfo(np.float64).max), float(np.finfo(np.float32).max)

PAIRS = {
    "near the least double": (-1.79e308, -1.7e308),
    "near the greatest double": (1.7e308, 1.79e308),
    "both ends of doubles": (-LARGEST, LARGEST),
    "neighbours at the lower end": (-LARGEST, float(np.nextafter(-LARGEST, 0))),
    "near the least float": (-3.4e38, -3e38),
    "near the greatest float": (3e38, 3.4e38),
    "both ends of floats": (-LARGEST32, LARGEST32),
    "just beyond floats": (3.5e38, 1e39),
    "within floats and beyond": (1.0, 3.5e38),
    "beyond floats and within": (-3.5e38, 1.0),
    "denormal doubles": (5e-324, 1e-310),
    "denormal floats": (1e-45, 1e-40),
}

TREES = [
    ctree.C45Classifier(min_cases=1),
    ctree.C45Classifier(actual_thresholds=False, prune=False),
    ctree.C45Classifier(soft_thresholds=True),
    ctree.C45Classifier(variant="j48", min_cases=1),
    ctree.C45Classifier(variant="j48", actual_thresholds=False),
    ctree.ProbabilityTreeClassifier(),
    ctree.ProbabilityTreeClassifier(max_thresholds=3),
    ctree.ProbabilityTreeClassifier(max_thresholds=3, threshold_spacing="width"),
    ctree.BayesianTreeClassifier(),
    ctree.BayesianTreeClassifier(bins=None),
    ctree.OptimalTreeClassifier(max_depth=2),
    ctree.OptimalTreeClassifier(max_depth=2, bins=None),
]
OTHERS = [
    ctree.C45RulesClassifier(),
    ctree.BayesOptimalClassifier(max_depth=2),
    ctree.MCMCTreeClassifier(burn_in=50, samples=50, chains=2, random_state=0),
    ctree.NaiveBayesClassifier(),
]


def cases(pair: str) -> ctree.Dataset:
    low, high = PAIRS[pair]
    X = np.array([[low, 1.0]] * 6 + [[high, 2.0]] * 6)
    X[[0, 7], 1] = [2.0, 1.0]
    return ctree.from_arrays(X, ["a"] * 6 + ["b"] * 6)


def assert_probabilities(model, data):
    probabilities = model.predict_proba(data)
    assert np.isfinite(probabilities).all()
    assert (probabilities >= 0).all()
    assert np.allclose(probabilities.sum(axis=1), 1)
    return probabilities


@pytest.mark.parametrize("pair", PAIRS)
@pytest.mark.parametrize("learner", TREES, ids=repr)
def test_thresholds_are_finite_and_exports_say_the_same(learner, pair):
    data = cases(pair)
    model = learner.fit(data)
    low, high = PAIRS[pair]
    thresholds = model.tree_.threshold
    assert np.isfinite(thresholds).all()
    on_first = thresholds[(model.tree_.attribute == 0) & (model.tree_.test == Kind.THRESHOLD)]
    assert ((low <= on_first) & (on_first < high)).all() or model.tree_.float32
    probabilities = assert_probabilities(model, data)
    assert np.allclose(exported.by_python(model, data), probabilities)
    assert np.allclose(exported.by_sqlite(model, data), probabilities)
    assert np.allclose(exported.by_the_standard(model, data), probabilities)
    assert "inf" not in ctree.to_c(model).replace("INFINITY", "")


@pytest.mark.parametrize("pair", PAIRS)
@pytest.mark.parametrize("learner", OTHERS, ids=repr)
@pytest.mark.filterwarnings("ignore:the 2 chains do not agree")
def test_probabilities_are_probabilities(learner, pair):
    data = cases(pair)
    assert_probabilities(learner.fit(data), data)


@pytest.mark.parametrize("pair", ["near the least double", "near the greatest double", "both ends of doubles"])
@pytest.mark.parametrize("actual", [False, True])
def test_a_threshold_between_numbers_whose_sum_is_infinite_divides_them(pair, actual):
    data = cases(pair)
    for variant in ("j48", "release8"):
        if variant == "release8" and pair != "both ends of doubles":
            continue  # in 32 bits they are one number
        model = ctree.C45Classifier(variant=variant, actual_thresholds=actual).fit(data)
        assert model.tree_.attribute[0] == 0
        assert model.score(data) == 1


def test_the_middle_of_two_numbers_is_between_them():
    for low, high in PAIRS.values():
        assert low <= middle(low, high) < high
    assert middle(-LARGEST, LARGEST) == 0
    assert middle(1.0, 2.0) == 1.5


@pytest.mark.parametrize("threshold", [-LARGEST, -1e39, -LARGEST32, LARGEST32, 1e39, LARGEST])
def test_a_threshold_for_doubles_is_finite_wherever_that_for_floats_is(threshold):
    cut = double_threshold(threshold)
    assert np.isfinite(cut)
    with np.errstate(over="ignore"):
        assert float(np.float32(cut)) <= threshold
        assert float(np.float32(np.nextafter(cut, np.inf))) > threshold
