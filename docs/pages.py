"""Check that pages tell the truth: what their code prints is what they say it prints.

Run as `python pages.py README.md ...`. The blocks of a page are run in their order, in a temporary directory that has a
copy of `examples/`:

- `python`: all of a page in one session. The `text` block that follows one has its output; without such a block it
  prints nothing. Another language that follows at once in its place (`sql`, `json`, `xml`, `c`, `csv`) is output too.
  One that begins with `>>> ` has its output within, as a docstring has.
- `console`: a line that begins with `$ ` is a command for the shell; the lines up to the next one are its output. A
  command that fails is wrong, unless its output ends with `[exit status 2]`, which says that it does so.
- `sh`: how to install something. It is not run, and holds nothing else.
- `none`: is no code, or a command for data that are not part of the project.

A block after `<!-- needs java pyspark -->` is run only where these programs or modules are there.

In expected output a line of `...` stands for any lines. A page shows a picture that its code has written, `tree.svg`
for instance, as `pictures/tree.svg`; with `--pictures DIR` they are kept.
"""

import argparse
import contextlib
import doctest
import fnmatch
import importlib.util
import io
import os
import re
import shlex
import shutil
import stat
import subprocess
import sys
import tempfile
import traceback
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

EXAMPLES = Path(__file__).resolve().parent.parent / "examples"
OUTPUTS = ("text", "sql", "json", "xml", "c", "csv")
INSTALLS = ("pip install ", "python3 -m venv ", "sphinx-build ")
NEEDS = re.compile(r"<!-- needs ([\w ]+) -->$")
STATUS = re.compile(r"\[exit status -?\d+\]$")
INDENTED_CODE = re.compile(r"\n\n {4,}(import |from |>>> |\$ |pip |ctree )")


class PageError(Exception):
    """A page that cannot be checked as it is written."""


@dataclass
class Step:
    """A block of Python or a command, with the output that the page says it has."""

    line: int
    kind: str
    code: str
    expected: str = ""
    needs: tuple[str, ...] = ()

    @property
    def title(self) -> str:
        return f"line {self.line}: {self.code.strip().splitlines()[0]}"


def blocks(text: str) -> Iterator[tuple[int, str, str, bool, tuple[str, ...]]]:
    """The fenced blocks: where each begins, its language, what it holds, whether it follows the one before at once, and
    what it needs."""
    end = 0
    for found in re.finditer(r"^```([^\n`]*)\n(.*?)^```$", text, flags=re.DOTALL | re.MULTILINE):
        between = text[end : found.start()].strip()
        end = found.end()
        needs = NEEDS.search(between)
        line = text.count("\n", 0, found.start()) + 1
        yield line, found[1].strip(), found[2], not between, tuple(needs[1].split()) if needs else ()


def steps(text: str) -> list[Step]:
    """What there is to run in a page, in its order."""
    prose = re.sub(r"^```.*?^```$", "", text, flags=re.DOTALL | re.MULTILINE)
    if indented := INDENTED_CODE.search(prose):
        raise PageError(f"indented code is not run: put '{indented[0].strip()}...' into a block of its language")
    result: list[Step] = []
    previous = None
    for line, language, content, follows, needs in blocks(text):
        is_output = language in OUTPUTS and (language == "text" or (previous == "python" and follows))
        if language == "python":
            result.append(Step(line, language, content, needs=needs))
        elif is_output:
            if previous != "python":
                raise PageError(f"line {line}: output without the code that prints it")
            result[-1].expected = content
        elif language == "console":
            if not content.startswith("$ "):
                raise PageError(f"line {line}: a console block begins with '$ '")
            for part in re.split(r"^\$ ", content, flags=re.MULTILINE)[1:]:
                command, expected = part.split("\n", 1)
                result.append(Step(line, language, command, expected, needs))
        elif language == "sh":
            for command in filter(None, content.splitlines()):
                if not command.startswith(INSTALLS):
                    raise PageError(f"line {line}: '{command}' installs nothing: make it a console block, which is run")
        elif language != "none" and not language.startswith("{"):
            raise PageError(f"line {line}: a block of '{language}', which is neither run nor checked")
        previous = language
    return result


def agree(expected: str, found: str) -> bool:
    """Whether the output is as expected, where `...` stands for any lines but that of the exit status."""
    if _status(expected) != _status(found):
        return False
    pattern = re.sub(r"([\[\]?*])", r"[\1]", _tidy(expected))
    return fnmatch.fnmatchcase(_tidy(found), re.sub(r"(?m)^\.\.\.$", "*", pattern))


def _status(text: str) -> str:
    """The last line, if it is that of an exit status."""
    last = _tidy(text).rpartition("\n")[2]
    return last if STATUS.match(last) else ""


def _tidy(text: str) -> str:
    """Without white space at the ends of lines, which editors remove, and empty lines around."""
    return re.sub(r"[ \t]+$", "", text, flags=re.MULTILINE).strip("\n")


