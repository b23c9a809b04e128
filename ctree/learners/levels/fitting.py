"""Fitting: one fit to cases that may be more than memory holds, from what `fit` was given to what is told of it."""

from __future__ import annotations

import os
import time
from collections import Counter
from contextlib import ExitStack
from types import TracebackType
from typing import TYPE_CHECKING, Any, Protocol, Self

import numpy.typing as npt

from ctree.data.dataset import Dataset
from ctree.data.tables.frames import lies_with
from ctree.errors import ParameterError, SmallWeightsWarning
from ctree.learners.base.estimator import warn
from ctree.learners.base.training import too_light
from ctree.progress import ProgressCallback, reporting
from ctree.scale.source_kind import is_source
from ctree.wording import shortened
from ctree_ext.base.node_arrays import NodeArrays

if TYPE_CHECKING:  # fits in memory do without the rest, which takes its time to load
    from ctree.learners.base.gain_settings import GainSettings
    from ctree.learners.base.score_settings import ScoreSettings
    from ctree.learners.levels.checkpoint import Checkpoint
    from ctree.learners.levels.finish import PruneAtOnce
    from ctree.learners.levels.growing import AtValues
    from ctree.scale.source import Cases, CaseSource
    from ctree.scale.top_tree import TopTree

Path = str | os.PathLike[str]


class Learner(Protocol):
    """What of a learner says which cases it learns from."""

    def _scanned_frame(self, X: Any, y: Any, sample_weight: Any, progress: ProgressCallback | None) -> Any: ...

    def _training_cases_or_source(self, X: Any, y: Any, sample_weight: Any, unknown_class: bool = False) -> Cases: ...


class Fitting:
    """The cases of a fit and what is done with them, wherever they are.

    A context: where it is left without an error the fit is done, and there is nothing to be resumed.

    Parameters
    ----------
    learner : Classifier
    X, y, sample_weight
        As given to `fit`.
    progress : callable or bool, optional
        Is told how far a fit to a source is.
    checkpoint : path, optional
        The top of a tree that is grown from a source is saved here level by level.
    unknown_class : bool
        Whether the learner takes cases in memory whose class is unknown.

    Attributes
    ----------
    cases : Dataset or CaseSource
        To learn from: in memory if they fit.
    """

    cases: Cases

    def __init__(
        self,
        learner: Learner,
        X: Any,
        y: Any,
        sample_weight: npt.ArrayLike | None,
        *,
        progress: ProgressCallback | bool | None = None,
        checkpoint: Path | None = None,
        unknown_class: bool = False,
    ) -> None:
        self._start = time.monotonic()
        if not (checkpoint is None or isinstance(checkpoint, str | os.PathLike)):
            raise ParameterError(f"checkpoint is {shortened(checkpoint)}, but should be the path of a file")
        self._checkpoint_path = checkpoint
        self._checkpoint: Checkpoint | None = None
        self._info: dict[str, Any] = {}
        self._top: TopTree | None = None
        self._pruned: dict[int, NodeArrays] = {}
        self._moved: AtValues | None = None
        self._stack = ExitStack()
        self._told = self._stack.enter_context(reporting(progress))
        with self._stack:
            if lies_with(X):
                scanned = learner._scanned_frame(X, y, sample_weight, self._told)
                X, y, sample_weight = self._stack.enter_context(scanned), None, None
            self._source: CaseSource | None = X if is_source(X) else None
            self._before = len(getattr(self._source, "passes", ()))
            self.cases = learner._training_cases_or_source(X, y, sample_weight, unknown_class)
            min_cases: float | None = getattr(learner, "min_cases", None)
            if isinstance(self.cases, Dataset) and (sentence := too_light(self.cases, min_cases)):
                warn(SmallWeightsWarning(sentence))
            self._stack = self._stack.pop_all()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        self._stack.close()
        if error is None and self._checkpoint is not None:
            self._checkpoint.remove()

    def grow_by_score(self, cases: Cases, settings: ScoreSettings, n_threads: int = 1) -> NodeArrays:
        """The tree of all cases, the same wherever they are; `cases` may be those of the fit in bins."""
        return settings.grow(cases, n_threads) if isinstance(cases, Dataset) else self._grow(cases, settings)

    def grow_by_gain(
        self, source: CaseSource, settings: GainSettings, *, actual_thresholds: bool, prune: PruneAtOnce | None = None
    ) -> NodeArrays:
        """The tree of a source by gain ratio; with thresholds that are values of cases, or midpoints.

        With `prune`, the tree is collapsed, and subtrees are pruned where they are grown; the top is left to
        `prune_by_errors`.
        """
        arrays = self._grow(source, settings, prune)
        if actual_thresholds:
            from ctree.learners.levels.growing import AtValues

            self._moved = AtValues(source, arrays)
            arrays = self._moved(arrays)
        return arrays

    def _grow(
        self, source: CaseSource, settings: ScoreSettings | GainSettings, prune: PruneAtOnce | None = None
    ) -> NodeArrays:
        if settings.limits.first_tests:
            raise ParameterError(
                "first_tests needs all cases in memory, and those of the source do not fit: scan them with more "
                "memory, or learn a tree from the cases of each branch"
            )
        from ctree.learners.levels.checkpoint import Checkpoint
        from ctree.learners.levels.growing import gathered
        from ctree.learners.levels.level_grower import LevelGrower

        if self._checkpoint_path is not None:
            self._checkpoint = Checkpoint(os.fsdecode(self._checkpoint_path), source, settings)
        grower = LevelGrower(
            source,
            settings,
            gather=gathered(source),
            budget=max(1, source.memory // 8),
            progress=self._told,
            checkpoint=self._checkpoint,
            prune=prune,
            n_workers=source.n_workers,
        )
        arrays = grower.grow()
        self._info = grower.info.as_dict()
        self._top, self._pruned = grower.top, grower.pruned
        return arrays

    def prune_by_errors(
        self, source: CaseSource, arrays: NodeArrays, confidence: float, *, subtree_raising: bool, j48: bool = False
    ) -> NodeArrays:
        """The tree that was grown from a source, pruned by estimated errors."""
        from ctree.learners.levels.error_pruning import prune_by_errors
        from ctree.learners.levels.growing import gathered

        assert self._top is not None
        pruned, passes = prune_by_errors(
            source,
            arrays,
            self._top,
            confidence,
            subtree_raising=subtree_raising,
            gather=gathered(source),
            progress=self._told,
            j48=j48,
            finished=self._pruned,
        )
        self._info["prune_passes"] = passes
        return pruned if self._moved is None else self._moved(pruned)

    def info(self) -> dict[str, Any]:
        """What a fit to a source did, by name; nothing of one to cases in memory."""
        source = self._source
        if source is None:
            return {}
        passes = Counter(one.kind for one in getattr(source, "passes", ())[self._before :])
        told: dict[str, Any] = {
            "engine": "memory" if isinstance(self.cases, Dataset) else engine_name(source),
            "cases": source.n_cases,
            "passes": dict(passes),
            **self._info,
        }
        if self._info:
            numbers = source.n_cases * sum(bins is not None for bins in source.bins)
            told["opened_share"] = self._info["opened"] / numbers if numbers else 0.0
        told["seconds"] = time.monotonic() - self._start
        return told


def engine_name(source: CaseSource) -> str:
    """Who makes the passes: local, dask, spark and so on."""
    return str(getattr(getattr(source, "engine", None), "name", "other"))
