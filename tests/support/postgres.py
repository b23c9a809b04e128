"""A server of PostgreSQL on this machine, for as long as a test needs it."""

from __future__ import annotations

import contextlib
import csv
import getpass
import os
import shutil
import subprocess
import tempfile
from pathlib import Path

from support import exported


def program(name):
    """Where a program of PostgreSQL is, None if it is not here."""
    places = sorted(Path("/usr/lib/postgresql").glob(f"*/bin/{name}"))
    return shutil.which(name) or (str(places[-1]) if places else None)


def is_here():
    return all(program(name) for name in ("initdb", "pg_ctl", "psql")) and (
        getpass.getuser() != "root" or shutil.which("runuser") is not None
    )


@contextlib.contextmanager
def server():
    """The folder of the socket of a server that has just been started."""
    # the path of a socket may not be long, and root may not run a server
    root = getpass.getuser() == "root"
    before = ["runuser", "-u", "postgres", "--"] if root else []
    with tempfile.TemporaryDirectory(prefix="pg", ignore_cleanup_errors=True) as folder:
        if root:
            shutil.chown(folder, "postgres")
        base = os.path.join(folder, "base")
        quiet = {"check": True, "stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL, "cwd": folder}
        start = [program("initdb"), "-D", base, "-U", "tester", "-E", "UTF8", "--locale=C", "-A", "trust", "-N"]
        subprocess.run([*before, *start], **quiet)
        options = f"-c listen_addresses='' -k {folder}"
        control = [*before, program("pg_ctl"), "-D", base, "-w"]
        subprocess.run([*control, "-o", options, "-l", os.path.join(folder, "log"), "start"], **quiet)
        try:
            yield folder
        finally:
            subprocess.run([*control, "-m", "immediate", "stop"], **quiet)


def run(folder, text):
    """What psql prints for these commands, as rows of text."""
    done = subprocess.run(
        [program("psql"), "-h", folder, "-U", "tester", "-d", "postgres", "--csv", "-t", "-q", "-v", "ON_ERROR_STOP=1"],
        input=text,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    return list(csv.reader(done.stdout.splitlines()))


def table(data, asked):
    """The commands that make the table ``cases``."""
    declared, rows = exported.table_of(data, asked)
    declared = declared.replace(" DOUBLE", " DOUBLE PRECISION")
    texts = []
    for row in rows:
        cells = ["NULL" if v is None else "'" + str(v).replace("'", "''") + "'" for v in row]
        texts.append(f"({', '.join(cells)})")
    return f"DROP TABLE IF EXISTS cases;\nCREATE TABLE cases ({declared});\nINSERT INTO cases VALUES\n" + ",\n".join(
        texts
    )
