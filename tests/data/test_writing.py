"""Files that are written whole or not at all, whatever happens on the way."""

from __future__ import annotations

import errno
import os
import pathlib
import resource
import signal
import stat
import subprocess
import sys
import threading
import time

import pytest

import ctree
from ctree.data.files import writing
from ctree.data.files.writing import LEFTOVER, replacing, replacing_text, write_text, write_together
from ctree.errors import CtreeError, DataError, ModelError

pytestmark = pytest.mark.skipif(os.name == "nt", reason="files as POSIX has them")


@pytest.fixture(autouse=True)
def nothing_swept(monkeypatch):
    monkeypatch.setattr(writing, "_swept", set())


def leftovers(folder):
    return [name for name in os.listdir(folder) if LEFTOVER.fullmatch(name)]


def test_a_new_file_has_the_permissions_of_the_umask(tmp_path):
    before = os.umask(0o027)
    try:
        write_text(str(tmp_path / "new"), "text\n")
        open(tmp_path / "plain", "w").close()
    finally:
        os.umask(before)
    assert stat.S_IMODE((tmp_path / "new").stat().st_mode) == stat.S_IMODE((tmp_path / "plain").stat().st_mode)
    assert (tmp_path / "new").read_text() == "text\n"


def test_a_file_that_is_replaced_keeps_its_permissions(tmp_path):
    file = tmp_path / "old"
    file.write_text("old")
    file.chmod(0o640)
    write_text(str(file), "new")
    assert (file.read_text(), stat.S_IMODE(file.stat().st_mode)) == ("new", 0o640)


@pytest.mark.skipif(not hasattr(os, "geteuid") or os.geteuid() != 0, reason="only root may give files away")
def test_a_file_that_is_replaced_keeps_its_owner(tmp_path):
    file = tmp_path / "old"
    file.write_text("old")
    os.chown(file, 12345, 54321)
    write_text(str(file), "new")
    assert (file.stat().st_uid, file.stat().st_gid) == (12345, 54321)


def test_a_link_stays_a_link_and_what_it_leads_to_is_replaced(tmp_path):
    (tmp_path / "folder").mkdir()
    file = tmp_path / "folder" / "file"
    file.write_text("old")
    link, dangling = tmp_path / "link", tmp_path / "dangling"
    link.symlink_to("folder/file")
    dangling.symlink_to("folder/new")
    write_text(str(link), "new")
    write_text(str(dangling), "newer")
    assert link.is_symlink()
    assert dangling.is_symlink()
    assert (file.read_text(), (tmp_path / "folder" / "new").read_text()) == ("new", "newer")


def test_a_pipe_is_written_directly(tmp_path):
    pipe = str(tmp_path / "pipe")
    os.mkfifo(pipe)
    read = []
    thread = threading.Thread(target=lambda: read.append(pathlib.Path(pipe).read_text()))
    thread.start()
    write_text(pipe, "text")
    thread.join(10)
    assert read == ["text"]
    assert stat.S_ISFIFO(os.stat(pipe).st_mode)


@pytest.mark.parametrize("name", ["/dev/stdout", "/dev/fd/1"])
@pytest.mark.parametrize("into", ["pipe", "file"])
def test_the_standard_output_has_all_in_its_order(name, into, tmp_path):
    code = (
        "from ctree.data.files.writing import write_text\n"
        f"print('before'); write_text({name!r}, 'text\\n'); print('after')"
    )
    with open(tmp_path / "out", "w+") as out:
        stdout = subprocess.PIPE if into == "pipe" else out
        done = subprocess.run([sys.executable, "-c", code], stdout=stdout, text=True, check=True)
        out.seek(0)
        assert (done.stdout if into == "pipe" else out.read()) == "before\ntext\nafter\n"


def test_a_name_as_long_as_the_system_takes_can_be_written(tmp_path):
    file = tmp_path / ("n" * 255)
    write_text(str(file), "text")
    assert file.read_text() == "text"


