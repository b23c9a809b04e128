"""Every parameter of every learner: checked, saved, set on the command line and in comparisons, by one declaration."""

from __future__ import annotations

import inspect

import pytest

import ctree
from ctree.cli.learner_options import given_parameters, option_name
from ctree.cli.main import _parser
from ctree.domains.domain import AnyOf, Flag
from ctree.errors import ParameterError
from ctree.evaluate.candidates import parsed_candidates
from ctree.learners.base.parameters import parameters_from_fields, plain_parameters
from ctree.learners.registry import LEARNERS, METHODS, RELATIONAL_LEARNERS, learner_class, methods_for

NAMES = (*LEARNERS, *RELATIONAL_LEARNERS)
EVERY = [(name, p) for name in NAMES for p in learner_class(name)._parameters.values()]
KINDS = [(method, relational) for relational in (False, True) for method in methods_for(relational)]
IDS = [f"{name}.{p.name}" for name, p in EVERY]


@pytest.mark.parametrize("name", NAMES)
def test_the_signature_is_what_is_declared(name):
    cls = learner_class(name)
    signature = dict(inspect.signature(cls).parameters)
    assert list(signature) == list(cls._parameters)
    assert all(p.kind is inspect.Parameter.KEYWORD_ONLY for p in signature.values())
    assert {n: p.default for n, p in signature.items()} == {n: p.default for n, p in cls._parameters.items()}
    assert cls().get_params() == {n: p.default for n, p in cls._parameters.items()}


@pytest.mark.parametrize(("name", "parameter"), EVERY, ids=IDS)
def test_defaults_are_allowed_and_come_back_from_text_and_file(name, parameter):
    parameter.check(parameter.default)
    if parameter.name != "n_jobs":  # whose default, None, is shown as what it means, 1
        assert parameter.read(parameter.domain.spelled(parameter.default)) == parameter.default
    plain = parameter.domain.to_plain(parameter.default)
    assert parameter.domain.from_plain(plain) == parameter.default


@pytest.mark.parametrize(("name", "parameter"), EVERY, ids=IDS)
def test_what_cannot_be_is_refused_alike_everywhere(name, parameter):
    strange = {0: "such value"}
    with pytest.raises(ParameterError) as error:
        parameter.check(strange)
    assert str(error.value).startswith(f"{parameter.name} must be ")
    with pytest.raises(ParameterError, match=f"^{parameter.name} must be "):
        learner_class(name)(**{parameter.name: strange}).fit(ctree.load_golf())


@pytest.mark.parametrize("huge", [10**400, 2**70, float("nan"), float("inf"), 12345678901234567890], ids=str)
@pytest.mark.parametrize(("name", "parameter"), EVERY, ids=IDS)
def test_numbers_without_measure_are_one_error(name, parameter, huge):
    if not parameter.domain.accepts(huge):
        with pytest.raises(ParameterError, match=r"^.{1,300}$"):
            parameter.check(huge)


@pytest.mark.parametrize(("method", "relational"), KINDS)
def test_every_parameter_has_an_option_and_a_text(method, relational):
    methods = methods_for(relational)
    for name, parameter in methods[method].parameters().items():
        assert parameter.help.endswith(".")
        assert parameter.help[0].isupper()
        assert len(parameter.summary) < 230
        if not parameter.on_command_line:
            continue
        option, text = option_name(name), parameter.domain.spelled(parameter.default)
        words = [option, text]
        if isinstance(parameter.domain, Flag):
            words = [option if parameter.default else option.replace("--", "--no-", 1)]
        arguments = ["learn", "golf", *(["--relational"] if relational else []), "--method", method, *words]
        args, extras = _parser("learn", arguments).parse_known_args(arguments)
        assert extras == []
        assert list(given_parameters(args)) == [name]
        if not parameter.only_if:
            (candidate,) = parsed_candidates(
                f"a={method}({name}=[{text}])" if "," in text else f"{method}({name}={text})", methods
            )
            assert getattr(candidate.learner, name) == given_parameters(args)[name]


def test_a_flag_among_other_values_can_be_denied():
    arguments = ["learn", "golf", "--no-prune"]
    args, _ = _parser("learn", arguments).parse_known_args(arguments)
    assert given_parameters(args) == {"prune": False}
    assert isinstance(learner_class("C45Classifier")._parameters["prune"].domain, AnyOf)


def test_a_parameter_without_effect_is_refused():
    with pytest.raises(ParameterError, match="n_folds has an effect only with prune='reduced-error'"):
        METHODS["c4.5"].make({"n_folds": 5})
    assert METHODS["c4.5"].make({"n_folds": 5, "prune": "reduced-error"}).n_folds == 5
    with pytest.raises(ParameterError, match="gamma has an effect only with tree_prior='chipman'"):
        METHODS["mcmc"].make({"gamma": 0.5})


@pytest.mark.parametrize("name", NAMES)
def test_parameters_come_back_from_plain_fields(name):
    from ctree.data.fields import Fields

    cls = learner_class(name)
    values = cls().get_params()
    if "class_weight" in values:
        values["class_weight"] = {"a": 2.0, 3: 1}
        values["costs"] = {("a", 3): 2.0, (3, "a"): 0.5}
    plain = plain_parameters(cls._parameters, values)
    assert parameters_from_fields(cls._parameters, Fields(plain), name) == values
