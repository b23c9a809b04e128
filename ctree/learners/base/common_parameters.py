"""Parameters that several learners have: declared here, inherited or changed there."""

from __future__ import annotations

from collections.abc import Mapping
from numbers import Integral
from typing import Any

import numpy as np

from ctree.data.tables.arrays import UNSEEN
from ctree.domains.domain import AnyOf, Choice, Domain, Flag, Nothing
from ctree.domains.numeric import MAX_INTEGER, Integer, Number
from ctree.domains.plain import is_list, is_plain, plain
from ctree.learners.base.cost_domain import CostMatrix as CostMatrix
from ctree.learners.base.estimator import SklearnEstimator
from ctree.learners.base.parameters import parameter
from ctree.scale.threads import Threads as Threads
from ctree.scale.threads import n_threads as n_threads
from ctree.tree.leaves import ESTIMATES
from ctree.wording import unquoted

MAX_SEED = (1 << 64) - 1

PRIOR_WEIGHTS = Number(least=1e-200, most=1e15)
"""What a prior may count, in cases: beyond, nothing would be left of it or of the cases in 64 bits."""


class ClassWeights(Domain):
    """Weights by class; whether the classes are those of the cases is seen in `fit`.

    Examples
    --------
    >>> ClassWeights().read("class_weight", "yes:2, no:0.5")
    {'yes': 2, 'no': 0.5}
    """

    metavar = "CLASS:W,..."

    def accepts(self, value: Any) -> bool:
        return isinstance(value, Mapping) and all(Number(least=0).accepts(weight) for weight in value.values())

    def words(self) -> list[str]:
        return ["a dict of classes to weights of at least 0"]

    def typed(self) -> list[str]:
        return ["classes with weights of at least 0, as in yes:2,no:0.5"]

    def type_text(self) -> str:
        return "dict"

    def parse(self, text: str) -> dict[str, float]:
        entries = [part.rpartition(":") for part in text.strip("{} ").split(",")]
        return {unquoted(label.strip()): Number().parse(weight) for label, _, weight in entries}

    def to_plain(self, value: Any) -> Any:
        # pairs, as a key in JSON is always text
        return [[plain(label), plain(weight)] for label, weight in value.items()]

    def from_plain(self, value: Any) -> Any:
        pairs = isinstance(value, list) and all(isinstance(pair, list) and len(pair) == 2 for pair in value)
        if not pairs or not all(isinstance(label, str | int | float) for label, _ in value):
            return value
        return dict(value)


COLUMN_NUMBERS = Integer(least=-MAX_INTEGER - 1)


class Columns(Domain):
    """Columns of a table, by name, by number or as a mask; whether it has them is seen in `fit`.

    Examples
    --------
    >>> Columns().read("categorical_features", "[0, 2]"), Columns().read("categorical_features", "outlook")
    ([0, 2], ['outlook'])
    """

    metavar = "A,B"

    def accepts(self, value: Any) -> bool:
        return is_list(value) and all(
            isinstance(entry, str | bool | np.bool_) or COLUMN_NUMBERS.accepts(entry) for entry in value
        )

    def words(self) -> list[str]:
        return ["a list of names or numbers of columns, or a mask"]

    def type_text(self) -> str:
        return "array-like"

    def to_plain(self, value: Any) -> Any:
        return [plain(entry) for entry in value]

    def parse(self, text: str) -> list[Any]:
        parts = [unquoted(part.strip()) for part in text.strip("[]() ").split(",") if part.strip()]
        if parts and all(part in ("True", "False") for part in parts):
            return [part == "True" for part in parts]
        return [int(part) for part in parts] if all(part.isdigit() for part in parts) else parts


class Seed(Domain):
    """What scikit-learn allows as `random_state`."""

    metavar = "N"

    def accepts(self, value: Any) -> bool:
        if value is None or isinstance(value, np.random.Generator | np.random.RandomState):
            return True
        return is_plain(value, Integral) and 0 <= int(value) <= MAX_SEED

    def words(self) -> list[str]:
        return [f"a whole number from 0 to {MAX_SEED}, a numpy generator or None"]

    def typed(self) -> list[str]:
        return [f"a whole number from 0 to {MAX_SEED} or none"]

    def type_text(self) -> str:
        return "int, numpy generator or None"

    def parse(self, text: str) -> int | None:
        return None if text.lower() == "none" else int(text)

    def spelled(self, value: Any) -> str:
        return "none" if value is None else str(value)

    def to_plain(self, value: Any) -> Any:
        return int(value) if isinstance(value, Integral) else None  # a generator is not kept


