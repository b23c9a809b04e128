"""Model files: valid ones of every learner, old and new, with changes mild and hostile."""

from __future__ import annotations

import json
import random
from pathlib import Path
from typing import Any

import ctree
from ctree.errors import ModelError

from .judging import FindingError
from .learners import model_texts
from .model_changes import nearly_valid
from .mutations import damaged_bytes, hostile, mild
from .usage import check_usable

MEMORY_MAY_RUN_OUT = False
"""No file may ask for more memory than a small multiple of its size."""

TOKENS = [
    b"0",
    b"-",
    b",",
    b"]",
    b"[",
    b"e9",
    b'"',
    b"\\",
    b"{",
    b"1e999",
    b"NaN",
    b"\x00",
    b"null",
    b"true",
    b"\\ud800",
]


def prepare() -> None:
    """Make once what inputs are made from."""
    model_texts()


def draw(rng: random.Random) -> Any:
    """A model file as text; most small ones, as they take less time."""
    texts = sorted(rng.choices(model_texts(), k=3), key=len)
    text = texts[0] if rng.random() < 0.8 else texts[-1]
    way = rng.random()
    if way < 0.12:
        data = text.encode()
        for _ in range(rng.randint(1, 3)):
            data = damaged_bytes(rng, data, TOKENS)
        return {"text": data.decode("latin-1"), "seed": rng.getrandbits(32)}
    content = json.loads(text)
    if way < 0.65:
        for _ in range(rng.choice((1, 1, 2))):
            nearly_valid(rng, content)
    elif way < 0.8:
        mild(rng, content)
    else:
        for _ in range(rng.randint(1, 2)):
            hostile(rng, content)
    return {"content": content, "seed": rng.getrandbits(32)}


def loaded(given: Any, folder: Path) -> Any:
    """The model of the file, whose name is in the message if there is none."""
    path = folder / "model.json"
    path.write_bytes(given["text"].encode("latin-1") if "text" in given else json.dumps(given["content"]).encode())
    try:
        return ctree.load(path)
    except ModelError as error:
        if not str(error).startswith(f"{path}: "):
            raise FindingError("a message that does not name the file") from None
        raise


def run(given: Any, folder: Path) -> bool:
    """Load the file, and use the model."""
    check_usable(loaded(given, folder), folder, random.Random(given["seed"]))
    return True
