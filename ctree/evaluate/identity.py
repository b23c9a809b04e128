"""What the results of a learner depend on, as a text: its class and parameters, and those of all that is within it."""

from __future__ import annotations

import functools
import hashlib
import pickle
import sys
import types
from collections.abc import Mapping, Set
from pathlib import Path
from typing import Any

import numpy as np

PLAIN = (type(None), bool, int, float, complex, str, bytes)


def identity(value: Any) -> str:
    """A text that is another one wherever the results of a learner may be others.

    Of a learner it tells the class, with the version of its package and the file that it and its bases are in, and the
    parameters. Parameters may be learners, functions and arrays, or hold them in lists and tables of names, as those
    of a pipeline or an ensemble do, and are told in the same way.

    Parameters
    ----------
    value : object
        A learner, or a parameter of one.

    Notes
    -----
    The file counts as well as the version, since a learner that is being worked on may well keep its version. A class
    that is in no file, as in a notebook, is told by the code of its methods. What these call elsewhere is not seen.

    Examples
    --------
    >>> import ctree
    >>> one, same, other = ctree.C45Classifier(), ctree.C45Classifier(), ctree.C45Classifier(min_cases=3)
    >>> identity(one) == identity(same), identity([one]) == identity([other])
    (True, False)
    """
    return _told(value, ())


def _told(value: Any, above: tuple[int, ...]) -> str:
    """`above` are the ids of the objects that this one is within, as one may be within itself."""
    if isinstance(value, PLAIN):
        return f"{type(value).__name__} {value!r}"
    if id(value) in above:
        return f"the one {len(above) - above.index(id(value))} above"
    above = (*above, id(value))
    if isinstance(value, type):
        return _class(value, above)
    if isinstance(value, types.FunctionType):
        return _function(value, above)
    if isinstance(value, types.MethodType):
        return f"method {_told(value.__func__, above)} of {_told(value.__self__, above)}"
    if isinstance(value, types.BuiltinFunctionType | np.ufunc):
        return f"builtin {getattr(value, '__module__', '')}.{value.__name__} {_version(type(value).__module__)}"
    if isinstance(value, functools.partial):
        return f"partial {_told([value.func, value.args, value.keywords], above)}"
    if isinstance(value, types.ModuleType):
        return f"module {value.__name__} {_version(value.__name__)} {_file(value.__name__)}"
    kind = _class(type(value), (*above, id(type(value))))
    if isinstance(value, np.ndarray | np.generic):
        inside = (
            _told(value.tolist(), above) if value.dtype.hasobject else _digest(np.ascontiguousarray(value).tobytes())
        )
        return f"{kind} {value.dtype} {value.shape} {inside}"
    if isinstance(value, np.random.Generator):
        return f"{kind} {_told(value.bit_generator.state, above)}"
    if isinstance(value, np.random.RandomState):
        return f"{kind} {_told(value.get_state(legacy=False), above)}"
    if isinstance(value, list | tuple):
        return f"{kind} [{'; '.join(_told(part, above) for part in value)}]"
    if isinstance(value, Set):
        return f"{kind} {{{'; '.join(sorted(_told(part, above) for part in value))}}}"
    if isinstance(value, Mapping):
        return f"{kind} {{{'; '.join(f'{_told(k, above)}: {_told(v, above)}' for k, v in value.items())}}}"
    return f"{kind} {_state(value, above)}"


def _state(value: Any, above: tuple[int, ...]) -> str:
    """What an object holds: its parameters where it has such, else all of it."""
    if hasattr(value, "get_params"):
        # not in depth: a learner among the parameters is told by its class as well, and so is one in a list of them
        parameters = value.get_params(deep=False)
        return f"({', '.join(f'{name}={_told(parameters[name], above)}' for name in sorted(parameters))})"
    inside = f"({', '.join(f'{k}={_told(v, above)}' for k, v in sorted(getattr(value, '__dict__', {}).items()))})"
    try:
        # what is kept elsewhere than in attributes, as in compiled classes
        return f"{inside} {_digest(pickle.dumps(value))}"
    except MemoryError:
        raise
    except Exception:  # whatever a foreign class raises that cannot be pickled
        return inside


def _class(kind: type, above: tuple[int, ...]) -> str:
    bases = [base for base in kind.__mro__ if base.__module__ != "builtins"]
    told = [f"{kind.__module__}.{kind.__qualname__}"]
    for module in dict.fromkeys(base.__module__ for base in bases):
        told.append(f"{_version(module)} {_file(module)}".strip())
    for base in bases:
        if not _file(base.__module__):
            told += [
                f"{name} {_function(part, above)}"  # which knows its class where it calls super()
                for name, part in sorted(vars(base).items())
                if isinstance(part, types.FunctionType)
            ]
    return f"<{' '.join(told)}>"


def _function(function: types.FunctionType, above: tuple[int, ...]) -> str:
    cells = []
    for cell in function.__closure__ or ():
        try:
            cells.append(_told(cell.cell_contents, above))
        except ValueError:  # it is not filled yet
            cells.append("empty")
    given = [function.__defaults__, function.__kwdefaults__]
    place = (
        f"{function.__module__}.{function.__qualname__} {_version(function.__module__)} {_file(function.__module__)}"
    )
    return f"function {place} {_code(function.__code__)} {_told(given, above)} {cells}"


def _code(code: types.CodeType) -> str:
    """What a function does; not where it is, so that lines may move."""
    constants = []
    for part in code.co_consts:
        if isinstance(part, frozenset):  # whose order is another in every process
            part = sorted(map(repr, part))
        constants.append(_code(part) if isinstance(part, types.CodeType) else repr(part))
    return _digest(repr((code.co_code, constants, code.co_names, code.co_varnames)).encode())


def _version(module: str | None) -> str:
    package = (module or "").partition(".")[0]
    version = getattr(sys.modules.get(package), "__version__", "")
    return f"{package} {version}" if version else ""


def _file(module: str) -> str:
    """A number for the file of a module; empty if it is in none."""
    file = getattr(sys.modules.get(module), "__file__", None)
    try:
        return _digest(Path(file).read_bytes()) if file else ""
    except OSError:
        return ""


def _digest(content: bytes) -> str:
    return hashlib.sha256(content).hexdigest()
