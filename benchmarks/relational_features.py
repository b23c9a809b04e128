"""Features that featuretools makes of linked tables, and scikit-learn's trees for them, beside relational trees."""

from __future__ import annotations

import json
import logging
import warnings
from importlib import import_module
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
from sklearn.ensemble import RandomForestClassifier
from sklearn.tree import DecisionTreeClassifier

AGGREGATES = ["count", "min", "max", "mean", "mode", "num_unique"]
DEPTH = 2
LOGICAL = {"discrete": "Categorical", "continuous": "Double", "key": "Unknown"}


class LaplaceTree(DecisionTreeClassifier):
    """CART with the leaf estimate of relational trees, which ranks better than frequencies."""

    def predict_proba(self, X: npt.NDArray[np.float64]) -> npt.NDArray[np.float64]:
        leaves = self.apply(X)
        sizes = self.tree_.n_node_samples[leaves][:, None]
        shares = self.tree_.value[leaves][:, 0]
        return np.asarray((shares * sizes + 1) / (sizes + shares.shape[1]))


def peers() -> dict[str, Any]:
    return {
        "CART, 5 in a leaf": DecisionTreeClassifier(min_samples_leaf=5, random_state=1),
        "CART, 5, Laplace": LaplaceTree(min_samples_leaf=5, random_state=1),
        "CART, grown out": DecisionTreeClassifier(random_state=1),
        "CART, grown out, Laplace": LaplaceTree(random_state=1),
        "random forest of 200": RandomForestClassifier(200, random_state=1),
    }


def made_features(folder: Path) -> npt.NDArray[np.float64]:
    """A row of numbers for each example, in the order of the file; discrete features as columns of 0 and 1."""
    pandas, featuretools = import_module("pandas"), import_module("featuretools")
    schema = json.loads((folder / "schema.json").read_text(encoding="utf-8"))
    target, label = schema["target"]["table"], schema["target"]["column"]
    entities = featuretools.EntitySet(schema["name"])
    warnings.simplefilter("ignore")
    logging.getLogger("featuretools").setLevel(logging.ERROR)
    order = None
    for name, table in schema["tables"].items():
        kinds = {column: kind for column, kind in table["columns"].items() if kind not in ("class", "ignore")}
        types = {column: float if kind == "continuous" else str for column, kind in kinds.items()}
        frame = pandas.read_csv(folder / table["file"], usecols=list(kinds), dtype=types)
        logical = {column: LOGICAL[kind] for column, kind in kinds.items()}
        key = table.get("key")
        made = {} if key else {"make_index": True}
        entities.add_dataframe(frame, name, index=key or f"{name}_row", logical_types=logical, **made)
        if name == target:
            order = frame[key]
    for link in schema["foreign_keys"]:
        parent = link["references"]
        entities.add_relationship(parent, schema["tables"][parent]["key"], link["table"], link["column"])
    assert label not in entities[target].columns
    table, _ = featuretools.dfs(
        entityset=entities,
        target_dataframe_name=target,
        agg_primitives=AGGREGATES,
        trans_primitives=[],
        max_depth=DEPTH,
    )
    table = table.loc[order]
    discrete = [c for c in table.columns if not pandas.api.types.is_numeric_dtype(table[c])]
    table = pandas.get_dummies(table, columns=discrete, dtype=float)
    return np.asarray(table.astype(float).to_numpy(), dtype=np.float64)
