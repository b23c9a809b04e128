"""The compiled modules; everything else about the build is in pyproject.toml."""

import os
import sys
from pathlib import Path

from Cython.Build import cythonize
from Cython.Compiler import Options
from setuptools import Extension, setup

# Release 8 rounds every intermediate result to 32 bits: a fused multiply-add would round once where it rounds twice.
# Loops over a handful of classes or values are the rule here, and slower as vectors.
EXACT_FLOATS = (
    ["/O2", "/fp:precise"] if sys.platform == "win32" else ["-O3", "-g0", "-ffp-contract=off", "-fno-tree-vectorize"]
)
# The loops of the lattice go over many tests at once.
VECTORS = {"best_tree", "itemsets", "objective", "pairs"}
FAST_FLOATS = [flag for flag in EXACT_FLOATS if flag != "-fno-tree-vectorize"]

# What Cython needs for typed memoryviews is compiled once here instead of in every module that has one, which was half
# of the time to compile everything. It runs once per argument of a kernel, so that it need not be fast.
SHARED = "ctree_ext._cyutility"
PLAIN = [{"-O3": "-O1"}.get(flag, flag) for flag in EXACT_FLOATS]

# The sources need not be repeated in the C files, which are read by nobody.
Options.emit_code_comments = False

setup(
    ext_modules=cythonize(
        [
            *(
                Extension(
                    ".".join(source.with_suffix("").parts),
                    [str(source)],
                    extra_compile_args=FAST_FLOATS if source.stem in VECTORS else EXACT_FLOATS,
                    depends=sorted(map(str, Path("ctree_ext").rglob("*.h"))),
                )
                for source in sorted(Path("ctree_ext").rglob("*.pyx"))
            ),
            Extension(SHARED, [], extra_compile_args=PLAIN),
        ],
        shared_utility_qualified_name=SHARED,
        compiler_directives={
            "language_level": "3",
            "boundscheck": False,
            "wraparound": False,
            "cdivision": True,
            "initializedcheck": False,
            "embedsignature": True,
        },
    ),
    options={"build_ext": {"parallel": os.cpu_count()}},
)
