"""Trees of other packages for the benchmark of fits, each with one thread; those that are not installed stay out."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

Fit = Callable[[], Any]
CONTINUOUS = 10


def fit_sklearn(X: Any, y: Any) -> Any:
    """scikit-learn's tree by entropy, which is not pruned."""
    from sklearn.tree import DecisionTreeClassifier

    return DecisionTreeClassifier(criterion="entropy", min_samples_leaf=2, random_state=0).fit(X, y)


def lightgbm(X: Any, y: Any) -> Fit | None:
    """One iteration of boosting: a tree for each class, over 255 bins, which are made in the time that is measured."""
    try:
        import lightgbm as lgb
    except ImportError:
        return None
    settings = {
        "objective": "multiclass",
        "num_class": int(y.max()) + 1,
        "num_leaves": 1023,
        "min_data_in_leaf": 2,
        "num_threads": 1,
        "verbose": -1,
    }
    discrete = list(range(CONTINUOUS, X.shape[1]))
    return lambda: lgb.train(settings, lgb.Dataset(X, y, categorical_feature=discrete), num_boost_round=1)


def ydf_cart(X: Any, y: Any) -> Fit | None:
    """The CART of ydf; its data set is made before."""
    try:
        import ydf
    except ImportError:
        return None
    ydf.verbose(0)
    columns = {f"x{j}": X[:, j] for j in range(CONTINUOUS)}
    columns |= {f"d{j}": np.array([f"v{v:g}" for v in X[:, j].tolist()]) for j in range(CONTINUOUS, X.shape[1])}
    columns["label"] = np.array([f"c{c}" for c in y.tolist()])
    data = ydf.create_vertical_dataset(columns)
    return lambda: ydf.CartLearner(label="label", min_examples=2, num_threads=1).train(data)


PEERS = {"LightGBM, one iteration": lightgbm, "ydf, CART": ydf_cart}
