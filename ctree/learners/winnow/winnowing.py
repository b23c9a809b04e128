"""Winnowing: what was found out about the attributes, and which of them are kept."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from ctree.data.dataset import Dataset
from ctree.data.describe import aligned
from ctree.data.schema import Attribute, Kind, Schema
from ctree.errors import DataError
from ctree.wording import abbreviated, abbreviated_list, plural

MOST_ROWS = 40
"""Of attributes that are shown as text or in a notebook."""

WORDS = {"refit": "learned without it", "unknown": "with its values unknown", "permute": "with its values permuted"}
"""What the loss without an attribute is that of."""


@dataclass(frozen=True)
class AttributeUse:
    """What an attribute is good for.

    Parameters
    ----------
    name : str
    used : bool
        Whether the model of the first half asks for it.
    rise : float or None
        How much more is lost on the second half without it; None if it is not used.
    kept : bool
    """

    name: str
    used: bool
    rise: float | None
    kept: bool


@dataclass(frozen=True, repr=False)
class Winnowing:
    """Which attributes can be left out, as `ctree.winnow` has found out; as text, a page to read.

    Parameters
    ----------
    attributes : tuple of AttributeUse
        In the order of the data, without those that are ignored anyway.
    loss : {"log-loss", "brier", "error", "cost"}
    by : {"refit", "unknown", "permute"}
        How the loss without an attribute was found.
    learner : str
        What learned the models.
    seed : int
        Of the halves.
    n_learned, n_tested : int
        The cases in each half.
    loss_all, loss_kept : float
        What models of the first half lose on the second, with all attributes and with those kept.
    note : str
        Why all are kept, if some seemed to be of no use; else empty.

    Examples
    --------
    >>> import ctree
    >>> found = ctree.winnow(ctree.load_iris(), estimator=ctree.BayesianTreeClassifier())
    >>> found.kept, found.left_out
    (('petal_width',), ('sepal_length', 'sepal_width', 'petal_length'))
    >>> found
    1 of 4 attributes is kept, by log-loss
    BayesianTreeClassifier, learned from 75 cases and tested on 75 others, seed 0:
    0.2544 with all attributes, 0.2209 with those kept
    <BLANKLINE>
    attribute    learned without it
    petal_width             +0.6612  kept
    sepal_width             -0.0335  left out
    2 attributes not used: sepal_length, petal_length
    """

    attributes: tuple[AttributeUse, ...]
    loss: str
    by: str
    learner: str
    seed: int
    n_learned: int
    n_tested: int
    loss_all: float
    loss_kept: float
    note: str = ""

    @property
    def kept(self) -> tuple[str, ...]:
        """The names of the attributes to learn from, in the order of the data."""
        return tuple(attribute.name for attribute in self.attributes if attribute.kept)

    @property
    def left_out(self) -> tuple[str, ...]:
        """The names of the others."""
        return tuple(attribute.name for attribute in self.attributes if not attribute.kept)

    def reduced(self, data: Dataset) -> Dataset:
        """The cases of a `Dataset` with those left out ignored, so that a model learned from them takes both.

        Predictions then neither need their values nor mind them.

        Examples
        --------
        >>> import ctree
        >>> iris = ctree.load_iris()
        >>> model = ctree.C45Classifier().fit(ctree.winnow(iris).reduced(iris))
        >>> model.predict({"petal_width": [0.2, 1.3]}).tolist()
        ['Iris-setosa', 'Iris-versicolor']
        """
        if not isinstance(data, Dataset):
            raise DataError("only a Dataset can be reduced: ctree.from_arrays makes one of a table")
        gone = {data.schema.index(name) for name in self.left_out}
        entries = [Attribute(a.name, Kind.IGNORE) if i in gone else a for i, a in enumerate(data.schema)]
        columns = [None if i in gone else column for i, column in enumerate(data.columns)]
        return data.replaced(Schema(tuple(entries), data.schema.classes), columns)

    def support(self, names: Sequence[str]) -> npt.NDArray[np.bool_]:
        """Of columns of these names, whether each is kept."""
        gone = set(self.left_out)
        return np.array([name not in gone for name in names], dtype=bool)

    def ordered(self) -> list[AttributeUse]:
        """The attributes by how much is lost without them, the most first; those that are not used at the end."""
        return sorted(self.attributes, key=lambda a: (not a.used, -(a.rise or 0.0)))

    def size_text(self) -> str:
        """How many attributes are kept, in words."""
        n = len(self.kept)
        return f"{n:,} of {plural(len(self.attributes), 'attribute')} {'is' if n == 1 else 'are'} kept, by {self.loss}"

    def left_out_text(self) -> str:
        """Which are left out and which are kept, in words."""
        if not self.left_out:
            return f"no attribute is left out, by {self.loss}"
        left_out, kept = (abbreviated_list([abbreviated(n, 30) for n in names]) for names in (self.left_out, self.kept))
        counted = f"{len(self.left_out):,} of {plural(len(self.attributes), 'attribute')} left out, by {self.loss}"
        return f"{counted}: {left_out}; kept: {kept}"

    def trials_text(self) -> str:
        """What was learned and tested, in words."""
        return (
            f"{self.learner}, learned from {plural(self.n_learned, 'case')} and tested on {self.n_tested:,} others, "
            f"seed {self.seed}:\n{self.loss_all:.4f} with all attributes, {self.loss_kept:.4f} with those kept"
        )

    def used(self) -> list[AttributeUse]:
        """Those that the model of the first half asks for, by how much is lost without them, the most first."""
        return [attribute for attribute in self.ordered() if attribute.used]

    def unused_text(self) -> str:
        """Which attributes the model of the first half does not ask for, in words; empty if there are none."""
        names = [abbreviated(attribute.name, 30) for attribute in self.attributes if not attribute.used]
        return f"{plural(len(names), 'attribute')} not used: {abbreviated_list(names)}" if names else ""

    def __str__(self) -> str:
        shown = self.used()
        rows = [("attribute", WORDS[self.by], "")]
        for a in shown[:MOST_ROWS]:
            rows.append((abbreviated(a.name, 30), f"{a.rise:+.4f}", "kept" if a.kept else "left out"))
        lines = [self.size_text(), self.trials_text(), *([self.note] if self.note else [])]
        lines += ["", *aligned(rows, "<><")] if shown else []
        if len(shown) > MOST_ROWS:
            lines.append(f"… and {plural(len(shown) - MOST_ROWS, 'attribute')} more, which to_dict() has")
        return "\n".join([*lines, *([self.unused_text()] if self.unused_text() else [])])

    def __repr__(self) -> str:
        return str(self)

    def _repr_html_(self) -> str:
        from ctree.render.cells.winnowing_cell import winnowing_cell

        return winnowing_cell(self)

    def to_dict(self) -> dict[str, Any]:
        """The same in the types of JSON; as lists of names, and rises by name for those that were used."""
        return {
            "kept": list(self.kept),
            "left_out": list(self.left_out),
            "rises": {a.name: a.rise for a in self.attributes if a.used},
            "loss": self.loss,
            "by": self.by,
            "learner": self.learner,
            "seed": self.seed,
            "n_learned": self.n_learned,
            "n_tested": self.n_tested,
            "loss_all": self.loss_all,
            "loss_kept": self.loss_kept,
            "note": self.note,
        }

    def to_frame(self, backend: str = "pandas") -> Any:
        """A row for each attribute, as a DataFrame of ``"pandas"``, ``"polars"`` or ``"pyarrow"``."""
        from ctree.data.tables.made_frames import frame_of
        from ctree.domains.domain import Choice

        Choice("pandas", "polars", "pyarrow").check("backend", backend)
        listed = self.ordered()
        columns = {
            "attribute": [a.name for a in listed],
            "used": [a.used for a in listed],
            "rise": [a.rise for a in listed],
            "kept": [a.kept for a in listed],
        }
        return frame_of(columns, backend)
