"""Models as C files that need nothing but a C99 compiler; here the file of a tree."""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import Any

from ctree.errors import ModelError, ParameterError
from ctree.export.bayes_plan import BayesPlan
from ctree.export.c_bayes import bayes_file
from ctree.export.c_rules import rules_file
from ctree.export.c_words import CODE, array, check_schema, head, matrix, schema_tables
from ctree.export.decision import c_predict
from ctree.export.plan import Plan
from ctree.export.plans import planned
from ctree.export.rule_plan import RulePlan
from ctree.wording import shortened

MAX_ROOM = 1 << 14
"""The most parts of a case that may wait at once: 256 kB of the stack."""

WALK = """\

/* The number that the tree goes by, or NaN: what stands for an unknown value, if anything does. */
static double {n}_known(const double *x, int attribute)
{{
    double value = x[attribute];
    int n = {n}_n_values[attribute];
    if (n >= 0 && !(value >= 0 && value < n && value == (double) (int) value))
        value = {n}_nan();
    return value == value || !{n}_has_filler[attribute] ? value : {n}_fillers[attribute];
}}

static int {n}_branch(const double *x, int node)
{{
    double value = {n}_known(x, {n}_attribute[node]);
    int i;
    if (value != value)
        return -1;
    if ({n}_n_values[{n}_attribute[node]] >= 0)
        return {n}_branch_of[{n}_start[node] + (int) value];
    for (i = 0; i < {n}_n_branches[node] - 1 && {n}_cuts[{n}_start[node] + i] < value; i++)
        ;
    return i;
}}

{signature}
{{
    struct {{ int node; double weight; }} waiting[{room}];
    int n_waiting = 0, node = {root}, branch, child, c;
    double weight = 1.0, total = 0.0;
    for (c = 0; c < {N}_N_CLASSES; c++)
        p[c] = 0.0;
    for (;;) {{
        while ({n}_attribute[node] >= 0 && (branch = {n}_branch(x, node)) >= 0)
            node = {n}_first[node] + branch;
        if ({n}_attribute[node] < 0) {{
            for (c = 0; c < {N}_N_CLASSES; c++)
                p[c] += weight * {n}_probabilities[{n}_start[node]][c];
        }} else {{
            for (child = {n}_first[node] + {n}_n_branches[node] - 1; child >= {n}_first[node]; child--) {{
                if ({n}_cases[child] > 0) {{
                    waiting[n_waiting].node = child;
                    waiting[n_waiting].weight = weight * {n}_cases[child] / {n}_cases[node];
                    n_waiting++;
                }}
            }}
        }}
        if (n_waiting == 0)
            break;
        n_waiting--;
        node = waiting[n_waiting].node;
        weight = waiting[n_waiting].weight;
    }}
    for (c = 0; c < {N}_N_CLASSES; c++)
        total += p[c];
    for (c = 0; c < {N}_N_CLASSES; c++)
        p[c] /= total;
}}
"""

MEAN = """\

void {n}_predict_proba(const double *x, double *p)
{{
    double of_tree[{N}_N_CLASSES];
    int tree, c;
    for (c = 0; c < {N}_N_CLASSES; c++)
        p[c] = 0.0;
    for (tree = 0; tree < {n_trees}; tree++) {{
        {n}_of_tree(x, of_tree, {n}_roots[tree]);
        for (c = 0; c < {N}_N_CLASSES; c++)
            p[c] += of_tree[c];
    }}
    for (c = 0; c < {N}_N_CLASSES; c++)
        p[c] /= {n_trees};
}}
"""

PREDICT = """\

int {n}_predict(const double *x)
{{
    double p[{N}_N_CLASSES];
    int best = 0, c;
    {n}_predict_proba(x, p);
    for (c = 1; c < {N}_N_CLASSES; c++)
        if (p[c] - p[best] > {tie_tolerance!r})
            best = c;
    return best;
}}
"""


