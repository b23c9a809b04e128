"""Columns of CSV text, by way of lines or of Python's reader, against rows of that reader."""

import csv
import io
import re

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from ctree.data.files.csv_settings import CsvSettings
from ctree.data.files.csv_table import CsvTable
from ctree.errors import DataError


def text_of(cell):
    """A cell without the white space around it, and without quotes that follow it."""
    quoted = re.fullmatch(r'\s+"(.*)"\s*', cell, re.DOTALL)
    return cell.strip() if quoted is None else quoted[1].replace('""', '"').strip()


@given(st.text(st.sampled_from(list('ab,; \n\r"\0ä\x0b\u2028')), max_size=30), st.sampled_from(",;"))
@settings(max_examples=400, suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_cells_are_those_of_pythons_reader(tmp_path, text, delimiter):
    text = f"x{delimiter}y\n{text}"
    path = tmp_path / "t.csv"
    path.write_bytes(text.encode())
    reader = csv.reader(io.StringIO(text, newline=""), delimiter=delimiter, strict=True)
    rows, lines = [], []
    try:
        for row in reader:
            if row:
                rows.append(row)
                lines.append(reader.line_num)
        good = all(len(row) == 2 for row in rows)
    except csv.Error:
        good = False
    if not good:
        with pytest.raises(DataError):
            CsvTable(str(path), CsvSettings(delimiter, header=True))
        return
    table = CsvTable(str(path), CsvSettings(delimiter, header=True))
    assert table.n_rows == len(rows) - 1
    for j, name in enumerate(table.names):
        assert table.column(name) == [text_of(row[j]) for row in rows[1:]]
    assert [table.line(row) for row in range(table.n_rows)] == lines[1:]


def test_too_long_a_cell_is_refused_with_its_line(tmp_path):
    path = tmp_path / "t.csv"
    path.write_text("x,y\n1,2\n" + "a" * (1 << 18) + ",3\n")
    with pytest.raises(DataError, match=r"t.csv:3: the row cannot be read \(field larger than field limit"):
        CsvTable(str(path))
