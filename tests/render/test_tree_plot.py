"""Pictures of trees: everything is drawn, legible, and where it belongs."""

from __future__ import annotations

import sys

import numpy as np
import pytest
from support.drawings import check_legible, drawn, leaf_bars, texts
from support.printed_tree import shown_nodes
from support.problems import random_problem

import ctree
from ctree import Attribute, Dataset, Kind, Schema
from ctree.errors import CtreeError, MissingExtraError, NotFittedError, ParameterError
from ctree.render.colours import class_colours
from ctree.render.labels import visible_nodes

pytest.importorskip("matplotlib")


def test_everything_of_a_small_tree_is_drawn(tmp_path):
    model = ctree.C45Classifier(estimate="laplace").fit(ctree.read_c45("examples/golf"))
    figure = ctree.plot_tree(model, tmp_path / "golf.png")
    assert (tmp_path / "golf.png").stat().st_size > 5000
    check_legible(figure)
    words = [text.get_text() for text in texts(figure)]
    assert words[0] == "C4.5"
    assert "8 nodes, 5 leaves, depth 2" in words
    for box in ("outlook  14", "humidity  5", "windy  5"):
        assert words.count(box) == 1
    for branch in ("sunny", "overcast", "rain", "≤ 75", "> 75", "true", "false"):
        assert words.count(branch) == 1
    assert words.count("Play") == 4  # three leaves and the legend
    assert words.count("0.833") == 1
    bars = leaf_bars(figure)
    assert len(bars) == 5
    # The parts of each bar are as long as its class is probable, in the order of the leaves as they are printed.
    leaves = [model.tree_[n] for n in shown_nodes(model.tree_) if not model.tree_.branches(n)]
    for bar, leaf in zip(bars, leaves, strict=True):
        lengths = [path.vertices[:, 0].max() - path.vertices[:, 0].min() for path in bar.get_paths()]
        assert np.allclose(np.array(lengths) / 1.6, list(leaf.probabilities.values()))
        assert len({tuple(colour) for colour in bar.get_facecolor()}) == 2


def test_names_and_numbers_are_legible_up_to_a_hundred_leaves():
    data = random_problem(2, 900, 5, [0, 4, 0, 7, 3, 9], unknown=0.05, noise=0.3).dataset()
    names = ["a-name-of-more-than-twenty-eight-letters", "b", "$math$_{x}", "d\\d", "<&>", "f" * 60]
    attributes = [Attribute(n, a.kind, tuple(f"{v}-{n[:9]}" for v in a.values)) for n, a in zip(names, data.schema, strict=True)]  # fmt: skip # noqa: E501
    data = Dataset(Schema(tuple(attributes), ("first class", "2", "a third one of many letters indeed", "$4$", "e")),
                   data.columns, data.classes)  # fmt: skip
    checked = []
    for learner in (
        ctree.C45Classifier(prune=False, min_cases=7),
        ctree.C45Classifier(prune=False, min_cases=15, group_values=True),
        ctree.BayesianTreeClassifier(min_cases=2, bins=4),
        ctree.ProbabilityTreeClassifier(min_cases=40),
    ):
        model = learner.fit(data)
        figure = ctree.plot_tree(model)
        check_legible(figure)
        assert len(leaf_bars(figure)) == model.tree_.n_leaves
        checked.append(model.tree_.n_leaves)
    assert 80 < max(checked) <= 100


@pytest.mark.parametrize("n_classes", [1, 2, 26, 60])
def test_any_number_of_classes_has_colours_and_a_legend(n_classes):
    rng = np.random.default_rng(0)
    codes = np.arange(300) % n_classes
    schema = Schema((Attribute("x", Kind.CONTINUOUS),), tuple(f"class {c}" for c in range(n_classes)))
    model = ctree.C45Classifier(min_cases=1).fit(Dataset(schema, [codes + 0.1 * rng.random(300)], codes))
    assert len(set(class_colours(n_classes))) == n_classes
    figure = ctree.plot_tree(model)
    check_legible(figure)
    words = [text.get_text() for text in texts(figure)]
    assert all(f"class {c}" in words for c in range(n_classes))


def test_more_than_a_hundred_leaves_are_folded_and_marked():
    rng = np.random.default_rng(0)
    X, y = rng.random((3000, 4)), rng.integers(3, size=3000)
    model = ctree.ProbabilityTreeClassifier().fit(X, y)
    tree = model.tree_
    assert tree.n_leaves > 500
    figure = ctree.plot_tree(model)
    check_legible(figure)
    words = [text.get_text() for text in texts(figure)]
    depth = int(next(w for w in words if "shown down to depth" in w).split("depth ")[2].split(",")[0])
    ends = [n for n in visible_nodes(tree, depth) if tree[n].is_leaf or tree[n].depth == depth]
    assert 10 < len(ends) <= 100
    deeper = [n for n in visible_nodes(tree, depth + 1) if tree[n].is_leaf or tree[n].depth == depth + 1]
    assert len(deeper) > 100
    folded = [n for n in ends if not tree[n].is_leaf]
    told = [int(w.split("… ")[1].split(" ")[0].replace(",", "")) for w in words if w.endswith(" leaves") and "… " in w]
    assert len(told) == len(folded)
    assert sum(told) + len(ends) - len(folded) == tree.n_leaves
    dashed = [p for p in figure.axes[0].patches if type(p).__name__ == "FancyBboxPatch" and p.get_linestyle() == "--"]
    assert len(dashed) == len(folded)
    assert len(leaf_bars(figure)) == len(ends)


