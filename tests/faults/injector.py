"""The library that makes calls fail: how it is compiled, preloaded and armed."""

from __future__ import annotations

import ctypes
import errno
import os
import shutil
import subprocess
import sys
import sysconfig
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

SOURCE = Path(__file__).with_name("injector.c")
LIBRARY = "CTREE_INJECTOR"
"""The variable that tells a worker where the library is that it was started with."""

SCOPES = {"kernels": "/ctree_ext/", "arrays": "/ctree_ext/", "everything": ""}
"""Whose requests for memory are counted, by parts of the paths of their modules; `arrays` are also the contents of
numpy's arrays. Where other requests of numpy fail, it may return NULL without an exception, a SystemError, or crash."""

SET_HANDLER = 304
"""The place of `PyDataMem_SetHandler` in numpy's API, since version 1.22."""

ERRORS = {"ENOSPC": errno.ENOSPC, "EIO": errno.EIO, "EINTR": errno.EINTR, "short": -1}
"""How a call on a file fails; `short` is a write of half of what there is to write."""


def available() -> str | None:
    """Why there can be no injector here, or None."""
    if sys.platform != "linux" or not sysconfig.get_config_var("HAVE_GETRANDOM"):
        return "calls are made to fail on Linux only"
    if os.confstr("CS_GNU_LIBC_VERSION") is None:
        return "calls are made to fail in glibc only"
    if shutil.which("gcc") is None:
        return "gcc is not installed"
    if "asan" in os.environ.get("LD_PRELOAD", ""):
        return "the sanitizer has an allocator of its own"
    return None


def compiled(folder: Path) -> Path:
    """The library, compiled into a folder."""
    library = folder / "injector.so"
    flags = ["-std=c11", "-O1", "-Wall", "-Wextra", "-Werror", "-fno-builtin", "-shared", "-fPIC"]
    subprocess.run(["gcc", *flags, "-o", str(library), str(SOURCE), "-ldl"], check=True)
    return library


def environment(library: Path) -> dict[str, str]:
    """The environment of a process that has it, and whose every object is asked of malloc."""
    return {**os.environ, "LD_PRELOAD": str(library), LIBRARY: str(library), "PYTHONMALLOC": "malloc"}


@dataclass
class Count:
    """What happened between arming and disarming."""

    calls: int = 0
    failed: int = 0
    what: str = ""


class Injector:
    """The preloaded library of this process."""

    def __init__(self) -> None:
        # By its path, because ctypes must find the one that is loaded; PyDLL, because nothing may run in between.
        self.library = ctypes.PyDLL(os.environ[LIBRARY])
        self.library.set_callers.argtypes = [ctypes.c_char_p]
        self.library.arm_memory.argtypes = [ctypes.c_long, ctypes.c_int]
        self.library.arm_files.argtypes = [ctypes.c_long, ctypes.c_int, ctypes.c_char_p, ctypes.c_int]
        self.library.disarm.restype = self.library.n_failed.restype = ctypes.c_long
        self.library.what_failed.restype = ctypes.c_char_p
        self._lead_numpy()

    def _lead_numpy(self) -> None:
        """Have numpy ask the library for the contents of arrays."""
        import numpy

        core = getattr(numpy, "_core", None) or numpy.core
        python = ctypes.pythonapi
        python.PyCapsule_New.restype = ctypes.py_object
        python.PyCapsule_New.argtypes = [ctypes.c_void_p, ctypes.c_char_p, ctypes.c_void_p]
        python.PyCapsule_GetPointer.restype = ctypes.c_void_p
        python.PyCapsule_GetPointer.argtypes = [ctypes.py_object, ctypes.c_char_p]
        self.name = b"mem_handler"  # the capsule points to it
        handler = ctypes.addressof(ctypes.c_char.in_dll(self.library, "array_handler"))
        api = python.PyCapsule_GetPointer(core._multiarray_umath._ARRAY_API, None)
        address = ctypes.cast(api, ctypes.POINTER(ctypes.c_void_p))[SET_HANDLER]
        set_handler = ctypes.PYFUNCTYPE(ctypes.py_object, ctypes.py_object)(address)
        set_handler(python.PyCapsule_New(handler, self.name, None))

    def set_scope(self, scope: str) -> None:
        """Whose requests for memory are counted from now on; the modules must have been loaded."""
        if not self.library.set_callers(SCOPES[scope].encode()) and SCOPES[scope]:
            raise RuntimeError(f"no module of {SCOPES[scope]} is loaded")
        self.library.set_arrays(scope == "arrays")

    @contextmanager
    def memory(self, first: int, lasting: bool = False) -> Iterator[Count]:
        """Requests for memory are counted, and this one fails (0 for none)."""
        count = Count()
        self.library.arm_memory(first, lasting)
        try:
            yield count
        finally:
            self._disarm(count)

    @contextmanager
    def files(self, first: int, folder: str, error: str, lasting: bool = False) -> Iterator[Count]:
        """Calls on files in a folder are counted, and this one fails (0 for none)."""
        count = Count()
        self.library.arm_files(first, lasting, os.fsencode(folder), ERRORS[error])
        try:
            yield count
        finally:
            self._disarm(count)

    def _disarm(self, count: Count) -> None:
        count.calls = self.library.disarm()
        count.failed = self.library.n_failed()
        count.what = self.library.what_failed().decode()
