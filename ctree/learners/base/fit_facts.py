"""What a saved model tells of its fit besides what it has learned: the cases, its errors on them, winnowing.

::

    "data": "golf", "training_errors": [3.0, 5.0], "winnowing": {"kept": ["outlook"], "left_out": ["windy"], ...}
"""

from __future__ import annotations

from typing import Any

from ctree.data.fields import Fields, checked


def facts_to_fields(model: Any) -> dict[str, Any]:
    """What is known, as plain fields."""
    found = getattr(model, "winnowing_", None)
    return {
        **({} if model._data_name is None else {"data": model._data_name}),
        **({} if model._training_errors is None else {"training_errors": model._training_errors}),
        **({} if found is None else {"winnowing": found.to_dict()}),
    }


def restore_facts(model: Any, fields: Fields) -> None:
    """Set what the fields tell."""
    if "data" in fields:
        model._data_name = fields.get("data", str)
    if "training_errors" in fields:
        place = fields.place_of("training_errors")
        model._training_errors = [checked(n, float, place) for n in fields.get("training_errors", list)]
    if "winnowing" in fields:
        from ctree.learners.winnow.fields import winnowing_from_fields

        model.winnowing_ = winnowing_from_fields(fields.object("winnowing"), model.schema_)
