"""The kinds of input by name; each is a module with `draw`, `run` and `MEMORY_MAY_RUN_OUT`."""

from __future__ import annotations

from functools import cache
from importlib import import_module
from typing import Any

KINDS = {
    "table": "tables",
    "model": "models",
    "c45": "case_files",
    "csv": "csv_files",
    "arff": "arff_files",
    "cache": "caches",
    "export": "exports",
    "parameter": "parameters",
    "sequence": "sequences",
    "command": "commands",
    "linked": "linked_tables",
    "folder": "linked_files",
    "database": "databases",
    "relational": "linked_models",
}
"""Which module has each."""
FOR_TESTS = {"deed": "deeds"}


@cache
def kind_named(name: str) -> Any:
    """The module of a kind."""
    return import_module(f".{(KINDS | FOR_TESTS)[name]}", __package__)
