"""`ctree learn`: its options, and the methods it can learn by."""

from __future__ import annotations

import argparse
from collections.abc import Callable, Iterable
from typing import TYPE_CHECKING

from ctree.cli.lattice_options import OPTIONS as LATTICE
from ctree.cli.lattice_options import add_lattice_options, bayes_optimal, bins, optimal_tree
from ctree.cli.options import Subparsers, add_command, names, number, threads
from ctree.errors import ParameterError

if TYPE_CHECKING:
    from ctree.cli.learning import Learner
    from ctree.learners.c45 import C45Classifier
    from ctree.learners.c45_rules import C45RulesClassifier
    from ctree.learners.naive_bayes import NaiveBayesClassifier

DESCRIPTION = """\
Learn a classification tree, rules from one, naive Bayes, or the average over all trees, and print it, its size, and
its errors on the training cases and, if there are any, on test cases. SOURCE is the stem of C4.5 files (golf stands for
golf.names, golf.data and, if it is there, golf.test), or a .csv or .arff file. In a tree, (n/e) after a leaf means that
n training cases reach it, of which e are expected to be wrong among as many new ones (as J48 and without pruning: of
which e are wrong)."""

EXAMPLES = """\
examples:
  ctree learn examples/golf
  ctree learn examples/golf --leaves laplace -o golf.json
  ctree learn examples/golf --method c4.5rules
  ctree learn examples/golf --method naive-bayes --estimate m --m 2
  ctree learn examples/golf --method bayes-optimal --max-depth 3
  ctree learn cars.csv --class origin --test more-cars.csv --min-cases 5 --json"""


def _c45(args: argparse.Namespace) -> C45Classifier:
    from ctree.learners.c45 import C45Classifier

    _refuse(args, (*RULES, *BAYES, *LATTICE))
    if args.reduced_error and not args.prune:
        raise ParameterError("--no-prune and --reduced-error exclude each other")
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


# The options of each kind of learner, so that one which does not have them can say so.
GROWING = ("criterion", "min_cases", "confidence", "group_values", "jobs")
TREES = ("flavour", "prune", "reduced_error", "raising", "binary", "soft_thresholds", "leaves")
RULES = ("redundancy",)
BAYES = ("estimate", "bins")


def _refuse(args: argparse.Namespace, names: Iterable[str]) -> None:
    """Refuse options that the chosen method does not have."""
    for name in names:
        if getattr(args, name) != args.defaults[name]:
            option = {"prune": "no-prune", "raising": "no-raising"}.get(name, name.replace("_", "-"))
            raise ParameterError(f"--{option} is not for --method {args.method}")


def _c45rules(args: argparse.Namespace) -> C45RulesClassifier:
    from ctree.learners.c45_rules import C45RulesClassifier

    _refuse(args, (*TREES, *BAYES, *LATTICE, "m"))
    return C45RulesClassifier(
        criterion=args.criterion.replace("-", "_"),
        min_cases=args.min_cases,
        confidence=args.confidence,
        redundancy=args.redundancy,
        group_values=args.group_values,
        n_jobs=args.jobs,
    )


def _naive_bayes(args: argparse.Namespace) -> NaiveBayesClassifier:
    from ctree.learners.naive_bayes import NaiveBayesClassifier

    _refuse(args, (*TREES, *GROWING, *RULES, *LATTICE))
    if args.bins in ("all", "binary"):
        raise ParameterError(f"--bins {args.bins} is not for --method {args.method}")
    return NaiveBayesClassifier(estimate=args.estimate, m=args.m, bins=5 if args.bins is None else args.bins)


def _over_all_trees(make: Callable[[argparse.Namespace], Learner]) -> Callable[[argparse.Namespace], Learner]:
    def made(args: argparse.Namespace) -> Learner:
        _refuse(args, (*TREES, *GROWING, *RULES, "estimate", "m"))
        return make(args)

    return made


METHODS: dict[str, Callable[[argparse.Namespace], Learner]] = {
    "c4.5": _c45,
    "c4.5rules": _c45rules,
    "naive-bayes": _naive_bayes,
    "bayes-optimal": _over_all_trees(bayes_optimal),
    "map": _over_all_trees(optimal_tree("posterior")),
    "dl8": _over_all_trees(optimal_tree("error")),
}
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
        "--discrete",
        type=names,
        action="extend",
        default=[],
        metavar="A,B",
        help="columns of a .csv file whose numbers are just names",
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
        help="weight of the class priors with --leaves m or --estimate m (default: %(default)s)",
    )
    method.add_argument(
        "--estimate",
        choices=("frequency", "laplace", "m"),
        default="m",
        help="with --method naive-bayes: how probabilities are estimated from counts (default: %(default)s)",
    )
    method.add_argument(
        "--bins",
        type=bins,
        metavar="N",
        help="with --method naive-bayes and those over all trees: continuous attributes are put into N bins (default: "
        "5 with naive-bayes, else 4; or all: at every threshold, binary: attributes have to be 0 or 1)",
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
    add_lattice_options(parser)
    options = (*GROWING, *TREES, *RULES, *BAYES, *LATTICE, "m")
    parser.set_defaults(defaults={name: parser.get_default(name) for name in options})
    output = parser.add_argument_group("output")
    output.add_argument("-o", "--output", metavar="MODEL", help="save the model to this JSON file")
    output.add_argument("--json", action="store_true", help="print the facts as one JSON object instead of text")


def run(args: argparse.Namespace) -> int:
    """Learn as the options say."""
    from ctree.cli.learning import learn  # numpy and the kernels wait until the options are right

    learn(args, METHODS[args.method](args))
    return 0
