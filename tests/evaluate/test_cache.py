"""The file of results that a comparison goes on from, damaged in all ways."""

from __future__ import annotations

import json
import math

import pytest

import ctree
from ctree.evaluate.cache import CacheError, ResultCache
from ctree.evaluate.comparison import compare
from ctree.evaluate.protocols import StratifiedFolds


def changed(line, **parts):
    entry = json.loads(line)
    entry["scores"] |= parts.pop("scores", {})
    return json.dumps(entry | parts)


DAMAGED = {
    "nested": lambda line: "[" * 100_000,
    "nested objects": lambda line: '{"key":' * 50_000,
    "400 digits": lambda line: changed(line, scores={"accuracy": 10**400}),
    "5,000 digits": lambda line: line.replace('"accuracy": ', '"accuracy": ' + "9" * 5000),
    "infinite": lambda line: changed(line, scores={"accuracy": math.inf}),
    "huge": lambda line: changed(line, scores={"accuracy": 1e308}),
    "text": lambda line: changed(line, scores={"accuracy": "0.5"}),
    "another measure": lambda line: changed(line, scores={"beauty": 0.5}),
    "no measure": lambda line: json.dumps(json.loads(line) | {"scores": {}}),
    "a list of scores": lambda line: json.dumps(json.loads(line) | {"scores": [1]}),
    "warnings that are text": lambda line: changed(line, warnings="abc"),
    "cut short": lambda line: line[:40],
    "other bytes": lambda line: "\0\x7f",
}


@pytest.mark.parametrize("damage", DAMAGED)
def test_a_damaged_line_of_the_cache_is_computed_again(damage, tmp_path):
    def run():
        cache = ResultCache(tmp_path)
        try:
            result = compare(
                {"golf": ctree.load_golf()},
                {"c4.5": ctree.C45Classifier()},
                protocol=StratifiedFolds(2, 1),
                cache=cache,
            )
        finally:
            cache.close()
        return result.scores["accuracy"].tolist(), dict(result.warnings)

    whole = run()
    file = tmp_path / "results.jsonl"
    first, *others = file.read_text().splitlines()
    file.write_text("\n".join([DAMAGED[damage](first), *others]) + "\n")
    assert run() == whole
    assert file.read_text().splitlines()[-1].startswith(first[:80])


def test_a_file_of_somebody_else_is_not_added_to(tmp_path):
    file = tmp_path / "results.jsonl"
    file.write_text('{"name": "mine"}\n')
    with pytest.raises(CacheError, match="this file has no results of ctree; save them in another folder"):
        ResultCache(tmp_path)
    assert file.read_text() == '{"name": "mine"}\n'
    file.write_text("\n")
    ResultCache(tmp_path).close()
