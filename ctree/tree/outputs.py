"""What a model shows: pictures, prints, and the languages of other programs."""

from __future__ import annotations

import os
from typing import Any


class Plotted:
    """What has a picture: trees of all kinds, and their learners."""

    def plot(
        self,
        file: str | os.PathLike[str] | None = None,
        *,
        max_depth: int | None = None,
        title: str | None = None,
        ax: Any = None,
    ) -> Any:
        """The tree as a picture by matplotlib; see `ctree.plot_tree`."""
        from ctree.render.plots.tree import plot_tree

        model: Any = self
        return plot_tree(model, file, max_depth=max_depth, title=title, ax=ax)


class PrintedTree:
    """What `print` and a notebook show of a tree: all of a small one, and of a large one as much as can be read."""

    def __str__(self) -> str:
        from ctree.render.printed import printed

        tree: Any = self
        return printed(tree, lambda max_depth: tree.to_text(max_depth=max_depth))

    def _repr_html_(self) -> str:
        from ctree.render.cells.tree_cell import tree_cell

        tree: Any = self
        return tree_cell(tree)


class Exported:
    """What can be written in the languages of other programs; each method calls the function of the same name."""

    def to_sql(
        self, dialect: str = "duckdb", table: str = "cases", key: str | None = None, form: str | None = None
    ) -> str:
        """The model as an SQL query; see `ctree.to_sql`."""
        from ctree.export.sql import to_sql

        return to_sql(self, dialect, table, key, form)

    def to_pmml(self, form: str | None = None, target: str | None = None, tolerance: float = 1e-5) -> str:
        """The model as a PMML document; see `ctree.to_pmml`."""
        from ctree.export.pmml import to_pmml

        return to_pmml(self, form, target, tolerance)

    def to_python(self) -> str:
        """The model as the text of a Python module; see `ctree.to_python`."""
        from ctree.export.python_code import to_python

        return to_python(self)

    def to_c(self, name: str = "model") -> str:
        """The model as the text of a C file; see `ctree.to_c`."""
        from ctree.export.c_code import to_c

        return to_c(self, name)

    def to_onnx(self) -> bytes:
        """The model as the bytes of an ONNX file; see `ctree.to_onnx`."""
        from ctree.export.onnx_graph import to_onnx

        return to_onnx(self)


class TreeOutputs(Exported, Plotted):
    """Methods of `Tree`, and of every learner whose model is one tree."""
