"""Numbers that are shown by words: places in an order by their values, days and microseconds by dates and times."""

from __future__ import annotations


class Worded(float):
    """A number that text shows by a word; otherwise like any other.

    Parameters
    ----------
    number : float
    word : str

    Examples
    --------
    >>> medium = Worded(1.0, "medium")
    >>> f"size <= {medium:g}", medium == 1, max(medium, Worded(2.0, "large"))
    ('size <= medium', True, 2.0)
    """

    __slots__ = ("word",)
    word: str

    def __new__(cls, number: float, word: str) -> Worded:
        made = super().__new__(cls, number)
        made.word = word
        return made

    def __getnewargs__(self) -> tuple[float, str]:  # type: ignore[override]
        return float(self), self.word

    def __str__(self) -> str:
        return self.word

    def __format__(self, spec: str) -> str:
        return self.word
