"""What the learners over all trees share: parameters, tests, limits."""

from __future__ import annotations

import math
import warnings
from collections.abc import Callable
from numbers import Integral, Real
from typing import Any, Self

import numpy as np
import numpy.typing as npt

from ctree.data.binary_tests import BinaryTests, Bytes
from ctree.errors import LimitWarning, ParameterError
from ctree.learners.base import Classifier
from ctree.learners.training import whole_cases
from ctree_ext.lattice import MOST_LEVELS, Lattice

PRIORS = ("size", "uniform")
TEST_PRIORS = ("auto", "per_feature", "per_test")
MOST_ALPHA = 1_000_000
LEAST_MEMORY = 1 << 20

Progress = Callable[[int, int, float, float], None]


class LatticeClassifier(Classifier):
    """Parent of the learners over all trees; the parameters are those of `BayesOptimalClassifier`."""

    min_support: int
    max_depth: int | None
    prior: str
    gamma: float
    delta: float
    alpha: float
    test_prior: str
    bins: int | str | None
    time_limit: float | None
    memory_limit: int | None

    tests_: BinaryTests
    n_states_: int
    _columns: Bytes
    _codes: npt.NDArray[np.int32]
    _progress: Progress | None = None

    def report_progress(self, progress: Progress | None) -> None:
        """Call this now and then while fitting, with the states visited, those remembered, and the bracket so far."""
        self._progress = progress

    def fit(self, X: Any, y: Any = None, sample_weight: npt.ArrayLike | None = None) -> Self:
        """Learn from a `Dataset`, or from a table `X` and classes `y`."""
        raise NotImplementedError

    def _start(self, X: Any, y: Any, sample_weight: npt.ArrayLike | None) -> None:
        """Check the parameters and make tests of the cases."""
        self._check_parameters()
        data = self._training_cases(X, y, sample_weight)
        data = whole_cases(data)
        if self.min_support > data.n_cases:
            raise ParameterError(f"min_support is {self.min_support}, but there are only {data.n_cases} cases")
        assert data.classes is not None
        self.tests_ = BinaryTests.of(data, self.bins)
        self._columns, self._codes = self.tests_.columns(data), np.array(data.classes, dtype=np.int32)
        self._settle(self.tests_)

    def _settle(self, tests: BinaryTests) -> None:
        self._know(tests.schema)

    def _new_lattice(self, **limits: Any) -> Lattice:
        return Lattice(
            self._columns,
            self._codes,
            self.schema_.n_classes,
            min_support=self.min_support,
            max_depth=self.max_depth,
            uniform=self.prior == "uniform",
            gamma=self.gamma,
            delta=self.delta,
            alpha=self.alpha,
            groups=self.tests_.groups(self.test_prior),
            progress=self._progress,
            **limits,
        )

    def _limited_lattice(self) -> Lattice:
        return self._new_lattice(time_limit=self.time_limit, memory_limit=self.memory_limit)

    def _warn(self, lattice: Lattice, sentence: str) -> None:
        limits = {"time": f"time_limit={self.time_limit}", "memory": f"memory_limit={self.memory_limit}"}
        limit = limits.get(lattice.reason or "", f"its limit of {lattice.state_limit} states")
        warnings.warn(LimitWarning(f"the search was stopped by {limit}: {sentence}"), stacklevel=3)

    def __getstate__(self) -> dict[str, Any]:
        return {name: value for name, value in self.__dict__.items() if name not in ("_search", "_progress")}

    def _check_parameters(self) -> None:
        for name, least in (("min_support", 1), ("max_depth", 0), ("memory_limit", LEAST_MEMORY)):
            value = getattr(self, name)
            if value is None and name != "min_support":
                continue
            if type(value) is bool or not isinstance(value, Integral) or int(value) < least:
                raise ParameterError(f"{name} must be a whole number of at least {least}, not {value!r}")
        if self.max_depth is not None and self.max_depth > MOST_LEVELS:
            raise ParameterError(f"max_depth must be at most {MOST_LEVELS}, or None, not {self.max_depth}")
        for name in ("gamma", "delta", "alpha", "time_limit"):
            value = getattr(self, name)
            if name == "time_limit" and value is None:
                continue
            if not isinstance(value, Real) or not math.isfinite(value):
                raise ParameterError(f"{name} must be a number, not {value!r}")
        if not 0 < self.gamma < 1:
            raise ParameterError(f"gamma must be greater than 0 and less than 1, not {self.gamma}")
        if not self.delta >= 0:
            raise ParameterError(f"delta must not be less than 0, as it is with {self.delta}")
        if not 1e-6 <= self.alpha <= MOST_ALPHA:
            raise ParameterError(f"alpha must be between 0.000001 and {MOST_ALPHA}, not {self.alpha}")
        if self.time_limit is not None and not self.time_limit > 0:
            raise ParameterError(f"time_limit must be greater than 0 seconds, not {self.time_limit}")
        if self.prior not in PRIORS:
            raise ParameterError(f"prior must be one of {', '.join(PRIORS)}, not {self.prior!r}")
        if self.test_prior not in TEST_PRIORS:
            raise ParameterError(f"test_prior must be one of {', '.join(TEST_PRIORS)}, not {self.test_prior!r}")
        bins = self.bins
        if bins is not None and bins != "binary" and (not isinstance(bins, int) or isinstance(bins, bool) or bins < 2):
            raise ParameterError(f"bins must be a whole number of at least 2, None or 'binary', not {bins!r}")
