"""The exceptions of ctree; all of them are `CtreeError`."""

from __future__ import annotations

import sys
import warnings

from ctree.wording import abbreviated_path, escaped

LONGEST = 1000
"""Of a message, whatever stands in it."""


class CtreeError(Exception):
    """Base class of all exceptions of ctree."""

    def __init__(self, message: str = "") -> None:
        # Names and values are abbreviated where a message is made; this is for those that nobody thought of.
        message = escaped(str(message))
        super().__init__(message if len(message) <= LONGEST else message[: LONGEST - 1] + "…")


class DataError(CtreeError, ValueError):
    """Invalid data: a file, a table or an array that cannot be read as cases.

    Parameters
    ----------
    message : str
        One sentence: what is wrong and what would be right.
    file : str, optional
        The file that contains it.
    line : int, optional
        The line of that file, from 1.
    """

    def __init__(self, message: str, file: str | None = None, line: int | None = None) -> None:
        self.file = file
        self.line = line
        place = "" if file is None else f"{abbreviated_path(file)}:{'' if line is None else f'{line}:'} "
        super().__init__(place + message)


class DataTypeError(DataError, TypeError):
    """Data of a type that no cases can be read from, such as a column of lists."""


class ParameterError(CtreeError, ValueError):
    """A learner or a function was given a parameter outside its range."""


class NamingError(DataError, ParameterError):
    """A column, an attribute or a table was named that the data do not have, or that cannot be what it is named for."""


class ModelError(CtreeError, ValueError):
    """A saved model that cannot be read: damaged, of a later version, or not a model at all."""


class NotFittedError(CtreeError, ValueError, AttributeError):
    """A learner was asked to predict before it was fitted."""


class MissingExtraError(CtreeError, ImportError):
    """A feature needs an optional library that is not installed."""


def missing(needs: str, library: str, extra: str = "", packages: str | None = None) -> MissingExtraError:
    """The error about a library that is not installed, with the command that installs it.

    If it belongs to an extra, that may need several `packages`.

    Examples
    --------
    >>> print(missing("ARFF files need", "liac-arff", "arff"))
    ARFF files need liac-arff (the extra 'arff'), which is not installed; to install it: pip install liac-arff
    """
    of_extra = f" (the extra '{extra}')" if extra else ""
    return MissingExtraError(
        f"{needs} {library}{of_extra}, which is not installed; to install it: pip install {packages or library}"
    )


class LimitWarning(UserWarning):
    """A limit of time or memory was reached, and the result is not the final one."""


class SmallWeightsWarning(UserWarning):
    """Cases weigh so little together that a tree cannot have a test, though there are many."""


class DataConversionWarning(UserWarning):
    """Data were taken otherwise than they were given, such as a table of one column for the classes."""


def warn(message: str | Warning) -> None:
    """A warning where ctree was called, not where it finds out."""
    frame, level = sys._getframe(), 1
    while frame.f_back is not None and frame.f_globals["__name__"].split(".")[0] == "ctree":
        frame, level = frame.f_back, level + 1
    warnings.warn(message, stacklevel=level)
