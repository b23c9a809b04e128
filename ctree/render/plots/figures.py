"""What the plots share."""

from __future__ import annotations

import io
import os
from typing import Any

from ctree.data.files.text_file import path_text
from ctree.data.files.writing import replacing
from ctree.errors import CtreeError, ParameterError, missing
from ctree.wording import abbreviated, abbreviated_path, shortened

MARK = "ctree, with Matplotlib"
"""What a picture says of the program that drew it."""


def new_figure(width: float, height: float) -> Any:
    """An empty figure of matplotlib's, which belongs to no window and to no notebook."""
    try:
        from matplotlib.figure import Figure
    except ImportError:
        raise missing("pictures need", "matplotlib", "plot") from None
    return Figure(figsize=(width, height), layout="constrained")


def picture_file(file: str | os.PathLike[str]) -> tuple[str, str]:
    """The file that a picture is written to, and its format; a file without a suffix gets matplotlib's own.

    A format that matplotlib does not know is a `ParameterError`.
    """
    path = path_text(file)
    suffix = os.path.splitext(path)[1].removeprefix(".").lower()
    canvas = new_figure(1, 1).canvas
    if not suffix:
        suffix = str(canvas.get_default_filetype())
        path = f"{path.rstrip('.')}.{suffix}"
    known = canvas.get_supported_filetypes()
    if suffix not in known:
        raise ParameterError(
            f"{abbreviated_path(path)}: the picture cannot be written (matplotlib has no format "
            f"'{abbreviated(suffix)}', but .png, .pdf, .svg and others)"
        )
    return path, suffix


def _marks(suffix: str) -> dict[str, str] | None:
    """By what a picture can be told to be from here, in the formats that have a place for it."""
    field = {"png": "Software", "pdf": "Creator", "svg": "Creator", "ps": "Creator", "eps": "Creator"}
    return {field[suffix]: MARK} if suffix in field else None


def room_in(ax: Any) -> tuple[float, float]:
    """The width and height of somebody's axes, in inches, as they will be drawn."""
    figure = getattr(ax, "figure", None)
    if figure is None or not hasattr(ax, "get_window_extent"):
        raise ParameterError(f"ax must be axes of matplotlib, not {shortened(ax)}")
    ax.axis("off")  # first, as without marks there is more room
    whole = figure.get_figure(root=True) if hasattr(figure, "get_figure") else figure
    if whole.get_layout_engine() is not None:
        whole.draw_without_rendering()  # axes get their place when they are drawn
    extent = ax.get_window_extent()
    return float(extent.width) / whole.dpi, float(extent.height) / whole.dpi


def saved(figure: Any, file: str | os.PathLike[str] | None) -> Any:
    """The figure, written to a file if there is one to write to."""
    if file is None:
        return figure
    path, suffix = picture_file(file)
    picture = io.BytesIO()
    try:
        figure.savefig(picture, format=suffix, metadata=_marks(suffix))
    except ValueError as error:
        reason = abbreviated(error, 200)
        raise CtreeError(f"{abbreviated_path(path)}: the picture cannot be written ({reason})") from None
    with replacing(path, CtreeError, "picture") as out:
        out.write(picture.getbuffer())
    return figure
