"""Tables of several kinds of columns, and their models in memory: what learning from frames is tested with."""

from __future__ import annotations

import numpy as np


def random_table(n=1500, seed=0, unknown=False):
    """A table of pandas with a column `label`: numbers of many values, few and one, text, booleans, categories."""
    import pandas as pd

    rng = np.random.default_rng(seed)
    x, k = rng.normal(size=n), rng.integers(0, 5, n)
    hidden = x + 0.3 * k + rng.normal(size=n) * 0.5
    labels = np.where(hidden > 0.8, "yes", np.where(rng.random(n) < 0.1, "maybe", "no"))
    table = pd.DataFrame(
        {
            "x": x,
            "few": rng.integers(0, 9, n) * 1.5 - 3,
            "whole": rng.integers(-40, 300, n),
            "text": np.array(["a", "b", "c", "d", "e"])[k],
            "flag": rng.random(n) < 0.3,
            "kind": pd.Categorical.from_codes(rng.integers(0, 3, n), ["high", "low", "none", "never"]),
            "same": np.full(n, 7.0),
            "label": labels,
        }
    )
    if unknown:
        table.loc[rng.random(n) < 0.1, "x"] = np.nan
        table.loc[rng.random(n) < 0.1, "text"] = None
    return table


def in_memory(learner, table, label="label"):
    """A learner fitted to a table as every table is."""
    return type(learner)(**learner.get_params()).fit(table.drop(columns=label), table[label])


def fields(model):
    """All that a model is."""
    return repr(model._to_fields())
