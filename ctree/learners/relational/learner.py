"""What learners from linked tables share: predictions from probabilities, scores, names of columns."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from ctree.data.relational.data import RelationalData
from ctree.data.relational.schema import RelationalSchema
from ctree.learners.base.classifier import Floats
from ctree.learners.base.decisions import Decides
from ctree.learners.base.estimator import not_fitted
from ctree.learners.base.one_model import of_one_model
from ctree.learners.base.parameters import fitted
from ctree.learners.relational.training import keys_by_name, share_right_of


class RelationalLearner(Decides):
    """Parent of the learners from linked tables, which say ``_examples(X)`` and ``predict_proba(X)``."""

    classes_: npt.NDArray[Any] = fitted("array", "The classes, in the order of the columns of `predict_proba`.")
    schema_: RelationalSchema = fitted("RelationalSchema", "The tables, columns and links.")
    n_features_in_: int = fitted("int", "1, where the examples were given by their keys.")

    def predict_proba(self, X: Any) -> Floats:
        """Class probabilities, one row an example, the columns in the order of ``classes_``."""
        raise NotImplementedError

    @of_one_model
    def predict(self, X: Any) -> npt.NDArray[Any]:
        """The most probable class of each example, the first of equals; with `costs` that of least expected cost."""
        codes = self.predict_codes(X)
        return np.asarray(self.classes_[codes])

    @of_one_model
    def predict_codes(self, X: Any) -> npt.NDArray[np.intp]:
        """The places in ``classes_`` of the classes that `predict` gives."""
        return self._chosen(self.predict_proba(X))

    def score(self, X: Any, y: Any = None, sample_weight: npt.ArrayLike | None = None) -> float:
        """The share of examples whose class is predicted right."""
        X, y, sample_weight = keys_by_name(X, y, sample_weight)
        examples = self._examples(X)
        return share_right_of(self.predict(X), examples, y, sample_weight)

    @property
    @of_one_model
    def feature_importance_names_(self) -> npt.NDArray[Any]:
        """The full names of the columns, ``"atom.type"``, in the order of `feature_importances_`."""
        self._check_fitted()
        return np.array(self.schema_.column_names, dtype=object)

    def _examples(self, X: Any) -> RelationalData:
        """The examples that a person gives: linked tables, or keys."""
        raise NotImplementedError

    def _check_fitted(self) -> None:
        if not hasattr(self, "schema_"):
            raise not_fitted(f"this {type(self).__name__} is not fitted yet: call fit first")
