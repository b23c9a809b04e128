"""Compare learners on data sets with the same splits, and find significant differences."""

from __future__ import annotations

import os
import time
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from importlib import import_module
from typing import Any, Literal

import numpy as np
import numpy.typing as npt

from ctree.data.relational.data import RelationalData
from ctree.errors import DataError, ParameterError, missing
from ctree.evaluate.cache import ResultCache, data_digest, trial_key
from ctree.evaluate.candidates import Candidate, Cases, candidates, check_classes
from ctree.evaluate.measures import MEASURES, check_measure
from ctree.evaluate.preparation import Preparation
from ctree.evaluate.protocols import ResamplingProtocol, Series, Split, StratifiedFolds
from ctree.evaluate.set_costs import costs_by_set
from ctree.evaluate.significance import Friedman, TTest, WinsTiesLosses, corrected_t, friedman, paired_t
from ctree.evaluate.trial import Trial, run_trial
from ctree.progress import Progress, ProgressCallback, reporting
from ctree.wording import abbreviated, abbreviated_list, near_match

Floats = npt.NDArray[np.float64]
TestName = Literal["corrected", "paired"]


@dataclass(frozen=True, repr=False)
class Verdict:
    """How each learner compares with a reference by one measure.

    Parameters
    ----------
    reference : int
        The index of the learner that the others are compared with.
    outcomes : array of int (rows, learners)
        1 where a learner is significantly better, -1 where it is significantly worse, 0 otherwise.
    p : array (rows, learners)
        NaN for the reference, and where there is nothing to test.
    totals : list of WinsTiesLosses
        Of the rows where there is something to test.
    """

    reference: int
    outcomes: npt.NDArray[np.int64]
    p: Floats
    totals: list[WinsTiesLosses]

    def __repr__(self) -> str:
        others = [str(total) for place, total in enumerate(self.totals) if place != self.reference]
        return f"<Verdict against learner {self.reference}, wins/ties/losses: {abbreviated_list(others)}>"


@dataclass
class Comparison:
    """The results of all learners on all data sets.

    Parameters
    ----------
    rows : list of str
        The data sets; for a learning curve, one row for every size.
    learners : list of str
    scores : dict of str to array (rows, learners, runs)
        Each measure on each split; NaN where there is none.
    test_ratios : array (rows,)
        The mean number of test cases per training case.
    protocol : str
        What was done, in words.
    independent_rows : bool
        Whether every row is a different data set, as Friedman's test requires.
    warnings : dict of tuple (row, learner) to dict of str to int
        The warnings of learners, and on how many splits they occurred.
    reused : int
        How many results were taken from the cache.
    seconds : float
        How long the others took.
    costs : dict of str to array (classes, classes)
        What errors cost on the data sets that have such costs.
    """

    rows: list[str]
    learners: list[str]
    scores: dict[str, Floats]
    test_ratios: Floats
    protocol: str
    independent_rows: bool = True
    warnings: dict[tuple[str, str], dict[str, int]] = field(default_factory=dict)
    reused: int = 0
    seconds: float = 0.0
    costs: dict[str, Floats] = field(default_factory=dict)

    def __repr__(self) -> str:
        of, on = abbreviated_list(self.learners), abbreviated_list(self.rows)
        return f"<Comparison of {of} on {on}: {abbreviated_list([*self.scores])}>"

    def __str__(self) -> str:
        """The table of the accuracies; `ctree.measure_table` has those of other measures."""
        from ctree.evaluate.tables import measure_table

        return f"{measure_table(self, 'accuracy').to_text()}\n{self.protocol}"

    def _repr_html_(self) -> str:
        from ctree.render.cells.evaluation_cells import comparison_cell

        return comparison_cell(self)

    def means(self, measure: str) -> Floats:
        """The mean over the splits of each row and learner; NaN where no split has a value."""
        values = self._values(measure)
        counts = np.isfinite(values).sum(axis=2)
        sums = np.nansum(values, axis=2)
        return np.asarray(np.divide(sums, counts, out=np.full(sums.shape, np.nan), where=counts > 0))

    def deviations(self, measure: str) -> Floats:
        """The standard deviation over the splits of each row and learner; NaN where fewer than two have a value."""
        values = self._values(measure)
        result = np.full(values.shape[:2], np.nan)
        for place in np.ndindex(*result.shape):
            known = values[place][np.isfinite(values[place])]
            if len(known) > 1:
                result[place] = known.std(ddof=1)
        return result

    def plot(
        self, measure: str = "accuracy", *, significance: float = 0.05, file: str | os.PathLike[str] | None = None
    ) -> Any:
        """A picture by matplotlib; see `ctree.render.plots.comparison.plot_comparison`."""
        from ctree.render.plots.comparison import plot_comparison

        return plot_comparison(self, measure, significance=significance, file=file)

    def t_test(self, measure: str, row: int, first: int, second: int, test: TestName = "corrected") -> TTest | None:
        """Whether two learners differ on a row; None where fewer than two splits have values of both."""
        values = self._values(measure)[row]
        differences = values[first] - values[second]
        differences = differences[np.isfinite(differences)]
        if len(differences) < 2:
            return None
        if test == "paired":
            return paired_t(differences)
        return corrected_t(differences, float(self.test_ratios[row]))

    def verdict(
        self, measure: str, reference: str | None = None, *, test: TestName = "corrected", significance: float = 0.05
    ) -> Verdict:
        """Which learners are significantly better or worse than the reference, which is the first by default."""
        place = 0 if reference is None else self._place(reference)
        sign = MEASURES[measure].sign
        shape = (len(self.rows), len(self.learners))
        outcomes, p = np.zeros(shape, dtype=np.int64), np.full(shape, np.nan)
        for row in range(shape[0]):
            for other in range(shape[1]):
                result = None if other == place else self.t_test(measure, row, other, place, test)
                if result is not None:
                    p[row, other] = result.p
                    outcomes[row, other] = int(np.sign(result.mean)) * sign if result.p < significance else 0
        tested = np.isfinite(p)
        totals = [
            WinsTiesLosses(*(int(np.count_nonzero(tested[:, c] & (outcomes[:, c] == o))) for o in (1, 0, -1)))
            for c in range(shape[1])
        ]
        return Verdict(place, outcomes, p, totals)

    def friedman(self, measure: str, significance: float = 0.05) -> Friedman | None:
        """Friedman's and Nemenyi's tests over the data sets; None where there are too few to test."""
        means = self.means(measure) * MEASURES[measure].sign
        # equal results may differ in the last bit, which is no reason for another rank
        means = np.round(means[np.isfinite(means).all(axis=1)], 12)
        if not self.independent_rows or MEASURES[measure].sign == 0 or min(means.shape) < 2:
            return None
        return friedman(means, significance)

    def _values(self, measure: str) -> Floats:
        if measure not in self.scores:
            check_measure(measure)
        return self.scores[measure]

    def _place(self, learner: str) -> int:
        if learner not in self.learners:
            raise ParameterError(
                f"the reference '{abbreviated(learner)}' is not among the learners, {abbreviated_list(self.learners)}"
                f"{near_match(learner, self.learners)}"
            )
        return self.learners.index(learner)


