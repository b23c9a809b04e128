"""Models of the expected relational trees, with their data."""

from __future__ import annotations

import warnings
from collections.abc import Iterator
from functools import lru_cache
from pathlib import Path

from naive.relational_check import SHARED, data_folder, expected_trees, golden_files

import ctree
from support.relational_problems import RelationalProblem

FILES = golden_files(SHARED, slow=True) if SHARED.is_dir() else []


def name_of(path: Path) -> str:
    return f"{path.parent.name}-{path.stem}"


@lru_cache(maxsize=2)
def expected_data(path: Path) -> ctree.RelationalData:
    """The data of a file of expected trees."""
    return ctree.read_relational(str(data_folder(path) / "schema.json"))


def expected_models(path: Path) -> Iterator[ctree.RelationalTreeClassifier]:
    """A fitted model for each of the trees of a file, by the same settings."""
    for told in expected_trees(path):
        yield ctree.RelationalTreeClassifier(**told["settings"]).fit(expected_data(path))


def data_of(problem: RelationalProblem, folder: Path) -> ctree.RelationalData:
    """The data of a random problem, read from a folder that is made for it."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # tables that no links reach
        return ctree.read_relational(problem.write(folder))
