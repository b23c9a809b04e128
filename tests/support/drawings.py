"""What is in a figure of matplotlib, and whether it can be read."""

from __future__ import annotations

import itertools


def drawn(figure):
    """The figure with its renderer, at the size at which it is saved."""
    from matplotlib.backends.backend_agg import FigureCanvasAgg

    canvas = FigureCanvasAgg(figure)
    canvas.draw()
    return canvas.get_renderer()


def texts(figure):
    return [text for text in figure.axes[0].texts if text.get_text()]


def check_legible(figure):
    """No text lies on another or leaves the picture, and none is smaller than 8 points."""
    renderer = drawn(figure)
    boxes = [(text.get_text(), text.get_window_extent(renderer)) for text in texts(figure)]
    for name, box in boxes:
        assert box.x0 >= 0, name
        assert box.y0 >= 0, name
        assert box.x1 <= renderer.width, name
        assert box.y1 <= renderer.height, name
    boxes.sort(key=lambda entry: entry[1].y0)
    for i, (name, box) in enumerate(boxes):
        for other, beside in itertools.takewhile(lambda entry: entry[1].y0 < box.y1 - 0.5, boxes[i + 1 :]):  # noqa: B023
            assert beside.x0 > box.x1 - 0.5 or beside.x1 < box.x0 + 0.5, f"{name} and {other}"
    assert min(text.get_fontsize() for text in texts(figure)) >= 8
    # The text of a box stays within it.
    patches = [p.get_window_extent(renderer) for p in figure.axes[0].patches if type(p).__name__ == "FancyBboxPatch"]
    for patch in patches:
        inside = [box for _, box in boxes if box.x0 >= patch.x0 - 1 and box.x1 <= patch.x1 + 1 and patch.y0 <= (box.y0 + box.y1) / 2 <= patch.y1]  # fmt: skip # noqa: E501
        assert len(inside) == 1


def leaf_bars(figure):
    from matplotlib.collections import LineCollection

    return [c for c in figure.axes[0].collections if not isinstance(c, LineCollection)]
