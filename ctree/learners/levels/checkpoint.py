"""Checkpoint: the top of a tree in a file, so that a fit that was ended goes on where it was."""

from __future__ import annotations

import hashlib
import json
import os
from contextlib import suppress
from dataclasses import asdict
from typing import Any

import numpy as np

from ctree.data.files.writing import write_text
from ctree.errors import ModelError
from ctree.learners.base.gain_settings import GainSettings
from ctree.learners.base.score_settings import ScoreSettings
from ctree.scale.source import CaseSource
from ctree.scale.top_tree import TopTree
from ctree.tree.fields import schema_to_dict
from ctree.wording import abbreviated_path

WHAT = "ctree checkpoint"
FORMAT = 1

COLUMNS = ("test", "attribute", "threshold", "first_branch", "n_branches", "parent", "shares", "n_tests")


class Checkpoint:
    """A file with what a fit has come to.

    Parameters
    ----------
    path : str
    source : CaseSource
    settings : ScoreSettings or GainSettings
        A file that was written for other cases or other settings is refused.
    """

    def __init__(self, path: str, source: CaseSource, settings: ScoreSettings | GainSettings) -> None:
        self.path = path
        self._cases = _digest(_facts(source))
        self._settings = _digest(asdict(settings))

    def load(self) -> dict[str, Any] | None:
        """What was saved; None if there is no such file."""
        try:
            with open(self.path, encoding="utf-8") as file:
                text = file.read()
        except FileNotFoundError:
            return None
        except (OSError, UnicodeDecodeError) as error:
            raise self.error(f"the checkpoint cannot be read ({getattr(error, 'strerror', None) or error})") from None
        try:
            found = json.loads(text)
        except ValueError:
            found = None
        if not isinstance(found, dict) or found.get("what") != WHAT:
            raise self.error("this is no checkpoint; name another file, or one that is not there yet")
        if found.get("format") != FORMAT:
            raise self.error("the checkpoint is from another version of ctree; remove it to begin anew")
        state = found.get("state")
        if not isinstance(state, dict) or found.get("digest") != _digest(state):
            raise self.error("the checkpoint is damaged; remove it to begin anew")
        if found.get("cases") != self._cases:
            raise self.other_cases()
        if found.get("settings") != self._settings:
            raise self.error("the checkpoint is of a fit with other parameters; remove it to begin anew")
        return state

    def save(self, state: dict[str, Any]) -> None:
        """Write what the fit has come to, in place of what was there."""
        known = {"what": WHAT, "format": FORMAT, "cases": self._cases, "settings": self._settings}
        text = json.dumps({**known, "digest": _digest(state), "state": state})
        write_text(self.path, text, error=ModelError)

    def remove(self) -> None:
        """Take the file away, as the fit is done."""
        with suppress(OSError):
            os.remove(self.path)

    def other_cases(self) -> ModelError:
        """What to say where the cases are not those of the file."""
        return self.error("the checkpoint is of a fit to other cases; remove it to begin anew")

    def error(self, what: str) -> ModelError:
        """What is wrong with the file."""
        return ModelError(f"{abbreviated_path(self.path)}: {what}")


def top_to_plain(top: TopTree) -> dict[str, Any]:
    """The top of a tree as JSON has it."""
    columns = {name: [_plain(x) for x in getattr(top, name)] for name in COLUMNS}
    groups = {str(node): group.tolist() for node, group in top.groups.items()}
    return {**columns, "groups": groups, "counts": [counts.tolist() for counts in top.counts]}


def top_from_plain(fields: dict[str, Any], n_classes: int) -> TopTree:
    """The top of a tree as it was."""
    groups = {int(node): np.array(group, dtype=np.int32) for node, group in fields["groups"].items()}
    counts = [np.array(some, dtype=np.float64) for some in fields["counts"]]
    return TopTree(n_classes, groups=groups, counts=counts, **{name: list(fields[name]) for name in COLUMNS})


def _facts(source: CaseSource) -> dict[str, Any]:
    """What tells cases from others, without a pass, and however they are divided and binned."""
    ends = [
        None if bins is None or not len(bins) else [float(bins.least.min()), float(bins.most.max())]
        for bins in source.bins
    ]
    return {
        "schema": schema_to_dict(source.schema),
        "cases": source.n_cases,
        "unit": source.unit,
        "weighted": source.weighted,
        "complete": source.complete,
        "ends": ends,
    }


def _plain(number: int | float | np.generic) -> Any:
    return number.item() if isinstance(number, np.generic) else int(number) if not isinstance(number, float) else number


def _digest(fields: dict[str, Any]) -> str:
    text = json.dumps(fields, sort_keys=True)
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()
