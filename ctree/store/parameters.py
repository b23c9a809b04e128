"""The parameters of a learner as a model file has them."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

import numpy as np

from ctree.data.files.text_file import abbreviated
from ctree.data.tables.arrays import UNSEEN
from ctree.errors import ModelError
from ctree.learners.base.classifier import Classifier
from ctree.store.fields import Fields, checked, shown_json


def plain(value: Any) -> Any:
    """A parameter without numpy's types."""
    if isinstance(value, np.ndarray | np.generic):
        return value.tolist()
    if isinstance(value, list | tuple):
        return [plain(v) for v in value]
    return value


def plain_parameters(parameters: Mapping[str, Any]) -> dict[str, Any]:
    """The parameters of a learner as a file has them; class weights as pairs, as a key in JSON is always text."""
    result = {name: plain(value) for name, value in parameters.items()}
    if isinstance(result["class_weight"], Mapping):
        result["class_weight"] = [[plain(label), plain(weight)] for label, weight in result["class_weight"].items()]
    return result


def checked_parameters(
    learner: type[Classifier], parameters: Fields, types: Mapping[str, type], optional: Mapping[str, type]
) -> dict[str, Any]:
    """The parameters of a learner, each of its type; one that the file does not have keeps its default.

    Those in `optional` may also be None. Those that all learners have are checked here: ``categorical_features``,
    ``class_weight`` and ``unseen``.
    """
    known = learner().get_params()
    result = {}
    for name in parameters:
        value, place = parameters.value(name), parameters.place_of(name)
        if name not in known:
            raise ModelError(f"{learner.__name__} has no parameter '{abbreviated(name)}'")
        if name in types:
            checked(value, types[name], place)
        elif name in optional and value is not None:
            checked(value, optional[name], place)
        elif name == "categorical_features" and value is not None:
            for entry in checked(value, list, place):
                if not isinstance(entry, bool | int | str):
                    raise ModelError(f"'{place}' should list names, numbers or truth values, not {shown_json(entry)}")
        elif name == "class_weight" and isinstance(value, list):
            value = _class_weights(value, place)
        elif name == "class_weight" and value is not None:
            one_of(checked(value, str, place), ["balanced"], place)
        elif name == "unseen":
            one_of(checked(value, str, place), UNSEEN, place)
        result[name] = value
    return result


def _class_weights(pairs: list[Any], place: str) -> dict[Any, float]:
    result = {}
    for pair in pairs:
        label, weight = pair if isinstance(pair, list) and len(pair) == 2 else (None, None)
        if not isinstance(label, str | int | float) or isinstance(weight, bool) or not isinstance(weight, int | float):
            raise ModelError(f"'{place}' should list classes with their weights, not {shown_json(pair)}")
        result[label] = weight
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
