"""What scikit-learn asks of an estimator, kept without scikit-learn: it is never imported unless it is there already.

Its base class would bring these methods, but then `import ctree` would need it. Everything here is by the names that it
looks for: parameters, tags, metadata routing, errors of its own kind, pictures in notebooks.
"""

from __future__ import annotations

import copy
import inspect
import sys
from collections.abc import Callable
from functools import cache
from typing import Any, ClassVar, Self, dataclass_transform

from ctree.errors import DataConversionWarning, NotFittedError, ParameterError
from ctree.errors import warn as warn
from ctree.learners.base.parameters import Parameter, check_parameters, declare, fitted
from ctree.wording import abbreviated, abbreviated_list, near_match

UNCHANGED = "$UNCHANGED$"  # scikit-learn's own word for a request that is left as it is


@dataclass_transform(kw_only_default=True, eq_default=False, field_specifiers=(fitted,))
class SklearnEstimator:
    """Parameters by name, and what else scikit-learn looks for in a classifier.

    A subclass declares its parameters in its body, see `ctree.learners.base.parameters`.
    """

    _parameters: ClassVar[dict[str, Parameter]] = {}

    def __init_subclass__(cls, **options: Any) -> None:
        super().__init_subclass__(**options)
        declare(cls)

    @classmethod
    def _parameter_names(cls) -> list[str]:
        # by the constructor, as a class of somebody else's may have written its own
        return [p for p in inspect.signature(cls.__init__).parameters if p != "self"]

    def _check_parameters(self) -> None:
        """Refuse parameters that cannot be, each by its own domain, then by `_check_together`."""
        check_parameters(self._parameters, {name: getattr(self, name) for name in self._parameters})
        self._check_together()

    def _check_together(self) -> None:
        """Refuse parameters that are mutually exclusive; for learners that have such."""

    def get_params(self, deep: bool = True) -> dict[str, Any]:
        """The parameters by name; with `deep` also those of a learner among them, as ``learner__method``."""
        own = {name: getattr(self, name) for name in self._parameter_names()}
        inner = {name: value for name, value in own.items() if deep and _is_learner(value)}
        return own | {f"{name}__{key}": v for name, value in inner.items() for key, v in value.get_params().items()}

    def set_params(self, **params: Any) -> Self:
        """Set parameters by name, ``learner__method`` those of a learner among them."""
        names = self._parameter_names()
        inner: dict[str, dict[str, Any]] = {}
        for name, value in params.items():
            own, nested, rest = name.partition("__")
            if own not in names:
                hint, known = near_match(own, names), abbreviated_list(names, 30, 200)
                raise ParameterError(
                    f"{type(self).__name__} has no parameter '{abbreviated(name)}'{hint}; it has {known}"
                )
            if nested:
                inner.setdefault(own, {})[rest] = value
            else:
                setattr(self, own, value)
        for name, given in inner.items():
            learner = getattr(self, name)
            if not _is_learner(learner):
                raise ParameterError(
                    f"{name} is no learner whose parameter '{abbreviated(next(iter(given)))}' can be set"
                )
            learner.set_params(**given)
        return self

    def _not_copied(self) -> dict[int, Any]:
        """Values of parameters that a copy shares, by their identity, as `copy.deepcopy` takes them."""
        return {}

    def _as_it_is(self) -> Self:
        """This learner as it is now, whatever another thread fits it to in the meantime.

        It shares what is fitted, and so whatever is computed later and kept, for `fit` replaces that as a whole.
        """
        model = type(self).__new__(type(self))
        model.__dict__ = self.__dict__
        return model

    def __repr__(self) -> str:
        signature = inspect.signature(type(self).__init__).parameters
        shown = self.get_params(deep=False)
        if _config("print_changed_only", True):
            shown = {name: value for name, value in shown.items() if not _same(value, signature[name].default)}
        return f"{type(self).__name__}({', '.join(f'{name}={value!r}' for name, value in shown.items())})"

    def _repr_mimebundle_(self, **options: Any) -> dict[str, str]:
        """What a notebook shows: the parameters, and the model after a fit; only text where scikit-learn is told so."""
        bundle = {"text/plain": repr(self)}
        if _config("display", "diagram") == "diagram":
            bundle["text/html"] = self._repr_html_()
        return bundle

    @property
    def _repr_html_(self) -> Callable[[], str]:
        # A property, as whoever looks whether it is there may call it.
        if _config("display", "diagram") != "diagram":
            raise AttributeError("scikit-learn is told to show estimators as text: display='diagram' changes that")
        from ctree.render.cells.model_cell import model_cell

        model = self._as_it_is()
        return lambda: model_cell(model)

    def __sklearn_tags__(self) -> Any:
        """What scikit-learn wants to know of an estimator; only it ever asks."""
        from sklearn.utils import ClassifierTags, InputTags, Tags, TargetTags

        return Tags(
            estimator_type="classifier",
            target_tags=TargetTags(required=True),
            classifier_tags=ClassifierTags(),
            input_tags=InputTags(allow_nan=True, categorical=True, string=True),
        )

    def _cell_text(self) -> str:
        """What a notebook shows of a model that is neither a tree nor rules."""
        text: str = self.to_text()  # type: ignore[attr-defined]  # every learner has it
        return text

    def _cell_note(self) -> str:
        """What a notebook says of the size of a model."""
        text: str = self.size_text()  # type: ignore[attr-defined]
        return text

    def __sklearn_is_fitted__(self) -> bool:
        return hasattr(self, "schema_")

    def get_metadata_routing(self) -> Any:
        """Which further arguments (`sample_weight`) this learner asks scikit-learn's meta-estimators for."""
        request = getattr(self, "_metadata_request", None)
        return self._no_requests() if request is None else copy.deepcopy(request)

    def set_fit_request(self, *, sample_weight: bool | str | None = UNCHANGED) -> Self:
        """Ask scikit-learn's meta-estimators to pass `sample_weight` on to `fit`, or not; see its metadata routing."""
        return self._request("fit", sample_weight)

    def set_score_request(self, *, sample_weight: bool | str | None = UNCHANGED) -> Self:
        """Ask scikit-learn's meta-estimators to pass `sample_weight` on to `score`, or not."""
        return self._request("score", sample_weight)

    def _request(self, method: str, sample_weight: bool | str | None) -> Self:
        if not _config("enable_metadata_routing", False):
            raise RuntimeError(
                "requests are for scikit-learn's metadata routing, which is off: "
                "sklearn.set_config(enable_metadata_routing=True)"
            )
        request = self.get_metadata_routing()
        if sample_weight != UNCHANGED:
            getattr(request, method).add_request(param="sample_weight", alias=sample_weight)
        self._metadata_request = request
        return self

    def _no_requests(self) -> Any:
        """All that could be asked for, and nothing asked for yet."""
        from sklearn.utils.metadata_routing import MetadataRequest

        request = MetadataRequest(owner=type(self).__name__)
        for method in ("fit", "partial_fit", "score"):
            if "sample_weight" in inspect.signature(getattr(self, method, len)).parameters:
                getattr(request, method).add_request(param="sample_weight", alias=None)
        return request


