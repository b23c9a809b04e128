"""A tree as a C file that needs nothing but a C99 compiler."""

from __future__ import annotations

import re
from collections.abc import Iterable
from itertools import accumulate
from typing import Any

from ctree.data.files.text_file import abbreviated
from ctree.errors import ModelError, ParameterError
from ctree.export.plan import Plan, plan_of
from ctree.export.texts import NO_TEXT, check_distinct, check_texts
from ctree.wording import shortened

MAX_LITERAL = 4095
"""The longest text in quotes that every C99 compiler takes."""

MAX_ROOM = 1 << 14
"""The most parts of a case that may wait at once: 256 kB of the stack."""

HEAD = """\
/* A classification tree with {n_nodes} nodes, as plain C99. Written by ctree; it needs no library.

   A case is an array of {N}_N_ATTRIBUTES doubles, in the order of {n}_attributes. A discrete attribute is given by the
   code of its value, which {n}_code finds. NaN, and for a discrete attribute any other number than a code, is unknown:
   then the case goes down every branch, in proportion to the training cases there. Do not compile with -ffast-math, to
   which NaN is a number like others.

     int {n}_code(int attribute, const char *value);               the code of a value, -1 if there is none
     void {n}_predict_proba(const double *x, double *p);           p gets {N}_N_CLASSES probabilities
{predict_line}*/

#include <string.h>

#define {N}_N_ATTRIBUTES {n_attributes}
#define {N}_N_CLASSES {n_classes}

"""

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

int {n}_code(int attribute, const char *value)
{{
    int i;
    for (i = 0; i < {n}_n_values[attribute]; i++)
        if (strcmp({n}_values[{n}_first_value[attribute] + i], value) == 0)
            return i;
    return -1;
}}

void {n}_predict_proba(const double *x, double *p)
{{
    struct {{ int node; double weight; }} waiting[{room}];
    int n_waiting = 0, node = 0, branch, child, c;
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
    """A tree as the text of a C file, with functions ``<name>_predict_proba`` and ``<name>_predict``.

    Parameters
    ----------
    model : a fitted learner of one tree, or a `Tree`
    name : str
        What the names of functions and tables begin with.

    Returns
    -------
    str
        It gives the same probabilities as the model; to the last bit where the compiler does not fuse multiplication
        and addition (gcc: ``-ffp-contract=off``). ``predict`` gives the place of a class in ``<name>_classes``; it is
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
    plan = plan_of(model)
    _check_plan(plan)
    room = max(_room(plan), 1)
    if room > MAX_ROOM:
        raise ModelError(
            f"C would need room for {room:,} parts of a case on its stack, more than {MAX_ROOM:,}; prune the tree, or "
            "export it as Python or SQL"
        )
    N = name.upper()
    predict_line = f"     int {name}_predict(const double *x);{' ' * 29}the place of the class in {name}_classes\n"
    parts = [
        HEAD.format(
            n=name,
            N=N,
            n_nodes=len(plan.questions),
            n_attributes=len(plan.schema),
            n_classes=plan.schema.n_classes,
            predict_line=predict_line if plan.tie_tolerance is not None else "",
        ),
        *_tables(plan, name),
        WALK.format(n=name, N=N, room=room),
    ]
    if plan.tie_tolerance is not None:
        parts.append(PREDICT.format(n=name, N=N, tie_tolerance=plan.tie_tolerance))
    return "".join(parts)


def _check_plan(plan: Plan) -> None:
    check_texts(plan.schema, plan.schema, NO_TEXT, "C")
    for attribute in plan.schema:
        check_distinct(attribute.values, f"attribute '{abbreviated(attribute.name)}'", "C")
    check_distinct(plan.schema.classes, "the class", "C")


def _tables(plan: Plan, n: str) -> Iterable[str]:
    schema, nodes = plan.schema, range(len(plan.questions))
    yield from _strings("const char *const", f"{n}_attributes", schema.names)
    yield from _strings("const char *const", f"{n}_classes", map(str, schema.classes))
    values = [len(a.values) if a.is_discrete else -1 for a in schema]
    yield _array("static const int", f"{n}_n_values", map(str, values), "values of an attribute; -1 for numbers")
    firsts = accumulate((max(v, 0) for v in values[:-1]), initial=0)
    yield _array("static const int", f"{n}_first_value", map(str, firsts))
    yield from _strings("static const char *const", f"{n}_values", (str(v) for a in schema for v in a.values))
    yield _array("static const char", f"{n}_has_filler", (str(int(f is not None)) for f in plan.fillers))
    fillers = (repr(float(f or 0)) for f in plan.fillers)
    yield _array("static const double", f"{n}_fillers", fillers, "what is taken for an unknown value, if anything")
    asked = [question for question in plan.questions if question is not None]
    questions = plan.questions
    yield _array(
        "static const int",
        f"{n}_attribute",
        (str(-1 if q is None else q.attribute) for q in questions),
        "-1 for leaves",
    )
    yield _array("static const int", f"{n}_first", (str(-1 if q is None else q.first) for q in questions))
    yield _array("static const int", f"{n}_n_branches", (str(plan.n_branches[node]) for node in nodes))
    yield _array("static const int", f"{n}_start", _starts(plan), "where the cuts, branches or probabilities begin")
    yield _array("static const double", f"{n}_cuts", (repr(cut) for q in asked for cut in q.cuts))
    yield _array("static const int", f"{n}_branch_of", (str(b) for q in asked for b in q.branch_of))
    yield _array("static const double", f"{n}_cases", map(repr, plan.cases))
    rows = (f"{{{', '.join(map(repr, plan.probabilities[leaf]))}}}" for leaf in plan.leaves)
    yield f"static const double {n}_probabilities[][{n.upper()}_N_CLASSES] = {{\n"
    yield "".join(f"    {row},\n" for row in rows) + "};\n"
    yield f"\nstatic double {n}_nan(void)\n{{\n    double zero = 0.0;\n    return zero / zero;\n}}\n"


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
    return need[0]


def _array(kind: str, name: str, items: Iterable[str], remark: str = "") -> str:
    listed = list(items) or ['""' if "char *" in kind else "0"]  # C has no empty arrays
    lines, line = [], "   "
    for item in listed:
        if len(line) + len(item) > 110:
            lines.append(line)
            line = "   "
        line += f" {item},"
    note = f"/* {remark} */\n" if remark else ""
    return f"{note}{kind} {name}[] = {{\n" + "\n".join([*lines, line]) + "\n};\n"


def _strings(kind: str, name: str, texts: Iterable[str]) -> Iterable[str]:
    """An array of texts. Those that are longer than literals may be are arrays of their own."""
    items = []
    for i, text in enumerate(texts):
        data = text.encode()
        if len(data) <= MAX_LITERAL:
            items.append(_string(text))
            continue
        items.append(f"{name}_{i}")
        # char may be signed or not: a byte above 127 is written as the character that it is
        yield _array("static const char", items[-1], [*(f"'\\{b:03o}'" for b in data), "0"])
    yield _array(kind, name, items)


def _string(text: str) -> str:
    """A literal of C; what is not plain stands as octal bytes of UTF-8, which no later character can lengthen."""
    plain = set(range(32, 127)) - {ord(c) for c in '"\\?'}
    return '"' + "".join(chr(b) if b in plain else f"\\{b:03o}" for b in text.encode()) + '"'
