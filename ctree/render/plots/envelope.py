"""The Uncertainty Envelope as a picture: its three shares over the bound of confidence."""

from __future__ import annotations

import os
from typing import Any, Protocol

import numpy as np
import numpy.typing as npt

from ctree.render.plots.figures import new_figure, saved


class HasShares(Protocol):
    """What a picture needs of `ctree.Envelope`."""

    @property
    def classes(self) -> Any: ...
    @property
    def gamma0(self) -> float: ...
    def over(self, gammas: npt.ArrayLike) -> npt.NDArray[np.float64]: ...


def plot_envelope(envelope: HasShares, file: str | os.PathLike[str] | None = None) -> Any:
    """The shares of cases that are confidently right, confidently wrong and uncertain, for each γ0.

    Parameters
    ----------
    envelope : Envelope
        Of cases whose classes are known.
    file : str or path, optional
        Where to save the picture; the suffix decides the format (``.png``, ``.pdf``, ``.svg``).

    Returns
    -------
    matplotlib.figure.Figure

    Examples
    --------
    >>> import ctree
    >>> golf = ctree.load_golf()
    >>> model = ctree.MCMCTreeClassifier(min_cases=1, random_state=0).fit(golf)
    >>> envelope = ctree.uncertainty_envelope(model, golf)
    >>> figure = ctree.plot_envelope(envelope, "envelope.png")  # doctest: +SKIP
    """
    gammas = np.linspace(1 / max(len(envelope.classes), 1), 1.0, 201)
    correct, incorrect, uncertain = envelope.over(gammas).T
    figure = new_figure(6, 4)
    axes = figure.subplots()
    axes.stackplot(
        gammas,
        correct,
        incorrect,
        uncertain,
        labels=["confident, correct", "confident, incorrect", "uncertain"],
        colors=["tab:green", "tab:red", "lightgray"],
    )
    axes.axvline(envelope.gamma0, color="black", linewidth=0.8, linestyle="--")
    axes.set_xlim(gammas[0], gammas[-1])
    axes.set_ylim(0, 1)
    axes.set_xlabel("γ0: least share of votes for one class")
    axes.set_ylabel("share of cases")
    axes.legend(loc="lower left")
    return saved(figure, file)
