"""Numbers in a model file that are of the right type and shape, and still would lead a kernel or a sum astray."""

from __future__ import annotations

import json
import warnings

import numpy as np
import pytest

import ctree
from ctree.errors import ModelError
from ctree.learners.mcmc.convergence import ChainsDisagreeWarning

GOLF = ctree.load_golf()

LEARNERS = {
    "groups": ctree.C45Classifier(group_values=True, min_cases=1, prune=False),
    "tree": ctree.ProbabilityTreeClassifier(),
    "rules": ctree.C45RulesClassifier(),
    "average": ctree.BayesOptimalClassifier(max_depth=2),
    "sampled": ctree.MCMCTreeClassifier(burn_in=30, samples=6, thin=1, chains=2, random_state=1, min_cases=1),
    "traces": ctree.MCMCTreeClassifier(burn_in=30, samples=6, thin=1, chains=2, random_state=1, keep_trees=False),
    "bayes": ctree.NaiveBayesClassifier(),
}


@pytest.fixture(scope="module")
def texts(tmp_path_factory):
    path = tmp_path_factory.mktemp("models") / "model.json"
    result = {}
    for name, learner in LEARNERS.items():
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", ChainsDisagreeWarning)
            ctree.save(learner.fit(GOLF), path)
        result[name] = path.read_text()
    return result


def load(tmp_path, content):
    path = tmp_path / "damaged.json"
    path.write_text(json.dumps(content))
    return ctree.load(path)


TREE = ("trees", "tree")
CHAIN = ("chains", 1)
DAMAGE = [
    ("tree", (*TREE, "counts", 0, 0), 1e300, "'trees.tree.counts' has a number that cannot be computed with"),
    ("tree", (*TREE, "counts", 0, 0), 5e-324, "'trees.tree.counts' has a number that cannot be computed with"),
    ("tree", (*TREE, "cases", 1), 5e-324, "'trees.tree.cases' has a number that cannot be computed with"),
    ("tree", (*TREE, "errors", 0), 1e308, "'trees.tree.errors' has a number that cannot be computed with"),
    ("tree", (*TREE, "probabilities", 0, 0), 0.6428571, "'trees.tree.probabilities' has a row that is not a"),
    ("tree", (*TREE, "attribute", -1), 0, "a leaf of the tree names an attribute, where -1 should stand"),
    ("rules", ("rules", "probabilities", 0), [0.9999999, 0.0], "'rules.probabilities' has a row that is not a"),
    ("rules", ("rules", "rules", 0, "number"), 10**400, "'rules.rules[0].number' should be from 0 to 2147483647"),
    ("average", ("states",), 10**30, "'states' should be from 0 to 4611686018427387904, not a huge number"),
    ("average", ("rows",), 2**70, "'rows' should be from 0 to 4611686018427387904"),
    ("average", ("log_evidence",), [1.0, -1.0], "'log_evidence' should be a lower and an upper bound"),
    ("average", ("log_evidence",), [None, None], "'log_evidence' should be a lower and an upper bound"),
    ("average", ("cases", "passed", 0), 7, "'cases.passed[0]' should be 4 hexadecimal digits, not 7"),
    ("average", ("cases", "passed", 0), "0 00", "'cases.passed[0]' should be 4 hexadecimal digits, not '0 00'"),
    ("sampled", (*CHAIN, "traces", "tree", 2), -1, "'chains[1].traces' has a draw without a tree"),
    ("sampled", (*CHAIN, "burn_in_traces", "tree", 0), 0, "'chains[1].traces' has a draw without a tree"),
    ("sampled", (*CHAIN, "traces", "leaves", 0), 0, "'chains[1].traces' has a tree without leaves"),
    ("sampled", (*CHAIN, "traces", "depth", 0), -1, "'chains[1].traces' has a tree without leaves"),
    ("sampled", (*CHAIN, "traces", "log_posterior", 0), 1e300, "'chains[1].traces.log_posterior' has a number beyond"),
    ("sampled", (*CHAIN, "bank", "counts", 0, 0), 1e308, "'chains[1].bank.counts' has a weight that is too large"),
    ("sampled", (*CHAIN, "state", "used", 0), 7, "'chains[1].state.used' has an attribute that more trees test than"),
    ("sampled", ("parameters", "keep_trees"), False, "'chains' should have trees where there are draws, and only"),
    ("traces", ("parameters", "keep_trees"), True, "'chains' should have trees where there are draws, and only"),
    ("traces", (*CHAIN, "traces", "tree", 0), 0, "'chains[1].traces' has a draw without a tree"),
    ("bayes", ("class_counts", 0), 1e300, "'class_counts' has a weight that is too large"),
    ("bayes", ("counts", "outlook", 0, 0), 1e308, "'counts.outlook' has a weight that is too large"),
    ("bayes", ("counts", "outlook", 0, 0), -1.0, "'counts.outlook' has a negative weight"),
]


