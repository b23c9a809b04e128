"""The compiled modules; everything else about the build is in pyproject.toml."""

import os
import sys
from pathlib import Path

from Cython.Build import cythonize
from Cython.Compiler import Options
from setuptools import Extension, setup
from setuptools.command.build_ext import build_ext

# Release 8 rounds every intermediate result to 32 bits: a fused multiply-add would round once where it rounds twice.
# Loops over a handful of classes or values are the rule here, and slower as vectors.
EXACT_FLOATS = (
    ["/O2", "/fp:precise"] if sys.platform == "win32" else ["-O3", "-g0", "-ffp-contract=off", "-fno-tree-vectorize"]
)
# The loops of the lattice, and of marks, go over many tests at once, those of rules over many cases.
VECTORS = {
    "best_tree", "bit_sums", "columns", "generalise", "itemsets", "objective", "pair_votes", "pairs", "score_marks",
    "tally", "tree_prior",
}  # fmt: skip
FAST_FLOATS = [flag for flag in EXACT_FLOATS if flag != "-fno-tree-vectorize"]

# Modules that check, allocate, hand over or lead: all of them together are less than one instruction in a hundred of a
# fit or a prediction, but most of what the compiler has to do. At this level it takes half as long for them.
LEADS = {
    "base": {"interrupts", "memory", "nodes", "stack"},
    "grow": {"frames", "gain_ratio_grower", "list_storage", "scratch", "stopping", "threads", "tree_grower"},
    "lattice": {"bitblocks", "lattice", "limits", "search_space"},
    "mcmc": {"records", "test_grid", "transitions"},
}
PLAIN = [{"-O3": "-O1"}.get(flag, flag) for flag in EXACT_FLOATS]

# What Cython needs for typed memoryviews is compiled once here instead of in every module that has one, which was half
# of the time to compile everything. It runs once per argument of a kernel.
SHARED = "ctree_ext._cyutility"


# Builds that look for faults, for .ci/sanitize; CTREE_BUILD names one. `sanitize` reports accesses outside of memory
# and undefined operations, signed overflow among them, which Python's own flags would define. `check` has Cython
# compare every index of an array with its bounds; a negative one is wrong, because nothing here counts from the end.
# Cython's own check for overflow is not used: it takes a hash that wraps around for a fault and raises without the GIL.
BUILD = os.environ.get("CTREE_BUILD", "")
SANITIZE = [
    *("-O1", "-g1", "-ffp-contract=off", "-fno-tree-vectorize", "-fno-omit-frame-pointer", "-fno-wrapv"),
    *("-U_FORTIFY_SOURCE", "-fsanitize=address,undefined,float-cast-overflow"),
]
LINK = ["-fsanitize=address,undefined"] if BUILD == "sanitize" else []
CHECK = {"boundscheck": True, "wraparound": False, "initializedcheck": True}
if BUILD not in ("", "check", "sanitize"):
    sys.exit(f"CTREE_BUILD is {BUILD!r}, but should be check or sanitize, or not be set")


def flags(source: Path) -> list[str]:
    """How to compile a module."""
    if BUILD:
        return SANITIZE if BUILD == "sanitize" else PLAIN
    if source.stem in LEADS.get(source.parent.name, ()):
        return PLAIN
    return FAST_FLOATS if source.stem in VECTORS else EXACT_FLOATS


# The sources need not be repeated in the C files, which are read by nobody.
Options.emit_code_comments = False

DIRECTIVES = {
    "language_level": "3",
    "boundscheck": False,
    "wraparound": False,
    "cdivision": True,
    "initializedcheck": False,
    "auto_pickle": False,  # kernels are not pickled; the methods that say so were in every class
    "freethreading_compatible": True,  # else a Python without a GIL would switch it on: tests/test_threads.py
}


class BuildExt(build_ext):
    """Cython runs only when something is to be compiled: an installation calls this file three times."""

    def build_extensions(self) -> None:
        if BUILD == "check":
            DIRECTIVES.update(CHECK)
        made = cythonize(self.extensions, shared_utility_qualified_name=SHARED, compiler_directives=DIRECTIVES)
        for extension, with_c_files in zip(self.extensions, made, strict=True):
            assert extension.name == with_c_files.name
            extension.sources = with_c_files.sources
        super().build_extensions()


HEADERS = sorted(map(str, Path("ctree_ext").rglob("*.h")))

setup(
    ext_modules=[
        *(
            Extension(
                ".".join(source.with_suffix("").parts),
                [str(source)],
                extra_compile_args=flags(source),
                extra_link_args=LINK,
                depends=HEADERS,
            )
            for source in sorted(Path("ctree_ext").rglob("*.pyx"))
        ),
        Extension(SHARED, [], extra_compile_args=SANITIZE if LINK else PLAIN, extra_link_args=LINK),
    ],
    cmdclass={"build_ext": BuildExt},
    options={"build_ext": {"parallel": os.cpu_count()}},
)