@dataclass(frozen=True)
class _Task:
    row: int
    place: int
    run: int
    candidate: Candidate
    data: Cases
    split: Split
    preparation: Preparation
    seed: tuple[int, ...]
    name: str
    costs: Floats | None

    def __call__(self) -> tuple[int, int, int, Trial]:
        place = f"{self.name}, split {self.run + 1}"
        trial = run_trial(self.candidate, self.data, self.split, self.preparation, self.seed, place, self.costs)
        return self.row, self.place, self.run, trial


def compare(
    sets: Mapping[str, Cases],
    learners: Mapping[str, Any] | Iterable[Any],
    *,
    protocol: ResamplingProtocol | None = None,
    preparation: Preparation | None = None,
    cache: ResultCache | None = None,
    n_jobs: int = 1,
    seed: int = 1,
    progress: ProgressCallback | bool | None = None,
    costs: Any = None,
) -> Comparison:
    """Compare learners on data sets, all with the same splits.

    Parameters
    ----------
    sets : mapping of str to Dataset
        Or `RelationalData`, for relational trees.
    learners : mapping of str to learner, or iterable of learners
        ctree's learners get the cases as they are. Others, such as scikit-learn's, get a table of numbers: see
        `ctree.evaluate.candidates.NumberCoding`.
    protocol : StratifiedFolds, Holdout or LearningCurve
        How the cases are split; by default ten times ten stratified folds.
    preparation : Preparation, optional
        Preprocessing of the cases, fitted to the training cases of each split; not for linked tables.
    cache : ResultCache, optional
        Where results are saved and looked up.
    n_jobs : int
        Processes, -1 for all cores; other than 1 needs joblib. With ``joblib.parallel_config(backend=...)`` around the
        call they may also be on other machines.
    seed : int
        For learners with a ``random_state`` that is not set.
    progress : callable or bool, optional
        Called with a `Progress` after every result; True shows it on standard error.
    costs : mapping, DataFrame or array, optional
        What errors cost, as for the parameter `costs` of learners; or a mapping of names of data sets to such. It is
        what the measures ``"cost"`` and ``"least-cost"`` add up. Learners predict as they would without; whether they
        know of costs is for their own parameters.

    Returns
    -------
    Comparison

    Examples
    --------
    >>> import ctree
    >>> golf = ctree.load_golf()
    >>> learners = {"c4.5": ctree.C45Classifier(), "naive Bayes": ctree.NaiveBayesClassifier()}
    >>> result = ctree.compare({"golf": golf}, learners, protocol=ctree.StratifiedFolds(folds=2, repeats=5))
    >>> result.means("accuracy").shape, result.scores["accuracy"].shape
    ((1, 2), (1, 2, 10))
    """
    protocol = StratifiedFolds() if protocol is None else protocol
    preparation = Preparation() if preparation is None else preparation
    entrants = candidates(learners)
    if not sets:
        raise ParameterError("there is no data set to compare on")
    paid = costs_by_set(costs, sets)
    identities = ["" if cache is None else entrant.identity for entrant in entrants]
    rows: list[str] = []
    ratios: list[float] = []
    tasks: list[_Task] = []
    keys: list[str] = []
    for name, data in sets.items():
        if isinstance(data, RelationalData) and preparation != Preparation():
            raise ParameterError(f"{abbreviated(name)}: linked tables are neither imputed nor put into bins")
        digest = "" if cache is None else data_digest(data)
        for suffix, splits in _series(protocol, name, data):
            for run, split in enumerate(splits):
                for place, entrant in enumerate(entrants):
                    chance, dear = (seed, run), paid.get(name)
                    at = (len(rows), place, run)
                    tasks.append(_Task(*at, entrant, data, split, preparation, chance, name + suffix, dear))
                    key = None if cache is None else (digest, identities[place], split, preparation, chance, dear)
                    keys.append("" if key is None else trial_key(*key))
            rows.append(name + suffix)
            ratios.append(float(np.mean([split.ratio for split in splits])))
    n_runs = max(task.run for task in tasks) + 1
    words = ", ".join(filter(None, (protocol.describe(), preparation.describe())))
    result = Comparison(
        rows,
        [entrant.name for entrant in entrants],
        {name: np.full((len(rows), len(entrants), n_runs), np.nan) for name in (*MEASURES, "auc-skipped")},
        np.array(ratios),
        words,
        independent_rows=len(rows) == len(sets),
        costs=paid,
    )
    start = time.perf_counter()
    with reporting(progress) as told:
        _fill(result, tasks, keys, cache, n_jobs, told)
    result.seconds = time.perf_counter() - start
    return result


