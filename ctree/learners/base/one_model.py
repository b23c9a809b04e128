"""What reads several results of a fit has all of them from the same one."""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from typing import Any, TypeVar, cast

Method = TypeVar("Method", bound=Callable[..., Any])
Model = TypeVar("Model")


def of_one_model(method: Method) -> Method:
    """Call a method for the learner as it is now: a `fit` in another thread does not show in the middle of it."""

    @wraps(method)
    def called(self: Any, /, *args: Any, **kwargs: Any) -> Any:
        return method(self._as_it_is(), *args, **kwargs)

    return cast("Method", called)


def one_model(model: Model) -> Model:
    """A learner as it is now, whatever another thread fits it to in the meantime; anything else as it is.

    >>> one_model("no learner")
    'no learner'
    """
    return cast("Model", model._as_it_is()) if hasattr(model, "_as_it_is") else model
