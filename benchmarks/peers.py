"""scikit-learn's classifiers with encodings that suit them, for comparisons on mixed data with unknown values.

Every encoding is learned from the training cases. `numbers`: continuous attributes as they are, unknown ones the mean,
discrete ones a column of 0 and 1 a value; `scaled`: the same, each column with mean 0 and deviation 1; `native`:
discrete values as codes that the learner knows to be such, unknown values left unknown; `binned`: everything as codes,
numbers in ten bins of about as many cases, unknown values a code of their own.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt
from sklearn.base import clone
from sklearn.calibration import CalibratedClassifierCV
from sklearn.dummy import DummyClassifier
from sklearn.ensemble import HistGradientBoostingClassifier, RandomForestClassifier
from sklearn.linear_model import LogisticRegression
from sklearn.naive_bayes import CategoricalNB, GaussianNB
from sklearn.preprocessing import StandardScaler
from sklearn.tree import DecisionTreeClassifier

from ctree.data.bins import equal_frequency_cuts
from ctree.data.dataset import Dataset
from ctree.evaluate.candidates import NumberCoding

Floats = npt.NDArray[np.float64]
BINS = 10


class Peer:
    """A classifier of scikit-learn's that takes a `Dataset` and gives probabilities of all its classes."""

    def __init__(self, learner: Any, encoding: str = "numbers") -> None:
        self._learner, self._encoding = learner, encoding

    def __repr__(self) -> str:
        return f"Peer({self._learner!r}, {self._encoding!r})"

    def fit(self, data: Dataset) -> Peer:
        learner = clone(self._learner)
        self._n_classes = data.schema.n_classes
        self._prepare(data)
        if self._encoding == "native":
            learner.set_params(categorical_features=[bool(data.schema[a].is_discrete) for a in self._used])
        if self._encoding == "binned":
            learner.set_params(min_categories=self._n_codes)
        table, classes = self._table(data), data.classes
        if isinstance(learner, CalibratedClassifierCV):
            # it wants each class in every fold: two folds at least, and the only case of a class twice
            counts = np.bincount(classes)
            alone = np.flatnonzero(np.isin(classes, np.flatnonzero(counts == 1)))
            table, classes = np.vstack([table, table[alone]]), np.concatenate([classes, classes[alone]])
            learner.set_params(cv=int(min(5, max(2, counts[counts > 0].min()))))
        if len(np.unique(classes)) == 1:  # which several of them refuse
            learner = DummyClassifier()
        self.fitted = learner.fit(table, classes)
        return self

    def predict_proba(self, data: Dataset) -> Floats:
        result = np.zeros((data.n_cases, self._n_classes))
        result[:, self.fitted.classes_] = self.fitted.predict_proba(self._table(data))
        return result

    def _prepare(self, data: Dataset) -> None:
        # an attribute without a known value is of no use, and more than HistGradientBoosting can take
        self._used = [
            a
            for a, c in enumerate(data.columns)
            if c is not None and (np.asarray(c) >= 0 if data.schema[a].is_discrete else ~np.isnan(c)).any()
        ]
        if self._encoding in ("numbers", "scaled"):
            self._coding = NumberCoding(data)
            if self._encoding == "scaled":
                self._scaler = StandardScaler().fit(self._coding.table(data))
        elif self._encoding == "binned":
            self._cuts = {
                a: equal_frequency_cuts(np.asarray(data.columns[a], dtype=np.float64), BINS)
                for a in self._used
                if not data.schema[a].is_discrete
            }
            self._n_codes = [
                (len(self._cuts[a]) + 1 if a in self._cuts else len(data.schema[a].values)) + 1 for a in self._used
            ]

    def _table(self, data: Dataset) -> Floats:
        if self._encoding in ("numbers", "scaled"):
            table = self._coding.table(data)
            return self._scaler.transform(table) if self._encoding == "scaled" else table
        columns = []
        for place, a in enumerate(self._used):
            values = np.asarray(data.columns[a], dtype=np.float64)
            if data.schema[a].is_discrete:
                values = np.where(values < 0, np.nan, values)
            elif self._encoding == "binned":
                values = np.where(np.isnan(values), np.nan, np.searchsorted(self._cuts[a], values))
            if self._encoding == "binned":
                values = np.where(np.isnan(values), self._n_codes[place] - 1, values)
            columns.append(values)
        return np.column_stack(columns)


def peers(seed: int) -> dict[str, Peer]:
    """The peers with their defaults, by name."""
    forest = RandomForestClassifier(random_state=seed)
    tree = DecisionTreeClassifier(random_state=seed)
    return {
        "sklearn tree": Peer(tree),
        "sklearn tree, 5 cases a leaf": Peer(DecisionTreeClassifier(min_samples_leaf=5, random_state=seed)),
        "sklearn tree, isotonic": Peer(CalibratedClassifierCV(tree, method="isotonic")),
        "sklearn tree, sigmoid": Peer(CalibratedClassifierCV(tree, method="sigmoid")),
        "random forest": Peer(forest),
        "random forest, isotonic": Peer(CalibratedClassifierCV(forest, method="isotonic")),
        "random forest, sigmoid": Peer(CalibratedClassifierCV(forest, method="sigmoid")),
        "hist gradient boosting": Peer(HistGradientBoostingClassifier(random_state=seed), "native"),
        "logistic regression": Peer(LogisticRegression(max_iter=1000), "scaled"),
        "gaussian naive Bayes": Peer(GaussianNB()),
        "categorical naive Bayes": Peer(CategoricalNB(), "binned"),
    }
