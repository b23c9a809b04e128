"""A tree as a picture: from left to right, with a row for each leaf and its class probabilities as a bar."""

from __future__ import annotations

import os
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import numpy.typing as npt

from ctree.errors import ParameterError
from ctree.learners.base.one_model import one_model
from ctree.learners.base.tree_classifier import TreeClassifier
from ctree.learners.registry import heading_of
from ctree.learners.relational.classifier import RelationalTreeClassifier
from ctree.render.colours import class_colours, paler
from ctree.render.labels import Branching, check_depth, format_cases, leaves_below, visible_nodes
from ctree.render.plots.figures import new_figure, room_in, saved
from ctree.render.plots.text_widths import SIZE, width_of, wrapped_words
from ctree.render.view import TreeView, view_of
from ctree.tree.relational_tree import RelationalTree
from ctree.tree.tree import Tree

MAX_ROWS = 100
"""A tree with more leaves than this is folded, unless `max_depth` is given."""

# All lengths are inches.
SMALL_SIZE, TITLE_SIZE = 8.0, 12.0  # but for these: points
ROW = 0.27
MARGIN = 0.25
GAP = 0.16
PAD = 0.08
BAR = 1.6
SWATCH = 0.11
MIN_WIDTH = 5.0
LINE = 0.15
# Of a question, in letters and lines: a node with branches has two rows at least, in which three lines have room.
QUESTION, MOST_LINES = (34, 46, 58), 3

INK, SOFT, FAINT = "#1b2026", "#58626d", "#c3cad2"


def plot_tree(
    model: TreeClassifier | RelationalTreeClassifier | Tree | RelationalTree,
    file: str | os.PathLike[str] | None = None,
    *,
    max_depth: int | None = None,
    title: str | None = None,
    ax: Any = None,
) -> Any:
    """The tree from left to right: tests, branches, and a row for each leaf with its class, cases and probabilities.

    The more training cases went down a branch, the thicker its line. The picture is as large as its text needs.

    Parameters
    ----------
    model : learner with a tree, Tree or RelationalTree
    file : str or path, optional
        Where to save the picture; the suffix decides the format (``.png``, ``.pdf``, ``.svg``).
    max_depth : int, optional
        Deeper nodes are folded: a dashed box names the test and says how many leaves are below
        it. None: up to a hundred leaves everything is shown, beyond that as many levels as fit into a hundred rows.
    title : str, optional
        The heading; if None the name of the data set, where the model knows it, or else that of the method.
    ax : matplotlib.axes.Axes, optional
        Where to draw; where there is too little room, the tree is made smaller, with its text. None: in a figure of its
        own.

    Returns
    -------
    matplotlib.figure.Figure
        That of `ax` if it is given.

    Examples
    --------
    >>> import ctree
    >>> model = ctree.C45Classifier().fit(ctree.load_golf())
    >>> figure = ctree.plot_tree(model, "golf.png")  # doctest: +SKIP
    """
    tree: Tree | RelationalTree
    weights = None
    name = "Tree"
    if isinstance(model, TreeClassifier):
        model = one_model(model)
        weights = model._interface().weights
        tree, name = model.tree_, heading_of(model)
    elif isinstance(model, RelationalTreeClassifier):
        model._check_fitted()
        tree, name = model.tree_, heading_of(model)
    elif isinstance(model, Tree | RelationalTree):
        tree = model
    else:
        raise ParameterError(f"plot_tree takes a tree or a learner that has one, not {type(model).__name__}")
    check_depth(max_depth)
    picture = _Picture(view_of(tree), weights, _depth_shown(tree) if max_depth is None else int(max_depth))
    return saved(picture.draw(name if title is None else title, ax), file)


def _depth_shown(tree: Branching) -> int:
    """The greatest depth down to which the tree has no more than so many rows, but at least 1."""
    is_leaf = np.ones(tree.n_nodes, dtype=bool)
    is_leaf[tree.parent[1:]] = False
    ends = np.bincount(tree.node_depth[is_leaf], minlength=tree.depth + 1)
    nodes = np.bincount(tree.node_depth, minlength=tree.depth + 1)
    rows = np.cumsum(ends) - ends + nodes  # the leaves above, and all nodes of the level
    # Not every level has more rows than the last: one with many leaves may end in few nodes.
    return max(1, int(np.flatnonzero(rows <= MAX_ROWS).max(initial=0)))


