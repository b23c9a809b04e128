"""A short run of the fuzzer, and all inputs that once showed a fault."""

from __future__ import annotations

import json
import random
from pathlib import Path

import pytest

from fuzz.kinds import KINDS, kind_named
from fuzz.run import Run, Settings, summary
from fuzz.smaller import smaller
from fuzz.worker import Worker, random_of

FOUND = sorted((Path(__file__).parent / "found").glob("*.json"))
SEED = 13
COUNTS = {
    "table": 50,
    "model": 100,
    "c45": 360,
    "csv": 400,
    "arff": 320,
    "cache": 120,
    "export": 200,
    "parameter": 160,
    "sequence": 100,
    "command": 160,
    "linked": 50,
    "folder": 60,
    "database": 50,
    "relational": 80,
}
"""Inputs of each kind in the short run, about a second each."""


@pytest.fixture(scope="module")
def worker():
    with Worker() as process:
        yield process


@pytest.mark.slow
@pytest.mark.parametrize("kind", KINDS)
def test_a_short_run_finds_nothing(kind):
    run = Run(Settings([kind], SEED, count=COUNTS[kind]))
    run.go()
    assert not run.found, summary(run)
    outcomes = run.tallies[kind].outcomes
    assert outcomes["valid"] >= 0.3 * run.tallies[kind].inputs, "half of the inputs should be valid or nearly so"


@pytest.mark.parametrize("path", FOUND, ids=lambda path: path.stem)
def test_what_was_found_stays_mended(path, worker):
    content = json.loads(path.read_text())
    verdict = worker.verdict(kind=content["kind"], given=content["input"])
    assert verdict["outcome"] != "finding", verdict


@pytest.mark.parametrize("kind", KINDS)
def test_an_input_depends_on_nothing_but_its_kind_seed_and_number(kind, worker):
    for number in range(5):
        here = kind_named(kind).draw(random_of(kind, SEED, number))
        assert json.loads(json.dumps(here)) == worker.drawn(kind, SEED, number)


class TestWhatCountsAsAFinding:
    """A kind that does what it is told, in a process of its own."""

    @pytest.mark.parametrize(
        ("deed", "what"),
        [
            ("crash", "a crash (SIGSEGV)"),
            ("hang", "a hang (over 1 s of the processor)"),
            ("foreign", "ZeroDivisionError"),
            ("memory", "MemoryError"),
            ("warning", "RuntimeWarning"),
            ("newline", "a message with a raw newline"),
            ("long", "a message of over 500 characters"),
            ("nan", "a probability that is NaN"),
            ("negative", "a negative probability"),
            ("sum", "probabilities that do not add up to 1"),
        ],
    )
    def test_it_is_noticed(self, deed, what):
        with Worker(seconds=1, megabytes=512) as process:
            verdict = process.verdict(kind="deed", given=deed)
            assert (verdict["outcome"], verdict["what"]) == ("finding", what), verdict
            assert process.verdict(kind="deed", given="nothing")["outcome"] == "valid"

    def test_a_refusal_is_none(self):
        with Worker() as process:
            assert process.verdict(kind="deed", given="refuse")["outcome"] == "refused"


def test_a_finding_is_made_smaller():
    rng = random.Random(1)
    given = {"rows": [[rng.randrange(100) for _ in range(5)] for _ in range(20)] + [[7, 777, 7]], "text": "x" * 100}
    found = smaller(given, lambda x: any(777 in row for row in x["rows"]), seconds=60)
    assert found["rows"] == [[777]]
    assert len(found["text"]) <= 8
