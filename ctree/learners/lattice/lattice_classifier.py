"""What the learners over all trees share: parameters, tests, limits."""

from __future__ import annotations

import time
import warnings
from collections.abc import Callable
from typing import Any, Self

import numpy as np
import numpy.typing as npt

from ctree.checks import check_integer, check_name, check_number
from ctree.data.binary_tests import BinaryTests, Bytes
from ctree.errors import LimitWarning, ParameterError
from ctree.learners.base.classifier import Classifier
from ctree.learners.base.training import whole_cases
from ctree.progress import Progress, ProgressCallback, reporting
from ctree_ext.lattice.lattice import Lattice
from ctree_ext.lattice.search_space import MAX_LEVELS

PRIORS = ("size", "uniform")
TEST_PRIORS = ("auto", "per_feature", "per_test")
MIN_ALPHA, MAX_ALPHA = 1e-6, 1e6
MIN_MEMORY = 1 << 20


class LatticeClassifier(Classifier):
    """Parent of the learners over all trees; the parameters are those of `BayesOptimalClassifier`."""

    tests_: BinaryTests
    n_states_: int
    _columns: Bytes
    _codes: npt.NDArray[np.int32]
    _told: Callable[..., None] | None = None

    def __init__(
        self,
        *,
        min_support: int = 1,
        max_depth: int | None = 4,
        prior: str = "size",
        gamma: float = 0.8,
        delta: float = 0.8,
        alpha: float = 1.0,
        test_prior: str = "auto",
        bins: int | str | None = 4,
        time_limit: float | None = None,
        memory_limit: int | None = 1 << 30,
        categorical_features: Any = None,
        class_weight: Any = None,
        unseen: str = "unknown",
    ) -> None:
        self.min_support = min_support
        self.max_depth = max_depth
        self.prior = prior
        self.gamma = gamma
        self.delta = delta
        self.alpha = alpha
        self.test_prior = test_prior
        self.bins = bins
        self.time_limit = time_limit
        self.memory_limit = memory_limit
        self.categorical_features = categorical_features
        self.class_weight = class_weight
        self.unseen = unseen

    def fit(
        self,
        X: Any,
        y: Any = None,
        sample_weight: npt.ArrayLike | None = None,
        *,
        progress: ProgressCallback | bool | None = None,
    ) -> Self:
        """Learn from a `Dataset`, or from a table `X` and classes `y`; `progress` is told how far the search is."""
        began = time.monotonic()
        with reporting(progress) as told:
            # A lattice keeps what it tells for good, but after the fit nobody asks.
            self._told = None if told is None else lambda *facts: told(self._progress(began, *facts))
            try:
                return self._fit(X, y, sample_weight)
            finally:
                self._told = None

    def _fit(self, X: Any, y: Any, sample_weight: npt.ArrayLike | None) -> Self:
        raise NotImplementedError

    def _progress(self, began: float, states: int, kept: int, low: float, high: float) -> Progress:
        """How far a search is: the states visited, those remembered, and what the result lies between."""
        figures = {"remembered": kept, **self._bracket(low, high)}
        return Progress("searching", states, None, states / max(time.monotonic() - began, 1e-9), "states", figures)

    def _bracket(self, low: float, high: float) -> dict[str, float]:
        """The best result so far and the bound on any, by what they are called."""
        return {"so far": low, "bound": high}

    def _tell(self, *facts: Any) -> None:
        if self._told is not None:
            self._told(*facts)

    def _start(self, X: Any, y: Any, sample_weight: npt.ArrayLike | None) -> Lattice:
        """Check the parameters, make tests of the cases and a lattice of them, all of it within `time_limit`."""
        began = time.monotonic()
        self._check_parameters()
        data = self._training_cases(X, y, sample_weight)
        data = whole_cases(data)
        if self.min_support > data.n_cases:
            raise ParameterError(f"min_support is {self.min_support}, but there are only {data.n_cases} cases")
        assert data.classes is not None
        self.tests_ = BinaryTests.in_bins(data, self.bins)
        self._columns, self._codes = self.tests_.columns(data), np.array(data.classes, dtype=np.int32)
        self._settle(self.tests_)
        left = None if self.time_limit is None else max(self.time_limit - (time.monotonic() - began), 0.0)
        return self._new_lattice(time_limit=left, memory_limit=self.memory_limit)

    def _settle(self, tests: BinaryTests) -> None:
        self._set_schema(tests.schema)

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
            progress=None if self._told is None else self._tell,
            **limits,
        )

    def _warn(self, lattice: Lattice, sentence: str) -> None:
        limits = {"time": f"time_limit={self.time_limit}", "memory": f"memory_limit={self.memory_limit}"}
        limit = limits.get(lattice.reason or "", f"its limit of {lattice.state_limit} states")
        warnings.warn(LimitWarning(f"the search was stopped by {limit}: {sentence}"), stacklevel=4)

    def __getstate__(self) -> dict[str, Any]:
        return {name: value for name, value in self.__dict__.items() if name not in ("_search", "_told")}

    def _check_parameters(self) -> None:
        check_integer("min_support", self.min_support, least=1)
        check_integer("max_depth", self.max_depth, least=0, none=True)
        if self.max_depth is not None and self.max_depth > MAX_LEVELS:
            raise ParameterError(f"max_depth must be at most {MAX_LEVELS}, or None, not {self.max_depth}")
        check_name("prior", self.prior, PRIORS)
        check_number("gamma", self.gamma, above=0, below=1)
        check_number("delta", self.delta, least=0)
        check_number("alpha", self.alpha, least=MIN_ALPHA, most=MAX_ALPHA)
        check_name("test_prior", self.test_prior, TEST_PRIORS)
        if isinstance(self.bins, str):
            check_name("bins", self.bins, ("binary",))
        else:
            check_integer("bins", self.bins, least=2, none=True)
        if self.time_limit is not None:
            check_number("time_limit", self.time_limit, above=0)
        check_integer("memory_limit", self.memory_limit, least=MIN_MEMORY, none=True)
