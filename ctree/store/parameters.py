"""The parameters of a learner as a model file has them."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

import numpy as np

from ctree.data.textfile import shown
from ctree.errors import ModelError
from ctree.learners.base import Classifier
from ctree.store.fields import Fields, checked, shown_json


def plain(value: Any) -> Any:
    """A parameter without numpy's types."""
    if isinstance(value, np.ndarray | np.generic):
        return value.tolist()
    if isinstance(value, list | tuple):
        return [plain(v) for v in value]
    return value


def checked_parameters(
    learner: type[Classifier], parameters: Fields, types: Mapping[str, type], optional: Mapping[str, type]
) -> dict[str, Any]:
    """The parameters of a learner, each of its type; one that the file does not have keeps its default.

    Those in `optional` may also be None. ``categorical_features``, which all learners have, is checked here.
    """
    known = learner().get_params()
    result = {}
    for name in parameters:
        value, place = parameters.value(name), parameters.place_of(name)
        if name not in known:
            raise ModelError(f"{learner.__name__} has no parameter '{shown(name)}'")
        if name in types:
            checked(value, types[name], place)
        elif name in optional and value is not None:
            checked(value, optional[name], place)
        elif name == "categorical_features" and value is not None:
            for entry in checked(value, list, place):
                if not isinstance(entry, bool | int | str):
                    raise ModelError(f"'{place}' should list names, numbers or truth values, not {shown_json(entry)}")
        result[name] = value
    return result


def without_word(types: Mapping[str, type], parameters: Fields, name: str, word: str) -> dict[str, type]:
    """The types of the parameters, less that of one in whose place a word may stand, if it does."""
    result = dict(types)
    if name in parameters and parameters.value(name) == word:
        del result[name]
    return result


def one_of(value: str, names: Iterable[str], place: str) -> None:
    """Refuse a name that is not among these."""
    if value not in tuple(names):
        raise ModelError(f"'{place}' should be one of {', '.join(names)}, not {shown_json(value)}")
