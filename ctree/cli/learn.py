"""`ctree learn`: its options, and the methods it can learn by."""

from __future__ import annotations

import argparse
from collections.abc import Callable
from typing import TYPE_CHECKING

from ctree.cli.options import Subparsers, add_command, names, number, threads

if TYPE_CHECKING:
    from ctree.cli.learning import Learner
    from ctree.learners.c45 import C45Classifier
    from ctree.learners.c45_rules import C45RulesClassifier

DESCRIPTION = """\
Learn a classification tree, or rules from one, and print it, its size, and its errors on the training cases and, if
there are any, on test cases. SOURCE is the stem of C4.5 files (golf stands for golf.names, golf.data and, if it is
there, golf.test), or a .csv or .arff file. In a tree, (n/e) after a leaf means that n training cases reach it, of which
e are expected to be wrong among as many new ones (as J48 and without pruning: of which e are wrong)."""

EXAMPLES = """\
examples:
  ctree learn examples/golf
  ctree learn examples/golf --leaves laplace -o golf.json
  ctree learn examples/golf --method c4.5rules
  ctree learn cars.csv --class origin --test more-cars.csv --min-cases 5 --json"""


def _c45(args: argparse.Namespace) -> C45Classifier:
    from ctree.learners.c45 import C45Classifier

    return C45Classifier(
        criterion=args.criterion.replace("-", "_"),
        min_cases=args.min_cases,
        confidence=args.confidence,
        flavour=args.flavour,
        prune="reduced-error" if args.reduced_error else args.prune,
        raising=args.raising,
        binary=args.binary,
        group_values=args.group_values,
        soft_thresholds=args.soft_thresholds,
        leaves=args.leaves,
        m=args.m,
        n_jobs=args.jobs,
    )


def _c45rules(args: argparse.Namespace) -> C45RulesClassifier:
    from ctree.errors import ParameterError
    from ctree.learners.c45_rules import C45RulesClassifier

    for option, given in (
        ("--flavour j48", args.flavour != "release8"),
        ("--no-prune", not args.prune),
        ("--reduced-error", args.reduced_error),
        ("--no-raising", not args.raising),
        ("--binary", args.binary),
        ("--soft-thresholds", args.soft_thresholds),
        ("--leaves", args.leaves != "frequency"),
    ):
        if given:
            raise ParameterError(f"{option} is not for --method c4.5rules")
    return C45RulesClassifier(
        criterion=args.criterion.replace("-", "_"),
        min_cases=args.min_cases,
        confidence=args.confidence,
        redundancy=args.redundancy,
        group_values=args.group_values,
        n_jobs=args.jobs,
    )


METHODS: dict[str, Callable[[argparse.Namespace], Learner]] = {"c4.5": _c45, "c4.5rules": _c45rules}
"""The learners by the name that `--method` gives them."""


def add_parser(subparsers: Subparsers) -> None:
    """Add the options of this subcommand."""
    parser = add_command(subparsers, "learn", "SOURCE", DESCRIPTION, EXAMPLES)
    parser.add_argument("source", metavar="SOURCE", help="stem of C4.5 files, or a .csv or .arff file")
    data = parser.add_argument_group("data")
    data.add_argument("--test", metavar="FILE", help="test cases (default: the .test file of a stem, if there is one)")
    data.add_argument(
        "--class", dest="class_name", metavar="NAME", help="class column of a .csv or .arff file (default: the last)"
    )
    data.add_argument(
        "--discrete", type=names, default=[], metavar="A,B", help="columns of a .csv file whose numbers are just names"
    )
    data.add_argument(
        "--unknown-class",
        choices=("error", "drop"),
        default="error",
        help="a case whose class is ?: refuse the file, or leave the case out (default: %(default)s)",
    )
    method = parser.add_argument_group("method")
    method.add_argument("--method", choices=METHODS, default="c4.5", help="how to learn (default: %(default)s)")
    method.add_argument(
        "--criterion",
        choices=("gain-ratio", "gain"),
        default="gain-ratio",
        help="how tests are compared (default: %(default)s)",
    )
    method.add_argument(
        "--min-cases",
        type=number(above=0),
        default=2,
        metavar="N",
        help="two branches of every test must have N cases (default: %(default)s)",
    )
    method.add_argument(
        "--confidence",
        type=number(above=0, most=1),
        default=0.25,
        metavar="CF",
        help="for pruning, above 0 and at most 1; the smaller, the more is pruned (default: %(default)s)",
    )
    method.add_argument(
        "--flavour",
        choices=("release8", "j48"),
        default="release8",
        help="whose C4.5: Quinlan's release 8, or Weka's J48 (default: %(default)s)",
    )
    method.add_argument("--no-prune", dest="prune", action="store_false", help="do not prune the tree")
    method.add_argument(
        "--reduced-error", action="store_true", help="prune by the errors on a third of the cases, kept for this"
    )
    method.add_argument(
        "--no-raising",
        dest="raising",
        action="store_false",
        help="do not put a branch in its node's place when pruning",
    )
    method.add_argument(
        "--binary", action="store_true", help="test a discrete attribute for one value against the others"
    )
    method.add_argument(
        "--group-values", action="store_true", help="test groups of values of a discrete attribute, not single ones"
    )
    method.add_argument(
        "--soft-thresholds", action="store_true", help="put bounds around thresholds, for `ctree consult`"
    )
    method.add_argument(
        "--leaves",
        choices=("frequency", "laplace", "m"),
        default="frequency",
        help="how a leaf makes probabilities of its class counts (default: %(default)s)",
    )
    method.add_argument(
        "--m",
        type=number(above=0),
        default=2.0,
        metavar="M",
        help="weight of the class priors with --leaves m (default: %(default)s)",
    )
    method.add_argument(
        "--redundancy",
        type=number(above=0, most=1000),
        default=1.0,
        metavar="R",
        help="with --method c4.5rules: the more, the more rules are kept (default: %(default)s)",
    )
    method.add_argument(
        "-j", "--jobs", type=threads, default=1, metavar="N", help="threads, -1 for all cores (default: %(default)s)"
    )
    output = parser.add_argument_group("output")
    output.add_argument("-o", "--output", metavar="MODEL", help="save the model to this JSON file")
    output.add_argument("--json", action="store_true", help="print the facts as one JSON object instead of text")


def run(args: argparse.Namespace) -> int:
    """Learn as the options say."""
    from ctree.cli.learning import learn  # numpy and the kernels wait until the options are right

    learn(args, METHODS[args.method](args))
    return 0