@pytest.mark.parametrize(
    ("error", "message"),
    [
        (DataError, "{}: the file cannot be written (Is a directory)"),
        (ModelError, "{}: the file cannot be written (Is a directory)"),
    ],
)
def test_what_the_system_refuses_is_said_in_one_sentence(error, message, tmp_path):
    with pytest.raises(error) as caught:
        write_text(str(tmp_path), "text", error=error)
    assert str(caught.value) == message.format(tmp_path)
    with pytest.raises(error, match="No such file or directory"):
        write_text(str(tmp_path / "no" / "file"), "text", error=error)


def test_a_file_that_may_not_be_written_is_not_replaced(tmp_path, monkeypatch):
    file = tmp_path / "file"
    file.write_text("old")
    monkeypatch.setattr(os, "access", lambda path, mode: False)  # as the root user may write anywhere
    with pytest.raises(DataError, match="Permission denied"):
        write_text(str(file), "new")
    assert file.read_text() == "old"


def test_a_file_in_a_directory_that_takes_no_other_is_written_over(tmp_path, monkeypatch):
    file = tmp_path / "file"
    file.write_text("much older")
    opened = os.open

    def refusing(path, flags, *mode, **options):
        if str(path).endswith(".tmp"):
            raise PermissionError(errno.EACCES, "Permission denied")
        return opened(path, flags, *mode, **options)

    monkeypatch.setattr(os, "open", refusing)
    write_text(str(file), "new")
    assert file.read_text() == "new"
    with pytest.raises(DataError, match="Permission denied"):
        write_text(str(tmp_path / "other"), "new")


def test_a_file_that_is_a_mount_of_its_own_is_written_over(tmp_path, monkeypatch):
    file = tmp_path / "file"
    file.write_text("much older")

    def refusing(source, target):
        raise OSError(errno.EBUSY, "Device or resource busy")

    monkeypatch.setattr(os, "replace", refusing)
    write_text(str(file), "new")
    assert (file.read_text(), leftovers(tmp_path)) == ("new", [])


@pytest.mark.parametrize("error", [KeyboardInterrupt, OSError(errno.ENOSPC, "No space left on device"), RuntimeError])
def test_an_exception_on_the_way_leaves_the_old_file(error, tmp_path):
    file = tmp_path / "file"
    file.write_text("old")
    expected = DataError if isinstance(error, OSError) else error

    def fail():
        with replacing_text(str(file)) as out:
            out.write("new" * 100_000)
            raise error

    with pytest.raises(expected):
        fail()
    assert (file.read_text(), os.listdir(tmp_path)) == ("old", ["file"])


def test_files_that_belong_together_are_replaced_together(tmp_path):
    first, second = tmp_path / "first", tmp_path / "no" / "second"
    first.write_text("old")
    with pytest.raises(DataError, match="second"):
        write_together({str(first): "new", str(second): "new"})
    assert (first.read_text(), os.listdir(tmp_path)) == ("old", ["first"])


def test_an_interrupt_between_two_files_still_replaces_both(tmp_path, monkeypatch):
    first, second = tmp_path / "first", tmp_path / "second"
    replaced, calls = os.replace, []

    def interrupted(source, target):
        replaced(source, target)
        calls.append(target)
        if len(calls) == 1:
            raise KeyboardInterrupt

    monkeypatch.setattr(os, "replace", interrupted)
    with pytest.raises(KeyboardInterrupt):
        write_together({str(first): "1", str(second): "2"})
    assert (first.read_text(), second.read_text(), leftovers(tmp_path)) == ("1", "2", [])


def test_a_text_that_utf8_lacks_is_refused_and_nothing_is_written(tmp_path):
    with pytest.raises(DataError, match="cannot be written"):
        write_text(str(tmp_path / "file"), "\ud800")
    assert os.listdir(tmp_path) == []


