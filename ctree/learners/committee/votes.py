"""What members of a committee say of cases: votes, and what they count."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from ctree.data.dataset import Dataset
from ctree_ext.base.classify import Router

Floats = npt.NDArray[np.float64]


def ballots(member: Any, vote: float, cases: Dataset, voting: str) -> Floats:
    """What a member gives each class of cases, (cases, classes): all that its vote counts to the class it predicts.

    Parameters
    ----------
    member : fitted learner
    vote : float
        What its votes count by its error.
    cases : Dataset
        With the schema of the member.
    voting : {"error", "confidence", "both"}
        Whether its votes count that, what it is sure of them instead (see `confidences`), or the product of the two.
    """
    codes = member.predict_codes(cases)
    result = np.zeros((cases.n_cases, cases.schema.n_classes))
    rows = np.arange(cases.n_cases)
    counts = vote if voting != "confidence" else 1.0
    result[rows, codes] = counts if voting == "error" else counts * confidences(member, cases)[rows, codes]
    return result


def confidences(member: Any, cases: Dataset) -> Floats:
    """How sure a tree is of each class of cases, by the Laplace ratio (n_k + 1) / (n + 2) of a leaf.

    Here n is what the training cases in the leaf weigh, and n_k those of the class. A case of unknown values has those
    of several leaves, each by its share.
    """
    tree = member.tree_
    ratios = (tree.class_counts + 1) / (tree.cases[:, None] + 2)
    router = Router(tree.arrays, np.ascontiguousarray(ratios), np.ones(tree.n_nodes), False)
    return np.asarray(router.distributions(tree._table(member._tree_cases(cases))))
