"""Check what an sdist and a wheel hold: run as `python check_packages.py SDIST WHEEL TREE`.

The wheel must have the same compiled modules, byte for byte, as TREE, the directory where the tests have run: so the
tests hold for the wheel too.
"""

import sys
import tarfile
import zipfile
from pathlib import Path

NEEDED = {
    "CHANGELOG.md",
    "CITATION.cff",
    "CONTRIBUTING.md",
    "LICENSE",
    "README.md",
    "benchmarks/mixed.py",
    "ctree/data/samples/golf.data",
    "ctree/py.typed",
    "ctree/render/page/model.js",
    "ctree/render/page/page.css",
    "ctree/render/page/page.html",
    "ctree/render/page/page.js",
    "ctree_ext/py.typed",
    "docs/architecture.md",
    "docs/conf.py",
    "docs/files.md",
    "docs/pages.py",
    "docs/scikit-learn.md",
    "docs/tables.md",
    "examples/golf.data",
    "examples/golf.names",
    "pyproject.toml",
    "setup.py",
    "tests/faults/injector.c",
    "tests/golden/syn0000.names",
    "tests/naive/__init__.py",
    "tests/support/__init__.py",
}
COMPILED = (".so", ".pyd")
DATA = ("ctree/render/page/", "ctree/data/samples/")


def main() -> int:
    with tarfile.open(sys.argv[1]) as archive:
        sdist = {name.split("/", 1)[1] for name in archive.getnames() if "/" in name}
    with zipfile.ZipFile(sys.argv[2]) as archive:
        wheel = {name: archive.read(name) for name in archive.namelist()}
    tree = Path(sys.argv[3])
    kernels = [n.removesuffix(".pyx") for n in sorted(sdist) if n.startswith("ctree_ext/") and n.endswith(".pyx")]
    kernels.append("ctree_ext/_cyutility")
    beside = [n for n in sorted(sdist) if n.endswith((".pyi", "/py.typed")) or n.startswith(DATA)]
    compiled = [n for n in sorted(wheel) if n.endswith(COMPILED)]
    wrong = [f"the sdist lacks {n}" for n in sorted(NEEDED - sdist)]
    wrong += [f"the sdist has {n}" for n in sorted(sdist) if n.endswith((".pyc", *COMPILED))]
    wrong += [f"the sdist has {n}" for n in sorted(sdist) if n.startswith("ctree_ext/") and n.endswith(".c")]
    wrong += [f"the wheel lacks {k}" for k in kernels if not any(n.startswith(k + ".cp") for n in compiled)]
    wrong += [f"the wheel lacks {n}" for n in beside if n not in wheel]
    wrong += [f"the wheel has {n}" for n in sorted(wheel) if n.endswith((".c", ".pyx")) or n.startswith("tests/")]
    for name in compiled:
        if not (tree / name).exists():
            wrong.append(f"{name} is in the wheel only: the tests ran without it")
        elif (tree / name).read_bytes() != wheel[name]:
            wrong.append(f"{name} is not what the tests ran with")
    counts = f"the sdist has {len(sdist)} files, the wheel {len(wheel)}, {len(kernels)} kernels in both"
    print("\n".join(wrong) or f"{counts}, compiled as they were tested")
    return bool(wrong)


if __name__ == "__main__":
    sys.exit(main())
