"""Temporary folders of processes that were ended: the next scan removes them, and no others."""

import os
import signal
import subprocess
import sys
import tempfile

import pytest

import ctree
from ctree.scale.temporary_folder import LOCK, TemporaryFolder

pytestmark = pytest.mark.skipif(os.name != "posix", reason="locks of files and SIGKILL are those of POSIX")

SCAN = """
import sys, time, ctree
cases = ctree.scan_c45(sys.argv[1])
print("ready", flush=True)
time.sleep(600)
"""


@pytest.fixture
def place(tmp_path, monkeypatch):
    folder = tmp_path / "temporary"
    folder.mkdir()
    monkeypatch.setenv("TMPDIR", str(folder))
    monkeypatch.setattr(tempfile, "tempdir", None)
    return folder


@pytest.fixture
def golf(tmp_path):
    ctree.write_c45(ctree.load_golf(), tmp_path / "golf")
    return tmp_path / "golf"


def test_codes_of_a_killed_process_are_removed_by_the_next_scan(place, golf):
    process = subprocess.Popen([sys.executable, "-c", SCAN, str(golf)], stdout=subprocess.PIPE)
    try:
        assert process.stdout.readline() == b"ready\n"
        (theirs,) = place.iterdir()
        with ctree.scan_c45(golf) as cases:
            assert len(cases) == 14
            assert theirs.exists()  # its process is still there
        assert list(place.iterdir()) == [theirs]
    finally:
        process.send_signal(signal.SIGKILL)
        process.wait()
        process.stdout.close()
    assert theirs.exists()
    with ctree.scan_c45(golf):
        assert not theirs.exists()
    assert not list(place.iterdir())


def test_what_nobody_has_locked_by_name_is_left_alone(place, tmp_path):
    (place / "codes-unmarked").mkdir()
    (place / "codes-file").write_text("not a folder")
    (place / "other").mkdir()
    (place / "other" / LOCK).touch()
    away = tmp_path / "away"
    away.mkdir()
    (away / LOCK).touch()
    (place / "codes-link").symlink_to(away)
    (place / "codes-left").mkdir()
    (place / "codes-left" / LOCK).touch()
    folder = TemporaryFolder("codes-")
    names = {path.name for path in place.iterdir()}
    assert names == {"codes-unmarked", "codes-file", "other", "codes-link", os.path.basename(folder.path)}
    assert (away / LOCK).exists()
    folder.remove()
    folder.remove()
    assert not os.path.exists(folder.path)


SPOOL = """
import time, pyarrow, ctree

def batches():
    yield pyarrow.record_batch({"x": [1.0, 2.0], "y": ["a", "b"]})
    print("ready", flush=True)
    time.sleep(600)

ctree.scan_arrow(batches(), "y")
"""


def test_batches_of_a_killed_process_are_removed_by_the_next_scan(place):
    pyarrow = pytest.importorskip("pyarrow")
    process = subprocess.Popen([sys.executable, "-c", SPOOL], stdout=subprocess.PIPE)

    def scanned():
        with ctree.scan_arrow(iter([pyarrow.record_batch({"x": [1.0, 2.0], "y": ["a", "b"]})]), "y") as cases:
            assert len(cases) == 2

    try:
        assert process.stdout.readline() == b"ready\n"
        (theirs,) = place.glob("ctree-batches-*")
        scanned()
        assert theirs.exists()
    finally:
        process.send_signal(signal.SIGKILL)
        process.wait()
        process.stdout.close()
    assert theirs.exists()
    scanned()
    assert not theirs.exists()
    assert not list(place.iterdir())
