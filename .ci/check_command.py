"""Check an installed `ctree` from outside: run as `python check_command.py CTREE TESTS [SHARED]`.

The suite compares every output of the original programs in its own process. Here some of them, over all three programs,
many options and sets, are compared with what a real process prints and how it ends. SHARED, the directory of the real
data sets, adds two large ones.
"""

import subprocess
import sys
from pathlib import Path

# Program, its arguments, data set, the folder of the output under the golden files.
RUNS = [
    ("c4.5", [], "syn0003", "release8/default"),
    ("c4.5", ["-g"], "syn0011", "release8/gain"),
    ("c4.5", ["-s"], "syn0024", "release8/subset"),
    ("c4.5", ["-m", "5", "-c", "10"], "syn0037", "release8/m5c10"),
    ("c4.5", ["-m", "1", "-c", "100"], "syn0052", "release8/m1c100"),
    ("j48", [], "syn0008", "j48/default"),
    ("j48", ["-U"], "syn0019", "j48/unpruned"),
    ("j48", ["-B"], "syn0041", "j48/binary"),
    ("j48", ["-S"], "syn0055", "j48/noraise"),
    ("c4.5rules", [], "syn0001", "release8-rules"),
    ("c4.5rules", [], "syn0033", "release8-rules"),
]
REAL_RUNS = [("c4.5", [], "adult", "r8/default"), ("j48", ["-M", "5", "-C", "0.1"], "soybean", "j48/m5c10")]
WRONG = [
    (["c4.5", "-f", "nowhere"], 1, "nowhere.names"),
    (["c4.5", "-x"], 2, "unknown option '-x'"),
    (["learn", "nowhere"], 1, "nowhere"),
    (["unheard-of"], 2, "unheard-of"),
]
FIRST = {"c4.5": "Read ", "c4.5rules": "Read ", "j48": "J48 "}


def compared(program: str, text: str) -> list[str]:
    """The lines that must agree: without the heading, blank lines and the note of the saved tree."""
    lines = [line.rstrip() for line in text.splitlines() if line.strip() and line != "Tree saved"]
    start = next((i for i, line in enumerate(lines) if line.startswith(FIRST[program])), len(lines))
    end = next((i for i, line in enumerate(lines, 1) if program == "j48" and line.startswith("Size of the tree")), None)
    return lines[start:end]


def differs(ctree: str, data: Path, golden: Path, run: tuple[str, list[str], str, str]) -> str | None:
    program, options, name, folder = run
    unseen = ["-u"] if program != "j48" and (data / f"{name}.test").exists() else []
    command = [program, "-f", name, *unseen, *options]
    done = subprocess.run([ctree, *command], cwd=data, capture_output=True, text=True, check=False)
    if done.returncode:
        return f"{' '.join(command)} ended with {done.returncode}: {done.stderr}"
    expected = compared(program, (golden / folder / f"{name}.txt").read_text("latin-1"))
    if not expected or compared(program, done.stdout) != expected:
        return f"{' '.join(command)} does not print what the original printed"
    return None


def main() -> int:
    ctree, golden = sys.argv[1], Path(sys.argv[2]) / "golden"
    runs = [(golden, golden, run) for run in RUNS]
    if len(sys.argv) > 3:
        shared = Path(sys.argv[3])
        runs += [(shared / "data", shared / "golden", run) for run in REAL_RUNS]
    found = [differs(ctree, *run) for run in runs]
    wrong = [problem for problem in found if problem is not None]
    for command, status, words in WRONG:
        done = subprocess.run([ctree, *command], capture_output=True, text=True, check=False)
        if done.returncode != status or words not in done.stderr or "Traceback" in done.stderr:
            wrong.append(f"{' '.join(command)} ended with {done.returncode}, not {status}: {done.stderr}")
    print("\n".join(wrong) or f"{len(runs)} outputs as the originals', {len(WRONG)} wrong commands refused")
    return bool(wrong)


if __name__ == "__main__":
    sys.exit(main())
