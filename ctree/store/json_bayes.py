"""`NaiveBayesClassifier` as JSON, and back.

::

    "class_counts": [9.0, 5.0],
    "counts": {"outlook": [[2.0, 3.0], [4.0, 0.0], [3.0, 2.0]], ...},
    "cuts": {"humidity": [70.0, 75.0, 80.0, 90.0], ...}
"""

from __future__ import annotations

from typing import Any

from ctree.errors import ModelError, NotFittedError
from ctree.learners.naive_bayes import ESTIMATES, NaiveBayesClassifier
from ctree.store.fields import Fields, shown_json
from ctree.store.json_bayesian import cuts_of
from ctree.store.json_tree import matrix_of, schema_from_dict, schema_to_dict
from ctree.store.parameters import checked_parameters, one_of, plain_parameters

PARAMETER_TYPES: dict[str, type] = {"estimate": str, "m": float, "bins": int}
"""The plain parameters of `NaiveBayesClassifier`."""


def bayes_to_dict(model: NaiveBayesClassifier) -> dict[str, Any]:
    """A fitted `NaiveBayesClassifier` as fields of a file."""
    if not hasattr(model, "counts_"):
        raise NotFittedError(f"this {type(model).__name__} is not fitted yet: fit it before it is saved")
    parameters = plain_parameters(model.get_params())
    _check_parameters(Fields(parameters, "parameters"))
    names = [attribute.name for attribute in model.schema_]
    return {
        "parameters": parameters,
        "schema": schema_to_dict(model.schema_),
        "class_counts": model.class_counts_.tolist(),
        "counts": {name: c.tolist() for name, c in zip(names, model.counts_, strict=True) if c is not None},
        "cuts": {name: c.tolist() for name, c in zip(names, model.cuts_, strict=True) if c is not None},
    }


def bayes_from_dict(fields: Fields) -> NaiveBayesClassifier:
    """The `NaiveBayesClassifier` that the fields of a file describe."""
    model = NaiveBayesClassifier(**_check_parameters(fields.object("parameters")))
    schema = schema_from_dict(fields.object("schema"))
    n_classes = schema.n_classes
    place = fields.place_of("class_counts")
    model.class_counts_ = _weights(matrix_of([fields.get("class_counts", list)], n_classes, place), place)[0]
    if not model.class_counts_.sum() > 0:
        raise ModelError(f"'{place}' counts no cases")
    counts, cuts = fields.object("counts"), fields.object("cuts")
    model.counts_, model.cuts_ = [], []
    for attribute in schema:
        model.cuts_.append(cuts_of(cuts, attribute) if attribute.is_continuous else None)
        last = model.cuts_[-1]
        if not attribute.is_continuous and not attribute.is_discrete:
            model.counts_.append(None)
            continue
        place = counts.place_of(attribute.name)
        rows = _weights(matrix_of(counts.get(attribute.name, list), n_classes, place), place)
        expected = len(attribute.values) if last is None else len(last) + 1
        if len(rows) != expected:
            raise ModelError(f"'{place}' should have {expected} rows, not {len(rows)}")
        model.counts_.append(rows)
    model._set_schema(schema)
    return model


def _weights(matrix: Any, place: str) -> Any:
    if (matrix < 0).any():
        raise ModelError(f"'{place}' has a negative weight")
    return matrix


def _check_parameters(parameters: Fields) -> dict[str, Any]:
    result = checked_parameters(NaiveBayesClassifier, parameters, PARAMETER_TYPES, {})
    for name in result:
        value, place = result[name], parameters.place_of(name)
        if name == "estimate":
            one_of(value, ESTIMATES, place)
        if name in ("m", "bins") and not value > 0:
            raise ModelError(f"'{place}' should be greater than 0, not {shown_json(value)}")
    return result
