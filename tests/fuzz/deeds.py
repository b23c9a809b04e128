"""No kind of input, but every kind of finding: what the fuzzer must notice, done on demand."""

from __future__ import annotations

import os
import random
import signal
import warnings
from pathlib import Path
from typing import Any

import numpy as np

from ctree.errors import CtreeError, DataError

from .judging import check_probabilities

MEMORY_MAY_RUN_OUT = False


class TwoLinesError(CtreeError):
    """Unlike ctree's own errors, which escape what they quote, it has a message of two lines."""

    def __str__(self) -> str:
        return "two\nlines"


def draw(rng: random.Random) -> Any:
    """Nothing."""
    return "nothing"


def run(given: Any, folder: Path) -> bool:
    """Do what must not be done."""
    match given:
        case "crash":
            os.kill(os.getpid(), signal.SIGSEGV)
        case "hang":
            while True:
                pass
        case "foreign":
            return bool(1 // 0)
        case "memory":
            np.zeros(1 << 32)
        case "warning":
            warnings.warn("invalid value", RuntimeWarning)
        case "newline":
            raise TwoLinesError
        case "long":
            raise DataError("x" * 501)
        case "refuse":
            raise DataError("the table is wrong")
        case "nan":
            check_probabilities(np.array([[np.nan, 1.0]]), 1, 2)
        case "negative":
            check_probabilities(np.array([[-0.5, 1.5]]), 1, 2)
        case "sum":
            check_probabilities(np.array([[0.5, 0.25]]), 1, 2)
    return True
