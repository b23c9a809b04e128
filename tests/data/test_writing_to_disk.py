"""A file that is written is on the disk: what fails on the way there, or at the end, is an error."""

from __future__ import annotations

import errno
import io
import os
import stat

import pytest

from ctree.data.files import writing
from ctree.data.files.writing import LEFTOVER, write_text, write_together
from ctree.errors import DataError

pytestmark = pytest.mark.skipif(os.name == "nt", reason="files as POSIX has them")


@pytest.fixture(autouse=True)
def nothing_swept(monkeypatch):
    monkeypatch.setattr(writing, "_swept", set())


def leftovers(folder):
    return [name for name in os.listdir(folder) if LEFTOVER.fullmatch(name)]


def failing(monkeypatch, name, number, on_folders):
    """Have a call on a descriptor fail with an error, on files or on directories only; other calls are made."""
    call = getattr(os, name)

    def fail(descriptor):
        is_folder = stat.S_ISDIR(os.fstat(descriptor).st_mode)
        result = None if name == "fsync" else call(descriptor)
        if is_folder == on_folders:
            raise OSError(number, os.strerror(number))
        return result if name == "close" else call(descriptor)

    monkeypatch.setattr(os, name, fail)


@pytest.fixture(params=[write_text, lambda path, text: write_together({path: text, path + "2": text})])
def write(request):
    return request.param


@pytest.mark.parametrize("number", [errno.EIO, errno.ENOSPC, errno.EINVAL, errno.EACCES, errno.ENOTSUP])
def test_a_file_that_may_not_be_on_the_disk_does_not_replace_another(number, write, tmp_path, monkeypatch):
    file = tmp_path / "file"
    file.write_text("old")
    failing(monkeypatch, "fsync", number, on_folders=False)
    with pytest.raises(DataError, match=r"file: the file cannot be written \("):
        write(str(file), "new")
    assert (file.read_text(), os.listdir(tmp_path)) == ("old", ["file"])


@pytest.mark.parametrize("which", ["file", "pipe"])
def test_a_close_that_fails_is_an_error(which, tmp_path, monkeypatch):
    file = tmp_path / which
    if which == "pipe":
        os.mkfifo(file)
        reader = os.open(file, os.O_RDONLY | os.O_NONBLOCK)
    else:
        file.write_text("old")

    class Stream(io.BytesIO):
        def fileno(self):
            return self.real.fileno()

        def close(self):
            super().close()
            self.real.close()
            raise OSError(errno.EIO, os.strerror(errno.EIO))

    def stream(opener):
        def opened(*arguments):
            result = Stream()
            result.real = opener(*arguments)
            return result

        return opened

    monkeypatch.setattr(os, "fdopen", stream(os.fdopen))
    monkeypatch.setattr(writing, "open", stream(open), raising=False)
    with pytest.raises(DataError, match=r"cannot be written \(Input/output error"):
        write_text(str(file), "new")
    if which == "pipe":
        os.close(reader)
    else:
        assert (file.read_text(), os.listdir(tmp_path)) == ("old", ["file"])


@pytest.mark.parametrize("call", ["fsync", "close"])
@pytest.mark.parametrize("number", [errno.EIO, errno.ENOSPC, errno.EDQUOT])
def test_a_name_that_may_not_be_on_the_disk_is_an_error_that_says_so(call, number, write, tmp_path, monkeypatch):
    file = tmp_path / "file"
    file.write_text("old")
    failing(monkeypatch, call, number, on_folders=True)
    with pytest.raises(DataError, match=r"file: the file was written, but a crash of the system could undo that \("):
        write(str(file), "new")
    assert {path.read_text() for path in tmp_path.iterdir()} == {"new"}
    assert leftovers(tmp_path) == []


@pytest.mark.parametrize("number", [errno.EINVAL, errno.ENOTSUP, errno.ENOSYS, errno.EBADF])
def test_a_file_system_that_does_not_sync_directories_is_no_obstacle(number, write, tmp_path, monkeypatch):
    failing(monkeypatch, "fsync", number, on_folders=True)
    write(str(tmp_path / "file"), "new")
    assert (tmp_path / "file").read_text() == "new"


@pytest.mark.parametrize(
    ("number", "expected"), [(errno.EACCES, "new"), (errno.EIO, "old"), (errno.EMFILE, "old"), (errno.ENOSPC, "old")]
)
def test_a_directory_that_cannot_be_opened_is_an_error_unless_it_is_forbidden(number, expected, tmp_path, monkeypatch):
    file = tmp_path / "file"
    file.write_text("old")
    opened = os.open

    def refusing(path, flags, *mode, **options):
        if str(path) == str(tmp_path):
            raise OSError(number, os.strerror(number))
        return opened(path, flags, *mode, **options)

    monkeypatch.setattr(os, "open", refusing)
    if expected == "old":
        with pytest.raises(DataError, match=rf"cannot be written \({os.strerror(number)}"):
            write_text(str(file), "new")
    else:
        write_text(str(file), "new")
    assert (file.read_text(), os.listdir(tmp_path)) == (expected, ["file"])


def test_no_descriptor_stays_open(tmp_path, monkeypatch):
    before = os.listdir("/proc/self/fd") if os.path.isdir("/proc/self/fd") else []
    write_together({str(tmp_path / "one"): "1", str(tmp_path / "two"): "2"})
    with pytest.raises(DataError):
        write_together({str(tmp_path / "one"): "1", str(tmp_path / "no" / "two"): "2"})
    after = os.listdir("/proc/self/fd") if before else []
    assert len(after) == len(before)


def test_the_file_is_named_that_cannot_be_put_into_its_place(tmp_path):
    (tmp_path / "first").mkdir()
    first, second = tmp_path / "first" / "file", tmp_path / "second"
    files = [writing._File(str(path)) for path in (first, second)]
    for file in files:
        file.open().write(b"text")
        file.complete()
    first.mkdir()
    with pytest.raises(writing._UnfinishedError) as caught:
        writing._put_all(files)
    writing._discard_all(files)
    assert caught.value.path == str(first)
