"""Compares the naive relational trees with expected ones that another program has made.

    python -m naive.relational_check [--shared FOLDER] [--slow] [FILE.json ...]

Without files: all of the folder `golden` of the shared one, but for those of larger data unless they are asked for with
--slow. A file holds {"trees": [{"settings", "tree", "n_leaves", "text", "probabilities"}, …]}; its data are in a folder
of its name beside it, or in the folder `data`.
"""

import argparse
import json
import sys
import time
from collections.abc import Iterator, Sequence
from pathlib import Path

from naive.relational_data import RelationalData, read_folder
from naive.relational_tree import RelationalTree, n_leaves

SHARED = Path(__file__).parents[2].parent / "shared" / "relational"

# On lists of answers their trees take seconds each, those of the others a fraction of one.
SLOW = ("biodegradability", "carcinogenesis", "mutagenesis", "trains", "uwcse")


def golden_files(shared: Path, slow: bool = False) -> list[Path]:
    """The files of expected trees, those of small data first."""
    golden = shared / "golden"
    files = [*sorted(golden.glob("*/*.json")), *sorted(golden.glob("*.json"))]
    return [path for path in files if slow or path.stem not in SLOW]


def data_folder(path: Path) -> Path:
    """The folder of the data that a file's trees are of."""
    beside = path.with_suffix("")
    return beside if beside.is_dir() else path.parents[1] / "data" / path.stem


def expected_trees(path: Path) -> list[dict]:
    """The trees of a file, without those that another program than a relational learner of this kind has made."""
    return [told for told in json.loads(path.read_text("utf-8"))["trees"] if "by" not in told]


def difference(told: dict, found: dict, where: str = "root") -> str | None:
    """In what two canonical trees differ first; None if in nothing."""
    if set(told) != set(found):
        return f"{where}: {'test' if 'yes' in told else 'leaf'} against {'test' if 'yes' in found else 'leaf'}"
    for name, value in told.items():
        if name in ("yes", "no"):
            deeper = difference(value, found[name], f"{where}.{name}")
            if deeper:
                return deeper
        elif name == "figure":
            if abs(value - found[name]) > 1e-6:
                return f"{where}.figure: {value} against {found[name]}"
        elif value != found[name]:
            return f"{where}.{name}: {value} against {found[name]}"
    return None


def compare(data: RelationalData, told: dict) -> str | None:
    """In what the naive tree of these data differs from the one expected."""
    tree = RelationalTree(data, **told["settings"])
    differs = difference(told["tree"], json.loads(json.dumps(tree.to_canonical())))
    if differs:
        return differs
    if n_leaves(tree.root) != told["n_leaves"]:
        return f"{told['n_leaves']} leaves against {n_leaves(tree.root)}"
    if tree.to_lines() != told["text"]:
        pairs = zip(told["text"], tree.to_lines(), strict=True)
        return next(f"text: {a!r} against {b!r}" for a, b in pairs if a != b)
    pairs = zip(told["probabilities"], tree.probabilities(), strict=True)
    if any(abs(p - q) > 1e-12 for expected, found in pairs for p, q in zip(expected, found, strict=True)):
        return "other probabilities"
    return None


def compare_files(files: Sequence[Path]) -> Iterator[tuple[Path, dict, str | None]]:
    """Each expected tree with its file, and in what the naive one differs."""
    for path in files:
        data = read_folder(data_folder(path))
        for told in expected_trees(path):
            yield path, told["settings"], compare(data, told)


def main(arguments: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(
        prog="python -m naive.relational_check", description="Compare with expected trees."
    )
    parser.add_argument("files", nargs="*", type=Path, metavar="FILE.json")
    parser.add_argument("--shared", type=Path, default=SHARED, help="folder with golden and data")
    parser.add_argument("--slow", action="store_true", help="larger data as well")
    parser.add_argument("--times", action="store_true", help="tell of each tree how long it took")
    asked = parser.parse_args(arguments)
    agree = total = 0
    before = time.perf_counter()
    for path, settings, differs in compare_files(asked.files or golden_files(asked.shared, asked.slow)):
        agree, total = agree + (differs is None), total + 1
        now = time.perf_counter()
        if differs or asked.times:
            print(f"{path.parent.name}/{path.name} {settings}: {differs or 'agrees'}, {now - before:.1f} s", flush=True)
        before = now
    print(f"{agree} of {total} agree")
    return 0 if agree == total > 0 else 1


if __name__ == "__main__":
    sys.exit(main())
