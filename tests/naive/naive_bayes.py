"""Naive Bayes by Cestnik's formula 2: P(c | x) in proportion to P(c) · Π P(c | v_i) / P(c).

It needs the chance of a class given a value, not of a value given a class; with the m-estimate the class priors are in
place as p_c. Unknown values are skipped, in learning as in classifying.
"""

import math
from collections.abc import Sequence

from naive.candidate_tests import Data, bin_of, equal_frequency_cuts
from naive.leaf_estimates import class_priors, frequency, laplace, m_estimate

ESTIMATES = ("frequency", "laplace", "m")


class NaiveBayes:
    """`counts[a][v]` are the class counts of the cases with value v of attribute a.

    >>> data = Data([[0, 0, 0, 1, 1]], [2], [0, 0, 0, 0, 1], 2)
    >>> [round(p, 4) for p in NaiveBayes(data, "m").probabilities([0])]  # (3 + 2·5/7) / 5 is P(0 | v = 0)
    [0.8857, 0.1143]
    """

    def __init__(self, data: Data, estimate: str = "m", m: float = 2.0, bins: int = 5):
        if estimate not in ESTIMATES:
            raise ValueError(f"no estimate {estimate!r}, only {', '.join(ESTIMATES)}")
        self.estimate = estimate
        self.m = m
        cases = data.all_cases()
        self.class_counts = data.counts(cases)
        self.cuts: list[list[float] | None] = []
        self.counts: list[list[list[float]]] = []
        for column, n in zip(data.columns, data.n_values, strict=True):
            if column is None:
                self.cuts.append(None)
                self.counts.append([])
                continue
            cuts = None if n else equal_frequency_cuts(column, bins, data.weights)
            codes = column if cuts is None else [bin_of(value, cuts) for value in column]
            n_codes = n if cuts is None else len(cuts) + 1
            self.cuts.append(cuts)
            self.counts.append([data.counts([(i, w) for i, w in cases if codes[i] == v]) for v in range(n_codes)])

    @property
    def priors(self) -> list[float]:
        """P(c); by Laplace also for the m-estimate."""
        return frequency(self.class_counts) if self.estimate == "frequency" else class_priors(self.class_counts)

    def given(self, counts: Sequence[float]) -> list[float]:
        """P(c | v) from the class counts of a value."""
        if self.estimate == "frequency":
            return frequency(counts)
        return laplace(counts) if self.estimate == "laplace" else m_estimate(counts, self.priors, self.m)

    def factors(self, case: Sequence) -> list[list[float] | None]:
        """P(c | v_i) / P(c) for each attribute: how much its value speaks for each class. None where it says nothing.

        By frequency nothing is known of a value that no case had, and a class without cases stays without.
        """
        result: list[list[float] | None] = []
        for value, counts, cuts in zip(case, self.counts, self.cuts, strict=True):
            code = value if cuts is None else bin_of(value, cuts)
            if code is None or code >= len(counts) or (self.estimate == "frequency" and sum(counts[code]) == 0):
                result.append(None)
            else:
                pairs = zip(self.given(counts[code]), self.priors, strict=True)
                result.append([p / prior if prior > 0 else 0.0 for p, prior in pairs])
        return result

    def probabilities(self, case: Sequence) -> list[float]:
        """Of each class; the priors if by frequency none is possible.

        >>> data = Data([[0, 1], [0, 1]], [2, 2], [0, 1], 2)
        >>> NaiveBayes(data, "frequency").probabilities([0, 0]), NaiveBayes(data, "frequency").probabilities([0, 1])
        ([1.0, 0.0], [0.5, 0.5])
        """
        logs = [log(p) for p in self.priors]
        for factor in self.factors(case):
            if factor is not None:
                logs = [x + log(f) for x, f in zip(logs, factor, strict=True)]
        greatest = max(logs)
        if greatest == -math.inf:
            return self.priors
        weights = [math.exp(x - greatest) for x in logs]
        return [w / math.fsum(weights) for w in weights]


def log(x: float) -> float:
    return math.log(x) if x > 0 else -math.inf
