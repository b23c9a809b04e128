"""Pruning after the fit: the same trees as pruning in it, and the best of all prunings at a price."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from naive import cost_complexity as naive
from support.problems import problems, random_problem

import ctree
from ctree.errors import DataError, ParameterError
from ctree.learners.c45.variants import held_out_fold
from ctree.learners.levels.fitting import Fitting
from ctree.learners.probability.classifier import APPROACHES

MEASURES = ("errors", "gini", "entropy")
THRESHOLDS = st.sampled_from([{}, {"max_thresholds": 3}, {"max_thresholds": 5, "threshold_spacing": "width"}])


@pytest.fixture
def golf():
    return ctree.read_c45("examples/golf")


class TestTheSameAsInTheFit:
    @settings(max_examples=60, deadline=None)
    @given(
        problems(),
        st.sampled_from(["release8", "j48"]),
        st.sampled_from([0.01, 0.1, 0.25, 0.5]),
        st.booleans(),
        st.booleans(),
    )
    def test_error_based_pruning_of_c45(self, problem, variant, confidence, raising, collapse):
        data = problem.dataset()
        grown = ctree.C45Classifier(variant=variant, prune=False, collapse=collapse).fit(data)
        later = grown.pruned("error-based", data, confidence=confidence, subtree_raising=raising)
        at_once = ctree.C45Classifier(
            variant=variant, confidence=confidence, subtree_raising=raising, collapse=collapse
        ).fit(data)
        assert later.tree_ == at_once.tree_
        assert later.unpruned_tree_ == at_once.unpruned_tree_
        assert later.get_params() == at_once.get_params()
        assert np.array_equal(later.expected_errors(), at_once.expected_errors())
        assert grown.tree_ is grown.unpruned_tree_  # what was there stays

    def test_it_starts_from_the_grown_tree_whatever_was_pruned(self):
        data = random_problem(3, 200, 3, [0, 4, 0, 3], unknown=0.1).dataset()
        hard = ctree.C45Classifier(confidence=0.001).fit(data)
        assert (
            hard.pruned("error-based", data, confidence=0.5).tree_
            == ctree.C45Classifier(confidence=0.5).fit(data).tree_
        )

    @pytest.mark.parametrize("parameters", [{"group_values": True}, {"soft_thresholds": True}, {"binary_splits": True}])
    def test_with_groups_and_soft_thresholds(self, parameters):
        data = random_problem(5, 300, 2, [0, 6, 0, 5], noise=0.3).dataset()
        later = ctree.C45Classifier(prune=False, **parameters).fit(data).pruned("error-based", data)
        assert later.tree_ == ctree.C45Classifier(**parameters).fit(data).tree_

    def test_weights_of_cases(self):
        problem = random_problem(7, 200, 3, [0, 4, 0])
        weights = np.random.default_rng(1).integers(0, 4, 200).astype(float)
        data = problem.dataset()
        grown = ctree.C45Classifier(prune=False).fit(data, sample_weight=weights)
        assert grown.pruned("error-based", data, sample_weight=weights).tree_ == (
            ctree.C45Classifier().fit(data, sample_weight=weights).tree_
        )
        with pytest.raises(DataError, match="not the cases that the tree was grown from"):
            grown.pruned("error-based", data)

    def test_cases_whose_class_is_unknown(self):
        data = random_problem(9, 150, 2, [0, 3, 0]).dataset()
        classes = data.classes.copy()
        classes[::7] = -1
        data = ctree.Dataset(data.schema, data.columns, classes)
        grown = ctree.C45Classifier(variant="j48", prune=False).fit(data)
        assert grown.pruned("error-based", data).tree_ == ctree.C45Classifier(variant="j48").fit(data).tree_

    @settings(max_examples=40, deadline=None)
    @given(problems(), THRESHOLDS, st.sampled_from([0.05, 0.25]), st.booleans())
    def test_probability_trees(self, problem, thresholds, confidence, raising):
        data = problem.dataset()
        # Tests of more than two branches are chosen by what they will be pruned by, so that other trees are grown.
        grown = ctree.ProbabilityTreeClassifier(**thresholds).fit(data)
        for method, name, given_cases, parameters in [
            ("c4.5", "error-based", (data,), {"confidence": confidence, "subtree_raising": raising}),
            ("mdl-prune", "mdl", (data,), {}),
            ("bic-prune", "bic", (), {}),
        ]:
            later = grown.pruned(name, *given_cases, **parameters)
            at_once = ctree.ProbabilityTreeClassifier(approach=method, **thresholds, **parameters).fit(data)
            assert later.tree_ == at_once.tree_
            assert later.get_params() == at_once.get_params()

    @settings(max_examples=40, deadline=None)
    @given(problems(), st.booleans(), THRESHOLDS)
    def test_tests_are_counted_as_in_growing(self, problem, binary, thresholds):
        data = problem.dataset()
        model = ctree.ProbabilityTreeClassifier(approach="mdl-prune", binary_splits=binary, **thresholds).fit(data)
        with Fitting(model, data, None, None) as fitting:
            counted = model._grow(fitting, APPROACHES["mdl-prune"], float(len(data))).n_tests
        inner = model.unpruned_tree_.attribute >= 0
        assert model._numbers_of_tests(data, None, None)[inner].tolist() == counted[inner].tolist()
        assert model.pruned("mdl", data).tree_ == model.tree_

    def test_mdl_in_c45_keeps_fewer_tests_than_bic(self):
        data = random_problem(13, 400, 2, [0, 0, 4, 3], noise=0.15).dataset()
        model = ctree.C45Classifier(prune=False).fit(data)
        mdl, bic = model.pruned("mdl", data), model.pruned("bic")
        assert 1 < mdl.tree_.n_leaves < bic.tree_.n_leaves < model.tree_.n_leaves

    @pytest.mark.parametrize("variant", ["release8", "j48"])
    @pytest.mark.parametrize("unknown", [0.0, 0.1])
    def test_reduced_error_pruning(self, variant, unknown):
        data = random_problem(11, 300, 3, [0, 4, 0, 3], unknown=unknown, noise=0.3).dataset()
        growing, pruning = held_out_fold(data, 3)
        # A threshold may be moved to a value of any case, also of those that are held out: not here.
        parameters = {"variant": variant, "actual_thresholds": False, "collapse": False}
        at_once = ctree.C45Classifier(prune="reduced-error", **parameters).fit(data)
        later = ctree.C45Classifier(prune=False, **parameters).fit(data.take(growing))
        assert later.unpruned_tree_ == at_once.unpruned_tree_
        assert later.pruned("reduced-error", data.take(pruning)).tree_ == at_once.tree_
        assert later.pruned("reduced-error", data.take(pruning)).tree_.n_nodes < later.tree_.n_nodes

    def test_arrays_as_well_as_data_sets(self):
        rng = np.random.default_rng(2)
        X = rng.normal(size=(200, 4))
        y = np.where(X[:, 0] + 0.8 * rng.normal(size=200) > 0, "yes", "no")
        grown = ctree.C45Classifier(prune=False).fit(X[:150], y[:150])
        assert grown.pruned("error-based", X[:150], y[:150]).tree_ == ctree.C45Classifier().fit(X[:150], y[:150]).tree_
        small = grown.pruned("reduced-error", X[150:], y[150:])
        assert small.score(X[150:], y[150:]) >= grown.score(X[150:], y[150:])
        assert set(small.predict(X)) <= {"yes", "no"}


class TestCostComplexity:
    @settings(max_examples=60, deadline=None)
    @given(problems(most_cases=25), st.sampled_from(MEASURES), st.data())
    def test_the_best_of_all_prunings_at_any_price(self, problem, measure, draw):
        data = problem.dataset()
        model = ctree.ProbabilityTreeClassifier(binary_splits=draw.draw(st.booleans())).fit(data)
        tree = model.unpruned_tree_
        if naive.n_prunings(tree) > 3000:
            return
        path = model.cost_complexity_path(measure)
        listed = [(naive.cost(tree, leaves, measure), len(leaves)) for leaves in naive.prunings(tree)]
        between = [(a + b) / 2 for a, b in zip(path.alphas, path.alphas[1:], strict=False)]
        for alpha in [*path.alphas.tolist(), *between, 2.0]:
            least = min(c + alpha * n for c, n in listed)
            # the smallest of the best; sums of fractions may miss each other by a bit
            size = min(n for c, n in listed if c + alpha * n <= least + 1e-9)
            pruned = model.pruned("cost-complexity", alpha=alpha, measure=measure).tree_
            assert pruned.n_leaves == size
            leaves = [i for i in range(pruned.n_nodes) if not len(pruned.branches(i))]
            assert naive.cost(pruned, leaves, measure) + alpha * size == pytest.approx(least, abs=1e-9)

    @settings(max_examples=30, deadline=None)
    @given(problems(), st.sampled_from(MEASURES))
    def test_the_path_is_nested_and_says_what_pruning_gives(self, problem, measure):
        model = ctree.C45Classifier(prune=False, min_cases=1).fit(problem.dataset())
        path = model.cost_complexity_path(measure)
        assert path.alphas[0] == 0
        assert (np.diff(path.alphas) > 0).all()
        assert (np.diff(path.leaves) < 0).all()
        assert (np.diff(path.errors) > -1e-12).all()
        assert path.leaves[-1] == 1
        before = None
        for alpha, n_leaves, errors in zip(*path, strict=True):
            tree = model.pruned("cost-complexity", alpha=alpha, measure=measure).tree_
            leaves = [i for i in range(tree.n_nodes) if not len(tree.branches(i))]
            assert (tree.n_leaves, naive.cost(tree, leaves, measure)) == (n_leaves, pytest.approx(errors, abs=1e-9))
            ways = {tuple(node.condition for node in way) for way in tree.paths()}
            nodes = {way[:k] for way in ways for k in range(len(way) + 1)}
            assert before is None or nodes <= before
            before = nodes

    @pytest.mark.parametrize("seed", [0, 2, 4, 5, 19])
    def test_scikit_learn_has_the_same_path_of_a_numeric_tree(self, seed):
        tree = pytest.importorskip("sklearn.tree")
        rng = np.random.default_rng(seed)
        X = rng.normal(size=(80, 3))
        y = (X[:, 0] + X[:, 1] ** 2 + rng.normal(size=80) > 1).astype(int)
        # Both choose by entropy, and no two tests of these nodes are equally good.
        model = ctree.ProbabilityTreeClassifier(approach="c4.4", estimate="frequency").fit(X, y)
        theirs = tree.DecisionTreeClassifier(criterion="entropy", random_state=0).fit(X, y)
        assert theirs.get_n_leaves() == model.tree_.n_leaves
        path = model.cost_complexity_path("entropy")
        other = theirs.cost_complexity_pruning_path(X, y)
        # Of equal prices theirs has several steps; the last of them is the tree of that price.
        last = np.append(np.diff(other.ccp_alphas) > 1e-11, True)
        assert path.alphas == pytest.approx(other.ccp_alphas[last], abs=1e-9)
        assert path.errors == pytest.approx(other.impurities[last], abs=1e-9)


class TestWhatIsRefused:
    def test_in_one_sentence(self, golf):
        model = ctree.C45Classifier().fit(golf)
        for message, arguments, parameters in [
            ("method must be 'error-based'", ("pessimism",), {}),
            ("needs the cases that the tree was grown from", ("error-based",), {}),
            ("needs the cases to count errors on", ("reduced-error",), {}),
            ("has no setting 'alpha'; it has confidence and subtree_raising", ("error-based", golf), {"alpha": 1}),
            ("has no setting 'confidence'; it has no settings", ("bic",), {"confidence": 1}),
            ("leave out the cases", ("bic", golf), {}),
            ("needs alpha", ("cost-complexity",), {}),
            ("alpha must be", ("cost-complexity",), {"alpha": -1}),
            ("measure must be one of errors", ("cost-complexity",), {"alpha": 1, "measure": "chi2"}),
            ("confidence must be", ("error-based", golf), {"confidence": 2}),
            ("needs the cases that the tree was grown from", ("mdl",), {}),
        ]:
            with pytest.raises(ParameterError, match=message):
                model.pruned(*arguments, **parameters)
        with pytest.raises(DataError, match="it had 14, here are 13"):
            model.pruned("error-based", golf.take(range(13)))
        with pytest.raises(ParameterError, match="fit with prune=False"):
            ctree.C45Classifier(prune="reduced-error").fit(golf).pruned("error-based", golf)
        with pytest.raises(ctree.errors.NotFittedError):
            ctree.C45Classifier().pruned("bic")

    @pytest.mark.parametrize("learner", [ctree.BayesianTreeClassifier(), ctree.OptimalTreeClassifier(max_depth=1)])
    def test_learners_that_have_nothing_to_prune(self, golf, learner):
        assert not hasattr(learner.fit(golf), "pruned")

    def test_a_model_from_a_file(self, golf, tmp_path):
        path = str(tmp_path / "model.json")
        model = ctree.ProbabilityTreeClassifier().fit(golf)
        ctree.save(model, path)
        loaded = ctree.load(path)
        assert loaded.pruned("error-based", golf).tree_ == model.pruned("error-based", golf).tree_
        assert loaded.pruned("bic").tree_ == model.pruned("bic").tree_
        assert loaded.pruned("mdl", golf).tree_ == model.pruned("mdl", golf).tree_
        ctree.save(model.pruned("bic"), path)
        assert ctree.load(path).tree_ == model.pruned("bic").tree_


class TestImportances:
    @settings(max_examples=30, deadline=None)
    @given(problems())
    def test_against_the_plain_sum(self, problem):
        for learner in (ctree.C45Classifier(), ctree.ProbabilityTreeClassifier(), ctree.BayesianTreeClassifier()):
            model = learner.fit(problem.dataset())
            assert model.feature_importances_ == pytest.approx(naive.importances(model.tree_), abs=1e-12)
            assert len(model.feature_importances_) == model.n_features_in_

    def test_not_before_the_fit(self):
        assert not hasattr(ctree.C45Classifier(), "feature_importances_")
