"""Whatever is read of a learner while another thread fits it is of the old model or of the new one, not of both."""

from __future__ import annotations

import numpy as np
import pytest
from support.refitting import asked, data_sets, is_own, learner, traced, wrong_while_fitting

import ctree
from ctree.errors import CtreeError
from ctree.learners.registry import LEARNERS

READERS = {
    "to_text": lambda model: model.to_text(),
    "size_text": lambda model: model.size_text(),
    "summary": lambda model: model.summary(),
    "fields": lambda model: model._to_fields(),
    "to_dot": lambda model: model.to_dot(),
    "to_html": lambda model: model.to_html(),
    "to_rules": lambda model: model.to_rules(),
    "to_sql": lambda model: model.to_sql(),
    "ctree.to_sql": ctree.to_sql,
    "to_pmml": lambda model: model.to_pmml(),
    "to_python": lambda model: model.to_python(),
    "to_c": lambda model: model.to_c(),
    "feature_importances_": lambda model: model.feature_importances_.tolist(),
    "expected_errors": lambda model: model.expected_errors().tolist(),
    "consultation": lambda model: consulted(model.consultation()),
    "cost_complexity_path": lambda model: model.cost_complexity_path(),
    "pruned by cost": lambda model: told(model.pruned("cost-complexity", alpha=0.02)),
    "pruned by bic": lambda model: told(model.pruned("bic")),
    "pruned by mdl": lambda model: told(model.pruned("mdl", data_sets()[0])),
    "pruned by errors": lambda model: told(model.pruned("error-based", data_sets()[0])),
    "pruned on cases": lambda model: told(model.pruned("reduced-error", data_sets()[0])),
    "feature_inclusion_": lambda model: model.feature_inclusion_.tolist(),
    "expected_tests_": lambda model: model.expected_tests_.tolist(),
    "leaf_marginals": lambda model: model.leaf_marginals(),
    "sample_trees": lambda model: [tree.to_text() for tree in model.sample_trees(3, random_state=1)],
    "most_probable_tree": lambda model: model.most_probable_tree().to_text(),
    "best_tree_": lambda model: model.best_tree_.to_text(),
    "r_hat_": lambda model: model.r_hat_,
    "diagnostics": lambda model: model.diagnostics(asked()),
    "envelope": lambda model: ctree.uncertainty_envelope(model, asked(), ["p"] * 8, gamma0=0.6),
}


LARGE = {"C45Classifier": {"prune": False}, "ProbabilityTreeClassifier": {"approach": "c4.4"}}
"""Parameters with which trees of cases without order have more than a leaf."""


def told(model):
    return model.schema_, model.to_text(), model.unpruned_tree_.to_text(), model.get_params()


def consulted(consultation):
    asked = []
    while consultation.question is not None:
        asked.append(consultation.question.name)
        consultation.answer("?")
    return consultation.schema.names, asked, consultation.certainties(), consultation.reason


def answer_of(read, model):
    """What a reader says, also if it says that this model has no such thing."""
    try:
        return str(read(model))
    except CtreeError as problem:
        return f"{type(problem).__name__}: {problem}"


def fitted_at(place, model, other, call):
    """Call something, and have the model become the other one when so many lines of ctree's code are done."""
    count = 0

    def line(frame, event, argument):
        nonlocal count
        count += event == "line"
        if count == place:
            model.__dict__ = dict(other.__dict__)
        return line

    result = []
    traced(lambda: result.append(call()), lambda frame, event, argument: line if is_own(frame) else None)
    return result[0], count


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("kind", LEARNERS)
def test_a_fit_at_any_line_of_a_reader_does_not_show_in_the_middle(kind):
    old, new = (learner(kind, **LARGE.get(kind, {})).fit(data) for data in data_sets())
    model = learner(kind)
    read = 0
    for name, reader in READERS.items():
        if not applies(name, old):
            continue
        model.__dict__ = dict(old.__dict__)
        expected = {answer_of(reader, old), answer_of(reader, new)}
        read += len(expected) == 2
        answer, lines = fitted_at(-1, model, new, lambda reader=reader: answer_of(reader, model))
        assert answer in expected
        for place in [*range(1, min(lines, 40)), *range(40, lines, max(lines // 10, 1))]:
            model.__dict__ = dict(old.__dict__)
            answer, _ = fitted_at(place, model, new, lambda reader=reader: answer_of(reader, model))
            assert answer in expected, (name, place)
    assert read >= 4


def applies(name, model):
    """Whether a learner has what a reader reads."""
    if name == "fields":
        return True
    if name == "envelope":
        return hasattr(model, "votes")
    return hasattr(type(model), name.removeprefix("ctree.").split()[0])


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("kind", ["C45Classifier", "BayesianTreeClassifier", "BayesOptimalClassifier"])
def test_readers_in_threads_have_the_old_model_or_the_new_one(kind):
    sets = data_sets()
    models = [learner(kind).fit(data) for data in sets]
    readers = {name: reader for name, reader in READERS.items() if applies(name, models[0])}
    expected = {name: {answer_of(reader, model) for model in models} for name, reader in readers.items()}
    model = learner(kind).fit(sets[0])

    def wrong():
        for name, reader in readers.items():
            answer = answer_of(reader, model)
            if answer not in expected[name]:
                yield name, answer

    assert wrong_while_fitting(model, sets, 30, wrong) == []


def test_what_a_reader_computes_is_kept_by_the_learner():
    first, _ = data_sets()
    model = ctree.BayesOptimalClassifier(max_depth=2).fit(first)
    assert np.array_equal(model.feature_inclusion_, model.feature_inclusion_)
    assert "_marginals" in model.__dict__
