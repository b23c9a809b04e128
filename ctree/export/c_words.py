"""What C files of all kinds of models have in common: the attributes with their values, arrays and texts."""

from __future__ import annotations

from collections.abc import Iterable
from itertools import accumulate

from ctree.data.dates import SINCE
from ctree.data.files.text_file import abbreviated
from ctree.data.schema import Schema
from ctree.export.texts import NO_TEXT, check_distinct, check_texts

MAX_LITERAL = 4095
"""The longest text in quotes that every C99 compiler takes."""

HEAD = """\
/* {what}, as plain C99. Written by ctree; it needs no library{but}.

   A case is an array of {N}_N_ATTRIBUTES doubles, in the order of {n}_attributes. A discrete attribute is given by the
   code of its value, which {n}_code finds. NaN, and for a discrete attribute any other number than a code, is unknown:
   {unknown} Do not compile with -ffast-math, to
   which NaN is a number like others.{moments}

     int {n}_code(int attribute, const char *value);               the code of a value, -1 if there is none
     void {n}_predict_proba(const double *x, double *p);           p gets {N}_N_CLASSES probabilities
{predict_line}*/

{include}#include <string.h>

#define {N}_N_ATTRIBUTES {n_attributes}
#define {N}_N_CLASSES {n_classes}

"""

PREDICT_LINE = """\
     int {n}_predict(const double *x);                             the place of the class in {n}_classes
"""

CODE = """\

int {n}_code(int attribute, const char *value)
{{
    int i;
    for (i = 0; i < {n}_n_values[attribute]; i++)
        if (strcmp({n}_values[{n}_first_value[attribute] + i], value) == 0)
            return i;
    return -1;
}}
"""

KNOWN = """\

/* A number, or the code of a value; NaN where it is unknown. */
static double {n}_known(const double *x, int attribute)
{{
    double value = x[attribute];
    int n = {n}_n_values[attribute];
    if (n >= 0 && !(value >= 0 && value < n && value == (double) (int) value))
        value = {n}_nan();
    return value;
}}
"""


def head(schema: Schema, n: str, what: str, unknown: str, *, predicts: bool = True, mathematics: bool = False) -> str:
    """The beginning of a file, which says what it is and how it is used."""
    return HEAD.format(
        what=what,
        but=" but that of mathematics (-lm)" if mathematics else "",
        n=n,
        N=n.upper(),
        unknown=unknown,
        moments=_moments_text(schema),
        predict_line=PREDICT_LINE.format(n=n) if predicts else "",
        include="#include <math.h>\n" if mathematics else "",
        n_attributes=len(schema),
        n_classes=schema.n_classes,
    )


def _moments_text(schema: Schema) -> str:
    """What the numbers of dates are."""
    kinds = dict.fromkeys(a.kind for a in schema if a.is_moment)
    return "".join(f"\n   A {kind.value} is the number of {SINCE[kind]}." for kind in kinds)


def check_schema(schema: Schema) -> None:
    """Refuse names and values that C cannot express."""
    check_texts(schema, schema, NO_TEXT, "C")
    for attribute in schema:
        check_distinct(attribute.values, f"attribute '{abbreviated(attribute.name)}'", "C")
    check_distinct(schema.classes, "the class", "C")


def schema_tables(schema: Schema, n: str) -> Iterable[str]:
    """The names of attributes, values and classes, and the function that makes NaN."""
    yield from strings("const char *const", f"{n}_attributes", schema.names)
    yield from strings("const char *const", f"{n}_classes", map(str, schema.classes))
    values = [len(a.values) if a.is_discrete else -1 for a in schema]
    yield array("static const int", f"{n}_n_values", map(str, values), "values of an attribute; -1 for numbers")
    firsts = accumulate((max(v, 0) for v in values[:-1]), initial=0)
    yield array("static const int", f"{n}_first_value", map(str, firsts))
    yield from strings("static const char *const", f"{n}_values", (str(v) for a in schema for v in a.values))
    yield f"\nstatic double {n}_nan(void)\n{{\n    double zero = 0.0;\n    return zero / zero;\n}}\n\n"


def matrix(name: str, columns: str, rows: Iterable[Iterable[str]]) -> str:
    """An array of rows of numbers."""
    listed = [f"    {{{', '.join(row)}}},\n" for row in rows] or ["    {0},\n"]
    return f"static const double {name}[][{columns}] = {{\n{''.join(listed)}}};\n"


def array(kind: str, name: str, items: Iterable[str], remark: str = "") -> str:
    """An array; a remark stands above it."""
    listed = list(items) or ['""' if "char *" in kind else "0"]  # C has no empty arrays
    lines, line = [], "   "
    for item in listed:
        if len(line) + len(item) > 110:
            lines.append(line)
            line = "   "
        line += f" {item},"
    note = f"/* {remark} */\n" if remark else ""
    return f"{note}{kind} {name}[] = {{\n" + "\n".join([*lines, line]) + "\n};\n"


def strings(kind: str, name: str, texts: Iterable[str]) -> Iterable[str]:
    """An array of texts. Those that are longer than literals may be are arrays of their own."""
    items = []
    for i, text in enumerate(texts):
        data = text.encode()
        if len(data) <= MAX_LITERAL:
            items.append(_string(text))
            continue
        items.append(f"{name}_{i}")
        # char may be signed or not: a byte above 127 is written as the character that it is
        yield array("static const char", items[-1], [*(f"'\\{b:03o}'" for b in data), "0"])
    yield array(kind, name, items)


def _string(text: str) -> str:
    """A literal of C; what is not plain stands as octal bytes of UTF-8, which no later character can lengthen."""
    plain = set(range(32, 127)) - {ord(c) for c in '"\\?'}
    return '"' + "".join(chr(b) if b in plain else f"\\{b:03o}" for b in text.encode()) + '"'
