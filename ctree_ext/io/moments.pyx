"""Columns of dates, times and timestamps that are text, as numbers."""

from libc.math cimport NAN
from libc.stdint cimport uint8_t

from ctree_ext.base.interrupts cimport check_signals
from ctree_ext.io.moment_text cimport Moment, read_moment

import numpy as np

cdef extern from "Python.h":
    const char *PyUnicode_AsUTF8AndSize(object text, Py_ssize_t *size) except NULL

DATE, TIME, TIMESTAMP = range(3)

cdef enum:
    CHUNK = 1 << 18  # texts after which signals are heard


def moments(list texts not None, int kind):
    """The number of each text, NaN where it is None.

    Parameters
    ----------
    texts : list of str or None
    kind : {DATE, TIME, TIMESTAMP}

    Returns
    -------
    numbers : array of float64
    wrong : int
        The place of the first text that is none of the kind; -1 if there is none.
    """
    cdef Py_ssize_t i, size
    cdef const char *text
    cdef double[::1] numbers
    result = np.empty(len(texts), dtype=np.float64)
    numbers = result
    for i in range(len(texts)):
        if i % CHUNK == 0:
            check_signals()
        value = texts[i]
        if value is None:
            numbers[i] = NAN
            continue
        try:
            text = PyUnicode_AsUTF8AndSize(value, &size)
        except UnicodeEncodeError:
            return result, i
        if not read_moment(<const uint8_t *>text, size, <Moment>kind, &numbers[i]):
            return result, i
    return result, -1
