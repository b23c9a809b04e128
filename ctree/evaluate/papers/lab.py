"""The setting of a paper's experiments: its data sets, and how learners are compared on them."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, TypeVar

import numpy as np

from ctree.data.dataset import Column, Dataset
from ctree.data.files.arff_files import read_arff
from ctree.data.files.c45_files import read_c45
from ctree.data.files.csv_files import read_csv
from ctree.data.relational.data import RelationalData
from ctree.data.relational.reading import read_relational
from ctree.data.schema import Schema
from ctree.errors import DataError
from ctree.evaluate.cache import ResultCache
from ctree.evaluate.candidates import Cases
from ctree.evaluate.comparison import Comparison, compare
from ctree.evaluate.preparation import Preparation
from ctree.evaluate.protocols import ResamplingProtocol
from ctree.progress import ProgressCallback

OTHER_NAMES: Mapping[str, tuple[str, ...]] = {
    "autos": ("auto",),
    "australian": ("australian-credit", "credit-australian"),
    "breast-w": ("breast-cancer-wisconsin",),
    "colic": ("horse-colic",),
    "credit-g": ("german", "german-credit", "credit-german"),
    "diabetes": ("pima", "pima-diabetes"),
    "glass-2": ("glass2",),
    "heart-cleveland": ("heart-c", "cleveland"),
    "hypothyroid": ("hypo",),
    "kr-vs-kp": ("chess",),
    "lymph": ("lymphography",),
    "sick": ("sick-euthyroid",),
    "vote": ("house-votes-84", "votes"),
}
"""How else the files of a data set may be called."""

FLOAT, NON_FLOAT = ("build wind float", "vehic wind float"), ("build wind non-float", "vehic wind non-float")
REGROUPED: Mapping[str, tuple[str, Mapping[str, tuple[str, ...]]]] = {
    "glass-2": ("glass", {"float": FLOAT, "non-float": NON_FLOAT}),
    "glass-2 (buildings)": ("glass", {"float": FLOAT[:1], "non-float": NON_FLOAT[:1]}),
    "glass-2 (windows)": ("glass", {"window": FLOAT + NON_FLOAT, "other": ("containers", "tableware", "headlamps")}),
}
"""Sets that are another one with other classes: which one, and the classes with those that they are made of."""


Found = TypeVar("Found", Dataset, RelationalData)


@dataclass
class Lab:
    """What a paper's experiments need.

    Parameters
    ----------
    folder : str or path
        Where the data sets are: C4.5 files, ``.arff`` or ``.csv`` with the class last; linked tables as folders with a
        ``schema.json``, there or in its folder ``relational``.
    quick : bool
        A reduced version that takes minutes.
    experiment : str or None
        One of the paper's further experiments.
    cache : ResultCache or None
    n_jobs : int
    progress : callable or bool, optional
        Called with a `Progress` after every result; True shows it on standard error.
    """

    folder: str | Path
    quick: bool = False
    experiment: str | None = None
    cache: ResultCache | None = None
    n_jobs: int = 1
    progress: ProgressCallback | bool | None = None
    found: list[str] = field(default_factory=list)
    lacking: list[str] = field(default_factory=list)

    def sets(self, names: tuple[str, ...] | list[str], *, whole: bool = False) -> dict[str, Dataset]:
        """The data sets among these that are available; with `whole`, test cases are added to the others.

        The report lists which are available and which are not. It is an error if none is.
        """
        return self._found(names, lambda name: self._read(name, whole))

    def linked_sets(self, names: tuple[str, ...] | list[str]) -> dict[str, RelationalData]:
        """The same of sets of linked tables."""
        return self._found(names, self._read_linked)

    def _found(self, names: tuple[str, ...] | list[str], read: Callable[[str], Found | None]) -> dict[str, Found]:
        if not Path(self.folder).is_dir():
            raise DataError("there is no such directory", str(self.folder))
        result = {}
        for name in names:
            data = read(name)
            if data is None:
                self.lacking.append(name)
            else:
                self.found.append(name)
                result[name] = data
        if not result:
            raise DataError(f"none of the paper's data sets was found: {', '.join(names)}", str(self.folder))
        return result

    def _read_linked(self, name: str) -> RelationalData | None:
        for place in (Path(self.folder), Path(self.folder) / "relational"):
            if (place / name / "schema.json").exists():
                return read_relational(place / name, unknown_class="drop")
        return None

    def _read(self, name: str, whole: bool) -> Dataset | None:
        for other in (name, *OTHER_NAMES.get(name, ())):
            stem = Path(self.folder) / other
            if Path(f"{stem}.names").exists() and Path(f"{stem}.data").exists():
                data = read_c45(str(stem), unknown_class="drop")
                if whole and Path(f"{stem}.test").exists():
                    return joined(data, read_c45(str(stem), "test", unknown_class="drop"))
                return data
            if Path(f"{stem}.arff").exists():
                return read_arff(f"{stem}.arff", unknown_class="drop")
            if Path(f"{stem}.csv").exists():
                return read_csv(f"{stem}.csv", unknown_class="drop")
        if name in REGROUPED:
            source, groups = REGROUPED[name]
            original = self._read(source, whole)
            return None if original is None else regrouped(original, groups)
        return None

    def compare(
        self,
        sets: Mapping[str, Cases],
        learners: Mapping[str, Any],
        protocol: ResamplingProtocol,
        preparation: Preparation | None = None,
    ) -> Comparison:
        """Try learners on data sets."""
        return compare(
            sets,
            learners,
            protocol=protocol,
            preparation=preparation,
            cache=self.cache,
            n_jobs=self.n_jobs,
            progress=self.progress,
        )

    def compare_each(
        self,
        sets: Mapping[str, Dataset],
        learners: Callable[[str], Mapping[str, Any]],
        protocol: ResamplingProtocol,
        preparation: Preparation | None = None,
    ) -> Comparison:
        """Try on each data set the learners that are meant for it; they have the same names for all."""
        each = [self.compare({name: data}, learners(name), protocol, preparation) for name, data in sets.items()]
        result = each[0]
        for other in each[1:]:
            assert other.learners == result.learners
            result.rows += other.rows
            result.warnings |= other.warnings
            result.reused += other.reused
            result.seconds += other.seconds
        result.scores = {m: np.concatenate([one.scores[m] for one in each]) for m in result.scores}
        result.test_ratios = np.concatenate([one.test_ratios for one in each])
        return result


def joined(first: Dataset, second: Dataset) -> Dataset:
    """The cases of two data sets with the same schema, one after the other."""
    columns: list[Column | None] = [
        None if a is None or b is None else np.concatenate([a, b])
        for a, b in zip(first.columns, second.columns, strict=True)
    ]
    assert first.classes is not None
    assert second.classes is not None
    classes = np.concatenate([first.classes, second.classes])
    return Dataset(first.schema, columns, classes, n_cases=first.n_cases + second.n_cases)


def regrouped(data: Dataset, groups: Mapping[str, tuple[str, ...]]) -> Dataset:
    """The cases of some classes, with new classes that are each made of several of the old ones."""
    assert data.classes is not None
    codes = np.full(data.schema.n_classes, -1, dtype=np.int32)
    for code, names in enumerate(groups.values()):
        codes[[label in names for label in data.schema.classes]] = code
    some = data.take(np.flatnonzero(codes[data.classes] >= 0))
    assert some.classes is not None
    schema = Schema(data.schema.attributes, tuple(groups))
    return Dataset(schema, some.columns, codes[some.classes], some.weights, n_cases=some.n_cases)


def warning_notes(comparison: Comparison) -> list[str]:
    """What learners warned of, in sentences."""
    return [
        f"{name} on {row}, {count} of {comparison.scores['accuracy'].shape[2]} splits: {text}"
        for (row, name), texts in comparison.warnings.items()
        for text, count in texts.items()
    ]