class WithClassWeights(SklearnEstimator):
    """What every learner is told about classes and values."""

    class_weight: Any = parameter(
        None,
        AnyOf(Nothing(), Choice("balanced", "costs"), ClassWeights()),
        'Factors for the weights of the cases of each class. ``"balanced"``: those that give all classes the same '
        'total weight. ``"costs"``: what errors on each class cost by `costs`, in proportion. None: all 1.',
    )
    costs: Any = parameter(
        None,
        CostMatrix(),
        "What errors cost, by true and predicted class: `predict` then gives the class of least expected cost. None: "
        "all errors cost the same. A dict of (true class, predicted class) to cost, in which errors that are not named "
        "cost 1; or a matrix, whose rows are the true classes. `predict_proba` does not change.",
    )
    unseen: str = parameter(
        "unknown",
        UNSEEN,
        "How `predict` treats values of discrete attributes that were not seen in `fit`: as unknown, or as an error.",
    )


class InAnyTable(WithClassWeights):
    """What every learner is told about the table that it is given."""

    categorical_features: Any = parameter(
        None,
        AnyOf(Nothing(), Columns()),
        "Which columns of a table are discrete, as a mask, indices or names. None: those that do not hold numbers.",
        on_command_line=False,  # files say so themselves, or --discrete
    )


class InThreads(SklearnEstimator):
    """For learners that work in several threads."""

    n_jobs: int | None = parameter(
        None,
        Threads(),
        "Number of threads; None is 1, -1 all cores. The result does not depend on it.",
        aliases=("-j", "--jobs"),
    )


class WithProgress(SklearnEstimator):
    """For learners whose work may take long."""

    verbose: bool | int = parameter(
        False,
        AnyOf(Flag(), Integer(least=0)),
        "Whether `fit` shows how far it is, on a line of standard error, as ``progress=True`` does for one call.",
        on_command_line=False,  # there the line is shown on every terminal
    )

    def _reported(self, progress: Any) -> Any:
        """What `fit` does with its argument `progress`; None leaves it to `verbose`."""
        return np.ndim(self.verbose) == 0 and bool(self.verbose) if progress is None else progress


class WithLeafEstimate(SklearnEstimator):
    """For learners whose leaves turn class counts into probabilities in a way that can be chosen."""

    estimate: str = parameter(
        "frequency",
        Choice(*ESTIMATES),
        'How class counts become probabilities. ``"frequency"``: as they are. ``"laplace"``: with one case more of '
        'each class. ``"m"``: with `m` cases more, of the classes of all training cases. ``"dirichlet"``: with '
        '`prior_weight` cases more, spread evenly over the classes. ``"m-branch"``: with `m` cases more, of the '
        "classes estimated at the node above. See `ctree.tree.leaves` for the formulas.",
    )
    m: float = parameter(
        2.0, PRIOR_WEIGHTS, "Weight of the class priors in the m-estimate.", only_if={"estimate": ("m", "m-branch")}
    )
    prior_weight: float | str = parameter(
        2.0,
        AnyOf(PRIOR_WEIGHTS, Choice("classes")),
        "Sum of the Dirichlet parameters of a leaf, the same for all classes. "
        '``"classes"``: as many as there are classes.',
        only_if={"estimate": ("dirichlet",)},
    )


class WithMinCases(SklearnEstimator):
    """For learners that grow by a score, and would go on until every leaf is pure."""

    min_cases: float = parameter(
        1.0,
        Number(above=0),
        "At least two branches of every test must have this weight of cases. While every case counts one and nothing "
        "is unknown, 1 only asks that they are not empty; with unknown values it keeps the tree from splitting ever "
        "smaller fractions of cases. Lower it where the weights of cases are small.",
    )


class WithTreePrior(SklearnEstimator):
    """For learners that weigh trees by a prior over their shapes and tests."""

    tree_prior: str = parameter("chipman", Choice("chipman"), "The prior over trees.")
    gamma: float = parameter(
        0.8,
        Number(above=0, below=1),
        "A node at depth d is split with prior probability gamma (1 + d)^-delta.",
        only_if={"tree_prior": ("chipman",)},
    )
    delta: float = parameter(
        0.8, Number(least=0), "How fast that probability falls with the depth.", only_if={"tree_prior": ("chipman",)}
    )
    test_prior: str = parameter(
        "per-feature",
        Choice("per-feature", "per-test"),
        "Which tests share a prior probability: all tests of an attribute together have that of one attribute "
        '(``"per-feature"``), or each test has its own (``"per-test"``).',
        only_if={"tree_prior": ("chipman",)},
    )
    alpha: float = parameter(1.0, PRIOR_WEIGHTS, "Dirichlet parameter of each class in a leaf.")
    max_depth: int | None = parameter(
        None, AnyOf(Integer(least=0), Nothing()), "Greatest number of tests on the way to a leaf; None for no limit."
    )


def seed_of(random_state: Any) -> int:
    """A seed of 64 bits from what scikit-learn allows as `random_state`."""
    if random_state is None:
        return int(np.random.SeedSequence().generate_state(1, np.uint64)[0])
    if isinstance(random_state, np.random.Generator):
        return int(random_state.integers(1 << 63))
    if isinstance(random_state, np.random.RandomState):
        return int(random_state.randint(1 << 31))
    return int(random_state)
