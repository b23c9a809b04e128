"""Where coded parts are: a folder that goes with them, or one that is kept and found again."""

from __future__ import annotations

import contextlib
import hashlib
import json
import os
import secrets
import shutil
import socket
import weakref
import zipfile
from collections.abc import Callable
from dataclasses import asdict
from typing import Any

import numpy as np

from ctree.data.schema import Attribute, Kind, Schema
from ctree.errors import DataError, ParameterError
from ctree.scale.coding_pass import Coding
from ctree.scale.part_file import Stored, StoredPart
from ctree.scale.source import Bins
from ctree.scale.temporary_folder import TemporaryFolder

FORMAT = 2
"""Of the files in a kept folder; codes of another format are made again."""

NOTE, BINS = "codes.json", "bins.npz"

LABEL = "label"
"""In the place of its kind, of an ignored attribute that has what the cases are called."""


class CodeFolder:
    """A folder with coded parts, and who removes it.

    Parameters
    ----------
    folder : str or TemporaryFolder
        A temporary one goes when it is closed, when nobody needs it any more, or when Python ends.
    """

    def __init__(self, folder: str | TemporaryFolder) -> None:
        self.path = folder if isinstance(folder, str) else folder.path
        self._remove = None if isinstance(folder, str) else weakref.finalize(self, folder.remove)

    def close(self) -> None:
        """Remove the folder, unless it is kept."""
        if self._remove is not None:
            self._remove()


def coded_in_folder(
    code: Callable[[str], Coding], cache: str | os.PathLike[str] | None, fingerprint: dict[str, Any] | None
) -> tuple[Coding, CodeFolder]:
    """Code cases in a new folder, or take what is there already.

    Parameters
    ----------
    code : callable
        Codes all cases into files in a folder.
    cache : path, optional
        The folder in which codes are kept; if None, they go.
    fingerprint : dict, optional
        Tells whether codes are those of the same cases and settings.
    """
    if cache is None:
        return _in_temporary_folder(code)
    if fingerprint is None:
        raise ParameterError("cache can be given for cases in files only, as nothing tells whether others have changed")
    parent = os.fsdecode(cache)
    text = json.dumps({"format": FORMAT, **fingerprint}, sort_keys=True)
    path = os.path.join(parent, hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()[:32])
    kept = _kept(path)
    if kept is not None:
        return kept, CodeFolder(path)
    try:
        os.makedirs(parent, exist_ok=True)
        _remove_left_overs(parent)
        # Others that make the same at the same time have folders of their own; the first to be done wins.
        making = os.path.join(parent, f".{socket.gethostname()}-{os.getpid()}-{secrets.token_hex(4)}")
        os.mkdir(making)
    except OSError as error:
        raise DataError(f"codes cannot be kept there ({error.strerror or error})", parent) from None
    try:
        coding = code(making)
        _note(coding, making)
        with contextlib.suppress(OSError):  # another process was faster, or what is there is damaged
            os.rename(making, path)
        kept = _kept(path)
        if kept is None:
            shutil.rmtree(path, ignore_errors=True)
            os.rename(making, path)
            kept = _kept(path)
        if kept is None:
            raise DataError("the codes of the cases cannot be kept; empty the folder, or leave out cache=", path)
        return kept, CodeFolder(path)
    except OSError as error:
        raise DataError(f"codes cannot be kept there ({error.strerror or error})", parent) from None
    finally:
        shutil.rmtree(making, ignore_errors=True)


def _in_temporary_folder(code: Callable[[str], Coding]) -> tuple[Coding, CodeFolder]:
    try:
        made = TemporaryFolder("ctree-codes-")
    except OSError as error:
        raise DataError(f"there is no place for the codes of the cases ({error.strerror or error})") from None
    folder = CodeFolder(made)
    try:
        return code(made.path), folder
    except BaseException:
        folder.close()
        raise


def _remove_left_overs(parent: str) -> None:
    """Remove what processes of this machine have left that ended before they were done."""
    host = socket.gethostname()
    for name in os.listdir(parent):
        start, _, rest = name[1:].rpartition("-")[0].rpartition("-")
        if name.startswith(".") and start == host and rest.isdigit() and not _is_running(int(rest)):
            shutil.rmtree(os.path.join(parent, name), ignore_errors=True)


def _is_running(process: int) -> bool:
    if os.name != "posix":
        return True  # asking would end it
    try:
        os.kill(process, 0)
    except ProcessLookupError:
        return False
    except OSError:
        pass
    return True


def _note(coding: Coding, path: str) -> None:
    """Write down what parts there are and what their codes mean."""
    arrays = {
        f"{what}{j}": getattr(bins, what)
        for j, bins in enumerate(coding.bins)
        if bins is not None
        for what in ("cuts", "least", "most")
    }
    np.savez(os.path.join(path, BINS), allow_pickle=False, **arrays)
    schema = coding.schema
    note = {
        "attributes": [[a.name, LABEL if a.is_label else a.kind.value, list(a.values)] for a in schema],
        "classes": list(schema.classes),
        "class_counts": coding.class_counts.tolist(),
        "unknown": coding.unknown.tolist(),
        "unit": coding.unit,
        "parts": [{**asdict(part), "file": os.path.basename(part.file)} for part in coding.parts],
    }
    with open(os.path.join(path, NOTE), "w", encoding="utf-8", errors="surrogatepass") as file:
        json.dump(note, file)


def _kept(path: str) -> Coding | None:
    """What a folder holds; None if there is no such folder, or if it is damaged."""
    try:
        with open(os.path.join(path, NOTE), encoding="utf-8", errors="surrogatepass") as file:
            note = json.load(file)
        attributes = tuple(_attribute(name, kind, values) for name, kind, values in note["attributes"])
        schema = Schema(attributes, tuple(note["classes"]))
        with np.load(os.path.join(path, BINS), allow_pickle=False) as arrays:
            bins = [
                Bins(arrays[f"cuts{j}"], arrays[f"least{j}"], arrays[f"most{j}"]) if a.has_order else None
                for j, a in enumerate(schema)
            ]
        parts = [_part(path, fields) for fields in note["parts"]]
        counts, unknown = (np.array(note[name], dtype=np.int64) for name in ("class_counts", "unknown"))
        unit = None if note["unit"] is None else float(note["unit"])
    except (OSError, ValueError, KeyError, TypeError, EOFError, zipfile.BadZipFile):
        return None
    return Coding(schema, bins, parts, counts, unknown, unit)


def _attribute(name: str, kind: str, values: list[Any]) -> Attribute:
    return Attribute(name, Kind.IGNORE if kind == LABEL else Kind(kind), tuple(values), kind == LABEL)


def _part(path: str, fields: dict[str, Any]) -> StoredPart:
    def stored(one: dict[str, Any] | None) -> Stored | None:
        return None if one is None else Stored(one["offset"], one["dtype"])

    classes, weights = stored(fields["classes"]), stored(fields["weights"])
    if classes is None:
        raise ValueError
    codes, numbers = (tuple(map(stored, fields[name])) for name in ("codes", "numbers"))
    file = os.path.join(path, os.path.basename(fields["file"]))
    part = StoredPart(file, fields["n"], codes, numbers, classes, weights)
    size = os.path.getsize(part.file)
    for one in (classes, weights, *codes, *numbers):
        if one is not None and one.offset + part.n * np.dtype(one.dtype).itemsize > size:
            raise ValueError
    return part
