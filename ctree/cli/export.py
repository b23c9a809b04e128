"""`ctree export`: a saved model as SQL, PMML, Python, C or ONNX."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Callable, Sequence
from typing import Any

from ctree.cli.options import Subparsers, add_command, integer, number
from ctree.cli.outputs import PROGRAM, Output, add_force, check_outputs
from ctree.errors import ModelError, ParameterError
from ctree.learners.registry import is_relational
from ctree.wording import abbreviated_path

DESCRIPTION = """\
Write a saved model in a form that other programs run: an SQL query, a PMML 4.4 document, a Python module, a C file that
needs no library, or an ONNX model. Each gives the class and the probabilities of ctree predict, even where values are
unknown, except ONNX and --form case, which have none there. Trees have all of these forms, rules and naive Bayes all
but ONNX, and trees of linked tables an SQL query over them. What a form cannot express is refused."""

EXAMPLES = """\
examples:
  ctree export golf.json --to sql --table days --key day
  ctree export golf.json --to sql --dialect sqlite --form case -o golf.sql
  ctree export golf.json --to sql --dialect snowflake --key day -o snow.sql
  ctree export golf.json --to pmml --form shares -o golf.pmml
  ctree export golf.json --to c --name golf -o golf.c
  ctree export golf.json --to onnx -o golf.onnx
  ctree export shop.json --to sql --dialect sqlite -o shop.sql"""

DIALECTS = ("duckdb", "sqlite", "postgresql", "bigquery", "snowflake", "sqlserver")

OPTIONS = {
    "sql": ("dialect", "table", "key", "form"),
    "pmml": ("form", "target", "tolerance"),
    "python": (),
    "c": ("name",),
    "onnx": (),
}
"""What may be said of each form."""


def add_parser(subparsers: Subparsers, arguments: Sequence[str]) -> None:
    """Add the options of this subcommand."""
    parser = add_command(subparsers, "export", "MODEL --to FORM", DESCRIPTION, EXAMPLES)
    parser.add_argument("model", metavar="MODEL", help="a model that ctree learn saved as JSON")
    parser.add_argument("--to", required=True, choices=tuple(OPTIONS), help="what to write")
    parser.add_argument("-o", "--output", metavar="OUT", help="write to this file (default: standard output)")
    add_force(parser, unasked=False)
    parser.add_argument(
        "--member", type=integer(least=0), metavar="N", help="of a committee, export the tree of this member, from 0"
    )
    sql = parser.add_argument_group("SQL")
    sql.add_argument("--dialect", choices=DIALECTS, help="the database (default: duckdb)")
    sql.add_argument("--table", metavar="NAME", help="the table with the cases (default: cases)")
    sql.add_argument("--key", metavar="NAME", help="a column that identifies the rows (default: rows are numbered)")
    both = parser.add_argument_group("SQL and PMML")
    both.add_argument(
        "--form",
        metavar="FORM",
        help="SQL: walk, a query that goes down the tree, or case, one CASE expression, which gives NULL where a value "
        "that it needs is unknown (default: walk); PMML: tree, a TreeModel, or shares, a RegressionModel, in which any "
        "evaluator handles unknown values (default: tree)",
    )
    pmml = parser.add_argument_group("PMML")
    pmml.add_argument("--target", metavar="NAME", help="the name of the class (default: class)")
    pmml.add_argument(
        "--tolerance",
        type=number(above=0),
        metavar="X",
        help="the form tree: how much of the cases of a node its branches may lack, if values are unknown in "
        "training; the probabilities of cases with unknown values may differ by about as much (default: 1e-5)",
    )
    code = parser.add_argument_group("C")
    code.add_argument("--name", metavar="NAME", help="the prefix of the names of functions (default: model)")


def run(args: argparse.Namespace) -> int:
    """Export as the options say."""
    from ctree.cli.models import member_of  # numpy and the kernels wait until the options are right
    from ctree.data.files.writing import write_text, write_together
    from ctree.export.c_code import to_c
    from ctree.export.onnx_graph import to_onnx
    from ctree.export.plans import no_export
    from ctree.export.pmml import to_pmml
    from ctree.export.python_code import to_python
    from ctree.export.sql import to_sql
    from ctree.store.json_model import load

    names = sorted({name for options in OPTIONS.values() for name in options})
    given = {name: getattr(args, name) for name in names if getattr(args, name) is not None}
    wrong = [name for name in given if name not in OPTIONS[args.to]]
    if wrong:
        raise ParameterError(f"--{wrong[0]} is not for --to {args.to}")
    check_outputs([Output(args.output, PROGRAM)], [args.model], args.force)
    if args.to == "onnx" and args.output is None:
        raise ParameterError("ONNX is no text: --output says which file to write it to")
    writers: dict[str, Callable[..., Any]] = {
        "sql": to_sql,
        "pmml": to_pmml,
        "python": to_python,
        "c": to_c,
        "onnx": to_onnx,
    }
    text: Any
    model = load(args.model)
    if args.member is not None:
        model = member_of(model, args.member, args.model)
    if is_relational(model):
        from ctree.cli.relational_models import export_relational

        text = export_relational(args, model, given)
    else:
        if problem := no_export(model):
            raise ModelError(f"{abbreviated_path(args.model)}: {problem}")
        text = writers[args.to](model, **given)
    if isinstance(text, bytes):
        write_together({args.output: text})
        return 0
    if not text.endswith("\n"):
        text += "\n"
    if args.output is None:
        sys.stdout.write(text)
        sys.stdout.flush()
        return 0
    write_text(args.output, text)
    return 0
