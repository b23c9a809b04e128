"""Columns of a comma-separated file that a person should be told of, as they may not be what they were taken for."""

from __future__ import annotations

import math
import re
from collections.abc import Collection, Iterable, Sequence
from itertools import pairwise

from ctree.data.files.csv_layout import Layout
from ctree.data.files.csv_numbers import (
    COMMA_DECIMAL,
    COMMA_EITHER,
    NO_NUMBER,
    POINT_DECIMAL,
    POINT_EITHER,
    Decision,
    Evidence,
    Style,
    look,
)
from ctree.data.files.csv_remarks import CsvRemark
from ctree.data.files.csv_settings import NO_NUMBERS
from ctree.data.schema import Attribute, Label
from ctree.errors import DataError
from ctree.wording import abbreviated

FEW = 20
"""Cases of which nothing is said but for their numbers."""

MANY_CLASSES = 30

_LEADING_ZERO = re.compile(r"0[0-9]+")
_DATE = re.compile(
    r"[0-9]{4}([-/.])[01]?[0-9]\1[0-3]?[0-9]([T ].*)?|[0-3]?[0-9]([-/.])[0-3]?[0-9]\3([0-9]{4}|[0-9]{2})( .*)?"
)


def why_no_numbers(decision: Decision, evidence: Evidence, decimal: str | None) -> str:
    """Why cells that are all numbers of some form are not read as numbers."""
    if decision.why == "other mark":
        cell = evidence.example(COMMA_DECIMAL if decimal == "." else POINT_DECIMAL)
        return f"'{abbreviated(cell)}' is no number with a decimal {'point' if decimal == '.' else 'comma'}"
    if decision.why == "mixed marks":
        comma, point = evidence.example(COMMA_DECIMAL), evidence.example(POINT_DECIMAL)
        return f"'{abbreviated(comma)}' has a decimal comma, but '{abbreviated(point)}' a decimal point"
    if decision.why == "mixed signs":
        shown = " and ".join(f"'{abbreviated(evidence.with_sign(sign), 20)}'" for sign in sorted(evidence.affixes)[:2])
        return f"{shown} do not have the same sign"
    cell = evidence.example(COMMA_EITHER)
    return f"'{abbreviated(cell)}' may have a decimal comma, or a comma between thousands"


def doubt_about_numbers(
    file: str, name: str, decision: Decision, evidence: Evidence, decimal: str | None
) -> CsvRemark | None:
    """What is to be said of a column of numbers that are not written plainly; None if they are clear, or no numbers."""
    style = decision.style
    if style is None:
        if decision.why == "text":
            return None
        told = f"{why_no_numbers(decision, evidence, decimal)}: taken as discrete"
        ways = ("discrete", "ignore") if decision.why == "mixed signs" else ("decimal", "discrete", "ignore")
        return CsvRemark(file, told, name, ways)
    if decision.why == "other columns":
        cell = evidence.example(COMMA_EITHER | POINT_EITHER)
        mark = "point" if style.mark == "." else "comma"
        told = (
            f"values such as '{abbreviated(cell)}' are taken as numbers, here {style.number(cell):g}, as other columns"
        )
        return CsvRemark(file, f"{told} have a decimal {mark}", name, ("decimal", "discrete"))
    if style.affix:
        cell = evidence.with_sign(style.affix)
        told = f"values such as '{abbreviated(cell)}' are taken as numbers, here {style.number(cell):g}"
        return CsvRemark(file, told, name, ("discrete", "ignore"))
    return None


def doubt_about_text(file: str, name: str, odd: int, total: int, example: str, first: bool) -> CsvRemark:
    """What is to be said of a column most of whose values are numbers."""
    of = f"of {'the first ' if first else ''}{total:,} values"
    what = (
        "some values are no numbers"
        if not odd
        else f"1 {of} is no number"
        if odd == 1
        else f"{odd:,} {of} are no numbers"
    )
    told = f"{what} ('{abbreviated(example, 20)}'{', …' if odd != 1 else ''}): taken as discrete"
    return CsvRemark(file, told, name, ("unknown", "decimal", "discrete", "ignore"))


def mostly_numbers(cells: Iterable[str], unknown: Collection[str]) -> tuple[int, int, str] | None:
    """How many of some cells are no numbers, of how many, and one of them; None unless at least half are numbers."""
    odd, known, example = 0, 0, ""
    for cell in cells:
        if cell in unknown:
            continue
        known += 1
        if look(cell)[0] & NO_NUMBER:
            odd += 1
            example = example or cell
    return (odd, known, example) if known >= 4 and 2 * odd <= known else None


