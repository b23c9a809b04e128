"""What the plots share."""

from __future__ import annotations

import os
from typing import Any

from ctree.errors import CtreeError, MissingExtraError


def new_figure(width: float, height: float) -> Any:
    """An empty figure of matplotlib's, which belongs to no window and to no notebook."""
    try:
        from matplotlib.figure import Figure
    except ImportError:
        raise MissingExtraError("pictures need matplotlib: pip install 'ctree-learn[plot]'") from None
    return Figure(figsize=(width, height), layout="constrained")


def saved(figure: Any, file: str | os.PathLike[str] | None) -> Any:
    """The figure, written to a file if there is one to write to."""
    if file is not None:
        try:
            figure.savefig(file)
        except (OSError, ValueError) as error:
            raise CtreeError(f"{os.fspath(file)}: the picture cannot be written ({error})") from None
    return figure
