"""Models as documents of PMML 4.4."""

from __future__ import annotations

from typing import Any

from ctree.data.files.text_file import abbreviated
from ctree.domains.domain import Choice
from ctree.domains.numeric import Number
from ctree.errors import ParameterError
from ctree.export.bayes_plan import BayesPlan
from ctree.export.plan import Plan
from ctree.export.plans import planned
from ctree.export.pmml_bayes import bayes_model
from ctree.export.pmml_document import document
from ctree.export.pmml_rules import rules_model
from ctree.export.pmml_shares import regression_model
from ctree.export.pmml_tree import check_tree, tree_model
from ctree.export.pmml_words import data_type
from ctree.export.rule_plan import RulePlan
from ctree.export.texts import NO_XML, check_texts

FORMS = ("tree", "shares")

TOLERANCE = 1e-5
"""Release 8's arithmetic of 32 bits stays below it unless there are far more than 100,000 cases."""


def to_pmml(model: Any, form: str | None = None, target: str | None = None, tolerance: float = TOLERANCE) -> str:
    """A tree, rules or naive Bayes as a PMML 4.4 document, for evaluators of that standard.

    Parameters
    ----------
    model : a fitted learner of one tree, of rules or of naive Bayes, a `Tree` or a `RuleList`
    form : {"tree", "shares"}, optional
        Of a tree; None is the first. Rules are a TreeModel with a leaf for each, naive Bayes is a RegressionModel.
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
        share the cases of their node, up to the tolerance; naive Bayes in which a value rules a class out.

    Examples
    --------
    >>> import ctree
    >>> text = ctree.to_pmml(ctree.C45Classifier().fit(ctree.load_golf()))
    >>> 'missingValueStrategy="weightedConfidence"' in text
    True
    """
    if form is not None:
        Choice(*FORMS).check("form", form)
    Number(above=0).check("tolerance", tolerance)
    plan = planned(model)
    if form is not None and not isinstance(plan, Plan):
        raise ParameterError(f"form is only for trees, and a {type(model).__name__} is none; leave it out")
    if target is None:
        target = "class"
        while target in plan.schema.names:
            target += "_"
    if target in plan.schema.names:
        raise ParameterError(f"target must not be the name of an attribute, as '{target}' is; choose another name")
    _check_texts(plan, target)
    if isinstance(plan, Plan):
        plan.check_single("PMML")
    if isinstance(plan, RulePlan):
        body = rules_model(plan, target)
    elif isinstance(plan, BayesPlan):
        body = bayes_model(plan, target)
    elif form == "shares":
        body = regression_model(plan, target)
    else:
        check_tree(plan, float(tolerance))
        body = tree_model(plan, target)
    return "\n".join(document(plan.schema, plan.attributes, target, body)) + "\n"


def _check_texts(plan: Plan | RulePlan | BayesPlan, target: str) -> None:
    asked = [plan.schema[a] for a in plan.attributes]
    check_texts(plan.schema, asked, NO_XML, "XML", [("the target", target)])
    for attribute in asked:
        data_type(attribute.values, f"attribute '{abbreviated(attribute.name)}'")
    data_type(plan.schema.classes, "the class")
