"""The compiled modules; everything else about the build is in pyproject.toml."""

import os
import sys
from pathlib import Path

from Cython.Build import cythonize
from setuptools import Extension, setup

# Release 8 rounds every intermediate result to 32 bits: a fused multiply-add would round once where it rounds twice.
# Loops over a handful of classes or values are the rule here, and slower as vectors.
EXACT_FLOATS = (
    ["/O2", "/fp:precise"] if sys.platform == "win32" else ["-O3", "-g0", "-ffp-contract=off", "-fno-tree-vectorize"]
)
# The loops of the lattice go over many tests at once.
VECTORS = {"best_tree", "itemsets", "objective", "pairs"}
FAST_FLOATS = [flag for flag in EXACT_FLOATS if flag != "-fno-tree-vectorize"]

setup(
    ext_modules=cythonize(
        [
            Extension(
                ".".join(source.with_suffix("").parts),
                [str(source)],
                extra_compile_args=FAST_FLOATS if source.stem in VECTORS else EXACT_FLOATS,
                depends=sorted(map(str, Path("ctree_ext").rglob("*.h"))),
            )
            for source in sorted(Path("ctree_ext").rglob("*.pyx"))
        ],
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