def _series(protocol: ResamplingProtocol, name: str, data: Cases) -> list[Series]:
    try:
        return protocol.series(check_classes(name, data))
    except DataError as error:
        # of many sets, a person wants to know which
        raise DataError(str(error) if str(error).startswith(f"{name}: ") else f"{name}: {error}") from None


def _fill(
    result: Comparison,
    tasks: list[_Task],
    keys: list[str],
    cache: ResultCache | None,
    n_jobs: int,
    progress: ProgressCallback | None,
) -> None:
    """Take what is on disk, compute the rest, keep it as it comes."""
    left: dict[tuple[int, int, int], tuple[_Task, str]] = {}
    for task, key in zip(tasks, keys, strict=True):
        known = None if cache is None else cache.get(key)
        if known is None:
            left[task.row, task.place, task.run] = task, key
        else:
            _enter(result, task, known)
            result.reused += 1
    done, start = result.reused, time.perf_counter()
    for row, place, run, trial in _results([task for task, _ in left.values()], n_jobs):
        task, key = left[row, place, run]
        if cache is not None:
            cache.put(key, trial, {"set": task.name, "learner": task.candidate.name, "split": run + 1})
        _enter(result, task, trial)
        done += 1
        if progress is not None:
            rate = (done - result.reused) / max(time.perf_counter() - start, 1e-9)
            what = f"{task.candidate.name} on {task.name}"
            progress(Progress(what, done, len(tasks), rate, "results", {"reused": result.reused}))


def _enter(result: Comparison, task: _Task, trial: Trial) -> None:
    for name, value in trial.scores.items():
        result.scores[name][task.row, task.place, task.run] = value
    for text in trial.warnings:
        counts = result.warnings.setdefault((task.name, task.candidate.name), {})
        counts[text] = counts.get(text, 0) + 1


def _results(tasks: list[_Task], n_jobs: int) -> Iterator[tuple[int, int, int, Trial]]:
    """The results of tasks as they come, from one process or several."""
    if n_jobs == 0:
        raise ParameterError("n_jobs must be a number of processes, or -1 for all cores, not 0")
    if n_jobs == 1 or not tasks:
        for task in tasks:
            yield task()
        return
    try:
        joblib: Any = import_module("joblib")
    except ImportError:
        raise missing("several processes need", "joblib", "parallel") from None
    backend, _ = joblib.parallel.get_active_backend()
    if getattr(backend, "supports_return_generator", False):
        # splits of one size take about as long, so a batch is never long to wait for
        yield from joblib.Parallel(n_jobs=n_jobs, return_as="generator_unordered")(map(joblib.delayed(_call), tasks))
        return
    # a backend that gives back all results at once gets the tasks in blocks, so that they are kept now and then
    with joblib.Parallel(n_jobs=n_jobs) as parallel:
        size = 20 * max(1, joblib.effective_n_jobs(n_jobs))
        for start in range(0, len(tasks), size):
            yield from parallel(map(joblib.delayed(_call), tasks[start : start + size]))


def _call(task: _Task) -> tuple[int, int, int, Trial]:
    return task()