def doubts_about_columns(
    file: str, layout: Layout, attributes: Sequence[Attribute], n_cases: int, chosen: Collection[str | None]
) -> list[CsvRemark]:
    """What is to be said of columns by their first cells and by the number of their values.

    Parameters
    ----------
    chosen : collection of str
        Columns that a person has said to be discrete, or of which something has been said; None is of no account.
    """
    remarks = []
    for attribute in attributes:
        if attribute.name in chosen:
            continue
        sample = [cell for cell in layout.sample[attribute.name] if cell and cell not in NO_NUMBERS]
        found = (_of_numbers if attribute.has_order else _of_values)(attribute, sample, n_cases)
        if found is not None:
            remarks.append(CsvRemark(file, found[0], attribute.name, found[1]))
    return remarks


Told = tuple[str, tuple[str, ...]]


def _of_numbers(attribute: Attribute, sample: list[str], n_cases: int) -> Told | None:
    code = next((cell for cell in sample if _LEADING_ZERO.fullmatch(cell)), None)
    if code is not None:
        return f"values such as '{abbreviated(code)}' begin with 0: taken as numbers, not as codes", ("discrete",)
    if n_cases >= FEW and _counts_cases(sample):
        return f"the values count the cases, from {sample[0]} on: taken as numbers", ("ignore",)
    return None


def _counts_cases(sample: list[str]) -> bool:
    try:
        numbers = [int(cell) for cell in sample]
    except ValueError:
        return False
    return len(numbers) >= FEW and all(b == a + 1 for a, b in pairwise(numbers))


def _of_values(attribute: Attribute, sample: list[str], n_cases: int) -> Told | None:
    dates = sum(_DATE.fullmatch(cell) is not None for cell in sample)
    if dates and 10 * dates >= 9 * len(sample):
        return f"values such as '{abbreviated(sample[0])}' are dates: taken as discrete", (
            "dates",
            "ignore",
            "discrete",
        )
    n_values = len(attribute.values)
    if n_cases >= FEW and 2 * n_values > n_cases:
        words = sum(len(cell.split()) >= 4 for cell in sample)
        text = "free text, " if 2 * words > len(sample) else ""
        return f"{text}{n_values:,} different values in {n_cases:,} cases: taken as discrete", ("ignore", "discrete")
    marks = [value for value in attribute.values if value in NO_NUMBERS and value != "none"]
    if marks:
        return f"'{marks[0]}' is taken for a value like others", ("unknown", "discrete")
    return None


def check_classes(file: str, name: str, labels: Sequence[Label], chosen: bool, n_cases: int) -> list[CsvRemark]:
    """Refuse classes that are measurements, as learners do; what is to be said of other odd ones."""
    if chosen or not labels:
        return []
    numbers = _numbers(labels)
    if numbers is not None:
        fraction = next((label for label, x in zip(labels, numbers, strict=True) if x != int(x)), None)
        if fraction is not None:
            raise DataError(
                f"the class '{abbreviated(name)}' has the value {abbreviated(fraction)}, a number that is measured and "
                "not a class; name another column, put the numbers into classes, or name the column among the discrete "
                "ones if they are labels",
                file,
            )
        if len(labels) > MANY_CLASSES:
            told = f"{len(labels):,} different numbers are taken for as many classes"
            return [CsvRemark(file, told, name, ("class", "discrete"))]
    elif n_cases >= FEW and 2 * len(labels) > n_cases:
        told = f"{len(labels):,} different classes in {n_cases:,} cases"
        return [CsvRemark(file, told, name, ("class", "discrete"))]
    marks = [str(label) for label in labels if label in NO_NUMBERS - {"none", "None", "NONE", "-", ".", "--"}]
    return [CsvRemark(file, f"'{marks[0]}' is taken for a class like others", name, ("unknown",))] if marks else []


def _numbers(labels: Sequence[Label]) -> list[float] | None:
    """Labels as numbers, whatever their decimal mark; None if some are none."""
    numbers = []
    for label in labels:
        flags, sign = look(str(label))
        if flags & NO_NUMBER:
            return None
        numbers.append(Style("," if flags & COMMA_DECIMAL else ".", sign).number(str(label)))
    return numbers if all(map(math.isfinite, numbers)) else None
