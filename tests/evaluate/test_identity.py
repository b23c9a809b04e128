"""What tells learners apart whose results may differ: their parameters, classes and code, however deep they are."""

from __future__ import annotations

import functools
import subprocess
import sys

import numpy as np
import pytest

import ctree
from ctree.evaluate.cache import ResultCache
from ctree.evaluate.candidates import Candidate, parsed_candidates
from ctree.evaluate.comparison import compare
from ctree.evaluate.identity import identity
from ctree.evaluate.protocols import StratifiedFolds

LEARNER = "class Own:\n    def fit(self, X, y): pass\n    def predict(self, X): return [0] * len(X)\n"


def bagging(**parameters):
    ensemble = pytest.importorskip("sklearn.ensemble")
    return ensemble.BaggingClassifier(estimator=ctree.C45Classifier(**parameters), n_estimators=3)


def pipeline(depth, scaler=True):
    pytest.importorskip("sklearn")
    from sklearn.pipeline import make_pipeline
    from sklearn.preprocessing import MinMaxScaler, StandardScaler
    from sklearn.tree import DecisionTreeClassifier

    return make_pipeline(StandardScaler() if scaler else MinMaxScaler(), DecisionTreeClassifier(max_depth=depth))


def voting(m):
    ensemble = pytest.importorskip("sklearn.ensemble")
    trees = [("a", ctree.C45Classifier()), ("b", ctree.C45Classifier(estimate="m", m=m))]
    return ensemble.VotingClassifier(trees, voting="soft")


def test_parameters_tell_apart():
    assert identity(ctree.C45Classifier()) == identity(ctree.C45Classifier())
    assert identity(ctree.C45Classifier()) != identity(ctree.C45Classifier(min_cases=3))
    assert identity(ctree.NaiveBayesClassifier(m=1)) != identity(ctree.NaiveBayesClassifier(m=True))


@pytest.mark.parametrize(
    ("one", "same", "other"),
    [
        (lambda: bagging(), lambda: bagging(min_cases=2), lambda: bagging(min_cases=3)),
        (lambda: pipeline(2), lambda: pipeline(2), lambda: pipeline(3)),
        (lambda: pipeline(2), lambda: pipeline(2), lambda: pipeline(2, scaler=False)),
        (lambda: voting(1.0), lambda: voting(1.0), lambda: voting(2.0)),
    ],
)
def test_learners_within_learners_tell_apart(one, same, other):
    assert identity(one()) == identity(same())
    assert identity(one()) != identity(other())


def test_results_of_another_learner_within_are_not_taken(tmp_path):
    golf = {"golf": ctree.read_c45("examples/golf")}

    def reused(learner):
        return compare(golf, {"l": learner}, protocol=StratifiedFolds(2, 2), cache=ResultCache(tmp_path)).reused

    assert [reused(bagging()), reused(bagging()), reused(bagging(min_cases=3)), reused(pipeline(2))] == [0, 4, 0, 0]


@pytest.mark.parametrize("package", ["sklearn", "ctree"])
def test_versions_tell_apart_also_within(package, monkeypatch):
    before = identity([bagging()])
    assert before == identity([bagging()])
    monkeypatch.setattr(sys.modules[package], "__version__", "0.0.0")
    assert identity([bagging()]) != before


def test_a_changed_file_tells_apart_also_within_and_of_a_base(tmp_path, monkeypatch):
    file = tmp_path / "own_learner.py"
    file.write_text(LEARNER)
    (tmp_path / "derived_learner.py").write_text("from own_learner import Own\nclass Derived(Own): pass\n")
    monkeypatch.syspath_prepend(tmp_path)
    (own,) = parsed_candidates("own_learner:Own")
    (derived,) = parsed_candidates("derived_learner:Derived")
    within = Candidate("w", ctree.C45Classifier(categorical_features={"any": [own.learner]}))
    before = [c.identity for c in (own, derived, within)]
    assert [c.identity for c in (own, derived, within)] == before
    file.write_text(LEARNER + "# another\n")
    assert not set(before) & {c.identity for c in (own, derived, within)}


def made(text):
    """The class of a text that is in no file, as in a notebook."""
    names = {"__name__": "no_file_at_all"}
    exec(text, names)
    return names["Own"]()


def test_a_class_in_no_file_is_told_by_its_code():
    assert identity(made(LEARNER)) == identity(made("\n\n" + LEARNER))
    assert identity(made(LEARNER)) != identity(made(LEARNER.replace("[0]", "[1]")))
    derived = LEARNER + "class Own(Own):\n    def predict(self, X): return super().predict(X)\n"
    assert identity(made(derived)) == identity(made(derived))
    assert identity(made(derived)) != identity(made(derived.replace("[0]", "[1]")))


def power(exponent):
    return lambda x: x**exponent


@pytest.mark.parametrize(
    ("one", "same", "other"),
    [
        (power(2), power(2), power(3)),
        (lambda x, a=1: x + a, None, lambda x, a=2: x + a),
        (functools.partial(max, 1), functools.partial(max, 1), functools.partial(min, 1)),
        (np.log, np.log, np.log1p),
        (np.arange(2000), np.arange(2000), np.where(np.arange(2000) == 1000, 0, np.arange(2000))),
        (np.zeros(2), np.zeros(2), np.zeros(2, dtype=np.float32)),
        (np.array(["a", None]), np.array(["a", None]), np.array(["b", None])),
        (np.random.default_rng(1), np.random.default_rng(1), np.random.default_rng(2)),
        (np.random.RandomState(1), np.random.RandomState(1), np.random.RandomState(2)),
        ({"a", "b"}, {"b", "a"}, {"a"}),
        ({"a": [1]}, {"a": [1]}, {"a": (1,)}),
        (np.float64, np.float64, np.float32),
        (np, np, sys),
        (ctree.C45Classifier().fit, ctree.C45Classifier().fit, ctree.C45Classifier(m=3.0).fit),
    ],
)
def test_what_a_parameter_may_be(one, same, other):
    assert identity(one) == identity(one if same is None else same)
    assert identity(one) != identity(other)


class Plain:
    def __init__(self, inside):
        self.inside = inside

    def fit(self, X, y):
        return self

    def predict(self, X):
        return [0] * len(X)


def test_objects_without_get_params():
    assert identity(Plain(voting(1.0))) == identity(Plain(voting(1.0)))
    assert identity(Plain(voting(1.0))) != identity(Plain(voting(2.0)))
    assert identity(Plain(power(1))) != identity(Plain(power(2)))  # which cannot be pickled


def test_an_object_within_itself():
    one = Plain(1)
    one.inside = [one]
    assert identity(one)


def test_the_identity_is_the_same_in_another_process():
    pytest.importorskip("sklearn")
    text = (
        "import ctree; from ctree.evaluate.identity import identity\n"
        "from sklearn.ensemble import BaggingClassifier\nfrom sklearn.preprocessing import FunctionTransformer\n"
        "from sklearn.pipeline import make_pipeline\n"
        "known = make_pipeline(FunctionTransformer(lambda x: x if 1 in {'a', 'b'} else 2 * x),"
        " BaggingClassifier(ctree.C45Classifier()))\n"
        "print(identity(known))"
    )
    found = {subprocess.run([sys.executable, "-c", text], capture_output=True, check=True).stdout for _ in range(2)}
    assert len(found) == 1


def test_a_lack_of_memory_does_not_give_another_identity():
    class Odd:
        def __reduce__(self):
            raise MemoryError

    with pytest.raises(MemoryError):
        identity(Odd())
