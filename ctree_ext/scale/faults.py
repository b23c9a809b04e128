"""What kernels find wrong with coded cases, for the caller to put into words."""

from __future__ import annotations


class PartError(ValueError):
    """A part of the cases cannot be right.

    Parameters
    ----------
    what : {"code", "class", "entries"}
        A code or a class that is out of range, or cases of unknown value in more branches than a pass can hold.
    attribute : int
        The attribute with the code, or the one that was tested; -1 for a class.
    """

    def __init__(self, what: str, attribute: int = -1) -> None:
        super().__init__(what, attribute)
        self.what = what
        self.attribute = attribute
