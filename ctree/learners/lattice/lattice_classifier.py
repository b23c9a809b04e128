"""What the learners over all trees share: parameters, tests, limits."""

from __future__ import annotations

import time
import warnings
from collections.abc import Callable
from contextlib import ExitStack
from typing import Any, ClassVar, Self

import numpy as np
import numpy.typing as npt

from ctree.data.binary_tests import BinaryTests, Bytes
from ctree.data.dataset import Dataset
from ctree.data.fields import Fields
from ctree.data.schema import Schema
from ctree.data.tables.frames import lies_with
from ctree.domains.domain import AnyOf, Choice, Nothing
from ctree.domains.numeric import Integer, Memory, Number
from ctree.errors import DataError, LimitWarning, ParameterError
from ctree.learners.base.classifier import Classifier
from ctree.learners.base.common_parameters import WithProgress, WithTreePrior
from ctree.learners.base.parameters import changed, fitted, parameter
from ctree.learners.base.training import MAX_CASES, whole_cases
from ctree.learners.lattice.deepening import DeepeningSearch
from ctree.learners.lattice.fields import BYTES_PER_CASE, count_from_fields, tests_from_dict, tests_to_dict
from ctree.progress import Progress, ProgressCallback, reporting
from ctree.scale.answer_rows import binary_tests_of, rows_of
from ctree.scale.coded_source import CodedSource
from ctree.scale.source import CaseSource
from ctree.wording import plural
from ctree_ext.lattice.lattice import Lattice
from ctree_ext.lattice.search_space import MAX_LEVELS

MIN_ALPHA, MAX_ALPHA = 1e-6, 1e6
MIN_MEMORY, MAX_MEMORY = 1 << 20, 1 << 62


