"""The learned model: a tree as immutable flat arrays with its schema."""

from ctree.tree.tree import Node, Test, Tree

__all__ = ["Node", "Test", "Tree"]
