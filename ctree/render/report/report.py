"""The report: all sections on one page that loads nothing."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from typing import Any

import numpy.typing as npt

from ctree.data.files.text_file import path_text
from ctree.data.files.writing import write_text
from ctree.data.schema import Label
from ctree.errors import ModelError, ParameterError
from ctree.evaluate.curves.cost import cost_matrix
from ctree.evaluate.scored import scored
from ctree.learners.base.classifier import Classifier
from ctree.learners.base.one_model import one_model
from ctree.learners.registry import heading_of
from ctree.learners.relational.learner import RelationalLearner
from ctree.render.charts.style import STYLES
from ctree.render.html import filled_in, page_file, page_head
from ctree.render.report.cases_section import importance_section, wrong_section
from ctree.render.report.curves_section import calibration_section, cost_section, ranking_section
from ctree.render.report.data_section import data_section
from ctree.render.report.markup import element, escaped, joined
from ctree.render.report.model_section import model_section, rules_section, tree_section
from ctree.render.report.quality_section import confusion_section, summary_section
from ctree.render.report.subject import Subject
from ctree.tree.tree import Tree

SECTIONS = (
    summary_section,
    data_section,
    model_section,
    tree_section,
    rules_section,
    confusion_section,
    calibration_section,
    ranking_section,
    cost_section,
    importance_section,
    wrong_section,
)
"""In the order of the page. One that has nothing to say is None."""


def report(
    model: Any,
    X: Any,
    y: Any = None,
    *,
    file: str | os.PathLike[str] | None = None,
    title: str | None = None,
    examples: int = 10,
    classes: Sequence[Label] | None = None,
    costs: Mapping[tuple[Label, Label], float] | npt.ArrayLike | None = None,
    sample_weight: npt.ArrayLike | None = None,
    origins: Mapping[str, str] | None = None,
) -> str:
    """A model and how it does on cases, as one page for a browser or a printer.

    The data at a glance, the model in words, its tree and rules, its errors with intervals, the confusion matrix,
    calibration, ROC, gains and lift, costs, importances, and wrong cases with their explanations. The page is a single
    file that loads nothing, needs no matplotlib, follows the light or dark scheme of the browser, and prints in black
    on white with everything unfolded.

    Parameters
    ----------
    model : learner or Tree
        It is fitted.
    X : Dataset, table or RelationalData
        The cases to judge it by, others than those it was learned from: anything that its ``predict`` takes. Cases
        without a class are left out.
    y : array, optional
        The classes of a table.
    file : str or path, optional
        Where to write the page.
    title : str, optional
        The heading; if None the name of the data set, where the model knows it, or else that of the method.
    examples : int
        How many of the wrong cases are shown, those first in which the model was surest.
    classes : sequence of labels, optional
        Whose curves are shown, at most six. By default, of two classes the less frequent one, else the four with the
        most errors.
    costs : mapping of (actual, predicted) to number, or array (classes, classes), optional
        What errors cost; those that a mapping does not name cost 1. By default the costs of the model, if it has any.
    sample_weight : array, optional
    origins : mapping of str to str, optional
        Where the model and the cases come from, such as ``{"Model": "golf.json"}``, to be told on the page.

    Returns
    -------
    str
        The page.

    Examples
    --------
    >>> import ctree
    >>> golf = ctree.load_golf()
    >>> page = ctree.report(ctree.C45Classifier().fit(golf), golf, title="Golf")
    >>> page[:15], "Can the probabilities be trusted?" in page
    ('<!doctype html>', True)
    """
    if not isinstance(model, Classifier | RelationalLearner | Tree):
        raise ModelError(f"a report is for learners and trees of ctree, not a {type(model).__name__}")
    if isinstance(examples, bool) or not isinstance(examples, int) or examples < 0:
        raise ParameterError(f"examples must be a whole number of at least 0, not {examples!r}")
    model = model if isinstance(model, Tree) else one_model(model)
    cases = scored(model, X, y, sample_weight)
    matrix = getattr(model, "costs_", None) if costs is None else cost_matrix(costs, cases.classes)
    shown = None
    if classes is not None:
        if isinstance(classes, str) or not 0 < len(classes) <= len(STYLES):
            raise ParameterError(f"classes must be a list of 1 to {len(STYLES)} classes")
        shown = [cases.code_of(label) for label in classes]
    subject = Subject(model, X, cases, shown, examples, matrix, origins or {})
    heading = heading_of(model) if title is None else title
    page = _page(heading, subject)
    if file is not None:
        write_text(path_text(file), page)
    return page


def _page(title: str, subject: Subject) -> str:
    parts = [part for part in (section(subject) for section in SECTIONS) if part is not None]
    links = (element("li", element("a", part.title, href=f"#{part.name}")) for part in parts)
    filled = {
        "head": page_head(escaped(title), page_file("report.css"), scripts=False),
        "title": escaped(title),
        "contents": joined(links),
        "sections": joined(part.markup for part in parts),
    }
    return filled_in("report.html", filled)