def sklearn_diagram(model: SklearnEstimator) -> str:
    """Scikit-learn's own picture of an estimator, as HTML; empty where it is not in use."""
    if "sklearn" not in sys.modules:
        return ""
    from sklearn.utils import estimator_html_repr

    return str(estimator_html_repr(model))


def not_fitted(message: str) -> NotFittedError:
    """The error of a learner that is not fitted; where scikit-learn is in use, also its error of that name."""
    error: NotFittedError = _also_of_sklearn(NotFittedError)(message)
    return error


def conversion_warning(message: str) -> DataConversionWarning:
    """The warning that data were taken otherwise than given; where scikit-learn is in use, also its own."""
    warning: DataConversionWarning = _also_of_sklearn(DataConversionWarning)(message)
    return warning


def _is_learner(value: Any) -> bool:
    return hasattr(value, "get_params") and hasattr(value, "set_params") and not isinstance(value, type)


def _also_of_sklearn(kind: Any) -> Any:
    if "sklearn" not in sys.modules:
        return kind
    return _joined(kind)


@cache
def _joined(kind: type) -> type:
    from sklearn import exceptions

    # as the kind itself when it is pickled: another process need not have scikit-learn
    def reduced(self: BaseException) -> tuple[type, tuple[Any, ...]]:
        return kind, self.args

    names = {"__module__": kind.__module__, "__doc__": kind.__doc__, "__reduce__": reduced}
    return type(kind.__name__, (kind, getattr(exceptions, kind.__name__)), names)


def _config(name: str, default: Any) -> Any:
    """A setting of scikit-learn's, or the default where it is not in use."""
    if "sklearn" not in sys.modules:
        return default
    from sklearn import get_config

    return get_config().get(name, default)


def _same(value: Any, default: Any) -> bool:
    if value is default:
        return True
    return type(value) is type(default) and not hasattr(value, "__array__") and bool(value == default)
