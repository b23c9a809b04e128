"""What goes wrong with Spark, in words."""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import contextmanager

from ctree.errors import CtreeError

STOPPED = "the session of Spark was stopped: make the frame again in another one"


@contextmanager
def in_words() -> Iterator[None]:
    """Errors of Spark as those of ctree, which say what the matter is in one sentence."""
    try:
        yield
    except Exception as error:
        if type(error).__module__.split(".")[0] not in ("py4j", "pyspark", "grpc"):
            raise
        if _was_interrupted(error):
            raise KeyboardInterrupt from error
        raise CtreeError(_sentence(str(error))) from error


def _was_interrupted(error: BaseException | None) -> bool:
    """Whether Ctrl-C is behind an error: the connection to Java takes it for a fault of its own."""
    while error is not None:
        if isinstance(error, KeyboardInterrupt):
            return True
        error = error.__context__
    return False


def _sentence(told: str) -> str:
    """What there is to say of an error of Spark.

    Examples
    --------
    >>> _sentence("PythonException:\\nTraceback:\\n  File x, line 1\\nMemoryError: no room\\n\\nat org.apache.Task")
    'Spark could not do its work: MemoryError: no room'
    """
    if re.search(r"stopped SparkContext|SparkContext (was|has been) (shut ?down|stopped)|NO_ACTIVE_SESSION", told):
        return STOPPED
    if "No module named 'ctree" in told:
        return "the workers of Spark cannot import ctree: install ctree-learn where their Python is"
    if re.search(r"ExecutorLostFailure|exited unexpectedly|OutOfMemoryError", told):
        return (
            "executors of Spark died, or their workers did, again and again at the same task; they may have too little "
            "memory for a part of the frame: give it more partitions, or the executors more memory"
        )
    lines = [line.strip() for line in told.splitlines() if line.strip()]
    # The last line of a traceback of Python says what it was.
    errors = [line for line in lines if re.match(r"[\w.]*(Error|Exception|Interrupt)\b: ", line)]
    python = [line for line in errors if not line.startswith(("org.", "java.", "scala.", "py4j."))]
    return f"Spark could not do its work: {(python or errors or lines or ['it does not say why'])[0]}"
