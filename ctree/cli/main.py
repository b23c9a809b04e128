"""The command `ctree`: finds the subcommand, runs it, and turns errors into one sentence and an exit status."""

from __future__ import annotations

import errno
import os
import sys
from importlib import import_module
from types import ModuleType
from typing import TYPE_CHECKING

from ctree import __version__
from ctree.cli.streams import let_go_of, say
from ctree.errors import CtreeError, ParameterError
from ctree.wording import abbreviated, near_match

if TYPE_CHECKING:
    import argparse

SUMMARIES = {
    "learn": "learn a model from cases and report its errors",
    "predict": "predict the classes and class probabilities of cases with a saved model",
    "report": "write a report of a model on one page: its tree, errors, curves and wrong cases",
    "envelope": "show which predictions of sampled trees are confident, and how accurate they are",
    "show": "show the tree of a saved model as text, DOT, an HTML page or a picture",
    "consult": "classify a case by question and answer at the terminal",
    "compare": "compare methods on data sets and show which differ significantly",
    "reproduce": "reproduce a paper's experiments and print its figures beside those of ctree",
    "export": "write a saved model as SQL, PMML, Python, C or ONNX",
    "convert": "convert cases between C4.5 files, CSV and ARFF",
    "mine": "find frequent itemsets, with their class counts",
    "c4.5": "C4.5 with the options and output of Quinlan's program",
    "c4.5rules": "C4.5's rules with the options and output of Quinlan's c4.5rules",
    "j48": "J48 with Weka's options and output",
}
MODULES = {
    "learn": "ctree.cli.learn",
    "predict": "ctree.cli.predict",
    "report": "ctree.cli.report_page",
    "envelope": "ctree.cli.envelope",
    "show": "ctree.cli.show",
    "consult": "ctree.cli.consult",
    "compare": "ctree.cli.compare",
    "reproduce": "ctree.cli.reproduce",
    "export": "ctree.cli.export",
    "convert": "ctree.cli.convert",
    "mine": "ctree.cli.mine",
}

EXAMPLES = """\
examples:
  ctree learn examples/golf                  read golf.names and golf.data, print the tree and its errors
  ctree learn examples/golf -o golf.json     and save the model
  ctree predict golf.json new.csv            classes and probabilities of other cases, as CSV
  ctree show golf.json --html golf.html      the tree as an interactive page
  ctree report golf.json new.csv -o new.html   how good it is on other cases, on one page
  ctree consult golf.json                    classify a case by question and answer
  ctree convert examples/golf golf.csv       the cases as CSV
  ctree learn --relational examples/shop     a tree from linked tables
  ctree learn --help                         all about one command"""

SUCCESS, FAILURE, USAGE, INTERRUPTED, BROKEN_PIPE = 0, 1, 2, 130, 141


def main(argv: list[str] | None = None) -> int:
    """Run the command.

    Parameters
    ----------
    argv : list of str, optional
        The arguments; those of the process if None.

    Returns
    -------
    int
        The exit status: 0 success, 1 failure, 2 wrong usage, 130 interrupted.
    """
    try:
        _replace_closed_streams()
        for stream in (sys.stdout, sys.stderr):
            if hasattr(stream, "reconfigure"):  # a label that the terminal cannot show must not end the program
                stream.reconfigure(errors="backslashreplace")
        status = _run(sys.argv[1:] if argv is None else list(argv))
        sys.stdout.flush()
        return status
    except ParameterError as error:
        _complain(str(error))
        return USAGE
    except CtreeError as error:
        _complain(str(error))
        return FAILURE
    except KeyboardInterrupt:
        _complain("interrupted")
        return INTERRUPTED
    except BrokenPipeError:
        let_go_of(sys.stdout)  # whoever read it has had enough
        let_go_of(sys.stderr)
        return BROKEN_PIPE
    except MemoryError:
        _complain("there is not enough memory")
        return FAILURE
    except OSError as error:
        closed = error.errno == errno.EBADF
        let_go_of(sys.stdout)
        _complain(f"the output cannot be written ({'it is closed' if closed else error.strerror or error})")
        return FAILURE


