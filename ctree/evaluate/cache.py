"""Results of trials on disk, so that an interrupted comparison goes on where it stopped."""

from __future__ import annotations

import errno
import hashlib
import json
import math
import os
from collections.abc import Sequence
from functools import cache
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from ctree.data.dataset import Dataset
from ctree.data.relational.data import RelationalData
from ctree.data.relational.digest import linked_digest
from ctree.errors import CtreeError
from ctree.evaluate.measures import MEASURES
from ctree.evaluate.preparation import Preparation
from ctree.evaluate.protocols import Split
from ctree.evaluate.trial import Trial
from ctree.wording import abbreviated_path

VERSION = 2
ROOMS = (
    *("ctree.data", "ctree.tree", "ctree.learners", "ctree_ext"),
    *(f"ctree.evaluate.{module}" for module in ("measures", "envelope", "preparation", "candidates", "trial")),
)
"""The code that results depend on: if any of it changes, they are computed anew."""

ALWAYS_MEASURED = {"accuracy", "fit-seconds", "predict-seconds"}
LARGEST = 1e15
"""Of any measure."""


class CacheError(CtreeError, OSError):
    """Results cannot be kept where they were to be."""


class ResultCache:
    """A folder with a file of results, one a line.

    A line is added as soon as a trial is done, so that a process that is killed loses only what it was at. A line that
    was cut short or damaged is left out. Several processes may use a folder at once.

    Parameters
    ----------
    folder : str or path
        It is made if it is not there.
    fresh : bool
        Whether to overlook what is there already and compute it again.
    """

    def __init__(self, folder: str | os.PathLike[str], *, fresh: bool = False) -> None:
        self.file = Path(folder) / "results.jsonl"
        self._known: dict[str, Trial] = {}
        try:
            self.file.parent.mkdir(parents=True, exist_ok=True)
            text = self.file.read_bytes() if self.file.exists() else b""
            self._stream = open(self.file, "ab", buffering=0)  # noqa: SIM115 - it stays open
        except OSError as error:
            raise CacheError(
                f"{abbreviated_path(str(folder))}: results cannot be saved there ({error.strerror or error})"
            ) from None
        if text.strip() and b'{"key": "' not in text:
            self._stream.close()
            raise CacheError(
                f"{abbreviated_path(str(self.file))}: this file has no results of ctree; save them in another folder"
            )
        if text and not text.endswith(b"\n"):
            self._stream.write(b"\n")
        if not fresh:
            for line in text.splitlines():
                self._read(line)

    def _read(self, line: bytes) -> None:
        try:
            entry = json.loads(line)
            self._known[str(entry["key"])] = _checked_trial(entry["scores"], entry["warnings"])
        except (ValueError, KeyError, TypeError, AttributeError, OverflowError, RecursionError):
            pass  # cut short, or not ours: such a result is computed again

    def __len__(self) -> int:
        return len(self._known)

    def get(self, key: str) -> Trial | None:
        """The result of a trial; None if it is not there."""
        return self._known.get(key)

    def put(self, key: str, trial: Trial, about: dict[str, Any]) -> None:
        """Keep the result of a trial; `about` tells a person who reads the file what it is of."""
        scores = {name: None if math.isnan(value) else value for name, value in trial.scores.items()}
        entry = {"key": key, **about, "scores": scores, "warnings": trial.warnings}
        try:
            # one write, so that lines of several processes do not mix
            line = (json.dumps(entry) + "\n").encode()
            if self._stream.write(line) != len(line):
                raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
        except OSError as error:
            raise CacheError(
                f"{abbreviated_path(str(self.file))}: a result cannot be written ({error.strerror or error})"
            ) from None
        self._known[key] = trial

    def close(self) -> None:
        self._stream.close()


def _checked_trial(scores: dict[str, Any], warnings: Any) -> Trial:
    """The trial that a line tells of; a ValueError, or what reading it raises, if no trial can have come to that."""
    if not ALWAYS_MEASURED <= scores.keys() <= {*MEASURES, "auc-skipped"}:
        raise ValueError("other measures than those of a trial")
    if any(isinstance(value, bool | str) for value in scores.values()) or not isinstance(warnings, list):
        raise ValueError("values of other types than those of a trial")
    numbers = {name: math.nan if value is None else float(value) for name, value in scores.items()}
    if any(abs(number) > LARGEST for number in numbers.values()):
        raise ValueError("a number that no measure comes to")
    return Trial(numbers, [str(text) for text in warnings])


def default_folder() -> Path:
    """Where results are kept unless a person says otherwise."""
    base = os.environ.get("XDG_CACHE_HOME") or os.path.join(os.path.expanduser("~"), ".cache")
    return Path(base) / "ctree"


def data_digest(data: Dataset | RelationalData) -> str:
    """A number for all that is in a data set."""
    if isinstance(data, RelationalData):
        return linked_digest(data)
    digest = hashlib.sha256(repr((data.schema, data.n_cases)).encode())
    for array in (*data.columns, data.classes, data.weights):
        digest.update(b"none" if array is None else array.tobytes())
        digest.update(b";")
    return digest.hexdigest()


def trial_key(
    data: str, learner: str, split: Split, preparation: Preparation, seed: Sequence[int], costs: Any = None
) -> str:
    """A number for all that a result depends on; `data` is the digest of the data set, `learner` an identity."""
    digest = hashlib.sha256()
    for part in (VERSION, code_digest(), data, learner, repr(preparation), list(seed)):
        digest.update(repr(part).encode() + b";")
    if costs is not None:
        digest.update(costs.tobytes() + b";")
    for rows in split:
        digest.update(rows.tobytes() + b";")
    return digest.hexdigest()


@cache
def code_digest() -> str:
    """A number for the code of the learners and measures."""
    digest = hashlib.sha256()
    for room in ROOMS:
        spec = find_spec(room)
        assert spec is not None
        places = spec.submodule_search_locations
        files = [f for place in places for f in Path(place).rglob("*")] if places else [Path(str(spec.origin))]
        for file in sorted(files):
            if file.suffix in (".py", ".so", ".pyd"):
                digest.update(f"{room}/{file.name};".encode() + file.read_bytes())
    return digest.hexdigest()
