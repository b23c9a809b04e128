"""Parameters and weights at the edge of what numbers can be: refused in one sentence, or computed with."""

from __future__ import annotations

import collections
import warnings
from decimal import Decimal
from fractions import Fraction

import numpy as np
import pytest

import ctree
from ctree.domains.numeric import Number
from ctree.errors import CtreeError, LimitWarning, ParameterError, SmallWeightsWarning
from ctree.learners.mcmc.convergence import ChainsDisagreeWarning
from ctree.learners.registry import LEARNERS, learner_class

GOLF = ctree.load_golf()
UNKNOWN = ctree.from_arrays(
    {
        "a": ["x", "y", "z", None] * 6,
        "b": [1.0, 2.0, 3.0, np.nan, 5.0, 6.0] * 4,
        "c": [float(i) for i in range(24)],
    },
    ["p", "q", "r"] * 7 + ["p", "q", "p"],
)

QUICK = {
    "MCMCTreeClassifier": {"burn_in": 100, "samples": 20, "chains": 2, "random_state": 1, "min_cases": 1},
    "BayesOptimalClassifier": {"max_depth": 2},
    "OptimalTreeClassifier": {"max_depth": 2},
    "CommitteeClassifier": {"members": 3, "random_state": 0},
}

SETTINGS = {
    "C45Classifier": [
        {},
        *({"estimate": name} for name in ("m", "m-branch", "dirichlet")),
        {"variant": "j48"},
        {"prune": "reduced-error"},
        {"group_values": True, "min_cases": 1},
    ],
    "C45RulesClassifier": [{}, {"significance": 0.1}],
    "ProbabilityTreeClassifier": [
        *({"approach": name} for name in ("c4.5", "c4.4", "mdl-stop", "mdl-prune", "bic-prune", "chi2")),
        *({"estimate": name, "binary_splits": False} for name in ("m", "m-branch", "dirichlet")),
    ],
    "BayesianTreeClassifier": [
        *({"averaging": name} for name in ("path", "prunings", "none")),
        {"bins": None, "estimate": "m-branch"},
        {"uniform_prior": True, "estimate": "m"},
    ],
    "BayesOptimalClassifier": [{}, {"tree_prior": "uniform"}],
    "OptimalTreeClassifier": [{}, {"objective": "posterior"}],
    "MCMCTreeClassifier": [
        {},
        {"tree_prior": "chipman"},
        {"temperatures": 3, "init": "prior"},
        {"strategy": "sweeping", "tree_prior": "chipman"},
    ],
    "NaiveBayesClassifier": [{"estimate": name} for name in ("m", "laplace", "frequency")],
    "CommitteeClassifier": [
        {},
        {"method": "forest"},
        {"method": "boosting"},
        {"method": "boosting", "voting": "confidence"},
    ],
}
"""What makes a difference in how probabilities are computed, by learner."""

EXTREMES = [
    5e-324, 1e-308, 1e-300, 1e-200, 1e-20, 1 - 2**-53, 1.0, 1e9, 1e15, 1e39, 1e100, 1e300, 1e308,
    1.7976931348623157e308, 10**300,
]  # fmt: skip

HOSTILE = [
    None, True, False, 0, 1, -1, 2, 0.0, -0.0, 0.5, 2.5, "", "x", "1", "none", "\ud800", "a\0b", "ä" * 1000, b"x",
    b"\x01\x00", bytearray(b"\x01"), memoryview(b"\x01\x00"), [], [1], [0.5, 0.5], [None], ["x"], [[1]], (),
    {}, {"a": 1}, {1: float("nan")}, set(), frozenset([1]), collections.deque([0.1, 0.1, 0.2, 0.6]), range(3),
    iter([1]),
    2**31, 2**53, 2**62, 2**63 - 1, 2**63, 2**70, 10**20, 10**50, 10**400, -(10**400), float("nan"), float("inf"),
    -float("inf"), 5e-324, 1e308, Decimal("0.5"), Decimal("NaN"), Fraction(1, 2), 1j, np.float32(0.5), np.float16(0.5),
    np.longdouble(0.5), np.int8(2), np.int8(127), np.uint64(2**64 - 1), np.bool_(True), np.array([True, False]),
    np.array(True), np.array(2), np.array([0.1, 0.1, 0.2, 0.6]), np.array([[1.0]]), np.datetime64("2020-01-01"),
    np.str_("gain"), object(), ..., int, slice(1), np.random.default_rng(0), np.random.RandomState(0),
]  # fmt: skip

FRACTIONAL = ("C45Classifier", "ProbabilityTreeClassifier", "BayesianTreeClassifier", "MCMCTreeClassifier")
"""The learners whose least weight of a branch may be any number."""

WORK = ("burn_in", "samples", "thin")
"""Parameters that say how long a fit takes, so that a large one is not tried but only checked."""


def check_learner(model, data, sample_weight=None):
    """Fit the model, if it can be; then its answers are probabilities, and nothing is said by numpy."""
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        warnings.simplefilter("ignore", LimitWarning)
        warnings.simplefilter("ignore", ChainsDisagreeWarning)
        warnings.simplefilter("ignore", SmallWeightsWarning)
        try:
            model.fit(data, sample_weight=sample_weight)
        except CtreeError as error:
            return str(error)
        if not getattr(model, "keep_trees", True):
            return "there are no trees to predict with"
        p = model.predict_proba(data)
        model.predict(data)
        assert model.to_text()
    assert np.isfinite(p).all()
    assert (p >= 0).all()
    assert np.allclose(p.sum(axis=1), 1, rtol=0, atol=1e-9)
    return None


