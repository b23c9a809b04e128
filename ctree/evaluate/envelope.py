"""The Uncertainty Envelope: on which predictions the members of an ensemble agree, and how accurate these are."""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from ctree.data.dataset import Dataset
from ctree.data.relational.data import RelationalData
from ctree.data.schema import Label
from ctree.data.tables.named_columns import by_name
from ctree.errors import DataError, ParameterError
from ctree.learners.base.classifier import Classifier
from ctree.learners.base.one_model import one_model
from ctree.learners.mcmc.convergence import effective_size
from ctree.tree.tree import Tree
from ctree.wording import plural

Floats = npt.NDArray[np.float64]
Codes = npt.NDArray[np.int32]


class Shares(NamedTuple):
    """Shares of cases; they add up to 1."""

    confident_correct: float
    confident_incorrect: float
    uncertain: float


@dataclass(frozen=True, repr=False)
class Envelope:
    """The votes of an ensemble's members on cases.

    Parameters
    ----------
    predictions : array (cases,)
        The class with the most votes, as an index into `classes`; the first in case of a tie.
    consistency : array (cases,)
        γ: the share of members that vote for it.
    standard_error : array (cases,)
        That of γ: √(γ (1 - γ) / n), where n is how many independent votes tell as much as these.
    targets : array (cases,) or None
        The true classes.
    classes : tuple of labels
    gamma0 : float
        A prediction is confident if γ is at least this.
    weights : array (cases,) or None
        The weight of each case in the shares; None if all are equal.

    Examples
    --------
    >>> from ctree.evaluate.envelope import envelope_of_votes
    >>> votes = [[0, 1, 2], [0, 1, 0], [0, 1, 1], [0, 0, 2], [0, 1, 0]]  # five members, three cases
    >>> envelope = envelope_of_votes(votes, [0, 0, 2], gamma0=0.8)
    >>> envelope.consistency.tolist()
    [1.0, 0.8, 0.4]
    >>> [round(share, 3) for share in envelope.shares()]
    [0.333, 0.333, 0.333]
    """

    predictions: Codes
    consistency: Floats
    standard_error: Floats
    targets: Codes | None
    classes: tuple[Label, ...]
    gamma0: float = 0.99
    weights: Floats | None = None

    def __repr__(self) -> str:
        told = f"{100 * self.confident_share:.1f}% confident with gamma0={self.gamma0:g}"
        return f"<Envelope: {plural(len(self.predictions), 'case')}, {told}>"

    def __str__(self) -> str:
        return self.to_text()

    def _repr_html_(self) -> str:
        from ctree.render.cells.evaluation_cells import envelope_cell

        return envelope_cell(self)

    @property
    def confident_share(self) -> float:
        """The share of cases that are predicted with confidence."""
        return self._share(self.confident)

    @property
    def edge_share(self) -> float:
        """The share of cases whose γ is within two standard errors of the bound."""
        return self._share(np.asarray(abs(self.consistency - self.gamma0) <= 2 * self.standard_error))

    @property
    def confident(self) -> npt.NDArray[np.bool_]:
        """Which cases are predicted with confidence."""
        return self._confident(self.gamma0)

    def shares(self, gamma0: float | None = None) -> Shares:
        """The shares of cases that are confidently right, confidently wrong, and uncertain."""
        if self.targets is None:
            raise DataError("the true classes are needed to tell which predictions are right: pass y")
        confident = self._confident(self.gamma0 if gamma0 is None else gamma0)
        right = self.predictions == self.targets
        return Shares(*(self._share(part) for part in (confident & right, confident & ~right, ~confident)))

    def over(self, gammas: npt.ArrayLike) -> Floats:
        """The three shares for each of several γ0, one row each."""
        return np.array([self.shares(float(gamma)) for gamma in np.asarray(gammas).ravel()])

    def to_text(self) -> str:
        """The shares as text."""
        lines = [f"confident: at least {100 * self.gamma0:g}% of the votes for one class"]
        if self.targets is None:
            lines.append(f"confident    {100 * self.confident_share:6.1f}%")
            lines.append(f"uncertain    {100 * self._share(~self.confident):6.1f}%")
        else:
            for name, share in zip(Shares._fields, self.shares(), strict=True):
                lines.append(f"{name.replace('_', ' '):<21}{100 * share:6.1f}%")
        lines.append(f"within two standard errors of the bound: {100 * self.edge_share:.1f}%")
        return "\n".join(lines)

    def plot(self, file: str | os.PathLike[str] | None = None) -> Any:
        """The shares over γ0 as a picture by matplotlib; see `ctree.plot_envelope`."""
        from ctree.render.plots.envelope import plot_envelope

        return plot_envelope(self, file)

    def _share(self, cases: npt.NDArray[np.bool_]) -> float:
        """That of these cases, by weight."""
        if self.weights is None:
            return int(cases.sum()) / max(len(cases), 1)
        total = float(self.weights.sum())
        return float(self.weights[cases].sum()) / total if total > 0 else 0.0

    def _confident(self, gamma0: float) -> npt.NDArray[np.bool_]:
        _check_gamma0(gamma0)
        # a share of votes that should be γ0 may miss it by a bit
        return np.asarray(self.consistency >= gamma0 - 1e-12)


