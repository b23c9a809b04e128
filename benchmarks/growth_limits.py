"""What limits of growing take: CPU seconds of fits with and without them.

Run as `python benchmarks/growth_limits.py`; the cases are made up.
"""

import time

import numpy as np

import ctree

LIMITS = ({}, {"max_depth": 4}, {"max_leaves": 16}, {"max_leaves": 16, "max_depth": 8}, {"min_gain": 0.05})


def main(n: int = 50_000) -> None:
    rng = np.random.default_rng(1)
    X = rng.normal(size=(n, 8))
    y = (X[:, 0] + X[:, 1] * X[:, 2] + rng.normal(size=n) > 0).astype(int)
    ctree.C45Classifier().fit(X[:100], y[:100])  # imports what it needs
    for limits in LIMITS:
        start = time.process_time()
        model = ctree.C45Classifier(**limits).fit(X, y)
        print(f"{time.process_time() - start:6.2f} s", limits, model.size_text())


if __name__ == "__main__":
    main()