def numbers(name):
    """The parameters that may be any number within bounds."""
    for parameter in learner_class(name)._parameters.values():
        if any(isinstance(d, Number) for d in (parameter.domain, *getattr(parameter.domain, "domains", ()))):
            yield parameter


@pytest.mark.parametrize("name", LEARNERS)
def test_a_number_at_the_edge_is_refused_or_gives_probabilities(name):
    for parameter in numbers(name):
        for settings in SETTINGS[name]:
            for value in EXTREMES:
                if parameter.domain.accepts(value):
                    made = {**QUICK.get(name, {}), **settings, parameter.name: value}
                    for data in (GOLF, UNKNOWN):
                        check_learner(learner_class(name)(**made), data)
                else:
                    with pytest.raises(ParameterError, match=rf"^{parameter.name} must be a number (at|greater)"):
                        learner_class(name)(**{parameter.name: value}).fit(GOLF)


@pytest.mark.parametrize(
    ("name", "parameter", "value"),
    [
        ("MCMCTreeClassifier", "alpha", 1e308),
        ("BayesianTreeClassifier", "prior_weight", 1e-308),
        ("ProbabilityTreeClassifier", "m", 5e-324),
        ("NaiveBayesClassifier", "m", 1e300),
    ],
)
def test_a_prior_that_would_be_lost_beside_the_cases_is_refused(name, parameter, value):
    with pytest.raises(ParameterError, match=f"^{parameter} must be a number at least 1e-200 and at most 1e.15"):
        learner_class(name)(**{parameter: value}).fit(GOLF)


@pytest.mark.parametrize("name", LEARNERS)
def test_every_parameter_takes_or_refuses_whatever_it_is_given(name, tmp_path):
    path = tmp_path / "model.json"
    refused = 0
    for parameter in learner_class(name)._parameters:
        for value in HOSTILE:
            model = learner_class(name)(**{**QUICK.get(name, {}), parameter: value})
            repr(model)
            if parameter in WORK and isinstance(value, int) and not isinstance(value, bool) and abs(value) > 1000:
                value_is_taken = learner_class(name)._parameters[parameter].domain.accepts(value)
                assert value_is_taken == (0 < value <= (10**12 if parameter == "burn_in" else 10**9))
                continue
            if check_learner(model, GOLF) is not None:
                refused += 1
                continue
            ctree.save(model, path)
            assert np.array_equal(ctree.load(path).predict_proba(GOLF), model.predict_proba(GOLF))
    assert refused > 100


@pytest.mark.parametrize(
    "text", ["9" * 20, "9" * 400, "9" * 5000, "9" * 400 + "GB", "1e999", "-1e999", "nan", "\ud800"]
)
@pytest.mark.parametrize("name", LEARNERS)
def test_every_text_of_an_option_is_taken_or_refused(name, text):
    for parameter in learner_class(name)._parameters.values():
        try:
            parameter.check(parameter.read(text))
            message = ""
        except ParameterError as error:
            message = str(error)
        assert message == "" or message.startswith(f"{parameter.name} must be ")


@pytest.mark.parametrize("name", LEARNERS)
def test_weights_at_the_edge_are_refused_or_give_probabilities(name):
    for settings in SETTINGS[name]:
        for data in (GOLF, UNKNOWN):
            place = np.arange(data.n_cases)
            for weight in (5e-324, 1e-300, 1e-100, 1e-20, 1e20, 1e98, 1e300, 1e308):
                for weights in (
                    np.full(data.n_cases, weight),
                    np.where(place == 0, weight, 1.0),
                    np.where(place % 2 == 0, weight, 1.0),
                ):
                    made = {**QUICK.get(name, {}), **settings}
                    check_learner(learner_class(name)(**made), data, weights)
                    if name in FRACTIONAL:
                        check_learner(learner_class(name)(**{**made, "min_cases": weight}), data, weights)


@pytest.mark.parametrize(
    ("weights", "message"),
    [
        ([1e-101] + [1.0] * 13, "a case has the weight 1e-101, which is too little to compute with"),
        ([1e100] * 14, "the weights of the cases are too large: their sum is 1.4e.101, but should be at most 1e.100"),
        ([1e308] * 14, "the weights of the cases are too large: their sum is inf, but should be at most 1e.100"),
    ],
)
@pytest.mark.filterwarnings("error")
def test_weights_that_cannot_be_computed_with_are_refused(weights, message):
    for name in LEARNERS:
        with pytest.raises(CtreeError, match=message):
            learner_class(name)().fit(GOLF, sample_weight=weights)


@pytest.mark.filterwarnings("error")
def test_class_weights_whose_products_overflow_are_refused():
    model = ctree.C45Classifier(class_weight={"Play": 1e300, "Don't Play": 1})
    with pytest.raises(CtreeError, match="with that of its class, one is not finite"):
        model.fit(GOLF, sample_weight=[1e90] * 14)


@pytest.mark.filterwarnings("error")
def test_further_cases_of_naive_bayes_are_refused_by_their_weights_too():
    model = ctree.NaiveBayesClassifier().fit([[1.0], [2.0]], ["a", "b"])
    with pytest.raises(CtreeError, match="the weights of the cases are too large"):
        model.partial_fit([[1.0], [2.0]], ["a", "b"], sample_weight=[1e300, 1])
    assert model.predict_proba([[1.0]]).sum() == pytest.approx(1)
