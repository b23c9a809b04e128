"""`ctree show`: a saved model as text, and its tree in Graphviz's language, as a page or as a picture."""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from typing import Any

from ctree.cli.csv_options import add_csv_options, given_settings, refuse_csv_options
from ctree.cli.options import Subparsers, add_command, integer
from ctree.cli.outputs import PAGE, Output, add_force, check_outputs, picture_output
from ctree.errors import CtreeError, DataError, ParameterError
from ctree.learners.registry import heading_of, is_relational
from ctree.wording import abbreviated_path

DESCRIPTION = """\
Show the tree of a model that was saved by `ctree learn -o` or ctree.save; of an average over trees, the most probable
one. By default it is printed as text; so are rules, naive Bayes and committees, which have no tree to draw. --html
writes a self-contained page for a browser: nodes can be folded and searched, and a case entered in a form is led down
the tree and gets the model's probabilities, and is told what would change its class; a slider goes through the prunings
of the tree, with their errors on the cases of --test. --plot draws a picture with matplotlib: .png, .pdf or .svg. The
text of a tree of linked tables is in words, in logic, or in the manner of Prolog; its page shows examples instead of a
form, those of --examples. With a second model, --html writes a page with one form for both, which shows where they
differ."""

EXAMPLES = """\
examples:
  ctree show golf.json
  ctree show golf.json --numbers
  ctree show golf.json --html golf.html
  ctree show golf.json --html golf.html --test examples/golf.data --title "When to play"
  ctree show golf.json j48.json --html both.html --test examples/golf.data
  ctree show golf.json --plot golf.pdf --max-depth 4
  ctree show golf.json --dot | dot -Tsvg > golf.svg
  ctree show shop.json --form prolog
  ctree show shop.json --html shop.html --examples examples/shop"""


def add_parser(subparsers: Subparsers, arguments: Sequence[str]) -> None:
    """Add the options of this subcommand."""
    parser = add_command(subparsers, "show", "MODEL [OTHER]", DESCRIPTION, EXAMPLES)
    parser.add_argument("model", metavar="MODEL", help="a model, saved as JSON")
    parser.add_argument("other", metavar="OTHER", nargs="?", help="another one, to be compared with it on a page")
    form = parser.add_mutually_exclusive_group()
    form.add_argument("--dot", action="store_true", help="print it as DOT, for Graphviz")
    form.add_argument("--html", metavar="FILE", help="write an HTML page to this file")
    form.add_argument("--plot", metavar="FILE", help="draw it to this file; the suffix decides the format")
    form.add_argument(
        "--form", choices=("words", "logic", "prolog"), help="text of a tree of linked tables (default: words)"
    )
    parser.add_argument(
        "--examples",
        metavar="SOURCE",
        help="linked tables whose examples, the first 500, can be looked at on the page of a tree of linked tables",
    )
    parser.add_argument(
        "--test", metavar="FILE", help="cases with their classes, whose errors by each pruning the page shows"
    )
    parser.add_argument(
        "--title",
        metavar="TEXT",
        help="the heading of the page or picture (default: the name of the data set, or of MODEL)",
    )
    parser.add_argument(
        "--numbers", action="store_true", help="print the number of each leaf in the text, as explanations name leaves"
    )
    parser.add_argument(
        "--member", type=integer(least=0), metavar="N", help="of a committee, show the tree of this member, from 0"
    )
    parser.add_argument(
        "--max-depth",
        type=integer(least=0),
        metavar="N",
        help="fold nodes deeper than N (a page opens this way; a picture folds beyond 100 leaves by itself)",
    )
    add_csv_options(parser.add_argument_group("cases of --test"), ignore=False)
    add_force(parser)