class LatticeClassifier(WithTreePrior, WithProgress, Classifier):
    """Parent of the learners over all trees; the parameters are those of `BayesOptimalClassifier`."""

    min_cases: int = parameter(1, Integer(least=1), "Least number of cases in a leaf.")
    max_depth: int | None = changed(
        4,
        domain=AnyOf(Integer(least=0, most=MAX_LEVELS), Nothing()),
        help="Greatest number of tests on the way to a leaf. None: no limit but 500, which is for small data only.",
    )
    tree_prior: str = changed(
        "chipman",
        domain=Choice("chipman", "uniform"),
        help='The prior over trees. ``"chipman"``: a node at depth d that can be split is split with probability gamma '
        '(1 + d)^-delta, by any test with the same probability. ``"uniform"``: every tree counts the same.',
    )
    alpha: float = changed(1.0, domain=Number(least=MIN_ALPHA, most=MAX_ALPHA))
    test_prior: str = changed(
        "auto",
        domain=Choice("auto", "per-feature", "per-test"),
        help='Which tests share a prior probability. ``"per-feature"``: all tests of an attribute together have that '
        'of one attribute. ``"per-test"``: each test has its own, so that an attribute with many thresholds is chosen '
        'more often, as by Nijssen. ``"auto"``: the thresholds of a continuous attribute share, the values of a '
        "discrete one do not.",
    )
    bins: int | str | None = parameter(
        4,
        AnyOf(Integer(least=2), Nothing(), Choice("boundaries", "binary")),
        "Number of bins of about equal frequency for a continuous attribute, which is tested at their bounds. None: at "
        'all values that divide the cases. ``"boundaries"``: where the classes change, at 4 to 16 thresholds each. '
        '``"binary"``: every attribute has to be 0 or 1.',
    )
    time_limit: float | None = parameter(
        None,
        AnyOf(Number(above=0), Nothing()),
        "Seconds that `fit` may take, or all of `ctree learn`. None: no limit. At the limit there is a `LimitWarning`.",
    )
    memory_limit: int | None = parameter(
        1 << 30,
        AnyOf(Memory(least=MIN_MEMORY), Nothing()),
        "Bytes for the cases and what the search remembers. None: no limit. At the limit there is a `LimitWarning`.",
    )
    class_weight: Any = changed(
        help="Factors for the weights of the cases of each class. The products have to be whole numbers, as cases are "
        'counted. ``"balanced"``: those that give all classes the same total weight, which seldom comes out whole. '
        '``"costs"``: what errors on each class cost by `costs`, as multiples of the cheapest. None: all 1.'
    )

    reduces_cases = True
    counts_cases = True
    search_share: ClassVar[float] = 0.95
    """Of the time that a command has, what it gives to the search; the rest is for what it does with the model."""

    n_states_: int = fitted("int", "Number of sets of cases that the search has visited.")
    tests_: BinaryTests = fitted("BinaryTests", "The tests that trees are made of.")
    _columns: Bytes = fitted()
    _codes: npt.NDArray[np.int32] = fitted()
    _told: Callable[..., None] | None = fitted()

    def fit(
        self,
        X: Any,
        y: Any = None,
        sample_weight: npt.ArrayLike | None = None,
        *,
        progress: ProgressCallback | bool | None = None,
        search_time: float | None = None,
    ) -> Self:
        """Learn from a `Dataset`, or from a table `X` and classes `y`.

        `progress` is told how far the search is. `search_time` is what `fit` may take of the seconds of `time_limit`,
        if the rest is meant for what follows.
        """
        began = time.monotonic()
        model = self._twin()
        with reporting(self._reported(progress)) as told:
            model._told = None if told is None else lambda *facts: told(model._progress(began, *facts))
            model._fit(X, y, sample_weight, search_time)
        model._told = None  # a lattice keeps what it tells for good, but after the fit nobody asks
        self._take_over(model)
        return self

    def _fit(self, X: Any, y: Any, sample_weight: npt.ArrayLike | None, search_time: float | None) -> None:
        """Fit this learner, a twin of the one that is asked to, which may be left in any state."""
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

    def _start(
        self, X: Any, y: Any, sample_weight: npt.ArrayLike | None, objective: str, search_time: float | None
    ) -> DeepeningSearch:
        """Check the parameters, make tests of the cases and a search over them, all of it within the limit of time."""
        began = time.monotonic()
        self._check_parameters()
        limit = self.time_limit
        if search_time is not None:
            Number(above=0).check("search_time", search_time)
            limit = search_time if limit is None else min(search_time, limit)
        with ExitStack() as stack:
            if lies_with(X):
                X, y, sample_weight = stack.enter_context(self._scanned_frame(X, y, sample_weight)), None, None
            cases = self._training_cases_or_source(X, y, sample_weight)
            columns, codes = self._tested(cases) if isinstance(cases, Dataset) else self._tested_rows(cases)
        n_cases = len(codes)
        room = self._room_beside(columns.nbytes, n_cases)
        self._become(self.tests_.schema, _columns=columns, _codes=codes)
        left = None if limit is None else max(limit - (time.monotonic() - began), 0.0)
        search = DeepeningSearch(self._new_lattice, objective, left, room)
        self._room_beside(self._columns.nbytes + search.full.n_bytes, n_cases)
        return search

    def _bins(self) -> int | str | None:
        """How thresholds are chosen, if the parameter leaves that open."""
        return self.bins

    def _tested(self, data: Dataset) -> tuple[Bytes, npt.NDArray[np.int32]]:
        """Choose the tests; which of them each case passes, and its class."""
        data = whole_cases(data)
        self._check_n_cases(data.n_cases)
        assert data.classes is not None
        bins = self._bins()
        self.tests_ = (
            BinaryTests.at_boundaries(data, self.min_cases) if bins == "boundaries" else BinaryTests.in_bins(data, bins)
        )
        self._room_beside(len(self.tests_) * data.n_cases, data.n_cases)
        return self.tests_.columns(data), np.array(data.classes, dtype=np.int32)

    def _tested_rows(self, source: CaseSource) -> tuple[Bytes, npt.NDArray[np.int32]]:
        """The same for cases that do not fit into memory as they are; the order of cases is another."""
        if not isinstance(source, CodedSource):
            raise self._needs_memory()
        self.tests_ = binary_tests_of(source, self._bins(), self.min_cases)
        if not source.weighted:
            self._check_n_cases(source.n_cases, source.memory)
        rows = rows_of(source, self.tests_)
        self._check_n_cases(rows.n_cases, source.memory)
        return rows.columns(len(self.tests_))

    def _check_n_cases(self, n_cases: int, memory: int | None = None) -> None:
        if self.min_cases > n_cases:
            raise ParameterError(f"min_cases is {self.min_cases}, but there are only {n_cases} cases")
        if memory is None:
            return
        n_bytes = n_cases * (len(self.tests_) + BYTES_PER_CASE)
        if n_bytes > memory or n_cases > MAX_CASES:
            tests = plural(len(self.tests_), "test")
            told = f"take {n_bytes:,} bytes, more than the memory" if n_cases <= MAX_CASES else "are too many cases"
            raise DataError(
                f"a search over all trees needs the answers of all cases to {tests} in memory, and those of "
                f"{n_cases:,} {told}: scan them with more memory, ignore columns, take fewer bins, or give it some of "
                "the cases"
            )
        self._room_beside(len(self.tests_) * n_cases, n_cases)

    def _room_beside(self, n_bytes: int, n_cases: int) -> int | None:
        """What `memory_limit` leaves beside so many bytes for the cases; it is an error if that is nothing."""
        if self.memory_limit is None:
            return None
        if n_bytes >= self.memory_limit:
            raise ParameterError(
                f"memory_limit={self.memory_limit} is too small: {plural(len(self.tests_), 'test')} of "
                f"{plural(n_cases, 'case')} take {n_bytes} bytes before the search begins"
            )
        return self.memory_limit - n_bytes

    def _new_lattice(self, **limits: Any) -> Lattice:
        if limits.get("memory_limit") is not None:
            limits["memory_limit"] = min(int(limits["memory_limit"]), MAX_MEMORY)
        options = {
            "max_depth": self.max_depth,
            "progress": None if getattr(self, "_told", None) is None else self._tell,
            **limits,
        }
        return Lattice(
            self._columns,
            self._codes,
            self.schema_.n_classes,
            min_support=self.min_cases,
            uniform=self.tree_prior == "uniform",
            gamma=self.gamma,
            delta=self.delta,
            alpha=self.alpha,
            groups=self.tests_.groups(self.test_prior),
            **options,
        )

    def _fitted_fields(self) -> dict[str, Any]:
        return {**tests_to_dict(self.tests_), "states": self.n_states_}

    def _restore(self, fields: Fields, schema: Schema) -> None:
        self.tests_ = tests_from_dict(fields, schema)
        self.n_states_ = count_from_fields(fields, "states")

    def _warn(self, lattice: Lattice, sentence: str, search_time: float | None = None) -> None:
        seconds = f"time_limit={self.time_limit}"
        if search_time is not None:
            share = f"search_time={search_time:.3g}"
            seconds = share if self.time_limit is None else f"{seconds}, of which the search had {search_time:.3g} s"
        limits = {"time": seconds, "memory": f"memory_limit={self.memory_limit}"}
        limit = limits.get(lattice.reason or "", f"its limit of {lattice.state_limit} states")
        warnings.warn(LimitWarning(f"the search was stopped by {limit}: {sentence}"), stacklevel=4)

    def __getstate__(self) -> dict[str, Any]:
        kept_here = ("_search", "_searching", "_answers", "_told")
        return {name: value for name, value in dict(self.__dict__).items() if name not in kept_here}