@pytest.mark.parametrize("max_depth", [0, 1, 2])
def test_max_depth_is_kept(max_depth):
    model = ctree.BayesianTreeClassifier(bins=5).fit(ctree.read_c45("examples/golf"))
    figure = ctree.plot_tree(model, max_depth=max_depth, title="Golf, folded")
    check_legible(figure)
    assert len(leaf_bars(figure)) == (1, 3, 8)[max_depth]
    words = [text.get_text() for text in texts(figure)]
    assert words[0] == "Golf, folded"
    assert "weight" in words
    if max_depth == 2:
        assert f"{model.node_weights_[-1]:.3f}" in words


def test_trees_alone_are_drawn(tmp_path):
    golf = ctree.read_c45("examples/golf")
    trees = ctree.BayesOptimalClassifier(max_depth=2).fit(golf).sample_trees(3, random_state=0)
    for i, tree in enumerate([*trees, ctree.C45Classifier().fit(golf).tree_]):
        for suffix in ("svg", "pdf"):
            file = tmp_path / f"{i}.{suffix}"
            check_legible(ctree.plot_tree(tree, file))
            assert file.stat().st_size > 1000


def test_what_cannot_be_drawn_says_why(tmp_path, monkeypatch):
    golf = ctree.read_c45("examples/golf")
    with pytest.raises(ParameterError, match="takes a tree or a learner that has one, not NaiveBayesClassifier"):
        ctree.plot_tree(ctree.NaiveBayesClassifier().fit(golf))
    with pytest.raises(NotFittedError):
        ctree.plot_tree(ctree.C45Classifier())
    model = ctree.C45Classifier().fit(golf)
    with pytest.raises(ParameterError, match="max_depth"):
        ctree.plot_tree(model, max_depth=-1)
    with pytest.raises(CtreeError, match="the picture cannot be written"):
        ctree.plot_tree(model, tmp_path / "no" / "golf.png")
    monkeypatch.setitem(sys.modules, "matplotlib.figure", None)
    with pytest.raises(MissingExtraError, match=r"to install it: pip install matplotlib$"):
        ctree.plot_tree(model)


def test_a_model_and_its_tree_have_it_as_a_method(tmp_path):
    model = ctree.C45Classifier().fit(ctree.load_golf())
    for what in (model, model.tree_):
        figure = what.plot(tmp_path / "golf.svg", max_depth=1, title="Golf")
        same = ctree.plot_tree(what, max_depth=1, title="Golf")
        assert [t.get_text() for t in figure.axes[0].texts] == [t.get_text() for t in same.axes[0].texts]
        assert (tmp_path / "golf.svg").exists()


def test_in_axes_of_somebody_else(tmp_path):
    from matplotlib.figure import Figure

    golf = ctree.C45Classifier().fit(ctree.load_golf())
    figure = Figure(figsize=(9, 6), layout="constrained")
    top, bottom = figure.subplots(2)
    assert ctree.plot_tree(golf, tmp_path / "two.png", ax=bottom, title="below") is figure
    assert (tmp_path / "two.png").stat().st_size > 5000
    assert not top.texts
    words = [text.get_text() for text in bottom.texts]
    assert words[0] == "below"
    assert "humidity  5" in words


@pytest.mark.parametrize("size", [(12, 8), (4.5, 2), (2, 6)])
@pytest.mark.parametrize("layout", [None, "constrained", "tight"])
def test_what_is_drawn_there_has_room_and_is_in_proportion(size, layout):
    from matplotlib.figure import Figure

    golf = ctree.C45Classifier().fit(ctree.load_golf())
    own = ctree.plot_tree(golf)
    figure = Figure(figsize=size, layout=layout)
    ax = figure.subplots()
    golf.plot(ax=ax)
    renderer = drawn(figure)
    frame = ax.get_window_extent(renderer)
    boxes = [text.get_window_extent(renderer) for text in ax.texts if text.get_text()]
    for box in boxes:
        assert frame.x0 - 1 <= box.x0
        assert box.x1 <= frame.x1 + 1
        assert frame.y0 - 1 <= box.y0
        assert box.y1 <= frame.y1 + 1
    # texts are as much smaller as what is around them
    shown, whole = (
        [text.get_fontsize() for text in ax.texts if text.get_text()],
        [text.get_fontsize() for text in texts(own)],
    )
    scale = shown[0] / whole[0]
    assert np.allclose(shown, [scale * points for points in whole])
    assert scale == 1 if size == (12, 8) else scale < 1
    inch = ax.transData.transform([(0, 0), (1, 1)])
    assert np.allclose(np.abs(inch[1] - inch[0]) / figure.dpi, scale, rtol=0.02)


def test_what_are_no_axes():
    golf = ctree.C45Classifier().fit(ctree.load_golf())
    with pytest.raises(ParameterError, match="ax must be axes of matplotlib, not 3"):
        ctree.plot_tree(golf, ax=3)
