"""Naive Bayes as a C file."""

from __future__ import annotations

import math
from itertools import accumulate

from ctree.export.bayes_plan import BayesPlan
from ctree.export.c_words import CODE, KNOWN, array, head, matrix, schema_tables
from ctree.export.decision import c_predict

SUM = """\

/* The row of {n}_logs that a known value adds. */
static int {n}_row(int attribute, double value)
{{
    int i, n = {n}_first_cut[attribute + 1] - {n}_first_cut[attribute];
    if ({n}_n_values[attribute] >= 0)
        return {n}_first_row[attribute] + (int) value;
    for (i = 0; i < n && {n}_cuts[{n}_first_cut[attribute] + i] < value; i++)
        ;
    return {n}_first_row[attribute] + i;
}}

void {n}_predict_proba(const double *x, double *p)
{{
    double most, total = 0.0, value;
    int attribute, row, c;
    for (c = 0; c < {N}_N_CLASSES; c++)
        p[c] = {n}_log_priors[c];
    for (attribute = 0; attribute < {N}_N_ATTRIBUTES; attribute++) {{
        value = {n}_known(x, attribute);
        if (value != value || {n}_first_row[attribute] < 0)
            continue;
        row = {n}_row(attribute, value);
        for (c = 0; c < {N}_N_CLASSES; c++)
            p[c] += {n}_logs[row][c];
    }}
    most = p[0];
    for (c = 1; c < {N}_N_CLASSES; c++)
        if (p[c] > most)
            most = p[c];
    for (c = 0; c < {N}_N_CLASSES; c++) {{
        p[c] = most == -HUGE_VAL ? {n}_priors[c] : exp(p[c] - most);
        total += p[c];
    }}
    for (c = 0; c < {N}_N_CLASSES; c++)
        p[c] /= total;
}}
"""

PREDICT = """\

int {n}_predict(const double *x)
{{
    double p[{N}_N_CLASSES];
    int best = 0, c;
    {n}_predict_proba(x, p);
    for (c = 1; c < {N}_N_CLASSES; c++)
        if (p[c] > p[best])
            best = c;
    return best;
}}
"""


def bayes_file(plan: BayesPlan, n: str) -> str:
    """The text of the file."""
    asked = set(plan.attributes)
    firsts: list[str] = []
    rows: list[tuple[float, ...]] = []
    for a, logs in enumerate(plan.logs):
        firsts.append(str(len(rows)) if a in asked else "-1")
        rows += list(logs or ()) if a in asked else []
    cuts = [bounds if bounds is not None and a in asked else () for a, bounds in enumerate(plan.cuts)]
    names = {"n": n, "N": n.upper()}
    what = f"Naive Bayes of {len(asked)} attributes"
    return "".join(
        [
            head(plan.schema, n, what, "it says nothing.", mathematics=True),
            *schema_tables(plan.schema, n),
            array("static const int", f"{n}_first_cut", map(str, accumulate(map(len, cuts), initial=0))),
            array("static const double", f"{n}_cuts", (repr(cut) for bounds in cuts for cut in bounds), "of bins"),
            array("static const double", f"{n}_priors", map(repr, plan.priors)),
            array("static const double", f"{n}_log_priors", map(_number, plan.log_priors)),
            array("static const int", f"{n}_first_row", firsts, "of an attribute; -1 if it says nothing"),
            "/* what a value, or a bin of numbers, adds to the logarithm of each class */\n",
            matrix(f"{n}_logs", f"{n.upper()}_N_CLASSES", (map(_number, row) for row in rows)),
            KNOWN.format(**names),
            CODE.format(**names),
            SUM.format(**names),
            PREDICT.format(**names) if plan.worth is None else c_predict(plan.worth, n),
        ]
    )


def _number(value: float) -> str:
    return "-HUGE_VAL" if value == -math.inf else repr(value)
