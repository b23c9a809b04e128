"""A tree as PMML 4.4: a TreeModel of many branches, or the share of a case at each node as a field of its own."""

from __future__ import annotations

from typing import Any

from ctree.data.files.text_file import abbreviated
from ctree.domains import Choice, Number
from ctree.errors import ParameterError
from ctree.export.plan import Plan, plan_of
from ctree.export.pmml_document import document
from ctree.export.pmml_shares import regression_model
from ctree.export.pmml_tree import check_tree, tree_model
from ctree.export.pmml_words import data_type
from ctree.export.texts import NO_XML, check_texts

FORMS = ("tree", "shares")

TOLERANCE = 1e-5
"""Release 8's arithmetic of 32 bits stays below it unless there are far more than 100,000 cases."""


def to_pmml(model: Any, form: str = "tree", target: str | None = None, tolerance: float = TOLERANCE) -> str:
    """A tree as a PMML 4.4 document, for evaluators of that standard.

    Parameters
    ----------
    model : a fitted learner of one tree, or a `Tree`
    form : {"tree", "shares"}
        ``"tree"``: a TreeModel with ``splitCharacteristic="multiSplit"`` and
        ``missingValueStrategy="weightedConfidence"``. Few evaluators know this strategy in full.
        ``"shares"``: for each node a derived field that has the share of the case which comes there, and a
        RegressionModel that adds up the leaves (``normalizationMethod="simplemax"``). Larger and harder to read, but
        any evaluator gives the same as `predict_proba`, unknown values included, and every tree can be said so.
    target : str, optional
        What the class is called; no attribute may be. By default "class", with underscores if there is one.
    tolerance : float
        For ``form="tree"``: how much of the cases of a node its branches may lack or have too many. In PMML the shares
        of an unknown value add up to 1 at each node, in `predict_proba` only in the end. So where fractions of cases
        were added up in 32 bits, as release 8 does it, cases with several unknown values get probabilities that differ
        by some 1e-7; other cases, and trees in 64 bits, get the same.

    Returns
    -------
    str
        The output fields ``probability(<class>)`` have the probabilities. A discrete value that the model does not
        have is missing (``asMissing``).

    Raises
    ------
    ModelError
        Where PMML cannot express the model: names with control characters; for ``form="tree"`` branches that do not
        share the cases of their node, up to the tolerance.

    Examples
    --------
    >>> import ctree
    >>> text = ctree.to_pmml(ctree.C45Classifier().fit(ctree.load_golf()))
    >>> 'missingValueStrategy="weightedConfidence"' in text
    True
    """
    Choice(*FORMS).check("form", form)
    Number(above=0).check("tolerance", tolerance)
    plan = plan_of(model)
    if target is None:
        target = "class"
        while target in plan.schema.names:
            target += "_"
    if target in plan.schema.names:
        raise ParameterError(f"target must not be the name of an attribute, as '{target}' is; choose another name")
    _check_texts(plan, target)
    if form == "tree":
        check_tree(plan, float(tolerance))
        body = tree_model(plan, target)
    else:
        body = regression_model(plan, target)
    return "\n".join(document(plan.schema, plan.attributes, target, body)) + "\n"


def _check_texts(plan: Plan, target: str) -> None:
    asked = [plan.schema[a] for a in plan.attributes]
    check_texts(plan.schema, asked, NO_XML, "XML", [("the target", target)])
    for attribute in asked:
        data_type(attribute.values, f"attribute '{abbreviated(attribute.name)}'")
    data_type(plan.schema.classes, "the class")
