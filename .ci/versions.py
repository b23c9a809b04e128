"""Build ctree and run the suite with several Pythons, and with the oldest versions of everything that it can use.

    python .ci/versions.py [PYTHON ...] [--oldest] [-- PYTEST ARGUMENTS]

A PYTHON is a command such as python3.13 or a path; without any, all of python3.11 to python3.14 and their free-threaded
builds (python3.13t, ...) that are on the PATH. Each has a copy of the sources and an environment of its own, in a
temporary directory, with the newest versions that pip finds as wheels. Extras that have no wheel for a Python are left
out, and their tests are skipped. With --oldest there is one more environment: the first PYTHON with the lower bounds of
pyproject.toml. The pytest arguments are -m 'not slow' unless there are others.

At the end there is a table; the exit status is 1 if anything failed. A compiler cache is used if CC says so.
"""

import argparse
import os
import re
import shutil
import subprocess
import sys
import tempfile
import time
import tomllib
from pathlib import Path

PROJECT = Path(__file__).resolve().parents[1]
NAMES = [f"python3.{minor}{build}" for minor in (11, 12, 13, 14) for build in ("", "t")]
NEEDED = ("numpy", "scipy", "pytest", "pytest-xdist", "hypothesis")
TOOLS = ("pytest", "pytest-xdist", "hypothesis", "playwright")
"""They test, so their newest version is as good as any."""
WITHOUT_WHEEL = "liac-arff"
"""One module of Python, which has no wheel."""
NOT_COPIED = (".*", "*.egg-info", "*.so", "*.pyd", "*.c", "__pycache__", "build", "dist")
HEADINGS = ("Python", "numpy", "scipy", "left out", "passed", "failed", "skipped", "minutes")
FACTS = """
import sys, sysconfig
print(sys.version.split()[0] + ("t" if sysconfig.get_config_var("Py_GIL_DISABLED") else ""))
"""


def requirements(names: tuple[str, ...] = ("test",)) -> list[str]:
    """What ctree and these extras ask for, extras within extras included."""
    project = tomllib.loads((PROJECT / "pyproject.toml").read_text("utf-8"))["project"]
    waiting, found = [*project["dependencies"]], []
    for name in names:
        waiting += project["optional-dependencies"][name]
    for one in waiting:
        inner = re.fullmatch(r"ctree-learn\[(.*)\]", one)
        if inner:
            found += requirements(tuple(inner[1].split(",")))
        else:
            found.append(one)
    return list(dict.fromkeys(found))


def name_of(requirement: str) -> str:
    return re.split(r"[<>=!~]", requirement)[0]


def at_lower_bound(requirement: str) -> str:
    return requirement if name_of(requirement) in TOOLS else requirement.replace(">=", "==")


def install(python: Path, wanted: list[str]) -> list[str]:
    """Install wheels; the names of those that cannot be had. Without `NEEDED` it is an error."""
    pip = [str(python), "-m", "pip", "install", "-q", "--only-binary", ":all:", "--no-binary", WITHOUT_WHEEL]
    if subprocess.run([*pip, *wanted], capture_output=True, check=False).returncode == 0:
        return []
    subprocess.run([*pip, *(one for one in wanted if name_of(one) in NEEDED)], check=True)
    kept = subprocess.run([*pip[:3], "freeze"], capture_output=True, text=True, check=True).stdout.split()
    others = [one for one in wanted if name_of(one) not in NEEDED]
    return [
        name_of(one)
        for one in others
        if subprocess.run([*pip, *kept, one], capture_output=True, check=False).returncode
    ]


def outcome(text: str) -> dict[str, int]:
    """The numbers in the last line of pytest, after which a library may say something yet."""
    ends = re.findall(r"^.*\d+ (?:passed|failed|error).* in [\d.]+s.*$", text, re.MULTILINE)
    counts = {word: int(n) for n, word in re.findall(r"(\d+) (passed|failed|skipped|error)", "".join(ends[-1:]))}
    return {**counts, "failed": counts.get("failed", 0) + counts.get("error", 0)}


def run(command: str, oldest: bool, arguments: list[str], work: Path) -> tuple[list[str], bool]:
    """A row of the table, and whether all is well."""
    began = time.monotonic()
    shutil.copytree(PROJECT, work / "ctree", ignore=shutil.ignore_patterns(*NOT_COPIED))
    if (PROJECT.parent / "shared").exists():
        (work / "shared").symlink_to(PROJECT.parent / "shared")
    subprocess.run([command, "-m", "venv", work / "venv"], check=True)
    python = work / "venv" / "bin" / "python"
    version = subprocess.run([python, "-c", FACTS], capture_output=True, text=True, check=True).stdout.strip()
    print(f"=== {version}{', oldest versions' if oldest else ''}", flush=True)
    wanted = [at_lower_bound(one) for one in requirements()] if oldest else requirements()
    absent = install(python, wanted)
    subprocess.run([python, "-m", "pip", "install", "-q", "--no-deps", "-e", "."], cwd=work / "ctree", check=True)
    # Without a GIL even where another package would switch it on.
    environment = {**os.environ, "PYTHON_GIL": "0"} if version.endswith("t") else dict(os.environ)
    tests = [python, "-m", "pytest", "-q", "-p", "no:cacheprovider", *arguments]
    with (work / "log").open("w") as log:
        status = subprocess.run(
            tests, cwd=work / "ctree", env=environment, stdout=log, stderr=subprocess.STDOUT
        ).returncode
    text = (work / "log").read_text("utf-8", "replace")
    counts = outcome(text)
    if status:
        print(text[-20_000:], flush=True)
    show = "from importlib.metadata import version as v; print(v('numpy'), v('scipy'))"
    numpy, scipy = subprocess.run([python, "-c", show], capture_output=True, text=True, check=True).stdout.split()
    numbers = [str(counts.get(word, 0)) for word in ("passed", "failed", "skipped")]
    minutes = f"{(time.monotonic() - began) / 60:.0f}"
    return [version, numpy, scipy, ", ".join(absent) or "-", *numbers, minutes], status == 0


def show_table(rows: list[list[str]]) -> None:
    widths = [max(len(row[k]) for row in [list(HEADINGS), *rows]) for k in range(len(HEADINGS))]
    for row in [list(HEADINGS), *rows]:
        print("  ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)).rstrip())


def main() -> int:
    own, arguments = sys.argv[1:], ["-m", "not slow"]
    if "--" in own:
        place = own.index("--")
        own, arguments = own[:place], own[place + 1 :]
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("pythons", nargs="*", metavar="PYTHON")
    parser.add_argument("--oldest", action="store_true", help="and the first of them with the oldest versions")
    options = parser.parse_args(own)
    pythons = options.pythons or [name for name in NAMES if shutil.which(name)]
    if not pythons:
        parser.error(f"none of {', '.join(NAMES)} is on the PATH: name a Python")
    rows, well = [], True
    for command, oldest in [*([(pythons[0], True)] if options.oldest else []), *((one, False) for one in pythons)]:
        with tempfile.TemporaryDirectory(prefix="ctree-versions-") as work:
            row, passed = run(command, oldest, arguments, Path(work))
        rows.append(row)
        well = well and passed
        print("  ".join(row), flush=True)
    print()
    show_table(rows)
    return 0 if well else 1


if __name__ == "__main__":
    sys.exit(main())