def to_c(model: Any, name: str = "model") -> str:
    """A model as a C file, with functions ``<name>_predict_proba`` and ``<name>_predict``.

    Parameters
    ----------
    model : a fitted learner of one tree, of rules or of naive Bayes, a `Tree` or a `RuleList`
        Or a `CommitteeClassifier` by bagging or of a forest, whose members are trees.
    name : str
        What the names of functions and tables begin with.

    Returns
    -------
    str
        It gives the same probabilities as the model; to the last bit where the compiler does not fuse multiplication
        and addition (gcc: ``-ffp-contract=off``), but for naive Bayes, where the exponentials of the library (``-lm``)
        may differ in the last one. ``predict`` gives the place of a class in ``<name>_classes``; it is
        left out where that does not follow from the probabilities, in J48's variant with another estimate than
        ``leaves="frequency"``.

    Examples
    --------
    >>> import ctree
    >>> text = ctree.to_c(ctree.C45Classifier().fit(ctree.load_golf()), name="golf")
    >>> "void golf_predict_proba(const double *x, double *p)" in text
    True
    """
    if not isinstance(name, str) or not re.fullmatch("[A-Za-z][A-Za-z0-9_]*", name):
        raise ParameterError(f"name must be a letter, then letters, digits and underscores, not {shortened(name)}")
    plan = planned(model)
    check_schema(plan.schema)
    if isinstance(plan, RulePlan):
        return rules_file(plan, name)
    return bayes_file(plan, name) if isinstance(plan, BayesPlan) else _tree_file(plan, name)


def _tree_file(plan: Plan, name: str) -> str:
    room = max(_room(plan), 1)
    if room > MAX_ROOM:
        raise ModelError(
            f"C would need room for {room:,} parts of a case on its stack, more than {MAX_ROOM:,}; prune the tree, or "
            "export it as Python or SQL"
        )
    unknown = "then the case goes down every branch, in proportion to the training cases there."
    names = {"n": name, "N": name.upper()}
    parts = [
        head(plan.schema, name, plan.size, unknown, predicts=plan.tie_tolerance is not None),
        *schema_tables(plan.schema, name),
        *_tables(plan, name),
        *_walks(plan, names, room),
        CODE.format(**names),
    ]
    if plan.worth is not None:
        parts.append(c_predict(plan.worth, name))
    elif plan.tie_tolerance is not None:
        parts.append(PREDICT.format(**names, tie_tolerance=plan.tie_tolerance))
    return "".join(parts)


def _walks(plan: Plan, names: dict[str, str], room: int) -> Iterable[str]:
    """The function of probabilities, if there are several trees by way of one for each."""
    n = names["n"]
    if len(plan.roots) == 1:
        yield WALK.format(**names, room=room, signature=f"void {n}_predict_proba(const double *x, double *p)", root="0")
        return
    signature = f"static void {n}_of_tree(const double *x, double *p, int root)"
    yield WALK.format(**names, room=room, signature=signature, root="root")
    yield MEAN.format(**names, n_trees=len(plan.roots))


def _tables(plan: Plan, n: str) -> Iterable[str]:
    nodes = range(len(plan.questions))
    yield array("static const char", f"{n}_has_filler", (str(int(f is not None)) for f in plan.fillers))
    fillers = (repr(float(f or 0)) for f in plan.fillers)
    yield array("static const double", f"{n}_fillers", fillers, "what is taken for an unknown value, if anything")
    asked = [question for question in plan.questions if question is not None]
    questions = plan.questions
    yield array(
        "static const int",
        f"{n}_attribute",
        (str(-1 if q is None else q.attribute) for q in questions),
        "-1 for leaves",
    )
    yield array("static const int", f"{n}_first", (str(-1 if q is None else q.first) for q in questions))
    yield array("static const int", f"{n}_n_branches", (str(plan.n_branches[node]) for node in nodes))
    yield array("static const int", f"{n}_start", _starts(plan), "where the cuts, branches or probabilities begin")
    yield array("static const double", f"{n}_cuts", (repr(cut) for q in asked for cut in q.cuts))
    yield array("static const int", f"{n}_branch_of", (str(b) for q in asked for b in q.branch_of))
    yield array("static const double", f"{n}_cases", map(repr, plan.cases))
    if len(plan.roots) > 1:
        yield array("static const int", f"{n}_roots", map(str, plan.roots), "where each tree begins")
    rows = (map(repr, plan.probabilities[leaf]) for leaf in plan.leaves)
    yield matrix(f"{n}_probabilities", f"{n.upper()}_N_CLASSES", rows)


def _starts(plan: Plan) -> Iterable[str]:
    cuts = codes = leaves = 0
    for question in plan.questions:
        if question is None:
            yield str(leaves)
            leaves += 1
        elif plan.schema[question.attribute].is_discrete:
            yield str(codes)
            codes += len(question.branch_of)
        else:
            yield str(cuts)
            cuts += len(question.cuts)


def _room(plan: Plan) -> int:
    """How many parts of a case may wait at once, at most."""
    need = [0] * len(plan.questions)
    for node in range(len(need) - 1, -1, -1):
        filled = plan.filled_branches(node)
        waits = [need[child] + len(filled) - i - 1 for i, child in enumerate(filled)]
        need[node] = max([len(filled), *waits, *(need[child] for child in plan.branches(node))])
    return max(need[root] for root in plan.roots)
