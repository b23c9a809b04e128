"""What a report is about: a model, cases, and what was asked for; and what several sections need to know of them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

import numpy as np
import numpy.typing as npt

from ctree.data.dataset import Dataset
from ctree.data.relational.data import RelationalData
from ctree.errors import CtreeError
from ctree.evaluate.scored import ScoredCases
from ctree.render.charts.chart import Chart, coloured
from ctree.render.charts.svg import svg_chart
from ctree.render.colours import curve_colours
from ctree.render.report.markup import Markup, figure
from ctree.render.report.training import looks_trained_on, training_counts
from ctree.tree.relational_tree import RelationalTree
from ctree.tree.tree import Tree

Floats = npt.NDArray[np.float64]

MOST_CURVES = 4
"""So many classes are shown in one chart, unless others are asked for."""


@dataclass
class Subject:
    """A model and the cases it is judged by.

    Parameters
    ----------
    model : learner or Tree
    X : object
        The cases as they were given.
    cases : ScoredCases
    shown : list of int or None
        The classes whose curves are asked for.
    examples : int
        How many wrong cases are shown.
    costs : array (classes, classes) or None
    origins : mapping of str to str
        Where model and cases come from.
    """

    model: Any
    X: Any
    cases: ScoredCases
    shown: list[int] | None
    examples: int
    costs: Floats | None
    origins: Mapping[str, str]
    _charts: int = field(default=0)

    @property
    def data(self) -> Dataset | None:
        """The cases in the codes of the model; None for linked tables."""
        return self.cases.data

    @property
    def noun(self) -> str:
        """What a case is called."""
        return "example" if isinstance(self.X, RelationalData) else "case"

    @cached_property
    def tree(self) -> Tree | RelationalTree | None:
        """The tree that can be shown, if there is one."""
        try:
            shown = self.model.as_tree()
        except CtreeError:
            return None
        tree: Tree | RelationalTree = getattr(shown, "tree_", shown)
        return tree

    @property
    def is_the_tree(self) -> bool:
        """Whether the tree that is shown is the whole model."""
        return isinstance(self.model, Tree) or getattr(self.model, "tree_", None) is self.tree

    @cached_property
    def curves(self) -> list[int]:
        """The classes whose curves are shown: those that are asked for; of two the less frequent one; else those that
        are most often mistaken for others, or others for them. All have cases, and not all cases."""
        cases = self.cases
        able = cases.two_sided()
        if self.shown is not None:
            return [c for c in self.shown if c in able]
        if len(able) <= 2:
            return sorted(able, key=lambda c: (cases.class_weights[c], -c))[:1]
        wrong = np.flatnonzero(cases.wrong)
        each = None if cases.weights is None else cases.weights[wrong]
        k = len(cases.classes)
        mistaken = np.bincount(cases.codes[wrong], each, k) + np.bincount(cases.predicted[wrong], each, k)
        return sorted(sorted(able, key=lambda c: (-mistaken[c], -cases.class_weights[c], c))[:MOST_CURVES])

    def class_chart(self, chart: Chart, *caption: object) -> Markup:
        """A chart of `curves`, in the colours that their classes have everywhere on the page."""
        return self.chart(coloured(chart, curve_colours(self.curves, len(self.cases.classes))), *caption)

    @cached_property
    def training_counts(self) -> Floats | None:
        """The weight of the training cases of each class, if the model knows it."""
        return training_counts(self.model, self.tree)

    @property
    def looks_trained_on(self) -> bool:
        """Whether these seem to be the training cases."""
        return looks_trained_on(self.model, self.cases, self.training_counts)

    def chart(self, chart: Chart, *caption: object) -> Markup:
        """A chart with a caption, numbered so that its ids are its own."""
        self._charts += 1
        return figure(chart.title, svg_chart(chart, f"chart{self._charts}"), *caption)
