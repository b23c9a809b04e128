"""Check what an sdist and a wheel hold: run as `python check_packages.py SDIST WHEEL`."""

import sys
import tarfile
import zipfile

NEEDED = {
    "CHANGELOG.md",
    "CITATION.cff",
    "LICENSE",
    "README.md",
    "benchmarks/mixed.py",
    "ctree/py.typed",
    "ctree/tree/page/model.js",
    "ctree/tree/page/page.css",
    "ctree/tree/page/page.html",
    "ctree/tree/page/page.js",
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
    "tests/naive/__init__.py",
}


def main() -> int:
    with tarfile.open(sys.argv[1]) as archive:
        sdist = {name.split("/", 1)[1] for name in archive.getnames() if "/" in name}
    with zipfile.ZipFile(sys.argv[2]) as archive:
        wheel = set(archive.namelist())
    kernels = [n.removesuffix(".pyx") for n in sorted(sdist) if n.startswith("ctree_ext/") and n.endswith(".pyx")]
    stubs = [n for n in sorted(sdist) if n.endswith((".pyi", "/py.typed")) or n.startswith("ctree/tree/page/")]
    wrong = [f"the sdist lacks {n}" for n in sorted(NEEDED - sdist)]
    wrong += [f"the sdist has {n}" for n in sorted(sdist) if n.endswith((".c", ".so", ".pyd", ".pyc"))]
    wrong += [f"the wheel lacks {k}" for k in kernels if not any(n.startswith(k + ".cp") for n in wheel)]
    wrong += [f"the wheel lacks {n}" for n in stubs if n not in wheel]
    wrong += [f"the wheel has {n}" for n in sorted(wheel) if n.endswith((".c", ".pyx")) or n.startswith("tests/")]
    print(
        "\n".join(wrong) or f"the sdist has {len(sdist)} files, the wheel {len(wheel)}, {len(kernels)} kernels in both"
    )
    return bool(wrong)


if __name__ == "__main__":
    sys.exit(main())
