"""The kernels against the slow versions of `naive`, on small random sets by the hundred thousand.

::

    python -m tests.hunt --count 20000 --seed 7                         so many sets of each kind
    python -m tests.hunt --count 20000 --seed 7 --kind release8         of one kind
    python -m tests.hunt --minutes 25 --start 20000 --seed 7            for so long, from this number on
    python -m tests.hunt --kind rules --seed 7 --replay 1234            one set again: what it is, and what differs

A set has 10 to 60 cases with few decimals, many ties, duplicates and up to half of its values unknown, so that many
decisions between sums of fractions are close. With it options are drawn. Both depend on nothing but the kind, the seed
and the number. `sets` draws them, `kinds` compares, and what differs is made smaller (`smaller`) before it is printed.

A rule that both sides have misread in the same way does not show here: that takes outputs of the original programs.
"""

import sys
from pathlib import Path

TESTS = str(Path(__file__).parents[1])
if TESTS not in sys.path:  # where pytest has put it
    sys.path.append(TESTS)
