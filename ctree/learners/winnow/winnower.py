"""A step of a pipeline that leaves out attributes."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Self

import numpy as np
import numpy.typing as npt

from ctree.data.dataset import Dataset
from ctree.data.schema import Schema
from ctree.data.tables.frames import is_frame, is_sparse
from ctree.data.tables.made_frames import frame_of
from ctree.data.tables.raw_columns import column_names, read_once
from ctree.domains.domain import AnyOf, Choice, Domain, Nothing
from ctree.errors import DataError
from ctree.learners.base.classifier import Classifier, fitted_attributes
from ctree.learners.base.common_parameters import Seed, WithProgress
from ctree.learners.base.estimator import SklearnEstimator, not_fitted
from ctree.learners.base.parameters import fitted, parameter
from ctree.learners.winnow.losses import LOSSES
from ctree.learners.winnow.winnow import WAYS, chosen_learner, memory_cases, winnowing_of
from ctree.learners.winnow.winnowing import Winnowing
from ctree.wording import abbreviated_list


class LearnerOfTables(Domain):
    """A learner of ctree for tables."""

    metavar = "LEARNER"

    def accepts(self, value: Any) -> bool:
        return isinstance(value, Classifier)

    def words(self) -> list[str]:
        return ["a learner of ctree for tables, such as C45Classifier()"]

    def type_text(self) -> str:
        return "Classifier"


class Winnower(WithProgress, SklearnEstimator):
    """A transformer that leaves out the attributes that `ctree.winnow` does, for pipelines of scikit-learn.

    What it gives on is what it was given, a `Dataset`, a data frame, an array, a sparse matrix or a dict, without the
    columns of these attributes.

    Examples
    --------
    >>> import ctree
    >>> iris = ctree.load_iris()
    >>> winnower = ctree.Winnower(ctree.C45Classifier()).fit(iris)
    >>> winnower.transform(iris).schema.names
    ('petal_width',)
    >>> winnower.get_support().tolist()
    [False, False, False, True]
    """

    estimator: Any = parameter(
        None, AnyOf(Nothing(), LearnerOfTables()), "What learns the models. None: a `C45Classifier`."
    )
    loss: str = parameter("log-loss", LOSSES, "What is lost by a prediction; see `ctree.winnow`.")
    by: str = parameter("refit", WAYS, "How to find what is lost without an attribute; see `ctree.winnow`.")
    random_state: Any = parameter(0, Seed(), "Random seed of the halves; None for a new one each time.")

    winnowing_: Winnowing = fitted("Winnowing", "What was found.")
    schema_: Schema = fitted("Schema", "The attributes and classes.")
    n_features_in_: int = fitted("int", "The number of attributes.")
    feature_names_in_: npt.NDArray[Any] = fitted(
        "array of str", "The names of the attributes; not there if the cases came without names."
    )
    _output: str | None = fitted()

    def __init__(
        self,
        estimator: Any = None,
        *,
        loss: str = "log-loss",
        by: str = "refit",
        random_state: Any = 0,
        verbose: bool | int = False,
    ) -> None:
        self.estimator = estimator
        self.loss = loss
        self.by = by
        self.random_state = random_state
        self.verbose = verbose

    def fit(
        self,
        X: Any,
        y: Any = None,
        sample_weight: npt.ArrayLike | None = None,
        *,
        progress: Any = None,
    ) -> Self:
        """Find out which attributes can be left out, from a `Dataset`, or from a table `X` and classes `y`."""
        self._check_parameters()
        learner = chosen_learner(self.estimator)
        data = memory_cases(learner, X, y, sample_weight, type(self).__name__)
        found = winnowing_of(learner, data, self.loss, self.by, self.random_state, self._reported(progress))
        known = fitted_attributes(data.schema)
        del known["classes_"]
        kept = {name: value for name, value in self.__dict__.items() if name != "feature_names_in_"}
        self.__dict__ = {**kept, **known, "winnowing_": found}
        return self

    def fit_transform(self, X: Any, y: Any = None, sample_weight: npt.ArrayLike | None = None) -> Any:
        """The same cases without what was found of no use."""
        return self.fit(X, y, sample_weight).transform(X)

    def transform(self, X: Any) -> Any:
        """Cases without the attributes that are left out."""
        model = self._as_it_is()
        model._check_fitted()
        left_out = model.winnowing_.left_out
        if isinstance(X, Dataset):
            return X.drop(left_out) if left_out else X
        X = read_once(X)
        names = column_names(X)
        places = model._places(X, names)
        if isinstance(X, Mapping):
            return {name: X[name] for name in (list(X)[i] for i in places)}
        if is_frame(X):
            if hasattr(X, "iloc"):
                return X.iloc[:, places]
            return X.select([names[i] for i in places] if names else []).to_native()
        chosen = X.tocsc()[:, places].asformat(X.format) if is_sparse(X) else _array(X)[:, places]
        backend = getattr(self, "_output", None)
        if backend is None or is_sparse(X):
            return chosen
        kept = self.get_feature_names_out().tolist()
        return frame_of({name: chosen[:, i] for i, name in enumerate(kept)}, backend)

    def get_support(self, indices: bool = False) -> npt.NDArray[Any]:
        """Whether each column is kept, as a mask; or the places of those that are."""
        self._check_fitted()
        mask = self.winnowing_.support(self.schema_.names)
        return np.flatnonzero(mask) if indices else mask

    def get_feature_names_out(self, input_features: Any = None) -> npt.NDArray[Any]:
        """The names of the columns that are kept, by `input_features` if the cases came without names."""
        self._check_fitted()
        names = list(self.schema_.names)
        if input_features is not None:
            given = [str(name) for name in input_features]
            if len(given) != len(names):
                raise DataError(f"input_features should have length equal to {len(names)}, and has {len(given)}")
            if hasattr(self, "feature_names_in_") and given != names:
                raise DataError("input_features is not equal to feature_names_in_")
            names = given
        return np.asarray(np.array(names, dtype=object)[self.get_support()])

    def set_output(self, *, transform: str | None = None) -> Self:
        """Of arrays, give on data frames: ``"pandas"`` or ``"polars"``; ``"default"`` leaves them arrays."""
        if transform is not None:
            Choice("default", "pandas", "polars").check("transform", transform)
            self._output = None if transform == "default" else transform
        return self

    def __sklearn_tags__(self) -> Any:
        from sklearn.utils import TransformerTags

        tags = super().__sklearn_tags__()
        tags.estimator_type, tags.classifier_tags, tags.transformer_tags = None, None, TransformerTags()
        tags.transformer_tags.preserves_dtype = []
        tags.input_tags.sparse = True
        return tags

    def _places(self, X: Any, names: list[str] | None) -> list[int]:
        """The places of the columns to give on."""
        known, kept = self.schema_.names, self.get_support()
        if names is not None and hasattr(self, "feature_names_in_"):
            missing = [name for name in known if name not in set(names)]
            strange = [name for name in names if name not in set(known)]
            if missing or strange:
                what = f"lacks {abbreviated_list(missing)}" if missing else f"has {abbreviated_list(strange)} more"
                raise DataError(f"X {what}: Winnower was fitted to other columns")
            wanted = {name for name, keep in zip(known, kept.tolist(), strict=True) if keep}
            return [i for i, name in enumerate(names) if name in wanted]
        width = len(names) if names is not None else _width(X)
        if width != len(known):
            raise DataError(f"X has {width} features, but Winnower is expecting {len(known)} features as input")
        return np.flatnonzero(kept).tolist()

    def _check_fitted(self) -> None:
        if not hasattr(self, "winnowing_"):
            raise not_fitted("this Winnower is not fitted yet: call fit first")

    def _cell_text(self) -> str:
        return str(self.winnowing_)

    def _cell_note(self) -> str:
        return self.winnowing_.size_text()


def _width(X: Any) -> int:
    return int(X.shape[1]) if is_sparse(X) else _array(X).shape[1]


def _array(X: Any) -> npt.NDArray[Any]:
    array = np.asarray(X)
    if array.ndim != 2:
        raise DataError(
            f"X should be a table of rows and columns, not of {array.ndim} dimensions. Reshape your data either using "
            "array.reshape(-1, 1) if it has a single feature or array.reshape(1, -1) if it contains a single sample."
        )
    return array
