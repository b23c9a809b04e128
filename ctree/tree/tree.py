"""Tree: the learned model, immutable flat arrays with the schema they speak of."""

from __future__ import annotations

import math
from collections.abc import Container, Iterator, Mapping
from functools import cached_property
from typing import TYPE_CHECKING, Any, Self

import numpy as np
import numpy.typing as npt

from ctree.data.dataset import Dataset
from ctree.data.schema import Label, Schema
from ctree.tree.node import Node
from ctree.tree.outputs import PrintedTree, TreeOutputs
from ctree.tree.validation import check_arrays, check_cases, tree_arrays
from ctree_ext.base.node_arrays import Floats, Ints, NodeArrays, Test

if TYPE_CHECKING:
    from ctree.data.compact import CompactCases
    from ctree.tree.consultation import Consultation
    from ctree.tree.rules import Rule

__all__ = ["Node", "Test", "Tree"]


class Tree(PrintedTree, TreeOutputs):
    """A classification tree.

    Nodes are numbered from the root, 0, level by level; the branches of a node follow each other.

    Parameters
    ----------
    schema : Schema
    arrays : NodeArrays, or mapping of str to array
        ``test`` (a `Test`), ``attribute`` (-1 in leaves), ``threshold``, ``first_branch``, ``n_branches``,
        ``group_start`` and ``group`` (from ``group_start`` on, the branch of every value of a grouped test, -1 for
        none), ``best`` (the class), ``cases`` and ``counts`` (weights, and weights per class), ``errors``,
        ``probabilities`` (what the leaf estimate made of the counts). With soft thresholds also ``lower`` and
        ``upper``, the bounds around each threshold (0 where there is none). `Tree.arrays` has them, read-only.
    float32 : bool
        Numbers are rounded to 32 bits before they are compared with a threshold, as they were when the tree was grown.

    Examples
    --------
    >>> import ctree
    >>> golf = ctree.load_golf()
    >>> tree = ctree.C45Classifier().fit(golf).tree_
    >>> tree.n_nodes, tree.n_leaves, tree.depth
    (8, 5, 2)
    >>> print(tree.to_text())
    outlook = overcast: Play (4.0/1.2)
    outlook = sunny:
    |   humidity <= 75 : Play (2.0/1.0)
    |   humidity > 75 : Don't Play (3.0/1.1)
    outlook = rain:
    |   windy = true: Don't Play (2.0/1.0)
    |   windy = false: Play (3.0/1.1)
    """

    def __init__(
        self, schema: Schema, arrays: NodeArrays | Mapping[str, npt.ArrayLike], *, float32: bool = False
    ) -> None:
        self._schema = schema
        self._arrays = tree_arrays(arrays)
        self._float32 = bool(float32)
        check_arrays(schema, self._arrays)

    # Nothing can be put in their place, as kernels rely on what was checked.

    @property
    def schema(self) -> Schema:
        """The attributes and classes."""
        return self._schema

    @property
    def arrays(self) -> NodeArrays:
        """The arrays of the nodes, read-only."""
        return self._arrays

    @property
    def float32(self) -> bool:
        """Whether numbers are rounded to 32 bits before they are compared with a threshold."""
        return self._float32

    @property
    def test(self) -> npt.NDArray[np.int8]:
        """The kind of test of each node, a `Test`."""
        return self.arrays.test

    @property
    def attribute(self) -> Ints:
        """The attribute that each node tests, -1 in leaves."""
        return self.arrays.attribute

    @property
    def threshold(self) -> Floats:
        """The threshold of each node that has one."""
        return self.arrays.threshold

    @property
    def lower(self) -> Floats | None:
        """The lower bound of each soft threshold; None if the tree has none. See `ctree.tree.soft_thresholds`."""
        return self.arrays.lower

    @property
    def upper(self) -> Floats | None:
        """The upper bound of each soft threshold; None if the tree has none."""
        return self.arrays.upper

    @property
    def best(self) -> Ints:
        """The class code that each node would predict."""
        return self.arrays.best

    @property
    def cases(self) -> Floats:
        """The weight of the training cases at each node."""
        return self.arrays.cases

    @property
    def errors(self) -> Floats:
        """The training errors below each node, or after pruning their estimate."""
        return self.arrays.errors

    @property
    def class_counts(self) -> Floats:
        """The weight of each class at each node, (nodes, classes)."""
        return self.arrays.counts

    @property
    def probabilities(self) -> Floats:
        """The class probabilities of each node by the leaf estimate, (nodes, classes)."""
        assert self.arrays.probabilities is not None
        return self.arrays.probabilities

    @property
    def n_nodes(self) -> int:
        return len(self.test)

    @property
    def n_leaves(self) -> int:
        return int(np.count_nonzero(self.test == Test.LEAF))

    @cached_property
    def parent(self) -> Ints:
        """The parent of each node, -1 for the root."""
        return self.arrays.parents().astype(np.int32)

    @cached_property
    def node_depth(self) -> Ints:
        """The depth of each node."""
        return self.arrays.depths()

    @property
    def depth(self) -> int:
        return int(self.node_depth.max())

    def branches(self, node: int) -> range:
        """The branches of a node."""
        first = int(self.arrays.first_branch[node])
        return range(first, first + int(self.arrays.n_branches[node])) if first >= 0 else range(0)

    def groups(self, node: int) -> list[tuple[int, ...]]:
        """The value codes of each branch of a node that tests a discrete attribute."""
        n_branches = len(self.branches(node))
        if self.test[node] == Test.VALUES:
            return [(v,) for v in range(n_branches)]
        start = int(self.arrays.group_start[node])
        n_values = len(self.schema[int(self.attribute[node])].values)
        groups: list[list[int]] = [[] for _ in range(n_branches)]
        for value, branch in enumerate(self.arrays.group[start : start + n_values].tolist()):
            if branch >= 0:
                groups[branch].append(value)
        return list(map(tuple, groups))

    def __len__(self) -> int:
        return self.n_nodes

    def __getitem__(self, node: int) -> Node:
        if not 0 <= node < self.n_nodes:
            raise IndexError(f"node {node} of a tree with {self.n_nodes} nodes")
        return Node(self, int(node))

    def __iter__(self) -> Iterator[Node]:
        """The nodes, each before its branches."""
        waiting = [0]
        while waiting:
            node = waiting.pop()
            yield Node(self, node)
            waiting.extend(reversed(self.branches(node)))

    def paths(self) -> Iterator[tuple[Node, ...]]:
        """For each leaf, from left to right, the nodes from the root to it."""
        for node in self:
            if node.is_leaf:
                yield node.path

    def __repr__(self) -> str:
        return f"<Tree: {self.n_nodes} nodes, {self.n_leaves} leaves, depth {self.depth}>"

    def to_text(self, max_depth: int | None = None, numbered: bool = False) -> str:
        """The tree as text, in C4.5's format; subtrees that would be wider than 300 columns have a text of their own.

        Parameters
        ----------
        max_depth : int, optional
            Deeper nodes are left out; the node in their place shows how many leaves it stands for.
        numbered : bool
            Print the number of each leaf, by which explanations name it.
        """
        from ctree.render.labels import check_depth
        from ctree.render.text import tree_text

        check_depth(max_depth)
        return tree_text(self, width=300, most_subtrees=math.inf, max_depth=max_depth, numbered=numbered).strip()

    def to_dot(self, max_depth: int | None = None) -> str:
        """The tree in DOT, the language of Graphviz.

        A node has the colour of its class, stronger the more probable the class is, and its counts as a tooltip.

        Parameters
        ----------
        max_depth : int, optional
            Deeper nodes are folded; a node with a dashed outline stands for them.

        Examples
        --------
        >>> import ctree
        >>> tree = ctree.C45Classifier().fit(ctree.load_golf()).tree_
        >>> print(tree.to_dot().splitlines()[5])
          n0 -> n2 [label=" overcast "];
        """
        from ctree.render.dot import tree_dot

        return tree_dot(self, max_depth)

    def to_html(self, title: str = "Tree", max_depth: int | None = None, test: Dataset | None = None) -> str:
        """The tree as a self-contained, interactive HTML page.

        Its nodes can be folded and searched; a case, given in a form, is led down the tree, in parts where values are
        unknown, and gets the probabilities that `predict_proba` gives it.

        Parameters
        ----------
        title : str
            The heading of the page.
        max_depth : int, optional
            How deep the tree is unfolded when the page opens. None: as deep as fits on a screen or two.
        test : Dataset, optional
            Cases in the tree's schema, with classes: the page shows the errors on them of each pruning of its slider.

        Examples
        --------
        >>> import ctree
        >>> tree = ctree.C45Classifier().fit(ctree.load_golf()).tree_
        >>> tree.to_html("When to play").splitlines()[0]
        '<!doctype html>'
        """
        from ctree.render.html import tree_page

        return tree_page(self, title=title, max_depth=max_depth, test=test)

    def to_rules(self, frame: str | None = None) -> Any:
        """One rule for each leaf, which has its number: in the order in which the tree is printed.

        Parameters
        ----------
        frame : {"pandas", "polars", "pyarrow"}, optional
            Return a DataFrame of this library, which has to be installed, with one row per rule.

        Returns
        -------
        tuple of Rule, or a DataFrame
            Each rule has its conditions, one for each attribute; the class; the cases and errors of the leaf; its
            ``support``, the share of all training cases; its ``confidence``, the probability that the leaf gives the
            class; and its ``lift``, this over the share of the class among all training cases.

        Examples
        --------
        >>> import ctree
        >>> rules = ctree.C45Classifier().fit(ctree.load_golf()).tree_.to_rules()
        >>> [str(condition) for condition in rules[1].conditions], rules[1].prediction, rules[1].cases
        (['outlook = sunny', 'humidity <= 75'], 'Play', 2.0)
        >>> round(rules[1].support, 3), rules[1].confidence, round(rules[1].lift, 3)
        (0.143, 1.0, 1.556)
        """
        from ctree.tree.rules import rules_frame

        rules = tuple(self.leaf_rules().values())
        return rules if frame is None else rules_frame(rules, frame)

    def leaf_rules(self, cuts: Any = None, leaves: Container[int] | None = None, given: Any = None) -> dict[int, Rule]:
        """The rule of each leaf, or of these, by its node; attributes in bins, with their `cuts`, get intervals."""
        from ctree.tree.rules import tree_rules

        return tree_rules(self, cuts, leaves, given)

    def predict_proba(self, data: Dataset) -> Floats:
        """Class probabilities of each case, (cases, classes).

        A case with an unknown value goes down every branch, in proportion to the training cases there.
        """
        return np.asarray(self._router.distributions(self._table(data), True))

    def apply(self, data: Dataset) -> Ints:
        """The leaf where each case ends; with unknown values, the leaf that receives most of the case."""
        return np.asarray(self._router.leaves(self._table(data)))

    def decision_path(self, data: Dataset) -> Any:
        """The nodes that each case comes to, as a sparse CSR matrix (cases, nodes).

        An entry is the share of the case: 1 for all of it. With unknown values a case is in several leaves, each with
        the share that its prediction has in that of the case.
        """
        from ctree.tree.routes import decision_path

        return decision_path(self, data)

    def as_tree(self) -> Self:
        """This tree, for whoever may have a model instead."""
        return self

    def consultation(self) -> Consultation:
        """A case to be described attribute by attribute, as the tree asks for them; see `Consultation`."""
        from ctree.tree.consultation import Consultation

        return Consultation(self)

    def explain(self, X: Any) -> Any:
        """Why cases are given their classes.

        Parameters
        ----------
        X : one case, or several
            One case is a dict of values by name, a list or array of values in the order of the attributes, a pandas
            Series, or a table or `Dataset` of one row.

        Returns
        -------
        TreeExplanation, or a list of them for several cases

        Examples
        --------
        >>> import ctree
        >>> tree = ctree.C45Classifier().fit(ctree.load_golf()).tree_
        >>> print(tree.explain({"outlook": "rain", "temperature": 70, "humidity": 80, "windy": "false"}))
        class Play [100.0%] by leaf 5:
            outlook = rain
            windy = false
        """
        from ctree.data.recode import cases_of
        from ctree.tree.explain.explanation import one_or_list
        from ctree.tree.explain.tree_path import explain_by_tree

        return one_or_list(explain_by_tree(self, data := cases_of(X, self.schema)), data.case_names)

    def counterfactual(self, X: Any, to: Label | None = None) -> Any:
        """The fewest changes that give cases another class, or this one: a `Counterfactual`, or a list of them."""
        from ctree.tree.explain.counterfactual import tree_counterfactuals

        return tree_counterfactuals(self, X, to)

    def frequency_sums(self, data: Dataset | CompactCases) -> Floats:
        """Class frequencies of the leaves that each case reaches, weighted and summed in release 8's arithmetic."""
        from ctree_ext.base.classify import Router

        empty = self.cases <= 0
        values = np.where(empty[:, None], self.best[:, None] == np.arange(self.schema.n_classes), self.class_counts)
        divisors = np.where(empty, 1.0, self.cases)
        router = Router(self.arrays, values.astype(np.float64), divisors, True)
        return np.asarray(router.distributions(self._table(data) if isinstance(data, Dataset) else data.table))

    @cached_property
    def _router(self) -> Any:
        from ctree_ext.base.classify import Router

        return Router(self.arrays, self.probabilities, np.ones(self.n_nodes), False)

    def _table(self, data: Dataset) -> Any:
        from ctree_ext.base.cases import CaseTable

        check_cases(self.schema, data)
        n_values = [len(a.values) for a in self.schema]
        return CaseTable(data.columns, n_values, None, self.schema.n_classes, None, self.float32, data.n_cases)

    def __getstate__(self) -> dict[str, Any]:
        return {"schema": self.schema, "arrays": self.arrays, "float32": self.float32}

    def __setstate__(self, state: dict[str, Any]) -> None:
        Tree.__init__(self, state["schema"], state["arrays"], float32=state["float32"])

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Tree):
            return NotImplemented
        return self.schema == other.schema and self.float32 == other.float32 and self.arrays == other.arrays

    __hash__ = None  # type: ignore[assignment]
