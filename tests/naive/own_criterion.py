"""Trees whose tests are compared by any function of the class counts, every test weighed the long way."""

import math
from collections.abc import Callable

from naive.bayes_criteria import Matrix
from naive.candidate_tests import Data, Test
from naive.probability_tree import ProbabilityTree


class OwnTree(ProbabilityTree):
    """A probability tree by `criterion`, which sees the branches that have a case, and rules tests out by -inf.

    What a method prunes by, and where it stops before that, is as ever.

    >>> data = Data([[0, 0, 1, 1], [0, 1, 0, 1]], [2, 2], [0, 1, 0, 1], 2)
    >>> OwnTree(data, "c4.4", lambda matrix: sum(map(max, matrix))).root.test.attribute
    1
    """

    def __init__(self, data: Data, method: str, criterion: Callable[[Matrix], float], **options):
        self.criterion = criterion
        super().__init__(data, method, **options)

    def best_test(self, tests: list[tuple[Test, Matrix]]) -> Test | None:
        best, most = None, -math.inf
        for test, matrix in tests:
            score = self.criterion([row for row in matrix if sum(row) > 0])
            if score > -math.inf and (best is None or score > most + 1e-10 * abs(most)):
                best, most = test, score
        return best


def purity(matrix: Matrix) -> float:
    """The sum over branches of n (1 - Gini): the larger, the purer they are."""
    return math.fsum(n * n / math.fsum(row) for row in matrix for n in row)


def right(matrix: Matrix) -> float:
    """How many cases the largest classes of the branches are."""
    return math.fsum(max(row) for row in matrix)


def picky(matrix: Matrix) -> float:
    """The same for tests that set a fifth of the cases apart, and no others."""
    sizes = [math.fsum(row) for row in matrix]
    # a little less, so that rounding does not decide about a fifth
    return right(matrix) if min(sizes) >= (0.2 - 1e-9) * math.fsum(sizes) else -math.inf
