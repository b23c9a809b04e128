"""Who may know whom, and what every public name owes its reader."""

from __future__ import annotations

import ast
import doctest
import inspect
from pathlib import Path

import pytest

import ctree

PROJECT = Path(__file__).parents[1]

# Each room with those that it may know besides itself.
MAY_KNOW = {
    "imports": set(),
    "wording": set(),
    "errors": {"wording"},
    "domains": {"errors", "wording"},
    "progress": {"errors", "wording"},
    "data": {"imports", "errors", "domains", "wording"},
    "tree": {"imports", "errors", "domains", "wording", "data"},
    "criteria": {"errors", "domains", "tree"},
    "scale": {"errors", "domains", "wording", "progress", "data"},
    "learners": {"imports", "errors", "domains", "wording", "progress", "data", "tree", "scale"},
    "evaluate": {"imports", "errors", "wording", "progress", "data", "tree", "learners"},
    "render": {"errors", "wording", "data", "tree", "learners", "evaluate"},
    "plot": {"errors", "data", "evaluate", "render"},
    "store": {"errors", "wording", "data", "tree", "learners"},
    "export": {"errors", "domains", "wording", "data", "tree", "learners"},
    "cli": {
        *("errors", "domains", "wording", "data", "tree", "scale", "learners"),
        *("evaluate", "render", "store", "export", ""),
    },
    "__main__": {"cli"},
}
# What methods such as `to_text` and `to_sql` import when they are called: the rooms that a model hands itself to.
HANDS_ON_TO = {"tree": {"render", "export"}, "learners": {"render", "export"}, "evaluate": {"render"}}


def within_functions(tree: ast.Module) -> set[ast.AST]:
    functions = [node for node in ast.walk(tree) if isinstance(node, ast.FunctionDef)]
    return {node for function in functions for node in ast.walk(function)}


def imported_modules(path: Path, *, when_called: bool = True) -> set[str]:
    """Every module that a file imports, at its top or within a function, for type checkers only or not."""
    package = ".".join(path.relative_to(PROJECT).with_suffix("").parts[:-1])
    modules = set()
    tree = ast.parse(path.read_text("utf-8"))
    left_out = set() if when_called else within_functions(tree)
    for node in ast.walk(tree):
        if node in left_out:
            continue
        if isinstance(node, ast.Import):
            modules |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom):
            parents = package.split(".")[: len(package.split(".")) + 1 - node.level] if node.level else []
            module = ".".join([*parents, *([node.module] if node.module else [])])
            modules |= {module} | {f"{module}.{alias.name}" for alias in node.names}
    return modules


def room_of(module: str) -> str:
    """The room of a module of ctree; empty for ctree itself."""
    parts = module.split(".")
    return parts[1] if len(parts) > 1 else ""


MODULES = sorted(
    path for path in (PROJECT / "ctree").rglob("*.py") if path.relative_to(PROJECT) != Path("ctree/__init__.py")
)


@pytest.mark.parametrize("path", MODULES, ids=lambda path: str(path.relative_to(PROJECT)))
def test_no_arrow_goes_back(path):
    parts = path.relative_to(PROJECT).with_suffix("").parts
    room = parts[1]
    for when_called, allowed in ((False, set()), (True, HANDS_ON_TO.get(room, set()))):
        known = set()
        for module in imported_modules(path, when_called=when_called):
            if module.split(".")[0] == "ctree":
                name = room_of(module)
                # `from ctree import x` is an import of ctree itself.
                known.add(name if name in MAY_KNOW else "")
        strange = known - {room} - MAY_KNOW[room] - allowed
        assert not strange, f"{room} may not know {sorted(strange)}"


def test_scipy_is_imported_whole_or_not_at_all():
    found = {str(p.relative_to(PROJECT)): {m for m in imported_modules(p) if m.startswith("scipy")} for p in MODULES}
    found = {path: modules for path, modules in found.items() if modules}
    # Whoever has a compiled criterion has loaded that module.
    assert found == {"ctree/learners/base/own_criterion.py": {"scipy", "scipy.LowLevelCallable"}}


def test_the_kernels_know_nothing_of_ctree():
    for path in sorted((PROJECT / "ctree_ext").rglob("*")):
        if path.suffix in (".py", ".pyi"):
            assert not [m for m in imported_modules(path) if m.split(".")[0] == "ctree"], path.name
        elif path.suffix in (".pyx", ".pxd"):
            lines = path.read_text("utf-8").splitlines()
            words = [line.split() for line in lines if line.lstrip().startswith(("import ", "cimport ", "from "))]
            assert not [w for w in words if w[1].split(".")[0] == "ctree"], path.name


def test_every_compiled_module_has_a_stub():
    missing = [p.stem for p in (PROJECT / "ctree_ext").rglob("*.pyx") if not p.with_suffix(".pyi").exists()]
    assert missing == []


def public_names() -> list[str]:
    return [name for name in ctree.__all__ if name != "__version__"]


def test_every_public_name_is_there():
    assert all(hasattr(ctree, name) for name in ctree.__all__)
    assert set(ctree.__all__) <= set(dir(ctree))


@pytest.mark.parametrize("name", public_names())
def test_every_public_name_has_an_example_that_runs(name):
    value = getattr(ctree, name)
    assert inspect.getdoc(value)
    examples = [test for test in doctest.DocTestFinder(recurse=False).find(value, name) if test.examples]
    assert examples, f"the docstring of {name} has no example"
