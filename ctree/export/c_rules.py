"""Rules as a C file."""

from __future__ import annotations

import math
from itertools import accumulate

from ctree.export.c_words import CODE, KNOWN, array, head, matrix, schema_tables
from ctree.export.rule_plan import RulePlan

APPLY = """\

static int {n}_holds(const double *x, int i)
{{
    double value = {n}_known(x, {n}_attribute[i]);
    if (value != value)
        return 0;
    if ({n}_n_values[{n}_attribute[i]] >= 0)
        return {n}_allowed[{n}_start[i] + (int) value];
    return (!{n}_has_low[i] || value > {n}_low[i]) && (!{n}_has_high[i] || value <= {n}_high[i]);
}}

/* The place of the first rule that applies; the number of rules if none does. */
static int {n}_rule(const double *x)
{{
    int rule, i;
    for (rule = 0; rule < {n_rules}; rule++) {{
        for (i = {n}_first[rule]; i < {n}_first[rule + 1] && {n}_holds(x, i); i++)
            ;
        if (i == {n}_first[rule + 1])
            return rule;
    }}
    return {n_rules};
}}

void {n}_predict_proba(const double *x, double *p)
{{
    int rule = {n}_rule(x), c;
    for (c = 0; c < {N}_N_CLASSES; c++)
        p[c] = {n}_probabilities[rule][c];
}}

int {n}_predict(const double *x)
{{
    return {n}_best[{n}_rule(x)];
}}
"""


def rules_file(plan: RulePlan, n: str) -> str:
    """The text of the file."""
    demands = [demand for rule in plan.rules for demand in rule]
    firsts = accumulate(map(len, plan.rules), initial=0)
    allowed: list[str] = []
    starts = []
    for demand in demands:
        starts.append(str(len(allowed)))
        values = plan.schema[demand.attribute].values
        allowed += ["1" if code in demand.codes else "0" for code in range(len(values))]
    names = {"n": n, "N": n.upper()}
    bounds = {side: [getattr(demand, side) for demand in demands] for side in ("low", "high")}
    return "".join(
        [
            head(plan.schema, n, f"Rules for a class, {len(plan.rules)} of them", "it meets no condition."),
            *schema_tables(plan.schema, n),
            array("static const int", f"{n}_first", map(str, firsts), "the first condition of each rule"),
            array("static const int", f"{n}_attribute", (str(demand.attribute) for demand in demands)),
            *(text for side, numbers in bounds.items() for text in _bounds(n, side, numbers)),
            array("static const int", f"{n}_start", starts, "where the values of a discrete attribute begin"),
            array("static const char", f"{n}_allowed", allowed),
            array("static const int", f"{n}_best", map(str, plan.best), "the class of each rule, and of the default"),
            matrix(f"{n}_probabilities", f"{n.upper()}_N_CLASSES", (map(repr, row) for row in plan.probabilities)),
            KNOWN.format(**names),
            CODE.format(**names),
            APPLY.format(**names, n_rules=len(plan.rules)),
        ]
    )


def _bounds(n: str, side: str, numbers: list[float]) -> list[str]:
    return [
        array("static const char", f"{n}_has_{side}", ("0" if math.isinf(x) else "1" for x in numbers)),
        array("static const double", f"{n}_{side}", ("0" if math.isinf(x) else repr(x) for x in numbers)),
    ]
