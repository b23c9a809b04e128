"""What the plots share."""

from __future__ import annotations

import io
import os
from typing import Any

from ctree.data.files.text_file import path_text
from ctree.data.files.writing import replacing
from ctree.errors import CtreeError, MissingExtraError
from ctree.wording import abbreviated, abbreviated_path


def new_figure(width: float, height: float) -> Any:
    """An empty figure of matplotlib's, which belongs to no window and to no notebook."""
    try:
        from matplotlib.figure import Figure
    except ImportError:
        raise MissingExtraError("pictures need matplotlib: pip install 'ctree-learn[plot]'") from None
    return Figure(figsize=(width, height), layout="constrained")


def saved(figure: Any, file: str | os.PathLike[str] | None) -> Any:
    """The figure, written to a file if there is one to write to."""
    if file is None:
        return figure
    path = path_text(file)
    suffix = os.path.splitext(path)[1].removeprefix(".")
    if not suffix:
        import matplotlib

        suffix = str(matplotlib.rcParams["savefig.format"])
        path = f"{path.rstrip('.')}.{suffix}"
    picture = io.BytesIO()
    try:
        figure.savefig(picture, format=suffix)
    except ValueError as error:
        reason = abbreviated(error, 200)
        raise CtreeError(f"{abbreviated_path(path)}: the picture cannot be written ({reason})") from None
    with replacing(path, CtreeError, "picture") as out:
        out.write(picture.getbuffer())
    return figure
