"""`ctree learn`: its options, and the methods it can learn by."""

from __future__ import annotations

import argparse
from collections.abc import Mapping
from functools import partial
from importlib import import_module
from typing import TYPE_CHECKING, Any, NamedTuple

from ctree.cli.lattice_options import LATTICE, add_lattice_options
from ctree.cli.options import Group, Subparsers, add_command, names, number, threads, whole
from ctree.cli.sampling import SAMPLING, add_sampling_options
from ctree.errors import ParameterError

if TYPE_CHECKING:
    from ctree.cli.learning import Learner

DESCRIPTION = """\
Learn a classification tree, rules from one, an average over many trees or all, or naive Bayes, and print it, its size,
and its errors on the training cases and, if there are any, on test cases. Options are marked with the methods they are
for. SOURCE is the stem of C4.5 files (golf stands for golf.names, golf.data and, if it is there, golf.test), or a .csv
or .arff file. In a tree, (n/e) after a leaf means that n training cases reach it, of which e are wrong (c4.5,
probability-c4.5: of which e are expected to be wrong among as many new ones, unless as J48 or without pruning)."""

EXAMPLES = """\
examples:
  ctree learn examples/golf
  ctree learn examples/golf --leaves laplace -o golf.json
  ctree learn examples/golf --method c4.5rules
  ctree learn examples/golf --method bic-prune --multiway
  ctree learn examples/golf --method bayesian --averaging prunings --bins none
  ctree learn examples/golf --method naive-bayes --estimate m --m 2
  ctree learn examples/golf --method bayes-optimal --max-depth 3
  ctree learn examples/golf --method mcmc --min-cases 1 --seed 1
  ctree learn cars.csv --class origin --test more-cars.csv --min-cases 5 --json"""


class Method(NamedTuple):
    """A learner: where it is, what it is told always, and the options it takes by the parameter that each sets.

    The parameter is empty for an option that is not for the learner but for the run.
    """

    module: str
    name: str
    fixed: Mapping[str, Any]
    options: Mapping[str, str]


def _same(*names: str) -> dict[str, str]:
    return {name: name for name in names}


LEAVES = _same("leaves", "m", "prior_weight")
PROBABILITY = LEAVES | _same("min_cases", "thresholds") | {"multiway": "binary", "jobs": "n_jobs"}


def _probability(method: str, *options: str) -> Method:
    return Method(
        "ctree.learners.probability.classifier",
        "ProbabilityTreeClassifier",
        {"method": method},
        PROBABILITY | _same(*options),
    )


def _optimal_tree(objective: str) -> Method:
    return Method(
        "ctree.learners.lattice.optimal_tree",
        "OptimalTreeClassifier",
        {"objective": objective},
        LATTICE | _same("bins"),
    )


METHODS = {
    "c4.5": Method(
        "ctree.learners.c45.classifier",
        "C45Classifier",
        {},
        LEAVES
        | _same("criterion", "min_cases", "confidence", "variant", "prune", "raising", "binary", "group_values")
        | {"soft_thresholds": "soft_thresholds", "reduced_error": "prune", "jobs": "n_jobs"},
    ),
    "c4.5rules": Method(
        "ctree.learners.rules.classifier",
        "C45RulesClassifier",
        {},
        _same("criterion", "min_cases", "confidence", "redundancy", "group_values") | {"jobs": "n_jobs"},
    ),
    "c4.4": _probability("c4.4"),
    "probability-c4.5": _probability("c4.5", "confidence"),
    "mdl-stop": _probability("mdl-stop"),
    "mdl-prune": _probability("mdl-prune"),
    "bic-stop": _probability("bic-stop"),
    "bic-prune": _probability("bic-prune"),
    "chi2": _probability("chi2", "level"),
    "bayesian": Method(
        "ctree.learners.bayesian.classifier",
        "BayesianTreeClassifier",
        {},
        LEAVES
        | _same("averaging", "bins", "unknown", "split_prior", "min_cases")
        | {"uniform": "nonuniform", "jobs": "n_jobs"},
    ),
    "bayes-optimal": Method(
        "ctree.learners.lattice.bayes_optimal", "BayesOptimalClassifier", {}, LATTICE | _same("bins")
    ),
    "map": _optimal_tree("posterior"),
    "dl8": _optimal_tree("error"),
    "mcmc": Method(
        "ctree.learners.mcmc.classifier", "MCMCTreeClassifier", {}, SAMPLING | {"jobs": "n_jobs"} | _same("min_cases")
    ),
    "naive-bayes": Method("ctree.learners.naive_bayes", "NaiveBayesClassifier", {}, _same("estimate", "m", "bins")),
}
"""The learners by the name that `--method` gives them."""