def test_threads_that_save_to_one_path_all_succeed(tmp_path):
    model = ctree.C45Classifier().fit(ctree.load_golf())
    problems = []

    def save():
        try:
            for _ in range(20):
                ctree.save(model, tmp_path / "model.json")
        except Exception as problem:
            problems.append(problem)

    threads = [threading.Thread(target=save) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert (problems, os.listdir(tmp_path)) == ([], ["model.json"])
    assert ctree.load(tmp_path / "model.json").tree_ == model.tree_


def test_a_leftover_of_a_process_of_the_same_number_is_no_obstacle(tmp_path):
    (tmp_path / f"model.json.{os.getpid()}.tmp").write_text("left by another container")
    ctree.save(ctree.C45Classifier().fit(ctree.load_golf()), tmp_path / "model.json")
    ctree.load(tmp_path / "model.json")


def aged(path):
    hours_ago = time.time() - 2 * writing.OLD
    os.utime(path, (hours_ago, hours_ago))


def test_old_leftovers_go_and_everything_else_stays(tmp_path):
    old, young, other = (tmp_path / f".ctree-{digit * 16}.tmp" for digit in "abc")
    names = [".ctree-abc.tmp", "ctree-" + "a" * 16 + ".tmp", ".ctree-" + "a" * 16 + ".tmp.txt", "model.json.17.tmp"]
    for path in (old, young, *(tmp_path / name for name in names)):
        path.write_text("half a mod")
        if path is not young:
            aged(path)
    other.symlink_to(tmp_path / names[0])
    write_text(str(tmp_path / "model"), "text")
    assert set(os.listdir(tmp_path)) == {young.name, other.name, "model", *names}


def test_the_file_of_a_living_process_stays_however_old_it_is(tmp_path):
    code = (
        "import sys\nfrom ctree.data.files.writing import replacing\n"
        "with replacing(sys.argv[1]) as out:\n    out.write(b'new'); out.flush()\n    print(flush=True); input()"
    )
    arguments = [sys.executable, "-c", code, str(tmp_path / "slow")]
    with subprocess.Popen(arguments, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as running:
        running.stdout.readline()
        (name,) = leftovers(tmp_path)
        aged(tmp_path / name)
        write_text(str(tmp_path / "quick"), "text")
        assert leftovers(tmp_path) == [name]
        running.stdin.write("\n")
    assert (tmp_path / "slow").read_text() == "new"
    assert leftovers(tmp_path) == []


def test_a_killed_process_leaves_the_old_file_and_what_it_left_is_removed_later(tmp_path):
    file = tmp_path / "file"
    file.write_text("old")
    code = (
        "import sys\nfrom ctree.data.files.writing import replacing\n"
        "with replacing(sys.argv[1]) as out:\n    out.write(b'new'); out.flush()\n    print(flush=True); input()"
    )
    arguments = [sys.executable, "-c", code, str(file)]
    with subprocess.Popen(arguments, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as running:
        running.stdout.readline()
        running.send_signal(signal.SIGKILL)
    assert file.read_text() == "old"
    (name,) = leftovers(tmp_path)
    aged(tmp_path / name)
    write_text(str(file), "newer")
    assert (file.read_text(), leftovers(tmp_path)) == ("newer", [])


def limited():
    signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
    resource.setrlimit(resource.RLIMIT_FSIZE, (1000, 1000))


def test_a_full_disk_leaves_the_old_file(tmp_path):
    file = tmp_path / "file"
    file.write_text("old")
    code = "import sys\nfrom ctree.data.files.writing import write_text\nwrite_text(sys.argv[1], 'x' * 100_000)"
    done = subprocess.run(
        [sys.executable, "-c", code, str(file)], preexec_fn=limited, capture_output=True, text=True, check=False
    )
    assert done.stderr.endswith("the file cannot be written (File too large)\n")
    assert (file.read_text(), os.listdir(tmp_path)) == ("old", ["file"])


def test_errors_of_the_caller_are_left_as_they_are(tmp_path):
    with pytest.raises(CtreeError, match="what the caller says"), replacing(str(tmp_path / "file")):
        raise ModelError("what the caller says")
