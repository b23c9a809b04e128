"""Check that the README tells the truth: its Python example and its console sessions print what it says they print.

Run as `python check_readme.py README.md` in a directory that has `examples/`; a line of `...` stands for any lines.
"""

import fnmatch
import re
import subprocess
import sys
from pathlib import Path


def blocks(text: str, language: str) -> list[str]:
    """The fenced blocks of a language."""
    return re.findall(rf"^```{language}\n(.*?)^```$", text, flags=re.DOTALL | re.MULTILINE)


def agree(expected: str, found: str) -> bool:
    pattern = re.sub(r"([\[\]?*])", r"[\1]", expected.strip("\n"))
    return fnmatch.fnmatchcase(found.strip("\n"), re.sub(r"(?m)^\.\.\.$", "*", pattern))


def output(command: list[str] | str) -> str:
    shell = isinstance(command, str)
    done = subprocess.run(
        command, shell=shell, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, check=False
    )
    return done.stdout


def main() -> int:
    text = Path(sys.argv[1]).read_text(encoding="utf-8")
    pairs = list(zip(blocks(text, "python"), blocks(text, "text"), strict=True))
    sessions = [("python", [sys.executable, "-c", code], expected) for code, expected in pairs]
    for session in blocks(text, "console"):
        command, expected = session.removeprefix("$ ").split("\n", 1)
        sessions.append((command, command, expected))
    wrong = 0
    for title, command, expected in sessions:
        found = output(command)
        if agree(expected, found):
            print(f"as in the README: {title}")
        else:
            wrong += 1
            print(f"NOT as in the README: {title}\n--- the README has\n{expected}--- it is\n{found}")
    return wrong > 0


if __name__ == "__main__":
    sys.exit(main())
