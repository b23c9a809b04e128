"""Trees for class probabilities whose tests ask for linked rows."""

from __future__ import annotations

from typing import Any, Self

import numpy as np
import numpy.typing as npt

from ctree.data.fields import Fields
from ctree.data.relational.bias import DIRECTIONS
from ctree.data.relational.data import RelationalData
from ctree.data.relational.schema import RelationalSchema
from ctree.domains.domain import AnyOf, Choice, Flag, Nothing
from ctree.domains.numeric import Integer, Number
from ctree.errors import DataError
from ctree.learners.base.classifier import Floats, label_array
from ctree.learners.base.common_parameters import (
    InThreads,
    WithClassWeights,
    WithLeafEstimate,
    WithMinCases,
    WithProgress,
    n_threads,
)
from ctree.learners.base.decisions import decided_by
from ctree.learners.base.estimator import warn
from ctree.learners.base.one_model import of_one_model
from ctree.learners.base.parameters import changed, fitted, parameter
from ctree.learners.probability.classifier import APPROACHES
from ctree.learners.relational.bias import Bias, Tests, all_tests
from ctree.learners.relational.domains import ByName, LinkedTables, Names
from ctree.learners.relational.fields import model_from_fields, model_to_fields
from ctree.learners.relational.growing import grown_nodes
from ctree.learners.relational.learner import RelationalLearner
from ctree.learners.relational.shown import ShownRelationalTree
from ctree.learners.relational.training import (
    Examples,
    asked_examples,
    examples_of,
    keys_by_name,
    training_examples,
)
from ctree.progress import ProgressCallback, reporting
from ctree.tree.error_pruning import prune_by_errors
from ctree.tree.leaves import leaf_probabilities
from ctree.tree.length_pruning import prune_by_length
from ctree.tree.relational_aggregates import AGGREGATES
from ctree.tree.relational_arrays import RelationalArrays
from ctree.tree.relational_tree import RelationalTree
from ctree.wording import plural
from ctree_ext.grow.split_scores import SplitScore
from ctree_ext.relational.relational_grower import RelationalGrower

MAX_ROWS = (1 << 31) - 1