def run_python(code: str, names: dict[str, object]) -> str:
    """What the code prints, or how it fails; of a session with `>>> ` only what is not as it says."""
    if code.startswith(">>> "):
        report = io.StringIO()
        session = doctest.DocTestParser().get_doctest(code, {}, "page", None, 0)
        session.globs = names
        doctest.DocTestRunner().run(session, out=report.write, clear_globs=False)
        return report.getvalue()
    printed = io.StringIO()
    with contextlib.redirect_stdout(printed):
        try:
            exec(compile(code, "<page>", "exec"), names)
        except Exception:
            printed.write(traceback.format_exc())
    return printed.getvalue()


def run_command(command: str) -> str:
    """What the command prints, errors included, and its exit status unless that is 0."""
    printed, status = _shell(command)
    if status == 0:
        return printed
    return f"{printed}{'' if printed.endswith(chr(10)) or not printed else chr(10)}[exit status {status}]\n"


def _shell(command: str) -> tuple[str, int]:
    if command.startswith("ctree ") and hasattr(os, "fork") and not set(command) & set("|&;<>*?$`~#"):
        return run_forked(shlex.split(command)[1:])
    done = subprocess.run(command, shell=True, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, check=False)
    return done.stdout, done.returncode


def run_forked(arguments: list[str]) -> tuple[str, int]:
    """What `ctree` prints with these arguments, and its exit status, in a copy of this process, which has imported much
    of it already."""
    from ctree.cli.main import main

    with tempfile.TemporaryFile() as printed:
        if (child := os.fork()) == 0:
            status = 70
            try:
                os.dup2(printed.fileno(), 1)
                os.dup2(printed.fileno(), 2)
                sys.stdout, sys.stderr = open(1, "w"), open(2, "w", buffering=1)  # noqa: SIM115
                status = main(arguments)
                sys.stdout.flush()
            except SystemExit as end:  # of argparse
                status = end.code if isinstance(end.code, int) else 1
            finally:
                os._exit(status)
        _, ended = os.waitpid(child, 0)
        printed.seek(0)
        return printed.read().decode(), os.waitstatus_to_exitcode(ended)


def is_there(name: str) -> bool:
    """Whether there is a program or a module of this name."""
    return shutil.which(name) is not None or importlib.util.find_spec(name) is not None


def check(page: Path, pictures: Path | None = None, verbose: bool = False) -> list[str]:
    """What is wrong with a page; its code is run in the current directory."""
    text = page.read_text(encoding="utf-8")
    names: dict[str, object] = {"__name__": "__main__"}
    wrong = []
    for step in steps(text):
        absent = [name for name in step.needs if not is_there(name)]
        if absent:
            if verbose:
                print(f"{page.name}: not run, as {' and '.join(absent)} cannot be found, {step.title}")
            continue
        found = run_python(step.code, names) if step.kind == "python" else run_command(step.code)
        if not agree(step.expected, found):
            wrong.append(f"{step.title}\n--- the page has\n{step.expected}--- it is\n{found}")
        elif verbose:
            print(f"{page.name}: as it says, {step.title}")
    for name in re.findall(r"\]\(pictures/([^)]+)\)", text):
        picture = Path(name)
        if not picture.exists():
            wrong.append(f"its code does not make the picture {picture}")
        elif pictures is not None:
            pictures.mkdir(parents=True, exist_ok=True)
            shutil.copy(picture, pictures)
    return wrong


@contextlib.contextmanager
def workshop() -> Iterator[None]:
    """A temporary directory to run a page in, where `ctree` is the command of this interpreter's package."""
    home = Path.cwd()
    with tempfile.TemporaryDirectory() as folder:
        shutil.copytree(EXAMPLES, Path(folder, "examples"))
        beside = Path(sys.executable).parent
        if not (beside / "ctree").exists():  # the package is not installed, only on the path
            beside = Path(folder, "bin")
            beside.mkdir()
            command = beside / "ctree"
            command.write_text(f'#!/bin/sh\nexec "{sys.executable}" -m ctree.cli.main "$@"\n')
            command.chmod(command.stat().st_mode | stat.S_IXUSR)
        os.environ["PATH"] = os.pathsep.join((str(beside), os.environ.get("PATH", "")))
        os.environ.update(MPLBACKEND="agg", NO_COLOR="1", COLUMNS="100", XDG_CACHE_HOME=str(Path(folder, "cache")))
        os.environ["PYSPARK_PYTHON"] = sys.executable
        os.chdir(folder)
        try:
            yield
        finally:
            os.chdir(home)


def main() -> int:
    parser = argparse.ArgumentParser(description="Run the code of pages and compare what it prints with what they say.")
    parser.add_argument("pages", nargs="+", type=Path, metavar="PAGE")
    parser.add_argument("--pictures", type=Path, metavar="DIR", help="keep the pictures there")
    parser.add_argument("--quiet", action="store_true", help="say only what is wrong")
    args = parser.parse_args()
    failed = False
    for page in [page.resolve() for page in args.pages]:
        pictures = args.pictures and args.pictures.resolve()
        try:
            with workshop():
                wrong = check(page, pictures, verbose=not args.quiet)
        except PageError as error:
            wrong = [str(error)]
        for problem in wrong:
            print(f"{page.name}: NOT as it says, {problem}")
        failed |= bool(wrong)
    return failed


if __name__ == "__main__":
    sys.exit(main())
