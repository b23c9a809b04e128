"""What a fitted relational tree shows of itself: text, pictures, a page, SQL, explanations, importances."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, Self

from ctree.data.relational.data import RelationalData
from ctree.learners.base.classifier import Floats
from ctree.learners.base.one_model import of_one_model
from ctree.learners.base.tree_classifier import tree_size, tree_size_text
from ctree.learners.relational.training import asked_examples, examples_of
from ctree.tree.explain.explanation import one_or_list
from ctree.tree.explain.relational import explain_by_relational_tree
from ctree.tree.outputs import Plotted
from ctree.tree.relational_importances import relational_importances
from ctree.tree.relational_tree import RelationalTree


class ShownRelationalTree(Plotted):
    """Parent of learners whose model is one relational tree."""

    tree_: RelationalTree
    unpruned_tree_: RelationalTree
    skipped_steps_: int
    data: RelationalData | None
    _with_costs: Callable[[Sequence[Any]], Sequence[Any]]
    unseen: str

    def _check_fitted(self) -> None:
        raise NotImplementedError

    @of_one_model
    def to_text(self, form: str = "words", max_depth: int | None = None, numbered: bool = False) -> str:
        """The tree as text; see `RelationalTree.to_text`."""
        self._check_fitted()
        return self.tree_.to_text(form, max_depth, numbered)

    def as_tree(self) -> Self:
        """What shows this model as one tree: itself."""
        return self

    @of_one_model
    def to_dot(self, max_depth: int | None = None) -> str:
        """The tree in the language of Graphviz; see `RelationalTree.to_dot`."""
        self._check_fitted()
        return self.tree_.to_dot(max_depth)

    @of_one_model
    def to_html(self, title: str | None = None, max_depth: int | None = None, examples: Any = None) -> str:
        """The tree as one page for a browser, with its questions in words; see `RelationalTree.to_html`.

        Parameters
        ----------
        title : str, optional
            The heading of the page; the name of the method if None.
        max_depth : int, optional
            How deep the tree is unfolded when the page opens. None: as deep as fits on a screen or two.
        examples : RelationalData, or keys of examples in `data`, optional
            Those, at most 500, that can be picked in the page, which then shows their way through the tree and the
            linked rows that answer each question.
        """
        from ctree.learners.registry import heading_of
        from ctree.render.relational_html import relational_page

        self._check_fitted()
        shown = None if examples is None else examples_of(examples, self.data)
        heading = heading_of(self) if title is None else title
        return relational_page(self.tree_, shown, heading, repr(self), max_depth, self.unseen)

    @of_one_model
    def size_text(self) -> str:
        """How large the model is, in words."""
        self._check_fitted()
        size = tree_size_text(self.tree_)
        if self.unpruned_tree_.n_nodes == self.tree_.n_nodes:
            return size
        return f"{size} (before pruning: {tree_size_text(self.unpruned_tree_)})"

    @of_one_model
    def summary(self) -> dict[str, Any]:
        """What there is to know of the model, as plain data."""
        self._check_fitted()
        tree = {**tree_size(self.tree_), "text": self.tree_.to_text()}
        return {"tree": tree, "unpruned": tree_size(self.unpruned_tree_), "skipped_steps": self.skipped_steps_}

    @of_one_model
    def explain(self, X: Any) -> Any:
        """Why examples are given their classes: the questions of the tree, and the linked rows that answer them.

        Parameters
        ----------
        X : RelationalData, or keys of examples in `data`

        Returns
        -------
        RelationalExplanation, or list of RelationalExplanation
            Of a single example its explanation, of several a list.
        """
        self._check_fitted()
        explained = explain_by_relational_tree(self.tree_, asked_examples(X, self.data), self.unseen)
        return one_or_list(self._with_costs(explained))

    @property
    @of_one_model
    def feature_importances_(self) -> Floats:
        """The share of each column in what the tests save of the entropy of the classes, in the order of their names.

        A test that only asks if there are linked rows belongs to the foreign key that links them.
        """
        self._check_fitted()
        return relational_importances(self.tree_)

    @of_one_model
    def to_sql(self, dialect: str = "duckdb") -> str:
        """The tree as an SQL query over the tables; see `RelationalTree.to_sql`."""
        self._check_fitted()
        return self.tree_.to_sql(dialect)
