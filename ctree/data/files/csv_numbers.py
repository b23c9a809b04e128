"""Numbers as people and programs write them: with a decimal comma, groups of digits, a percent or a currency sign.

What a cell may be is told by its form alone (`look`). What is gathered from the cells of a column (`Evidence`) decides
how its numbers are read (`decide`): the order of the cells does not matter, nor how they were divided among batches.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field

POINT_DECIMAL = 1
"""A point that is a decimal mark for sure, as in 3.5, or by a comma that is none, as in 5,472.31."""
COMMA_DECIMAL = 2
"""A comma that is a decimal mark for sure, as in 0,5, or by a point that is none, as in 1.234,5."""
COMMA_EITHER = 4
"""A comma as in 1,234."""
POINT_EITHER = 8
"""A point as in 1.234."""
NO_NUMBER = 16
"""Something else."""
GROUPED = 32
"""Groups of digits apart, as in 1 234."""

SPECIAL = 64
"""What Python does not take for a number."""

_SPACES = "\u0020\u00a0\u2009\u202f"
_APART = _SPACES + "'\u2019"
_COMMA = re.compile(r"(?:[0-9]+,[0-9]*|,[0-9]+)(?:[eE][+-]?[0-9]+)?")
_COMMA_EITHER = re.compile(r"[1-9][0-9]{0,2},[0-9]{3}")
_POINT_EITHER = re.compile(r"[+-]?[1-9][0-9]{0,2}\.[0-9]{3}")
_COMMA_GROUPS = re.compile(r"[1-9][0-9]{0,2}(?:(?:,[0-9]{3}){2,}(?:\.[0-9]*)?|,[0-9]{3}\.[0-9]*)")
_POINT_GROUPS = re.compile(r"[1-9][0-9]{0,2}(?:(?:\.[0-9]{3}){2,}(?:,[0-9]*)?|\.[0-9]{3},[0-9]*)")
_APART_GROUPS = re.compile(rf"[1-9][0-9]{{0,2}}(?:[{_APART}][0-9]{{3}})+(?P<rest>[.,][0-9]+)?")
_NOT_DIGITS = str.maketrans("", "", _APART)


@dataclass(frozen=True)
class Style:
    """How the numbers of a column are written.

    Parameters
    ----------
    mark : {".", ","}
        The decimal mark. The other of the two, and spaces and apostrophes, stand between groups of digits.
    affix : str
        The percent sign or the sign of a currency that every number has; empty if none has.
    plain : bool
        Whether numbers are only what Python takes for one.
    """

    mark: str = "."
    affix: str = ""
    plain: bool = False

    def number(self, cell: str) -> float:
        """The number that a cell is; a `ValueError` if it is none."""
        if self.plain:
            return plain_number(cell)
        flags, affix = look(cell)
        if not self.takes(flags) or affix != self.affix:
            raise ValueError(cell)
        core = _split(cell)[0].translate(_NOT_DIGITS)
        if self.mark == ",":
            return float(core.replace(".", "").replace(",", "."))
        return float(core.replace(",", ""))

    def takes(self, flags: int) -> bool:
        """Whether a cell of such a form is a number by this decimal mark."""
        return not flags & (NO_NUMBER | (POINT_DECIMAL if self.mark == "," else COMMA_DECIMAL))


PLAIN = Style(plain=True)


def plain_number(cell: str) -> float:
    """The number that Python takes a cell for, but for underscores between digits."""
    if "_" in cell:
        raise ValueError(cell)
    return float(cell)


def look(cell: str) -> tuple[int, str]:
    """What form a cell without white space around it has, and its percent or currency sign.

    Examples
    --------
    >>> look("0.5") == (POINT_DECIMAL, ""), look("1,234") == (COMMA_EITHER | SPECIAL, "")
    (True, True)
    >>> look("€ 12") == (SPECIAL, "€")
    True
    """
    try:
        plain_number(cell)
    except ValueError:
        pass
    else:
        if "." not in cell:
            return 0, ""
        return (POINT_EITHER if _POINT_EITHER.fullmatch(cell) else POINT_DECIMAL), ""
    core, affix = _split(cell)
    digits = core.lstrip("+-")
    if len(core) - len(digits) > 1:
        return NO_NUMBER | SPECIAL, ""
    return _form(digits) | SPECIAL, affix


def _form(digits: str) -> int:
    if digits.isascii() and digits.isdigit():
        return 0
    if _COMMA.fullmatch(digits):
        return COMMA_EITHER if _COMMA_EITHER.fullmatch(digits) else COMMA_DECIMAL
    if _COMMA_GROUPS.fullmatch(digits):
        return POINT_DECIMAL
    if _POINT_GROUPS.fullmatch(digits):
        return COMMA_DECIMAL
    apart = _APART_GROUPS.fullmatch(digits)
    if apart is not None:
        rest = apart["rest"]
        return GROUPED | (0 if rest is None else COMMA_DECIMAL if rest[0] == "," else POINT_DECIMAL)
    if re.fullmatch(r"[0-9]*\.?[0-9]*(?:[eE][+-]?[0-9]+)?", digits):
        try:
            float(digits)
        except ValueError:
            return NO_NUMBER
        return POINT_EITHER if _POINT_EITHER.fullmatch(digits) else POINT_DECIMAL if "." in digits else 0
    return NO_NUMBER


def _split(cell: str) -> tuple[str, str]:
    """A cell without its percent or currency sign, with a plain minus sign, and the sign that it had."""
    core = cell.replace("\N{MINUS SIGN}", "-")
    sign = ""
    if core[:1] in ("-", "+") and len(core) > 1 and _is_affix(core[1]):
        sign, core = core[0], core[1:]
    affix = ""
    if core and _is_affix(core[0]) and core[0] != "%":
        affix, core = core[0], core[1:].lstrip(_SPACES)
    elif core and _is_affix(core[-1]):
        affix, core = core[-1], core[:-1].rstrip(_SPACES)
    return sign + core, affix


def _is_affix(character: str) -> bool:
    return character == "%" or unicodedata.category(character) == "Sc"


@dataclass
class Evidence:
    """What the cells of a column that are not plain numbers have shown.

    Parameters
    ----------
    flags : int
    affixes : set of str
        The signs that cells had, the empty text if some had none.
    odd : str or None
        A cell that is no number.
    examples : dict
        For each sign and form a cell that has it.
    """

    flags: int = 0
    affixes: set[str] = field(default_factory=set)
    odd: str | None = None
    examples: dict[tuple[int, str], str] = field(default_factory=dict)

    def look_at(self, cells: Iterable[str], enough: Callable[[int], bool] = lambda flags: False) -> None:
        """Gather what cells show, until it is enough."""
        for cell in cells:
            flags, affix = look(cell)
            self.examples.setdefault((flags, affix), cell)
            self.flags |= flags
            if flags & NO_NUMBER:
                self.odd = cell if self.odd is None else self.odd
            else:
                self.affixes.add(affix)
            if enough(flags):
                return

    def add(self, other: Evidence) -> None:
        self.flags |= other.flags
        self.affixes |= other.affixes
        self.odd = self.odd if self.odd is not None else other.odd
        for key, cell in other.examples.items():
            self.examples.setdefault(key, cell)

    def example(self, flags: int) -> str:
        """A cell of such a form."""
        return next(cell for (form, _), cell in self.examples.items() if form & flags)

    def with_sign(self, affix: str) -> str:
        """A cell with such a sign."""
        return next(cell for (form, sign), cell in self.examples.items() if sign == affix and not form & NO_NUMBER)


@dataclass(frozen=True)
class Decision:
    """How a column is read.

    Parameters
    ----------
    style : Style or None
        None if its cells are not numbers, or nobody can tell which.
    why : str
        What decided: "numbers", or "other columns" of the file; or why they are none: "text", "other mark", "mixed
        marks", "mixed signs", "either mark".
    """

    style: Style | None
    why: str = "numbers"


def decide(evidence: Evidence, decimal: str | None, found: str | None) -> Decision:
    """How to read a column whose cells have shown this.

    Parameters
    ----------
    decimal : {".", ","} or None
        The decimal mark, if a person has said it.
    found : {".", ","} or None
        That of the file as a whole, if it could be found out.
    """
    flags = evidence.flags
    if flags & NO_NUMBER:
        return Decision(None, "text")
    if len(evidence.affixes) > 1:
        return Decision(None, "mixed signs")
    affix = next(iter(evidence.affixes), "")
    if decimal is not None:
        style = Style(decimal, affix)
        return Decision(style) if style.takes(flags) else Decision(None, "other mark")
    if flags & POINT_DECIMAL and flags & COMMA_DECIMAL:
        return Decision(None, "mixed marks")
    if flags & POINT_DECIMAL:
        return Decision(Style(".", affix))
    if flags & COMMA_DECIMAL:
        return Decision(Style(",", affix))
    if not flags & (COMMA_EITHER | POINT_EITHER):
        return Decision(Style(found or ".", affix))
    if found is not None:
        sure = not flags & (COMMA_EITHER if found == "." else COMMA_EITHER | POINT_EITHER)
        return Decision(Style(found, affix), "numbers" if sure else "other columns")
    if flags & COMMA_EITHER:
        return Decision(None, "either mark")
    return Decision(Style(".", affix))


def mark_of(columns: Iterable[Iterable[str]]) -> str | None:
    """The decimal mark of a file, by some known cells of its columns; None if nothing tells, or if both occur."""
    marks = set()
    for cells in columns:
        forms = [look(cell)[0] for cell in cells]
        numbers = [form for form in forms if not form & NO_NUMBER]
        if 5 * len(numbers) < 4 * len(forms):
            continue
        marks |= {"." for form in numbers if form & POINT_DECIMAL}
        marks |= {"," for form in numbers if form & COMMA_DECIMAL}
    return marks.pop() if len(marks) == 1 else None
