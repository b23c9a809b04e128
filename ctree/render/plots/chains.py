"""Chains as pictures: what they recorded, step by step, and how often."""

from __future__ import annotations

import os
from typing import Any

import numpy as np

from ctree.learners.base.one_model import one_model
from ctree.learners.mcmc.classifier import MCMCTreeClassifier
from ctree.render.plots.figures import new_figure, saved


def plot_chains(model: MCMCTreeClassifier, file: str | os.PathLike[str] | None = None) -> Any:
    """Traces of the log-likelihood and the number of leaves, during burn-in and after, and a histogram of the leaves.

    As in Figures 5 to 8 of the paper, with a colour for each chain.

    Parameters
    ----------
    model : MCMCTreeClassifier
        It is fitted.
    file : str or path, optional
        Where to save the picture; the suffix decides the format (``.png``, ``.pdf``, ``.svg``).

    Returns
    -------
    matplotlib.figure.Figure

    Examples
    --------
    >>> import ctree
    >>> model = ctree.MCMCTreeClassifier(min_cases=1, random_state=0).fit(ctree.load_golf())
    >>> figure = ctree.plot_chains(model, "chains.png")  # doctest: +SKIP
    """
    model = one_model(model)
    burnt, drawn = model.burn_in_traces_, model.traces_
    figure = new_figure(9, 7)
    axes = figure.subplots(3, 2)
    phases = (("burn-in", burnt), ("samples", drawn))
    for row, name in enumerate(("log_likelihood", "leaves")):
        for column, (phase, traces) in enumerate(phases):
            steps = (np.arange(traces[name].shape[1]) + 1) * model.thin_
            for trace in traces[name]:
                axes[row, column].plot(steps, trace, linewidth=0.6)
            axes[row, column].set_title(f"{phase}: {name.replace('_', ' ')}")
            axes[row, column].set_xlabel("step")
    for column, (phase, traces) in enumerate(phases):
        most = int(traces["leaves"].max(initial=1))
        for trace in traces["leaves"]:
            shares = np.bincount(trace, minlength=most + 1) / max(len(trace), 1)
            axes[2, column].step(np.arange(most + 1), shares, where="mid", linewidth=1)
        axes[2, column].set_title(f"{phase}: leaves")
        axes[2, column].set_xlabel("leaves of a tree")
        axes[2, column].set_ylabel("share of trees")
    return saved(figure, file)