@dataclass
class _Place:
    """Where a node stands, and what it says."""

    x: float = 0.0
    y: float = 0.0
    box: str = ""  # the text of an inner node
    width: float = 0.0  # of its box
    branch: str = ""  # what leads to it


@dataclass
class _Picture:
    view: TreeView
    weights: npt.NDArray[np.float64] | None
    max_depth: int
    ends: list[int] = field(default_factory=list)  # the leaves and folded nodes, from top to bottom
    places: dict[int, _Place] = field(default_factory=dict)
    columns: list[tuple[float, float, float]] = field(default_factory=list)  # per level: boxes, lines, branches
    scale: float = 1.0  # of texts and lines

    def draw(self, title: str, ax: Any = None) -> Any:
        new_figure(1, 1)  # says what is missing where matplotlib is
        self.tree = self.view.tree
        self.best = self.view.best
        self.cases = self.view.cases
        self.below = leaves_below(self.tree)
        self.classes = self.view.class_texts()
        self.n_title = f"{self.view.noun}s"
        self.colours = class_colours(len(self.classes))
        self.nodes = visible_nodes(self.tree, self.max_depth)
        self.place_rows()
        table = self.place_columns()
        right = self.place_table(table)
        width = max(right + MARGIN, MIN_WIDTH, 2 * MARGIN + width_of(title, TITLE_SIZE, True))
        heading = self.heading_rows(title, width)
        top = MARGIN + sum(height for _, height in heading)
        height = top + ROW * (len(self.ends) + 1) + MARGIN
        if ax is None:
            figure = new_figure(width, height)
            figure.set_layout_engine("none")  # all has its place already
            ax = figure.add_axes((0, 0, 1, 1))
        else:
            room = room_in(ax)
            self.scale = min(1.0, room[0] / width, room[1] / height)
            width, height = room[0] / self.scale, room[1] / self.scale
        self.axes = ax
        self.axes.set_xlim(0, width)
        self.axes.set_ylim(height, 0)
        self.axes.axis("off")
        self.draw_heading(heading)
        self.top = top + ROW
        self.draw_lines()
        for node in self.nodes:
            self.draw_node(node)
        self.draw_table()
        return ax.figure

    # Where everything stands

    def is_end(self, node: int) -> bool:
        return self.is_leaf(node) or int(self.tree.node_depth[node]) >= self.max_depth

    def is_leaf(self, node: int) -> bool:
        return self.view.is_leaf(node)

    def place_rows(self) -> None:
        """Each end has a row; a node stands in the middle of its branches."""
        self.places = {node: _Place() for node in self.nodes}
        for node in self.nodes:
            if self.is_end(node):
                self.places[node].y = float(len(self.ends))
                self.ends.append(node)
            else:
                for branch, words in zip(self.tree.branches(node), self.view.branch_labels(node), strict=True):
                    self.places[branch].branch = words
            if not self.is_leaf(node):
                self.places[node].box = self.box_text(node)
                self.places[node].width = width_of(self.places[node].box) + 2 * PAD
        for node in reversed(self.nodes):  # branches come after their node
            if not self.is_end(node):
                branches = self.view.shown_branches(node)
                self.places[node].y = (self.places[branches[0]].y + self.places[branches[-1]].y) / 2

    def box_text(self, node: int) -> str:
        lines = 1 if self.is_end(node) else MOST_LINES
        # As narrow as the whole question allows.
        tries = [self.view.question(node, width, lines) for width in QUESTION[:lines]]
        rows = next((rows for rows in tries if not rows[-1].endswith("…")), tries[-1])
        question = "\n".join(rows)
        text = f"{question}  {format_cases(float(self.cases[node]))}"
        if self.weights is not None and not self.is_end(node):
            text += f"  w {self.weights[node]:.2f}"
        return text + (f"  … {self.below[node]:,} leaves" if self.is_end(node) else "")

    def place_columns(self) -> float:
        """The boxes of a level stand in one column, the branches of their tests in the next; where the last ends."""
        x = MARGIN
        by_level: dict[int, list[int]] = {}
        for node in self.nodes:
            by_level.setdefault(int(self.tree.node_depth[node]), []).append(node)
        for level in sorted(by_level):
            nodes = by_level[level]
            for node in nodes:
                self.places[node].x = x
            boxes = max(self.places[node].width for node in nodes)
            branches = [width_of(self.places[node].branch) for node in by_level.get(level + 1, [])]
            lines = x + boxes + GAP
            words = lines + GAP
            self.columns.append((x, lines, words))
            x = words + max(branches, default=0.0) + GAP if branches else x + boxes + (GAP if boxes else 0.0)
        return x

    def place_table(self, x: float) -> float:
        """The columns of the table by their titles: where each begins, or ends if it has numbers; the right end."""
        best = {int(self.best[node]) for node in self.ends}
        self.number_width = max(width_of("leaf", SMALL_SIZE), width_of(f"{self.tree.n_leaves}"))
        x += self.number_width
        self.table = {"leaf": x, "class": x + GAP}
        x += (
            GAP
            + SWATCH
            + PAD
            + max(width_of("class", SMALL_SIZE), *(width_of(self.classes[c], bold=True) for c in best))
        )
        x += GAP + max(
            width_of(self.n_title, SMALL_SIZE), *(width_of(format_cases(float(self.cases[node]))) for node in self.ends)
        )
        self.table[self.n_title] = x
        if self.weights is not None:
            x += GAP + max(width_of("weight", SMALL_SIZE), width_of("0.000"))
            self.table["weight"] = x
        self.table["class probabilities"] = x + GAP
        x += GAP + BAR + PAD + width_of("1.000")
        self.table["p"] = x
        return x

    def heading_rows(self, title: str, width: float) -> list[tuple[Any, float]]:
        """The title, the figures and the classes, each with its height."""
        tree = self.tree
        figures = f"{tree.n_nodes:,} nodes, {tree.n_leaves:,} leaves, depth {tree.depth}"
        folded = sum(not self.is_leaf(node) for node in self.ends)
        if folded:
            figures += f"; shown down to depth {self.max_depth}, with {folded} dashed boxes for what is folded"
        rows: list[tuple[Any, float]] = [(title, 0.3)]
        rows += [(line, 0.2) for line in wrapped_words(figures, width - 2 * MARGIN)]
        rows.append(("", 0.08))
        legend: list[tuple[int, str, float]] = []
        x = MARGIN
        for c, name in enumerate(self.classes):
            length = SWATCH + PAD + width_of(name) + 2 * GAP
            if legend and x + length > width - MARGIN:
                rows.append((legend, 0.22))
                legend, x = [], MARGIN
            legend.append((c, name, x))
            x += length
        return [*rows, (legend, 0.3)]

    # What is drawn

    def text(self, x: float, y: float, text: str, **style: Any) -> None:
        style = {"fontsize": SIZE, "color": INK, "va": "center_baseline", "parse_math": False, **style}
        self.axes.text(x, y, text, **style | {"fontsize": self.scale * style["fontsize"]})

    def swatch(self, x: float, y: float, class_: int) -> None:
        from matplotlib.patches import Rectangle

        self.axes.add_patch(Rectangle((x, y - SWATCH / 2), SWATCH, SWATCH, color=self.colours[class_], linewidth=0))

    def draw_heading(self, rows: list[tuple[Any, float]]) -> None:
        y = MARGIN
        for i, (row, height) in enumerate(rows):
            middle = y + height / 2
            if isinstance(row, str):
                style = {"fontsize": TITLE_SIZE, "weight": "bold"} if i == 0 else {"color": SOFT}
                self.text(MARGIN, middle, row, **style)
            else:
                for c, name, x in row:
                    self.swatch(x, middle, c)
                    self.text(x + SWATCH + PAD, middle, name)
            y += height

    def at(self, node: int) -> float:
        return self.top + ROW * (self.places[node].y + 0.5)

    def draw_lines(self) -> None:
        from matplotlib.collections import LineCollection

        lines: list[list[tuple[float, float]]] = []
        widths: list[float] = []
        leaders: list[list[tuple[float, float]]] = []
        whole = max(float(self.cases[0]), 1e-300)
        for node in self.nodes:
            place, y = self.places[node], self.at(node)
            right = place.x + place.width
            if self.is_end(node):
                leaders.append(
                    [
                        (right + (PAD if place.width else 0.0), y),
                        (self.table["class"] - GAP - self.number_width - PAD, y),
                    ]
                )
                continue
            _, spine, words = self.columns[int(self.tree.node_depth[node])]
            branches = self.view.shown_branches(node)
            lines.append([(right, y), (spine, y)])
            lines.append([(spine, self.at(branches[0])), (spine, self.at(branches[-1]))])
            widths += [0.8 + 2.4 * float(self.cases[node]) / whole, 0.8]
            for branch in branches:
                height = self.at(branch)
                lines.append([(spine, height), (words - PAD / 2, height)])
                end = words + width_of(self.places[branch].branch) + PAD / 2
                wide = 0.8 + 2.4 * float(self.cases[branch]) / whole
                widths.append(wide)
                if not self.is_leaf(branch):
                    lines.append([(end, height), (self.places[branch].x, height)])
                    widths.append(wide)
                elif end < self.places[branch].x:
                    leaders.append([(end, height), (self.places[branch].x, height)])
        widths = [self.scale * width for width in widths]
        self.axes.add_collection(LineCollection(lines, linewidths=widths, colors="#8b96a1", zorder=1))
        thin = 0.7 * self.scale
        self.axes.add_collection(LineCollection(leaders, linewidths=thin, colors=FAINT, linestyles=":", zorder=1))

    def draw_node(self, node: int) -> None:
        from matplotlib.patches import FancyBboxPatch

        place, y = self.places[node], self.at(node)
        if place.branch:
            words = self.columns[int(self.tree.node_depth[node]) - 1][2]
            self.text(words, y, place.branch)
        if not place.box:
            return
        best = int(self.best[node])
        n_classes = len(self.classes)
        sure = (float(self.view.probabilities[node, best]) * n_classes - 1) / max(n_classes - 1, 1)
        height = 0.2 + LINE * place.box.count("\n")
        box = FancyBboxPatch(
            (place.x, y - height / 2),
            place.width,
            height,
            boxstyle="round,pad=0,rounding_size=0.04",
            facecolor=paler(self.colours[best], 0.1 + 0.25 * max(sure, 0.0)),
            edgecolor=SOFT,
            linewidth=0.8 * self.scale,
            linestyle="--" if self.is_end(node) else "-",
            zorder=2,
        )
        self.axes.add_patch(box)
        aligned: dict[str, Any] = {"va": "center", "linespacing": 1.1} if "\n" in place.box else {}
        self.text(place.x + PAD, y, place.box, zorder=3, **aligned)

    def draw_table(self) -> None:
        title = self.top - ROW / 2
        for name, x in self.table.items():
            side = "right" if name in ("leaf", self.n_title, "weight", "p") else "left"
            self.text(x, title, name, fontsize=SMALL_SIZE, color=SOFT, ha=side)
        x = self.table["class probabilities"]
        for node in self.ends:
            y, best = self.at(node), int(self.best[node])
            probabilities = self.view.probabilities[node]
            if self.is_leaf(node):
                self.text(self.table["leaf"], y, f"{self.view.numbers[node]}", ha="right", color=SOFT)
            self.swatch(self.table["class"], y, best)
            weight = "bold" if self.is_leaf(node) else "normal"
            self.text(self.table["class"] + SWATCH + PAD, y, self.classes[best], weight=weight)
            self.text(self.table[self.n_title], y, format_cases(float(self.cases[node])), ha="right")
            if self.weights is not None:
                self.text(self.table["weight"], y, f"{self.weights[node]:.3f}", ha="right", color=SOFT)
            ends = np.cumsum(probabilities)
            parts = [(x + BAR * float(end - p), BAR * float(p)) for end, p in zip(ends, probabilities, strict=True)]
            self.axes.broken_barh(parts, (y - 0.07, 0.14), facecolors=self.colours, linewidth=0)
            self.text(self.table["p"], y, f"{float(probabilities[best]):.3f}", ha="right")