@pytest.mark.parametrize(("name", "place", "value", "message"), DAMAGE, ids=lambda part: str(part)[:40])
def test_a_number_that_cannot_be_is_refused(name, place, value, message, texts, tmp_path):
    content = json.loads(texts[name])
    *way, last = place
    parent = content
    for step in way:
        parent = parent[step]
    parent[last] = value
    with pytest.raises(ModelError) as caught:
        load(tmp_path, content)
    assert message in str(caught.value)


@pytest.mark.parametrize("starts", ["the same", "exchanged", "beyond"])
def test_a_group_that_overlaps_another_is_refused(starts, texts, tmp_path):
    content = json.loads(texts["groups"])
    tree = content["trees"]["tree"]
    first, second, *_ = (node for node, test in enumerate(tree["test"]) if test == 3)
    start = tree["group_start"]
    if starts == "the same":
        start[second] = start[first]
    elif starts == "exchanged":
        start[first], start[second] = start[second], start[first]
    else:
        start[second] += 1
    with pytest.raises(ModelError, match="the groups of values of the tree do not follow each other in the order of"):
        load(tmp_path, content)


def test_pruning_takes_a_value_in_no_group_for_an_unknown_one(texts, tmp_path):
    content = json.loads(texts["tree"])
    tree = content["trees"]["tree"]
    assert tree["test"][0] == 3
    assert tree["attribute"][0] == 0
    unknown = GOLF.columns[0] == 1
    tree["group"][1] = -1
    model = load(tmp_path, content)
    column = np.where(unknown, -1, GOLF.columns[0])
    cases = ctree.Dataset(GOLF.schema, [column, *GOLF.columns[1:]], GOLF.classes)
    for method in ("error-based", "reduced-error"):
        by_group, by_value = model.pruned(method, GOLF), model.pruned(method, cases)
        assert by_group.tree_ == by_value.tree_
        assert np.isfinite(by_group.predict_proba(GOLF)).all()


def test_shares_too_small_for_64_bits_do_not_matter(texts, tmp_path):
    content = json.loads(texts["tree"])
    content["trees"]["tree"]["counts"][0] = [1e-280, 1e280]
    model = load(tmp_path, content)
    assert np.isfinite(model.feature_importances_).all()
    assert np.isfinite(model.cost_complexity_path("entropy").alphas).all()


def test_a_state_that_does_not_fit_its_tree_is_refused_when_it_goes_on(texts, tmp_path):
    content = json.loads(texts["sampled"])
    content["chains"][0]["state"]["orders"][0][0].append(2**40)
    model = load(tmp_path, content)
    with pytest.raises(ModelError, match="the chains cannot be continued from their saved state"):
        model.sample_more(2, GOLF)


def test_an_answer_among_many_values_takes_no_square_of_them():
    values = tuple(range(50_000))
    schema = ctree.Schema((ctree.Attribute("a", ctree.Kind.DISCRETE, values),), ("p", "q"))
    data = ctree.Dataset(schema, [[0, 1, 1, -1]], [0, 1, 1, 0])
    model = ctree.BayesianTreeClassifier(unknown="impute").fit(data)
    shares = model._tree_answer(0, None).probabilities
    assert shares[1] == 1.0
    assert sum(shares) == 1.0