def _run(arguments: list[str]) -> int:
    command = arguments[0] if arguments else None
    if command == "c4.5":
        from ctree.cli.c45 import run_c45  # it reads Quinlan's options itself

        return run_c45(arguments[1:])
    if command == "c4.5rules":
        from ctree.cli.c45rules import run_c45rules

        return run_c45rules(arguments[1:])
    if command == "j48":
        from ctree.cli.j48 import run_j48  # and Weka's

        return run_j48(arguments[1:])
    if command == "help":  # as in `ctree help learn`
        return _run([*arguments[1:2], "--help"])
    if command is None:
        _parser(None, []).print_help(sys.stderr)
        return USAGE
    if not command.startswith("-") and command not in SUMMARIES:
        known = ", ".join(SUMMARIES)
        hint = near_match(command, SUMMARIES)
        _complain(f"there is no command '{abbreviated(command)}'{hint}; the commands are {known} (see ctree --help)")
        return USAGE
    from ctree.cli.options import OPTIONS, unrecognized  # with argparse, which the programs above do without

    try:
        args, extras = _parser(command, arguments).parse_known_args(arguments)
    except SystemExit as end:  # help, the version, or wrong usage, which argparse has explained
        return end.code if isinstance(end.code, int) else SUCCESS
    if args.command is None:
        say(f"ctree: error: {unrecognized(extras, getattr(args, OPTIONS))}; see ctree --help")
        return USAGE
    module = import_module(MODULES[args.command])
    if extras:
        explained = module.unknown_option(args, extras) if hasattr(module, "unknown_option") else None
        text = explained or f"{unrecognized(extras, getattr(args, OPTIONS))}; see ctree {args.command} --help"
        say(f"ctree {args.command}: error: {text}")
        return USAGE
    try:
        return int(module.run(args))
    except CtreeError as error:
        _complain(_told(error, args, module))
        return (
            USAGE if isinstance(error, ParameterError) else FAILURE
        )  # what only the data could tell to be wrong usage


def _told(error: CtreeError, args: argparse.Namespace, module: ModuleType) -> str:
    """The sentence about an error, which names options; in `ctree compare` a person types parameters."""
    from ctree.cli.options import OPTIONS
    from ctree.cli.typed_messages import as_typed

    message = getattr(error, "for_command", str(error))
    if getattr(module, "PARAMETERS_ARE_TYPED", False):
        return str(message)
    return as_typed(message, getattr(args, OPTIONS), about_data=getattr(error, "file", None) is not None)


def _parser(command: str | None, arguments: list[str]) -> argparse.ArgumentParser:
    """The parser; of the subcommands only the one that is asked for is imported."""
    from ctree.cli.options import EXIT_STATUS, HelpFormatter, Parser

    parser = Parser(
        prog="ctree",
        description="Classification trees whose probabilities can be trusted.",
        epilog=f"{EXAMPLES}\n\n{EXIT_STATUS}",
        formatter_class=HelpFormatter,
        allow_abbrev=False,
    )
    parser.add_argument("--version", action="version", version=f"ctree {__version__}")
    subparsers = parser.add_subparsers(dest="command", metavar="COMMAND", title="commands")
    if command in MODULES:
        import_module(MODULES[command]).add_parser(subparsers, arguments[1:])
    else:
        for name, summary in SUMMARIES.items():
            subparsers.add_parser(name, help=summary)
    return parser


def _complain(message: str) -> None:
    say(f"ctree: {message}")


def _replace_closed_streams() -> None:
    """Put streams in the place of those that were closed when the process was started.

    Python has None there, and the next file that is opened gets their number. To write to the output is then an error,
    as to any output that cannot be written; messages go nowhere.
    """
    if sys.stdin is None:
        sys.stdin = os.fdopen(os.open(os.devnull, os.O_RDONLY), encoding="utf-8")
    if sys.stdout is None:
        sys.stdout = os.fdopen(os.open(os.devnull, os.O_RDONLY), "w", encoding="utf-8")
    if sys.stderr is None:
        sys.stderr = os.fdopen(os.open(os.devnull, os.O_WRONLY), "w", encoding="utf-8")


if __name__ == "__main__":
    sys.exit(main())