def run(args: argparse.Namespace) -> int:
    """Show as the options say."""
    from ctree.cli.models import member_of  # numpy and the kernels wait until the options are right
    from ctree.data.files.writing import write_text
    from ctree.store.json_model import load

    outputs = [Output(args.html, PAGE), picture_output(args.plot)]
    check_outputs(outputs, [args.model, args.other, *_files_of_test(args), *_files_of_examples(args)], args.force)
    if args.other is not None:
        return _compare(args)
    loaded = load(args.model)
    relational = is_relational(loaded)
    for name in ("form", "examples"):
        if getattr(args, name) is not None and not relational:
            raise ParameterError(f"--{name} is for trees of linked tables, and {abbreviated_path(args.model)} is none")
    if args.test is not None and relational:
        raise ParameterError(f"--test is for trees of attributes, and {abbreviated_path(args.model)} has linked tables")
    for name in ("examples", "test", "title"):
        fits = args.html is not None or (name == "title" and args.plot is not None)
        if getattr(args, name) is not None and not fits:
            raise ParameterError(f"--{name} is for the page, which --html writes")
    if args.numbers and (args.html or args.plot or args.dot):
        raise ParameterError("--numbers is for the text; pages and pictures always have the numbers of leaves")
    if args.member is not None:
        loaded = member_of(loaded, args.member, args.model)
    drawn = args.html or args.plot or args.dot or args.form or args.numbers or args.max_depth is not None
    try:
        model = shown_model(loaded, args.model)
    except CtreeError:
        if drawn:
            raise
        print("\n".join([loaded.to_text(), *_winnowing(loaded)]))
        return 0
    if args.html is not None:
        title, more = page_title(args, loaded), {**_examples(args, model), **_test_cases(args, model)}
        write_text(args.html, model.to_html(title=title, max_depth=args.max_depth, **more), errors="backslashreplace")
    elif args.plot is not None:
        from ctree.render.plots.tree import plot_tree

        plot_tree(model, args.plot, max_depth=args.max_depth, title=page_title(args, loaded))
    elif args.dot:
        print(model.to_dot(args.max_depth))
    else:
        form = {"form": args.form or "words"} if relational else {}
        print("\n".join([model.to_text(max_depth=args.max_depth, numbered=args.numbers, **form), *_winnowing(loaded)]))
    return 0


def _winnowing(model: Any) -> list[str]:
    """Which attributes were left out, if they were winnowed."""
    return ["", f"Winnowed: {model.winnowing_.left_out_text()}"] if hasattr(model, "winnowing_") else []


def _files_of_test(args: argparse.Namespace) -> list[str]:
    if args.test is None:
        return []
    from ctree.cli.inputs import files_of

    return files_of(args.test)


def _files_of_examples(args: argparse.Namespace) -> list[str]:
    if args.examples is None:
        return []
    from ctree.cli.relational_inputs import linked_files

    return linked_files(args.examples)


def _compare(args: argparse.Namespace) -> int:
    """Write the page of two models."""
    from pathlib import Path

    from ctree.data.files.writing import write_text
    from ctree.render.comparison_html import side_by_side
    from ctree.store.json_model import load

    if args.html is None:
        raise ParameterError("two models are compared on a page: give --html FILE")
    for name in ("examples", "member", "max_depth", "numbers"):
        if getattr(args, name) not in (None, False):
            raise ParameterError(f"--{name.replace('_', '-')} is for one model, and there are two")
    models, data_names = [], set()
    for file in (args.model, args.other):
        loaded = load(file)
        if is_relational(loaded):
            raise ParameterError(f"only trees of attributes can be compared, and {abbreviated_path(file)} is none")
        models.append(shown_model(loaded, file))
        data_names.add(getattr(loaded, "_data_name", None))
    names = [Path(file).stem or file for file in (args.model, args.other)]
    if names[0] == names[1]:
        names = [abbreviated_path(args.model), abbreviated_path(args.other)]
    test = _test_cases(args, models[0]).get("test")
    title = args.title
    if title is None and len(data_names) == 1 and None not in data_names:
        title = f"{data_names.pop()}: {' and '.join(names)}"
    page = side_by_side(models[0], models[1], names=names, title=title, test=test)
    write_text(args.html, page, errors="backslashreplace")
    return 0


def _examples(args: argparse.Namespace, model: Any) -> dict[str, Any]:
    """What a page of linked tables is given besides."""
    if args.examples is None:
        return {}
    from ctree.cli.relational_inputs import read_linked_for_model, told
    from ctree.render.relational_html import MOST_EXAMPLES

    data = read_linked_for_model(args.examples, model.schema_, "error")
    with told(args.examples):
        data.classes_among(model.schema_.classes)
    return {"examples": data.take(slice(MOST_EXAMPLES))}


def _test_cases(args: argparse.Namespace, model: Any) -> dict[str, Any]:
    """What a page of a tree of attributes is given besides."""
    if args.test is None:
        return {}
    from ctree.cli.inputs import read_for_model
    from ctree.tree.tree import Tree

    refuse_csv_options(args, args.test)
    schema = model.schema if isinstance(model, Tree) else model.schema_
    data = read_for_model(args.test, schema, unknown_class="drop", needed=True, settings=given_settings(args))
    if data.n_cases == 0:
        raise DataError("there are no cases to test on", args.test)
    return {"test": data}


def shown_model(model: Any, file: str) -> Any:
    """What of a model can be shown."""
    try:
        return model.as_tree()
    except CtreeError as error:
        raise CtreeError(f"{abbreviated_path(file)}: {error}") from None


def page_title(args: argparse.Namespace, model: Any) -> str:
    """As it is given, or the name of the data set, or that of the file without directory and suffix."""
    from pathlib import Path

    return args.title or getattr(model, "_data_name", None) or Path(args.model).stem or heading_of(model)
