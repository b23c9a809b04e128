"""What the learners share whose model is one tree: its pictures."""

from __future__ import annotations

from ctree.learners.base import Classifier
from ctree.tree.reading import Reading
from ctree.tree.tree import Tree


class TreeClassifier(Classifier):
    """Parent of the learners that set ``tree_``."""

    tree_: Tree

    def to_text(self, max_depth: int | None = None) -> str:
        """The tree as text; see `Tree.to_text`."""
        self._check_fitted()
        return self.tree_.to_text(max_depth)

    def to_dot(self, max_depth: int | None = None) -> str:
        """The tree in the language of Graphviz, with the weights of the nodes if there are such; see `Tree.to_dot`."""
        from ctree.tree.dot import tree_dot

        self._check_fitted()
        return tree_dot(self.tree_, max_depth, self.reading().weights)

    def to_html(self, title: str | None = None, max_depth: int | None = None) -> str:
        """The tree as one page for a browser, which predicts as this learner does; see `Tree.to_html`.

        Parameters
        ----------
        title : str, optional
            The heading of the page; the name of the learner if None.
        max_depth : int, optional
            How far the tree is unfolded when the page opens. None: as far as fits on a screen or two.
        """
        from ctree.tree.html import tree_page

        self._check_fitted()
        heading = type(self).__name__ if title is None else title
        return tree_page(self.tree_, self.reading(), heading, repr(self), max_depth)

    def reading(self) -> Reading:
        """What this learner does with a case before the tree gets it, and with what the tree says."""
        self._check_fitted()
        return Reading(self.schema_)
