"""The unit in which cases are counted, some of them in fractions."""

FINEST = 40
"""Units are 2**-40 of a case, or larger where so many cases could not be added up."""


def default_unit(n_cases: int, complete: bool) -> float:
    """The unit of cases that count one.

    Examples
    --------
    >>> default_unit(10**9, complete=True), default_unit(1000, complete=False) == 2**-40
    (1.0, True)
    >>> default_unit(10**9, complete=False) == 2**-32
    True
    """
    if complete:
        return 1.0
    return 2.0 ** -max(0, min(FINEST, 62 - max(1, n_cases).bit_length()))
