"""The files that a person means, and whether they are still the same."""

from __future__ import annotations

import glob
import os
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

from ctree.data.files.text_file import abbreviated, path_text
from ctree.errors import DataError, ParameterError
from ctree.wording import shortened

Paths = str | os.PathLike[str] | Iterable[str | os.PathLike[str]]


@dataclass(frozen=True)
class Stamp:
    """What changes when a file does."""

    file: str
    size: int
    modified: int

    def check(self) -> None:
        """An error if the file is no longer the same."""
        try:
            now = stamp(self.file)
        except DataError:
            raise DataError("the file has gone while it was read", self.file) from None
        if now != self:
            raise DataError("the file has changed while it was read; scan it again", self.file)

    def to_plain(self) -> list[Any]:
        return [os.path.abspath(self.file), self.size, self.modified]


def stamp(file: str) -> Stamp:
    """The stamp of a file; what is no file that can be read is a `DataError`."""
    try:
        found = os.stat(file)
    except FileNotFoundError:
        raise DataError("there is no such file", file) from None
    except (OSError, ValueError) as error:
        reason = getattr(error, "strerror", None) or str(error)
        raise DataError(f"the file cannot be read ({reason})", file) from None
    if os.path.isdir(file):
        raise DataError("this is a directory, not a file", file)
    return Stamp(file, found.st_size, found.st_mtime_ns)


def find_files(paths: Paths, suffixes: tuple[str, ...]) -> list[str]:
    """Files by path, pattern or folder, those of a pattern or a folder in order of their names.

    Parameters
    ----------
    paths : path, pattern such as ``"sales/*.parquet"``, folder, or several of these
    suffixes : tuple of str
        The endings of the files that are taken from a folder, and from those in it. Names that begin with a dot or an
        underscore are left out, as is the custom of programs that write such folders.
    """
    if not isinstance(paths, str | os.PathLike | Iterable):
        raise ParameterError(f"paths is {shortened(paths)}, but should be a path or several")
    given = [paths] if isinstance(paths, str | os.PathLike) else list(paths)
    found: list[str] = []
    for path in given:
        if not isinstance(path, str | os.PathLike):
            raise ParameterError(f"paths has {shortened(path)}, which is not a path")
        found += _files(path_text(path), suffixes)
    if not found:
        raise ParameterError("paths is empty, but should name at least one file")
    seen: set[str] = set()
    for file in found:
        real = os.path.realpath(file)
        if real in seen:
            raise DataError("the file is given twice", file)
        seen.add(real)
    return found


def files_told(files: list[str]) -> str:
    """Files in a few words."""
    return files[0] if len(files) == 1 else f"{len(files)} files, {abbreviated(files[0])}, …"


def _files(path: str, suffixes: tuple[str, ...]) -> list[str]:
    if os.path.isdir(path):
        return _files_in(path, suffixes)
    if os.path.exists(path) or not glob.has_magic(path):
        return [path]
    matches = sorted(glob.glob(path, recursive=True))
    if not matches:
        raise DataError("no file has a name like this", path)
    return [file for match in matches for file in (_files_in(match, suffixes) if os.path.isdir(match) else [match])]


def _files_in(folder: str, suffixes: tuple[str, ...]) -> list[str]:
    found = []
    for parent, folders, files in os.walk(folder, onerror=_unreadable):
        folders[:] = sorted(name for name in folders if not name.startswith((".", "_")))
        for name in folders:
            if "=" in name:
                raise DataError(
                    f"the folder '{abbreviated(name)}' stands for a value of a column, and such columns are not read; "
                    "give the files by a pattern to leave that column out",
                    parent,
                )
        names = sorted(name for name in files if not name.startswith((".", "_")) and name.lower().endswith(suffixes))
        found += [os.path.join(parent, name) for name in names]
    if not found:
        raise DataError(f"the folder has no files that end in {' or '.join(suffixes)}", folder)
    return found


def _unreadable(error: OSError) -> None:
    raise DataError(f"the folder cannot be read ({error.strerror or error})", str(error.filename)) from None
