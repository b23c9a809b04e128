"""Class probabilities made of the class counts of a leaf, and of the nodes above it.

Each function of counts takes any vector of them; `estimate` chooses by name, given the path from the root to the leaf.
"""

from collections.abc import Sequence

from naive.bayes_criteria import prior_sum

Counts = Sequence[float]

NAMES = ("frequency", "laplace", "m", "dirichlet", "m-branch")


def frequency(counts: Counts) -> list[float]:
    """n_c / n; of a leaf without cases nothing can be said.

    >>> frequency([3, 0])
    [1.0, 0.0]
    """
    return [n / sum(counts) for n in counts]


def laplace(counts: Counts) -> list[float]:
    """(n_c + 1) / (n + C).

    >>> laplace([3, 0])
    [0.8, 0.2]
    """
    return [(n + 1) / (sum(counts) + len(counts)) for n in counts]


def m_estimate(counts: Counts, priors: Counts, m: float = 2.0) -> list[float]:
    """(n_c + m·p_c) / (n + m).

    >>> m_estimate([3, 0], [0.25, 0.75])
    [0.7, 0.3]
    """
    return [(n + m * p) / (sum(counts) + m) for n, p in zip(counts, priors, strict=True)]


def class_priors(counts: Counts) -> list[float]:
    """The p_c of the m-estimate: Laplace over all the training cases.

    Cestnik's own (N_c + 1) / (N + 2) does not sum to 1 with more than two classes, as here with 22 of 339 cases in all:

    >>> round(sum((339 / 22 + 1) / (339 + 2) for _ in range(22)), 3)
    1.059
    >>> round(sum(class_priors([339 / 22] * 22)), 12)
    1.0
    """
    return laplace(counts)


def dirichlet(counts: Counts, alphas: Counts) -> list[float]:
    """(n_c + α_c) / (n + A).

    >>> [round(p, 6) for p in dirichlet([5, 0], [1, 1])]
    [0.857143, 0.142857]
    """
    return [(n + a) / (sum(counts) + sum(alphas)) for n, a in zip(counts, alphas, strict=True)]


def m_branch(path: Sequence[Counts], m: float = 2.0) -> list[float]:
    """m-estimates from the root to the leaf, where the estimate of each node is the prior of the next one.

    >>> path = [60, 40], [50, 10], [25, 0]
    >>> [round(m_branch(path[:n], m=4)[0], 5) for n in (1, 2, 3)]
    [0.59615, 0.81851, 0.97497]
    """
    n_classes = len(path[0])
    estimate = [1 / n_classes] * n_classes
    for counts in path:
        estimate = m_estimate(counts, estimate, m)
    return estimate


def estimate(
    path: Sequence[Counts],
    name: str = "laplace",
    *,
    m: float = 2.0,
    prior_weight: float | str = 2.0,
    alphas: Counts | None = None,
) -> list[float]:
    """The estimate of that name for the leaf at the end of a path of class counts, the first of which are the root's.

    `alphas` are those of the leaf; uniform with the sum `prior_weight` if not given. A leaf without cases has the
    frequencies of its nearest ancestor with some; for the other estimates the formula itself has an answer.

    >>> path = [6, 4], [3, 0], [0, 0]
    >>> for name in NAMES:
    ...     print(name, [round(p, 4) for p in estimate(path, name)])
    frequency [1.0, 0.0]
    laplace [0.5, 0.5]
    m [0.5833, 0.4167]
    dirichlet [0.5, 0.5]
    m-branch [0.8333, 0.1667]
    """
    counts = path[-1]
    n_classes = len(counts)
    if name == "frequency":
        return frequency(next(node for node in reversed(path) if sum(node) > 0))
    if name == "laplace":
        return laplace(counts)
    if name == "m":
        return m_estimate(counts, class_priors(path[0]), m)
    if name == "dirichlet":
        return dirichlet(counts, alphas or [prior_sum(prior_weight, n_classes) / n_classes] * n_classes)
    if name == "m-branch":
        return m_branch(path, m)
    raise ValueError(f"no estimate {name!r}, only {', '.join(NAMES)}")