class RelationalTreeClassifier(
    RelationalLearner, ShownRelationalTree, WithMinCases, WithLeafEstimate, InThreads, WithProgress, WithClassWeights
):
    """Trees for class probabilities from linked tables: tests ask whether an example has a linked row of some kind.

    A test may follow links to rows of other tables, and name them; tests below its yes branch can say more of the same
    rows. Examples are counted, never rows. Tests are chosen, and trees stopped and pruned, as by the seven approaches
    of `ProbabilityTreeClassifier`.

    Notes
    -----
    No condition holds for an unknown value, and no link leads anywhere from an unknown foreign key: such examples go to
    the no branch. A threshold is a value of the data. No test enters the table of the examples, so that classes of
    other examples stay out of sight. Branches do not take the place of their parents when ``"c4.5"`` prunes, as a yes
    branch speaks of rows that the test above it has found.

    References
    ----------
    Blockeel, De Raedt: Top-down induction of first-order logical decision trees. Artificial Intelligence 101, 1998.
    Fierens, Ramon, Blockeel, Bruynooghe: A comparison of approaches for learning probability trees. Report CW418,
    Leuven, 2005.

    Examples
    --------
    >>> import ctree
    >>> data = ctree.RelationalData(
    ...     {"machine": {"id": [1, 2, 3, 4], "action": ["fix", "ok", "fix", "sendback"]},
    ...      "worn": {"machine": [1, 1, 3, 4], "part": ["gear", "belt", "gear", "engine"]},
    ...      "part": {"part": ["gear", "belt", "engine"], "replaceable": ["yes", "yes", "no"]}},
    ...     target=("machine", "action"), keys={"machine": "id", "part": "part"},
    ...     foreign_keys={"worn.machine": "machine", "worn.part": "part"})
    >>> model = ctree.RelationalTreeClassifier(method="c4.4").fit(data)
    >>> print(model.tree_.to_text())
    does the machine have a worn (worn 1) whose part has replaceable = yes?
    |-- yes: fix  (2 examples: fix 0.60, ok 0.20, sendback 0.20)
    `-- no: does the machine have a worn (worn 1)?
        |-- yes: sendback  (1 example: fix 0.25, ok 0.25, sendback 0.50)
        `-- no: ok  (1 example: fix 0.25, ok 0.50, sendback 0.25)
    >>> model.predict(data)
    array(['fix', 'ok', 'fix', 'sendback'], dtype='<U8')
    """

    method: str = parameter(
        "c4.4",
        Choice(*APPROACHES),
        'When to stop and what to prune. ``"c4.4"``: grows as far as it can and prunes nothing. ``"c4.5"``: prunes '
        'that tree by estimated errors. ``"mdl-stop"``, ``"bic-stop"``: divide a node only if the gain reaches the '
        'threshold of MDL or BIC. ``"mdl-prune"``, ``"bic-prune"``: grow the tree first and remove what costs more '
        'bits than it saves. ``"chi2"``: divides a node only if chi-square is significant.',
    )
    lookahead: int = parameter(
        0, Integer(least=0, most=1), "With 1, tests that go two steps at once are tried as well."
    )
    forward: int = parameter(
        2, Integer(least=0, most=16), "How many foreign keys a test may follow from a row to the rows it refers to."
    )
    max_variables: int = parameter(
        8, Integer(least=1, most=1000), "Greatest number of rows that a query may speak of, the example's among them."
    )
    max_depth: int | None = parameter(
        None, AnyOf(Integer(least=0), Nothing()), "Greatest number of tests on the way to a leaf; None for no limit."
    )
    thresholds: int | None = parameter(
        None,
        AnyOf(Integer(least=1), Nothing()),
        "Number of thresholds per continuous column, the same at every node. None: every threshold that divides the "
        "examples of a node differently.",
    )
    closing: bool = parameter(False, Flag(), "Whether tests may ask if two rows are the same.")
    links: Any = parameter(
        None,
        AnyOf(Nothing(), ByName(DIRECTIONS)),
        'From names of foreign keys, ``"bond.atom1"``, to the directions in which tests may follow them: ``"down"`` '
        'to the rows that refer to a row, ``"up"`` to the row that one refers to, ``"both"`` or ``"none"``. None: as '
        "the schema of the tables says, else both; so it is for keys that are not named, too.",
    )
    constants: Any = parameter(
        None,
        AnyOf(Nothing(), ByName(Flag())),
        "From names of columns to whether tests compare them with constants. None: as the schema of the tables "
        "says, else yes; so it is for columns that are not named, too.",
    )
    aggregates: Any = parameter(
        (),
        Names(*AGGREGATES),
        'Figures of all rows that refer to a row, which tests compare as well. ``"count"``: how many rows there are. '
        '``"min"``, ``"max"``, ``"mean"``: the least number, the greatest and the mean. ``"mode"``: the most frequent '
        'value. ``"share"``: the share of each value. ``"nunique"``: how many different values there are.',
    )
    min_cases: float = changed(
        help="Both branches of every test must have this weight of examples. 1 only asks that they are not empty, "
        "while every example counts one."
    )
    max_rows: int = parameter(
        100_000_000,
        Integer(least=1, most=MAX_ROWS),
        "Greatest number of linked rows that a node may keep. Steps that would lead to more are not tried there.",
    )
    data: Any = parameter(
        None,
        AnyOf(Nothing(), LinkedTables()),
        "Linked tables from which `fit` and `predict` take examples by their keys, one column `X` of them. None: they "
        "are given a `RelationalData` each.",
        on_command_line=False,
    )
    confidence: float = parameter(
        0.25,
        Number(above=0, most=1),
        "Confidence level of error-based pruning: the smaller, the more is pruned.",
        only_if={"method": ("c4.5",)},
    )
    significance: float = parameter(
        0.1,
        Number(above=0, below=1),
        "Significance level of chi-square, which the tests of a node share.",
        only_if={"method": ("chi2",)},
    )
    present_classes: bool = parameter(
        False,
        Flag(),
        "Whether to take the degrees of freedom from the classes present at a node, not from all.",
        only_if={"method": ("chi2",)},
    )
    estimate: str = changed("laplace")

    tree_: RelationalTree = fitted("RelationalTree", "The tree, pruned if the method prunes.")
    unpruned_tree_: RelationalTree = fitted(
        "RelationalTree",
        "The tree as it was grown. Where a rule will prune, growing stops at nodes in which no test could survive it.",
    )
    skipped_steps_: int = fitted("int", "How many steps were not tried because of `max_rows`, at all nodes together.")

    def fit(
        self,
        X: Any,
        y: Any = None,
        sample_weight: npt.ArrayLike | None = None,
        *,
        progress: ProgressCallback | bool | None = None,
    ) -> Self:
        """Learn from a `RelationalData`, which has the classes; or from keys of examples in `data`, and classes `y`.

        The classes are in the order of the data; those of `y` are sorted, and need not be those of the data. `progress`
        is called ten times a second with a `Progress`, or True to show it.
        """
        self._check_parameters()
        with_keys = not isinstance(X, RelationalData)
        X, y, sample_weight = keys_by_name(X, y, sample_weight)
        if y is not None and not with_keys:
            raise DataError("a RelationalData has its own classes: leave out y")
        examples = training_examples(examples_of(X, self.data), y, sample_weight, self.class_weight, self.costs)
        tests = self._tests(examples)
        grower = self._grower(examples, tests)
        with reporting(self._reported(progress)) as told:
            grown = grown_nodes(grower, n_threads(self.n_jobs), len(examples.classes), told)
        results = self._results(examples, tests, grower, grown)
        kept = {name: value for name, value in dict(self.__dict__).items() if name != "n_features_in_"}
        self.__dict__ = {**kept, **({"n_features_in_": 1} if with_keys else {}), **results}
        self._warn_of_skipped(results["skipped_steps_"])
        return self

    def _tests(self, examples: Examples) -> Tests:
        """The tests on these examples."""
        bias = Bias(examples.schema, self.links, self.constants, int(self.forward))
        values = examples.data.closure_values()
        return all_tests(examples.data, bias, values, self.thresholds, frozenset(self.aggregates))

    def _results(
        self, examples: Examples, tests: Tests, grower: RelationalGrower, nodes: dict[str, npt.NDArray[Any]]
    ) -> dict[str, Any]:
        """What a fit has found, by the names of the attributes that keep it."""
        grown = RelationalArrays.of_grown(nodes, tests.path_start, tests.path_links)
        pruned = self._pruned(grown, examples.total)
        unpruned = self._tree(examples.schema, tests, grown)
        return {
            "tree_": unpruned if pruned is grown else self._tree(examples.schema, tests, pruned),
            "unpruned_tree_": unpruned,
            "skipped_steps_": grower.skipped_steps,
            "schema_": examples.schema,
            "classes_": label_array(examples.schema.classes),
            **decided_by(self.costs, self.class_weight, examples.schema.classes),
        }

    def _warn_of_skipped(self, skipped: int) -> None:
        if skipped:
            steps, were = plural(skipped, "step"), "was" if skipped == 1 else "were"
            warn(
                f"{steps} would have led to more than {self.max_rows:,} rows (max_rows) at a node and {were} not tried"
            )

    def _grower(self, examples: Examples, tests: Tests) -> RelationalGrower:
        """What grows the tree of some examples, by tests on these or on more."""
        approach, n_classes = APPROACHES[self.method], examples.schema.n_classes
        classes, n_examples = examples.classes, len(examples.classes)
        stopping = approach.stopping_rule(examples.total, n_classes, self.significance, self.present_classes)
        most = int(np.bincount(classes).max())
        return RelationalGrower(
            tests.language,
            examples.data.rows,
            classes,
            examples.weights,
            SplitScore(approach.measure, n_examples, n_classes, max_in_class=most, weight=examples.total),
            stopping,
            min_cases=self.min_cases,
            lookahead=int(self.lookahead),
            max_variables=int(self.max_variables),
            max_depth=-1 if self.max_depth is None else min(int(self.max_depth), MAX_ROWS),
            closing=bool(self.closing),
            max_rows=int(self.max_rows),
        )

    def _pruned(self, grown: RelationalArrays, total: float) -> RelationalArrays:
        """The tree as the method leaves it."""
        pruning = APPROACHES[self.method].pruning
        if pruning == "never":
            return grown
        return (
            prune_by_errors(grown, self.confidence) if pruning == "errors" else prune_by_length(grown, pruning, total)
        )

    def _tree(self, schema: RelationalSchema, tests: Tests, arrays: RelationalArrays) -> RelationalTree:
        probabilities = leaf_probabilities(
            arrays.counts,
            estimate=self.estimate,
            m=self.m,
            parent=arrays.parents(),
            prior_weight=self.prior_weight,
        )
        worth = decided_by(self.costs, self.class_weight, schema.classes)["_worth"]
        return RelationalTree(schema, tests.values, arrays, probabilities, tests.aggregates, worth)

    @of_one_model
    def predict_proba(self, X: Any) -> Floats:
        """Class probabilities, one row an example, the columns in the order of ``classes_``."""
        self._check_fitted()
        return self.tree_.predict_proba(asked_examples(X, self.data), self.unseen)

    def _examples(self, X: Any) -> RelationalData:
        return examples_of(X, self.data)

    def _to_fields(self) -> dict[str, Any]:
        """The fitted model as plain fields."""
        model = self._as_it_is()
        model._check_fitted()
        return model_to_fields(model)

    @classmethod
    def _from_fields(cls, fields: Fields) -> Self:
        """The fitted model that plain fields describe."""
        model: Self = model_from_fields(cls, fields)
        return model

    def __sklearn_clone__(self) -> Self:
        # The tables never change: a copy of the learner may have the same ones.
        return type(self)(**self.get_params(deep=False))
