"""Caches of comparisons: the lines of one that was really made, changed and damaged."""

from __future__ import annotations

import json
import math
import random
import tempfile
from functools import cache
from pathlib import Path
from typing import Any

import ctree
from ctree.evaluate.cache import ResultCache

from .judging import FindingError
from .learners import small_tables
from .mutations import damaged_bytes, hostile, mild

MEMORY_MAY_RUN_OUT = False

TOKENS = [
    b"{",
    b"}",
    b"[" * 2000,
    b"]",
    b'"',
    b"\\",
    b"NaN",
    b"Infinity",
    b"1" * 400,
    b"\xff",
    b"\0",
    b"\n",
    b"null",
    b",",
]


def compared(folder: Path) -> tuple[Any, int]:
    """A small comparison with its cache in a folder, and how many results the cache had."""
    results = ResultCache(folder)
    try:
        known = len(results)
        learners = {"tree": ctree.C45Classifier(), "bayes": ctree.NaiveBayesClassifier()}
        protocol = ctree.StratifiedFolds(folds=2, repeats=1)
        return ctree.compare({"golf": small_tables()[2]}, learners, protocol=protocol, cache=results), known
    finally:
        results.close()


@cache
def entries() -> list[dict[str, Any]]:
    """The results of a cache, in the order of their trials, without the times that they took."""
    with tempfile.TemporaryDirectory() as folder:
        compared(Path(folder))
        lines = (Path(folder) / "results.jsonl").read_text("utf-8").splitlines()
    found = [json.loads(line) for line in lines]
    for entry in found:
        entry["scores"].update({"fit-seconds": 0.001, "predict-seconds": 0.0001})
    return sorted(found, key=lambda entry: (entry["learner"], entry["split"]))


@cache
def valid_lines() -> list[str]:
    """Their lines. The keys depend on the code, so an input has others in their place, which `run` replaces."""
    return [json.dumps({**entry, "key": f"key-{i}"}) for i, entry in enumerate(entries())]


def prepare() -> None:
    """Make once what inputs are made from."""
    valid_lines()


def draw(rng: random.Random) -> Any:
    """A cache file: some lines as they were, some with other numbers, some damaged."""
    lines = [line.encode() for line in valid_lines()]
    for i in range(len(lines)):
        way = rng.random()
        if way < 0.3:
            continue
        if way < 0.9:
            entry = json.loads(lines[i])
            (mild if way < 0.6 else hostile)(rng, entry["scores"] if rng.random() < 0.5 else entry)
            lines[i] = json.dumps(entry).encode()
        else:
            lines[i] = damaged_bytes(rng, lines[i], TOKENS)
    rng.shuffle(lines)
    text = b"\n".join(lines) + rng.choice((b"\n", b"\n", b"", b"\n\n"))
    return {"text": text.decode("latin-1")}


def run(given: Any, folder: Path) -> bool:
    """Compare with such a cache; what is damaged is computed again. Valid: all of it could be used."""
    text = given["text"].encode("latin-1")
    for i, entry in enumerate(entries()):
        text = text.replace(f"key-{i}".encode(), entry["key"].encode())
    (folder / "results.jsonl").write_bytes(text)
    comparison, known = compared(folder)
    for measure in ("accuracy", "log-likelihood"):
        ctree.measure_table(comparison, measure).to_text()
    again = ResultCache(folder)
    again.close()
    if len(again) < len(valid_lines()):
        raise FindingError("a cache that was not completed")
    if any(math.isinf(score) for trial in again._known.values() for score in trial.scores.values()):
        raise FindingError("an infinite score that was taken from a cache")
    return known >= len(valid_lines())
