"""Everything that writes or reads files, in a folder of its own, so that it can be done again and compared."""

from __future__ import annotations

import contextlib
import io
from collections.abc import Callable
from pathlib import Path

import ctree
from ctree.cli.main import main
from ctree.errors import CtreeError

from .subjects import LEARNERS, LINKED_NEW, NEW, examples_for, state

OLD_TEXT = b"what was here before\n" * 1000
"""Longer than some of the new files and shorter than others."""


class CommandError(CtreeError):
    """The command has ended with status 1 and one sentence."""


def command(*words: object) -> str:
    """Run `ctree` in this process; what it prints. A failure that it explains is an exception."""
    out, err = io.StringIO(), io.StringIO()
    with contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
        status = main([str(word) for word in words])
    if status == 1 and err.getvalue().count("\n") == 1:
        raise CommandError(err.getvalue().strip())
    if status:
        raise AssertionError(f"status {status}: {err.getvalue()}")
    return out.getvalue()


def writers(inputs: Path, out: Path) -> dict[str, tuple[list[Path], Callable[[], object]]]:
    """What is written, by name: the files, which are in `out`, and the function that writes them."""
    model = ctree.C45Classifier().fit(NEW)
    sampled = LEARNERS["MCMC"]().fit(NEW)
    saved, runs, stem = inputs / "model.json", inputs / "runs.json", inputs / "cases"
    ctree.save(model, saved)
    ctree.save(sampled, runs)
    ctree.write_c45(NEW, stem)
    text, page = out / "out.txt", out / "out.html"

    def exported(*options: str) -> tuple[list[Path], Callable[[], object]]:
        return [text], lambda: command("export", saved, *options, "-o", text, "--force")

    def converted(*names: str) -> tuple[list[Path], Callable[[], object]]:
        target = out / names[0].removesuffix(".names")
        return [out / name for name in names], lambda: command("convert", stem, target, "--force")

    return {
        **{f"save {name}": _saved(name, text) for name in LEARNERS},
        "save a tree": ([text], lambda: ctree.save(model.tree_, text)),
        "learn": ([text], lambda: command("learn", stem, "-o", text, "--force")),
        "export sql": exported("--to", "sql"),
        "export pmml": exported("--to", "pmml"),
        "export python": exported("--to", "python"),
        "export c": exported("--to", "c"),
        "predict": ([text], lambda: command("predict", saved, f"{stem}.data", "-o", text, "--force")),
        "predict json": ([text], lambda: command("predict", saved, f"{stem}.data", "--json", "-o", text, "--force")),
        "mine": ([text], lambda: command("mine", stem, "-o", text, "--force")),
        "envelope": ([text], lambda: command("envelope", runs, f"{stem}.data", "-o", text, "--force")),
        "show html": ([page], lambda: command("show", saved, "--html", page, "--force")),
        "convert csv": converted("out.csv"),
        "convert arff": converted("out.arff"),
        "convert c4.5": converted("out.names", "out.data"),
        "write_csv": ([text], lambda: ctree.write_csv(NEW, text)),
        "write_arff": ([text], lambda: ctree.write_arff(NEW, text)),
        "write_relational": (
            [out / name for name in ("schema.json", "example.csv", "part.csv", "link.csv", "maker.csv")],
            lambda: ctree.write_relational(LINKED_NEW, out),
        ),
    }


def _saved(name: str, file: Path) -> tuple[list[Path], Callable[[], object]]:
    model = LEARNERS[name]()
    model.fit(examples_for(model)[1])
    return [file], lambda: ctree.save(model, file)


def readers(folder: Path) -> dict[str, Callable[[], object]]:
    """What is read, by name: a function that reads it from a folder and returns what can be compared."""
    stem = folder / "cases"
    ctree.save(ctree.C45Classifier().fit(NEW), folder / "model.json")
    ctree.write_c45(NEW, stem)
    ctree.write_csv(NEW, folder / "cases.csv")
    ctree.write_arff(NEW, folder / "cases.arff")
    ctree.write_relational(LINKED_NEW, folder)
    return {
        "load": lambda: state(ctree.load(folder / "model.json")),
        "read_c45": lambda: repr(ctree.read_c45(stem).columns),
        "read_csv": lambda: repr(ctree.read_csv(folder / "cases.csv").columns),
        "read_arff": lambda: repr(ctree.read_arff(folder / "cases.arff").columns),
        "read_relational": lambda: repr([table.columns for table in ctree.read_relational(folder).tables]),
        "predict": lambda: command("predict", folder / "model.json", f"{stem}.data"),
    }