OPTIONS = {
    "prune": "--no-prune",
    "raising": "--no-raising",
    "uniform": "--uniform-priors",
    **{
        option.replace("-", "_"): f"--{option}"
        for option in (
            *("criterion", "min-cases", "confidence", "variant", "reduced-error", "binary", "multiway", "thresholds"),
            *("group-values", "soft-thresholds", "leaves", "m", "prior-weight", "level", "averaging", "split-prior"),
            *("unknown", "bins", "estimate", "redundancy", "jobs"),
            *(name.replace("_", "-") for name in (*LATTICE, *SAMPLING)),
        )
    },
}
"""The options that a method may have, by their place in the arguments. What is not given is left to the learner."""


def learner(args: argparse.Namespace) -> Learner:
    """The learner that the options ask for."""
    method = METHODS[args.method]
    given = {name: getattr(args, name) for name in OPTIONS if hasattr(args, name)}
    for name in given:
        if name not in method.options:
            having = [other for other, m in METHODS.items() if name in m.options]
            raise ParameterError(f"{OPTIONS[name]} is not for --method {args.method} but for {', '.join(having)}")
    if "prune" in given and "reduced_error" in given:
        raise ParameterError("--no-prune and --reduced-error exclude each other")
    if "split_prior" in given and given.get("averaging") != "prunings":
        raise ParameterError("--split-prior is for --averaging prunings")
    refused = {"naive-bayes": (None, "binary"), "bayesian": ("binary",)}.get(args.method, ())
    if "bins" in given and given["bins"] in refused:
        raise ParameterError(f"--bins {given['bins'] or 'none'} is not for --method {args.method}")
    parameters = {method.options[name]: value for name, value in given.items() if method.options[name]}
    result: Learner = getattr(import_module(method.module), method.name)(**method.fixed, **parameters)
    return result


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
    add_growing_options(parser.add_argument_group("trees and rules"))
    add_probability_options(parser.add_argument_group("probabilities"))
    add_lattice_options(parser.add_argument_group("all trees, with --method bayes-optimal, map and dl8"))
    add_sampling_options(parser.add_argument_group("sampling, with --method mcmc"))
    output = parser.add_argument_group("output")
    output.add_argument("-o", "--output", metavar="MODEL", help="save the model to this JSON file")
    output.add_argument("--json", action="store_true", help="print the facts as one JSON object instead of text")


