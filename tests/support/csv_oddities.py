"""All odd comma-separated files, and the tables of them in `docs/files.md`."""

from __future__ import annotations

from support.csv_odd_layouts import DELIMITERS, NAMING, ROWS, TEXT
from support.csv_odd_values import CLASSES, COLUMNS, NUMBERS, UNKNOWNS
from support.csv_oddity import Oddity, Values

GROUPS = {
    "Text and lines": TEXT,
    "Names": NAMING,
    "Rows and quotes": ROWS,
    "Delimiters": DELIMITERS,
    "Numbers": NUMBERS,
    "Unknown values": UNKNOWNS,
    "Columns": COLUMNS,
    "Classes": CLASSES,
}
ODDITIES = [one for group in GROUPS.values() for one in group]


def tables() -> str:
    """The files in Markdown."""
    text = ""
    for title, group in GROUPS.items():
        rows = [f"| {odd.title.replace('|', chr(92) + '|')} | {_becomes(odd)} | {_said(odd)} |" for odd in group]
        text += "\n".join(
            [f"## {title}", "", "| in the file | what it becomes | what is said |", "|---|---|---|", *rows, "", ""]
        )
    return text


def _becomes(odd: Oddity) -> str:
    told = "; ".join(
        _column(name, values) for name, values in odd.columns.items() if (name, *values[:2]) != ("y", "yes", "no")
    )
    given = ", ".join(f"`{name}={value!r}`" for name, value in odd.options.items())
    return f"{told}{f' (with {given})' if given else ''}" if told else "an error"


def _column(name: str, values: Values) -> str:
    """The first values of a column."""
    shown = ["?" if x is None or x != x else f"`{_text(x)}`" for x in values[:4]]
    kind = "values" if any(isinstance(x, str) for x in values) else "numbers"
    return f"`{name}`: {kind} {', '.join(shown)}{', …' if len(values) > 4 else ''}"


def _text(value: float | str) -> str:
    return value.replace("\n", "\\n") if isinstance(value, str) else f"{value:.10g}"


def _said(odd: Oddity) -> str:
    return odd.error or "; ".join(odd.said)


if __name__ == "__main__":
    print(tables())
