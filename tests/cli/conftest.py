"""The command called in the same process, in a directory that has the golf cases."""

from __future__ import annotations

import pathlib
import shutil
from dataclasses import dataclass

import pytest

from ctree.cli.main import main

EXAMPLES = pathlib.Path(__file__).parents[2] / "examples"


@dataclass
class Answer:
    status: int
    out: str
    err: str


@pytest.fixture
def ctree_command(tmp_path, monkeypatch, capsys):
    """Call the command with words; answers its exit status and what it wrote."""
    for suffix in (".names", ".data"):
        shutil.copy(EXAMPLES / f"golf{suffix}", tmp_path)
    monkeypatch.chdir(tmp_path)

    def call(*words: str) -> Answer:
        status = main(list(words))
        return Answer(status, *capsys.readouterr())

    return call


@pytest.fixture
def golf_model(ctree_command):
    assert ctree_command("learn", "golf", "-o", "golf.json").status == 0
    return "golf.json"
