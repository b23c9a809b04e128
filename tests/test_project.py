"""What several files say of the project must agree."""

from __future__ import annotations

import re
import tomllib
from pathlib import Path

import pytest

import ctree

PROJECT = Path(__file__).parents[1]
ROOMS = ("ctree", "ctree_ext", "tests", "docs", "benchmarks", "examples", ".ci")
LONGEST = {".py": 400, ".pyx": 600, ".pxd": 600}
"""So many lines are read in one sitting."""


def found(pattern: str, name: str) -> str:
    match = re.search(pattern, (PROJECT / name).read_text("utf-8"), flags=re.MULTILINE)
    assert match, f"{name} has nothing of the form {pattern}"
    return match[1]


def test_the_version_is_the_same_everywhere():
    assert found(r"^version: (\S+)$", "CITATION.cff") == ctree.__version__
    assert found(r"^## \[(\S+)\]", "CHANGELOG.md") == ctree.__version__


def test_the_package_takes_its_version_from_ctree():
    project = tomllib.loads((PROJECT / "pyproject.toml").read_text("utf-8"))
    assert "version" not in project["project"]
    assert project["tool"]["setuptools"]["dynamic"]["version"] == {"attr": "ctree.__version__"}


def test_hints_to_install_an_extra_work_in_every_shell():
    """zsh takes brackets without quotes for a pattern."""
    texts = [*PROJECT.glob("*.md"), *(PROJECT / "docs").rglob("*.md"), *(PROJECT / "ctree").rglob("*.py")]
    for path in texts:
        assert not re.findall(r"pip install (?:-e )?[\w.-]+\[", path.read_text("utf-8")), path.relative_to(PROJECT)


def test_hints_name_libraries_and_extras_that_there_are():
    extras = tomllib.loads((PROJECT / "pyproject.toml").read_text("utf-8"))["project"]["optional-dependencies"]
    libraries = {re.split(r"[>\[]", package)[0] for packages in extras.values() for package in packages}
    hints = []
    for path in (PROJECT / "ctree").rglob("*.py"):
        text = path.read_text("utf-8")
        named = re.findall(r"pip install 'ctree-learn\[([\w,-]+)\]'", text)
        assert {one for names in named for one in names.split(",")} <= set(extras), path.relative_to(PROJECT)
        hints += re.findall(r"""raise missing\([^,\n]+, "([^"]+)", "([^"]+)"(?:, "([^"]+)")?\)""", text)
    assert len(hints) > 10
    for library, extra, packages in hints:
        assert extra in extras, extra
        asked = [re.split(r"\[", word.strip("'"))[0] for word in (packages or library).split()]
        assert set(asked) <= libraries, asked
        assert library in asked


@pytest.mark.parametrize("room", ROOMS)
def test_files_are_short_or_say_why_not(room):
    for path in (PROJECT / room).rglob("*"):
        limit = LONGEST.get(path.suffix)
        lines = path.read_text("utf-8").splitlines() if limit else []
        if limit and len(lines) > limit:
            head = "\n".join(lines[:30]).lower()
            assert f"longer than {limit} lines because" in head, f"{path.relative_to(PROJECT)} has {len(lines)} lines"