def uncertainty_envelope(model: Any, X: Any, y: Any = None, *, gamma0: float = 0.99) -> Envelope:
    """The Uncertainty Envelope of an ensemble.

    Parameters
    ----------
    model : fitted ensemble
        A learner with ``votes``, such as `MCMCTreeClassifier` and `CommitteeClassifier`; a sequence of trees; or an
        ensemble of scikit-learn's whose ``estimators_`` have one vote each, such as ``BaggingClassifier``.
    X : Dataset or table
        The cases; for a sequence of trees a `Dataset`.
    y : array-like, optional
        Their classes, or the name of the column of `X` that has them. A `Dataset` brings its own, and the weights of
        its cases, by which shares are then taken.
    gamma0 : float
        A prediction is confident if at least this share of the members votes for it.

    Returns
    -------
    Envelope
        For chains, standard errors are by the effective number of draws; other members are taken to be independent.

    Examples
    --------
    >>> import ctree
    >>> golf = ctree.load_golf()
    >>> model = ctree.MCMCTreeClassifier(min_cases=1, samples=500, random_state=0).fit(golf)
    >>> envelope = ctree.uncertainty_envelope(model, golf, gamma0=0.9)
    >>> round(sum(envelope.shares()), 9), envelope.consistency.shape
    (1.0, (14,))
    """
    _check_gamma0(gamma0)
    model = one_model(model)
    X, y, _ = by_name(X, y)
    if hasattr(model, "votes"):
        votes, classes = np.asarray(model.votes(X)), tuple(np.asarray(model.classes_).tolist())
    elif isinstance(model, Sequence) and len(model) and all(isinstance(tree, Tree) for tree in model):
        votes, classes = _votes_of_trees(model, X), model[0].schema.classes
    elif hasattr(model, "estimators_") and hasattr(model, "classes_"):
        votes, classes = _votes_of_estimators(model, X), tuple(np.asarray(model.classes_).tolist())
    else:
        kind = "an empty sequence" if isinstance(model, Sequence) else f"a {type(model).__name__}"
        raise ParameterError(f"{kind} has no members that vote; the envelope is for ensembles, such as sampled trees")
    weights = X.weights if isinstance(X, Dataset) else None
    return envelope_of_votes(votes, _targets(X, y, classes), classes=classes, gamma0=gamma0, weights=weights)


