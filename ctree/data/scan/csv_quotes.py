"""StrictCsv: a comma-separated file, refused where text follows the end of a quoted cell."""

from __future__ import annotations

import io
import re

from ctree.data.files.text_file import BOM
from ctree.errors import DataError


class StrictCsv(io.RawIOBase):
    """The bytes of a file as they are read, looked through for quotation marks on the way.

    Arrow reads ``"ab"c`` as abc; `read_csv` refuses it, and so does this.

    Parameters
    ----------
    file : str
    delimiter : str
    """

    def __init__(self, file: str, delimiter: str) -> None:
        super().__init__()
        self._file = file
        self._delimiter = delimiter
        self._opened = open(file, "rb", buffering=0)  # noqa: SIM115  # closed by close
        ends = re.escape(delimiter.encode()) + rb"\r\n"
        quoted = rb'"[^"]*+(?:""[^"]*+)*+"'
        self._quoted = re.compile(quoted)
        # Text without quotation marks, quoted cells that end where a cell should, and marks amid cells, which are text.
        self._right = re.compile(
            rb'(?:[^"]++|(?<=[%b])%b(?=[%b])|(?<=[^%b])")*+' % (ends, quoted, ends, ends), re.DOTALL
        )
        self._rest = b"\n"
        """What was read but not looked through, after the byte before it."""
        self._line = 1
        self._first = True

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: memoryview) -> int:  # type: ignore[override]
        """Read on."""
        n = self._opened.readinto(buffer) or 0
        text = bytes(buffer[:n])
        self._look(text.removeprefix(BOM) if self._first else text)
        self._first = False
        return n

    def _look(self, text: bytes) -> None:
        if b'"' not in text and len(self._rest) == 1:
            self._line += text.count(b"\n")
            self._rest = text[-1:] or self._rest
            return
        text = self._rest + text
        found = self._right.match(text, 1)
        end = len(text) if found is None else found.end()
        if end < len(text):
            cell = self._quoted.match(text, end)
            if cell is not None and cell.end() < len(text):
                line = self._line + text.count(b"\n", 1, cell.end())
                told = f"the row cannot be read ('{self._delimiter}' expected after '\"')"
                raise DataError(told, self._file, line)
        self._line += text.count(b"\n", 1, end)
        self._rest = text[end - 1 :]

    def close(self) -> None:
        self._opened.close()
        super().close()
