"""The conclusions of Cano, Masegosa and Moral 2008, each as differences between two columns of its tables."""

from __future__ import annotations

import math

from ctree.evaluate.comparison import Comparison
from ctree.evaluate.papers.report import Difference, Finding, over_sets
from ctree_ext.base.elementary import log

BITS = math.log(2)


def findings(result: Comparison) -> list[Finding]:
    """Whether they hold, by the mean difference over the sets."""

    def gap(measure: str, better: str, worse: str, scale: float = 1.0) -> Difference:
        values = result.means(measure) * (100 if measure == "accuracy" else 1)
        if measure == "nodes":
            values = log(values)
        columns = [values[:, result.learners.index(name)] for name in (better, worse)]
        return over_sets((columns[0] - columns[1]) * scale)

    def gaps(
        measure: str, better: str, worse: str, weights: str = "1 2 |C|", scale: float = 1.0
    ) -> dict[str, Difference]:
        """By S; what begins with a comma is added to it."""
        result = {}
        for weight in weights.split():
            first, second = (f"S={weight}{n}" if n[:1] in ("", ",") else n for n in (better, worse))
            result[f"S={weight}"] = gap(measure, first, second, scale)
        return result

    accuracy, likelihood = "accuracy", "log-likelihood"
    both, averaging, nonuniform = ", averaging, nonuniform", ", averaging", ", nonuniform"
    most = gaps(likelihood, both, averaging)
    best = f"S=2{both}"
    return [
        Finding.of_differences(
            "without averaging, S = 1 and 2 are as accurate as C4.5 (within a point)",
            gaps(accuracy, "", "C4.5", "1 2"),
            -1.0,
            2,
        ),
        Finding.of_differences(
            "and more accurate than unpruned C4.5", gaps(accuracy, "", "C4.5 unpruned", "1 2"), digits=2
        ),
        Finding.of_differences(
            "their trees are larger than those of C4.5 (logarithm of the ratio)", gaps("nodes", "", "C4.5", "1 2")
        ),
        Finding.of_differences(
            "with uniform priors S = |C| is less accurate than S = 1 and 2",
            {f"S={s}{a}": gap(accuracy, f"S={s}{a}", f"S=|C|{a}") for a in ("", averaging) for s in "12"},
            digits=2,
        ),
        Finding.of_differences(
            "averaging improves the log-likelihood for S = 1 and 2", gaps(likelihood, averaging, "", "1 2")
        ),
        Finding.of_differences(
            "by a tenth and more, which its tables show", gaps(likelihood, averaging, "", "1 2"), 0.1
        ),
        Finding.of_differences(
            "(ours) by a tenth and more in bits, against Laplace's estimate in the leaves",
            gaps(likelihood, averaging, ", Laplace", "1 2", 1 / BITS),
            0.1,
        ),
        Finding.of_differences(
            "averaging with S = 1 and 2 has a better log-likelihood than C4.5",
            gaps(likelihood, averaging, "C4.5", "1 2"),
        ),
        Finding.of_differences(
            "averaging changes the accuracy by less than half a point",
            {
                f"S={s}, {sign}": gap(accuracy, f"S={s}{averaging}", f"S={s}", scale)
                for s in ("1", "2", "|C|")
                for sign, scale in (("up", -1.0), ("down", 1.0))
            },
            -0.5,
            2,
        ),
        Finding.of_differences(
            "without averaging, nonuniform priors worsen the log-likelihood for S = 1 and 2",
            gaps(likelihood, "", nonuniform, "1 2"),
        ),
        Finding.of_differences(
            "(ours) they do so with Laplace's estimate in the leaves",
            gaps(likelihood, ", Laplace", f"{nonuniform}, Laplace", "1 2"),
        ),
        Finding.of_differences("with averaging, nonuniform priors improve the log-likelihood", most),
        Finding.of_differences(
            "they do so most for S = |C|",
            {f"than for S={s}": _less(result, likelihood, both, averaging, s) for s in "12"},
        ),
        Finding.of_differences(
            "with averaging, nonuniform priors improve the accuracy", gaps(accuracy, both, averaging), digits=2
        ),
        Finding.of_differences(
            "averaging with nonuniform priors has a better log-likelihood than C4.5, whatever S",
            gaps(likelihood, both, "C4.5"),
        ),
        Finding.of_differences(
            "it is more accurate than C4.5 for S = 1 and 2", gaps(accuracy, both, "C4.5", "1 2"), digits=2
        ),
        Finding.of_differences(
            "S = 2 has the best log-likelihood then",
            {f"over S={s}": gap(likelihood, best, f"S={s}{both}") for s in ("1", "|C|")},
        ),
    ]


def _less(result: Comparison, measure: str, better: str, worse: str, weight: str) -> Difference:
    """How much more there is to gain for S = |C| than for another S."""
    means = dict(zip(result.learners, result.means(measure).T, strict=True))
    gains = [means[f"S={s}{better}"] - means[f"S={s}{worse}"] for s in ("|C|", weight)]
    return over_sets(gains[0] - gains[1])