def envelope_of_votes(
    votes: npt.ArrayLike, targets: npt.ArrayLike | None = None, *, classes: Sequence[Label] | None = None,
    gamma0: float = 0.99, weights: npt.ArrayLike | None = None,
) -> Envelope:  # fmt: skip
    """The envelope of votes for classes, as codes from 0 on: (members, cases), or (chains, draws, cases).

    Members are taken to be independent, draws of a chain are not. Cases may have weights.
    """
    _check_gamma0(gamma0)
    ballots = np.asarray(votes, dtype=np.int32)
    if ballots.ndim not in (2, 3) or min(ballots.shape[:-1]) == 0:
        raise DataError(f"votes should be members by cases, or chains by draws by cases, not {ballots.shape}")
    n_classes = len(classes) if classes is not None else max(1, int(ballots.max(initial=0)) + 1)
    if ballots.size and (ballots.min() < 0 or ballots.max() >= n_classes):
        raise DataError(f"votes should be codes from 0 to {n_classes - 1}")
    flat = ballots.reshape(-1, ballots.shape[-1])
    counts = np.stack([(flat == c).sum(axis=0) for c in range(n_classes)])
    predictions = counts.argmax(axis=0).astype(np.int32)
    consistency = counts.max(axis=0) / len(flat)
    size = np.full(len(consistency), float(len(flat)))
    if ballots.ndim == 3:
        unsure = np.flatnonzero(consistency < 1)
        size[unsure] = effective_size((ballots == predictions)[:, :, unsure], ranked=False)
    codes = None if targets is None else np.asarray(targets, dtype=np.int32)
    if codes is not None and codes.shape != consistency.shape:
        raise DataError(f"there are {len(consistency)} cases but {codes.size} classes")
    masses = None if weights is None else np.asarray(weights, dtype=np.float64)
    if masses is not None and (masses.shape != consistency.shape or not (np.isfinite(masses) & (masses >= 0)).all()):
        raise DataError(f"there should be a weight of at least 0 for each of the {len(consistency)} cases")
    return Envelope(
        predictions,
        consistency,
        np.sqrt(consistency * (1 - consistency) / size),
        codes,
        tuple(range(n_classes)) if classes is None else tuple(classes),
        gamma0,
        masses,
    )


def _check_gamma0(gamma0: float) -> None:
    if not 0 < gamma0 <= 1:
        raise ParameterError(f"gamma0 must be greater than 0 and at most 1, not {gamma0}")


def _votes_of_trees(trees: Sequence[Tree], X: Any) -> Codes:
    if not isinstance(X, Dataset):
        raise DataError("trees need a Dataset to vote on: see ctree.from_arrays")
    return np.array([tree.predict_proba(X).argmax(axis=1) for tree in trees], dtype=np.int32)


def _votes_of_estimators(model: Any, X: Any) -> Codes:
    """The votes of the members of an ensemble of scikit-learn's, which knows classes by their codes."""
    members = np.ravel(np.asarray(model.estimators_, dtype=object)).tolist()
    if not members or isinstance(model, Classifier) or not all(hasattr(m, "classes_") for m in members):
        raise ParameterError(f"this {type(model).__name__} has no members that vote")
    features = getattr(model, "estimators_features_", [None] * len(members))
    table = X if all(f is None for f in features) else np.asarray(X)
    labels = np.asarray(model.classes_)
    votes = []
    for member, columns in zip(members, features, strict=True):
        said = np.asarray(member.predict(table if columns is None else table[:, columns]))
        known = np.asarray(member.classes_)
        if known.dtype.kind in "iuf" and np.isin(known, np.arange(len(labels))).all():
            votes.append(said.astype(np.int32))
        else:
            votes.append(np.searchsorted(labels, said).astype(np.int32))
    return np.array(votes, dtype=np.int32)


def _targets(X: Any, y: Any, classes: tuple[Label, ...]) -> Codes | None:
    if y is None:
        if not isinstance(X, Dataset | RelationalData) or X.classes is None:
            return None
        given: list[Any] = X.labels
    else:
        given = list(y) if isinstance(y, list | tuple) else np.asarray(y).tolist()
    codes: dict[Any, int] = {label: code for code, label in enumerate(classes)}
    # a class that the model does not know, or that nobody knows, is never predicted
    return np.array([codes.get(label, -1) for label in given], dtype=np.int32)
