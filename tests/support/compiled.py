"""Split criteria in C, compiled for a test, and loaded by ctypes."""

from __future__ import annotations

import ctypes
import shutil
import subprocess
import tempfile
from functools import cache
from pathlib import Path

import pytest
from scipy import LowLevelCallable

SOURCE = """
#include <math.h>

double purity(const double *counts, int n_branches, int n_classes, void *user_data) {
    double sum = 0;
    for (int b = 0; b < n_branches; b++, counts += n_classes) {
        double size = 0, squares = 0;
        for (int c = 0; c < n_classes; c++) {
            size += counts[c];
            squares += counts[c] * counts[c];
        }
        sum += squares / size;
    }
    return sum;
}

static double part(double x) { return x > 0 ? x * log2(x) : 0; }

/* N times information gain; what is nothing but rounding is 0 */
double n_gain(const double *counts, int n_branches, int n_classes, void *user_data) {
    double gain = 0, all = 0;
    for (int c = 0; c < n_classes; c++) {
        double of_class = 0;
        for (int b = 0; b < n_branches; b++) {
            gain += part(counts[b * n_classes + c]);
            of_class += counts[b * n_classes + c];
        }
        gain -= part(of_class);
        all += of_class;
    }
    for (int b = 0; b < n_branches; b++) {
        double size = 0;
        for (int c = 0; c < n_classes; c++)
            size += counts[b * n_classes + c];
        gain -= part(size);
    }
    gain += part(all);
    return gain < 1e-9 ? 0 : gain;
}

/* how many cases of the class that the user data name are in the first branch */
double first(const double *counts, int n_branches, int n_classes, void *user_data) {
    return counts[*(int *) user_data];
}

double never(const double *counts, int n_branches, int n_classes, void *user_data) { return NAN; }

double wait(const double *counts, int n_branches, int n_classes, void *user_data) {
    volatile double x = 0;
    for (int i = 0; i < 100000; i++)
        x += 1;
    return counts[0];
}
"""

TYPE = ctypes.CFUNCTYPE(ctypes.c_double, ctypes.POINTER(ctypes.c_double), ctypes.c_int, ctypes.c_int, ctypes.c_void_p)


@cache
def _library() -> ctypes.CDLL:
    compiler = shutil.which("cc") or shutil.which("gcc")
    if compiler is None:
        pytest.skip("there is no C compiler")
    folder = Path(tempfile.mkdtemp())
    (folder / "criteria.c").write_text(SOURCE)
    made = folder / "criteria.so"
    subprocess.run([compiler, "-O2", "-shared", "-fPIC", "-o", made, folder / "criteria.c", "-lm"], check=True)
    return ctypes.CDLL(str(made))


def compiled(name: str, user_data: ctypes.c_void_p | None = None) -> LowLevelCallable:
    """One of the functions above, which ctypes calls without the lock of Python."""
    function = getattr(_library(), name)
    function.restype, function.argtypes = TYPE._restype_, TYPE._argtypes_
    return LowLevelCallable(function, user_data)
