"""C4.5's files, scanned: everything is as `read_c45` reads it, wherever the text is divided."""

from __future__ import annotations

import numpy as np
import pytest
from support.scanned import check_parts

import ctree
from ctree.data.scan.c45_blocks import C45Reader
from ctree.errors import DataError
from ctree.scale import coding_pass
from ctree.scale.code_folder import CodeFolder
from ctree.scale.scanned_cases import ScannedCases

NAMES = """good, bad, never.
x: continuous.
colour: red, green, blue.
found: discrete 5.
skip: ignore.
class: continuous.
"""


def random_text(rng, n):
    """Cases with comments, escapes, empty lines, and lines that go on."""
    lines = []
    for _ in range(n):
        fields = [
            rng.choice(["1.5", "-3", "?", "N/A", repr(rng.normal())]),
            rng.choice(["red", "green", "?", "N/A", "blue"]),
            rng.choice(["a", "b c", "N/A", "?", "d\\,e", "f"]),
            rng.choice(["whatever", "?"]),
            str(rng.integers(0, 4)),
            rng.choice(["good", "bad"]),
        ]
        gaps = rng.choice([",", ", ", " ,", ",\n", ", | why, not\n  "], 5)
        line = fields[0] + "".join(str(gap) + field for gap, field in zip(gaps, fields[1:], strict=True))
        lines.append(line + str(rng.choice(["\n", ".\n", " | a comment\n", "\r\n", "\n\n\n", "\n| only, this,\n"])))
    return "".join(lines)


def scanned(stem, block, folder, **options):
    folder.mkdir(exist_ok=True)
    reader = C45Reader(stem, block=block)
    coding = coding_pass.code_all(reader, str(folder), memory=1 << 24, **options)
    return ScannedCases(coding, CodeFolder(str(folder)), 1 << 24)


@pytest.mark.parametrize("seed", range(8))
def test_random_files(tmp_path, seed, monkeypatch):
    rng = np.random.default_rng(seed)
    (tmp_path / "t.names").write_text(NAMES)
    (tmp_path / "t.data").write_text(random_text(rng, int(rng.integers(1, 200))))
    expected = ctree.read_c45(tmp_path / "t")
    with ctree.scan_c45(tmp_path / "t.data") as cases:
        check_parts(cases, expected)
    monkeypatch.setattr(coding_pass, "MOST_ROWS", 30)
    for block in (1, 7, 64, 1000):
        with scanned(tmp_path / "t", block, tmp_path / f"codes{block}", n_threads=1 + seed % 3) as cases:
            check_parts(cases, expected)


def test_values_are_counted_over_all_blocks(tmp_path):
    """N/A is not one of the values that were declared, whichever block it stands in."""
    (tmp_path / "t.names").write_text("p, q. d: discrete 2. e: discrete 2.")
    (tmp_path / "t.data").write_text("N/A, a, p\na, b, q\nb, N/A, p\n")
    with scanned(tmp_path / "t", 1, tmp_path / "codes") as cases:
        check_parts(cases, ctree.read_c45(tmp_path / "t"))
    (tmp_path / "t.data").write_text("N/A, a, p\na, b, q\nb, N/A, p\n\nc, a, q\n")
    for read in (ctree.read_c45, lambda stem: scanned(stem, 1, tmp_path / "codes")):
        with pytest.raises(DataError, match=r"t\.data:5: attribute 'd' has the value 'c', which is one more"):
            read(tmp_path / "t")


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("1, red, p\n| nothing\n2, reed, q\n", "t.data:3: attribute 'c' has the value 'reed'"),
        ("1, red, p\n2, red\n", "t.data:2: the case ends after 2 of its 3 fields"),
        ("1, red, p\n2, red, ?\n", "t.data:2: the class is unknown (?)"),
        ("1, red, p\n2, r\xe9d, q\n", "t.data:2: the byte 0xe9 is not UTF-8 text"),
        ("| nothing\n", "t.data: there are no cases"),
        ("", "t.data: there are no cases"),
    ],
)
@pytest.mark.parametrize("block", [1, 1 << 20])
def test_wrong_files_are_told_with_their_line(tmp_path, text, message, block):
    (tmp_path / "t.names").write_text("p, q. x: continuous. c: red, blue.")
    (tmp_path / "t.data").write_text(text, encoding="latin-1")
    with pytest.raises(DataError) as error:
        scanned(tmp_path / "t", block, tmp_path / "codes")
    assert message in str(error.value)
    assert str(error.value).count("t.data") == 1


@pytest.mark.parametrize("row", range(4))
@pytest.mark.parametrize("mark", ["\ufeff", "\ufeff\ufeff"])
@pytest.mark.parametrize("block", [1, 16, 1 << 20])
def test_a_byte_order_mark_is_one_at_the_beginning_of_the_file_only(tmp_path, row, mark, block):
    (tmp_path / "t.names").write_text("p, q. d: discrete 9. x: continuous.")
    lines = ["red, 1, p", "blue, 2, q", "red, 3, q", "blue, 4, p"]
    lines[row] = mark + lines[row]
    (tmp_path / "t.data").write_text("\n".join(lines) + "\n", encoding="utf-8")
    check_parts(scanned(tmp_path / "t", block, tmp_path / "codes"), ctree.read_c45(tmp_path / "t"))


def test_unknown_classes_are_dropped(tmp_path):
    (tmp_path / "t.names").write_text("p, q. x: continuous. c: red, blue.")
    (tmp_path / "t.data").write_text("1, red, p\n2, ?, ?\n3, blue, q\n")
    with ctree.scan_c45(tmp_path / "t", unknown_class="drop") as cases:
        check_parts(cases, ctree.read_c45(tmp_path / "t", unknown_class="drop"))


def test_it_needs_no_pyarrow(tmp_path, monkeypatch):
    monkeypatch.setitem(__import__("sys").modules, "pyarrow", None)
    ctree.write_c45(ctree.load_iris(), tmp_path / "iris")
    with ctree.scan_c45(tmp_path / "iris") as cases:
        check_parts(cases, ctree.load_iris())
