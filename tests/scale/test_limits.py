"""Trees within limits from a source: those of memory."""

import numpy as np
import pytest

import ctree
from ctree.errors import ParameterError
from ctree.learners.levels import growing
from tests.naive.memory_source import MemorySource
from tests.scale.random_sets import random_parts, random_set, with_unknown, with_weights

LEARNERS = [
    ctree.C45Classifier(arithmetic="double"),
    ctree.C45Classifier(arithmetic="double", subtree_raising=False, criterion="gain", actual_thresholds=False),
    ctree.C45Classifier(arithmetic="double", prune=False, collapse=False, min_cases=1),
    ctree.C45Classifier(arithmetic="double", binary_splits=True),
    ctree.C45Classifier(variant="j48"),
    ctree.C45Classifier(variant="j48", prune=False, mdl_correction=False),
    *(ctree.ProbabilityTreeClassifier(approach=a) for a in ("c4.5", "c4.4", "bic-stop", "mdl-prune", "chi2")),
    ctree.ProbabilityTreeClassifier(approach="c4.4", max_thresholds=3, binary_splits=False),
    ctree.BayesianTreeClassifier(),
    ctree.BayesianTreeClassifier(bins=5, averaging="prunings"),
]


def random_limits(rng, data, learner):
    """Some limits, of which one at least is met often."""
    names = data.schema.names
    limits = {}
    if rng.random() < 0.5:
        limits["max_depth"] = int(rng.integers(0, 4))
    if rng.random() < 0.5:
        limits["max_leaves"] = int(rng.integers(1, 12))
    if rng.random() < 0.4 and learner.get_params().get("approach") != "chi2":
        limits["min_gain"] = float(rng.choice([0, 0.01, 0.1, 0.3]))
    if rng.random() < 0.5:
        chosen = rng.choice(names, size=(int(rng.integers(1, 4)), 2)).tolist()
        limits["not_below"] = {attribute: [above] for attribute, above in chosen}
    return limits


@pytest.mark.filterwarnings("ignore::ctree.errors.SmallWeightsWarning")
@pytest.mark.parametrize("seed", range(12))
@pytest.mark.parametrize("learner", LEARNERS, ids=repr)
def test_the_same_tree_as_in_memory(learner, seed, monkeypatch):
    rng = np.random.default_rng([seed, 79])
    data = random_set(rng)
    is_j48 = learner.get_params().get("variant") == "j48"
    if seed % 3 == 1 and not is_j48:
        data = with_unknown(rng, data)
    if seed % 4 == 3 and not is_j48:
        data = with_weights(rng, data)
    limits = random_limits(rng, data, learner)
    source = MemorySource(data, int(rng.choice([1, 2, 16, 256, 65_535])), random_parts(rng, data.n_cases))
    monkeypatch.setattr(growing, "gathered", lambda source: int(rng.choice([1, 7, 100])))
    in_memory, from_source = (
        type(learner)(**{**learner.get_params(), **limits}).fit(cases) for cases in (data, source)
    )
    assert shape(from_source.tree_) == shape(in_memory.tree_)
    np.testing.assert_allclose(from_source.predict_proba(data), in_memory.predict_proba(data), rtol=1e-8, atol=1e-8)


def shape(tree):
    """The tests of a tree, and how many leaves it has."""
    arrays = tree.arrays
    tests = zip(arrays.test.tolist(), arrays.attribute.tolist(), arrays.threshold.tolist(), strict=True)
    return list(tests), arrays.group.tolist()


def test_tests_that_come_first_need_all_cases_in_memory(monkeypatch):
    data = random_set(np.random.default_rng(4), n=60)
    source = MemorySource(data, 16, random_parts(np.random.default_rng(4), 60))
    monkeypatch.setattr(growing, "gathered", lambda source: 7)
    for learner in (ctree.C45Classifier(arithmetic="double"), ctree.ProbabilityTreeClassifier()):
        learner.set_params(first_tests=[data.schema.names[0]])
        with pytest.raises(ParameterError, match="first_tests needs all cases in memory"):
            learner.fit(source)