def add_growing_options(group: Group) -> None:
    """The options of how trees are grown and pruned."""
    option = partial(group.add_argument, default=argparse.SUPPRESS)
    option(
        "--criterion",
        type=criterion,
        metavar="{gain-ratio,gain}",
        help="c4.5, c4.5rules: how tests are compared (default: gain-ratio)",
    )
    option(
        "--min-cases",
        type=number(above=0),
        metavar="N",
        help="two branches of every test must have N cases (default: 2 for c4.5, c4.5rules and mcmc, else 1)",
    )
    option(
        "--confidence",
        type=number(above=0, most=1),
        metavar="CF",
        help="c4.5, c4.5rules, probability-c4.5: for pruning, above 0 and at most 1; the smaller, the more is pruned "
        "(default: 0.25)",
    )
    option(
        "--variant",
        choices=("release8", "j48"),
        help="c4.5: Quinlan's release 8, or Weka's J48 (default: release8)",
    )
    option("--no-prune", dest="prune", action="store_false", help="c4.5: do not prune the tree")
    option(
        "--reduced-error",
        action="store_const",
        const="reduced-error",
        help="c4.5: prune by the errors on a third of the cases, kept for this",
    )
    option(
        "--no-raising",
        dest="raising",
        action="store_false",
        help="c4.5: do not put a branch in its node's place when pruning",
    )
    option("--binary", action="store_true", help="c4.5: test a discrete attribute for one value against the others")
    option(
        "--multiway",
        action="store_false",
        help="c4.4, probability-c4.5, mdl, bic, chi2: test a discrete attribute with a branch for each value",
    )
    option(
        "--thresholds",
        type=whole(least=1),
        metavar="N",
        help="c4.4, probability-c4.5, mdl, bic, chi2: so many thresholds for each continuous attribute (default: all)",
    )
    option(
        "--group-values",
        action="store_true",
        help="c4.5, c4.5rules: test groups of values of a discrete attribute, not single ones",
    )
    option("--soft-thresholds", action="store_true", help="c4.5: put bounds around thresholds, for `ctree consult`")
    option(
        "--level",
        type=number(above=0, most=0.999999),
        metavar="P",
        help="chi2: the level of significance, which the tests of a node share (default: 0.1)",
    )
    option(
        "--redundancy",
        type=number(above=0, most=1000),
        metavar="R",
        help="c4.5rules: the more, the more rules are kept (default: 1)",
    )
    option(
        "--unknown",
        choices=("fractions", "impute"),
        help="bayesian: cases of unknown value go down all branches in parts, or get the most frequent value "
        "or the mean (default: fractions)",
    )
    option(
        "--bins",
        type=bins,
        metavar="N",
        help="bayesian, naive-bayes, bayes-optimal, map, dl8: continuous attributes are put into N bins, or none: all "
        "thresholds; for the last three also binary: attributes have to be 0 or 1 (default: 5; 4 for these)",
    )
    option("-j", "--jobs", type=threads, metavar="N", help="threads, -1 for all cores (default: 1)")


def add_probability_options(group: Group) -> None:
    """The options of how probabilities are made of counts."""
    option = partial(group.add_argument, default=argparse.SUPPRESS)
    option(
        "--leaves",
        choices=("frequency", "laplace", "m", "dirichlet", "m-branch"),
        help="trees: how a leaf makes probabilities of its class counts (default: frequency for c4.5, dirichlet for "
        "bayesian, else laplace)",
    )
    option(
        "--m",
        type=number(above=0),
        metavar="M",
        help="weight of the class priors with --leaves m, m-branch or --estimate m (default: 2)",
    )
    option(
        "--prior-weight",
        type=prior_weight,
        metavar="S",
        help="sum of the Dirichlet parameters: bayesian, and --leaves dirichlet; a number or `classes` (default: 2)",
    )
    option(
        "--averaging",
        type=averaging,
        metavar="{path,prunings,none}",
        help="bayesian: average along the path of a case, or over all prunings of the tree (default: path)",
    )
    option(
        "--split-prior",
        type=number(above=0, most=0.999999),
        metavar="P",
        help="bayesian, --averaging prunings: how probable it is beforehand that a node keeps its branches (default: "
        "0.5)",
    )
    option(
        "--uniform-priors",
        dest="uniform",
        action="store_false",
        help="bayesian: the same Dirichlet parameter for all classes, also for those that a node lacks",
    )
    option(
        "--estimate",
        choices=("frequency", "laplace", "m"),
        help="naive-bayes: how probabilities are estimated from counts (default: m)",
    )


def criterion(text: str) -> Any:
    """An option's type: how tests are compared."""
    return _word(text, {"gain-ratio": "gain_ratio", "gain": "gain"})


def averaging(text: str) -> Any:
    """An option's type: what is averaged over."""
    return _word(text, {"path": True, "prunings": "prunings", "none": False})


def bins(text: str) -> int | str | None:
    """An option's type: a number of bins, `none` (or `all` thresholds), or `binary`."""
    return None if text in ("none", "all") else text if text == "binary" else whole(least=1)(text)


def prior_weight(text: str) -> float | str:
    """An option's type: the sum of Dirichlet parameters, or `classes`."""
    return text if text == "classes" else number(above=0)(text)


def _word(text: str, meanings: Mapping[str, Any]) -> Any:
    if text not in meanings:
        raise argparse.ArgumentTypeError(f"it should be one of {', '.join(meanings)}, not '{text}'")
    return meanings[text]


def run(args: argparse.Namespace) -> int:
    """Learn as the options say."""
    from ctree.cli.learning import learn  # numpy and the kernels wait until the options are right

    learn(args, learner(args))
    return 0
