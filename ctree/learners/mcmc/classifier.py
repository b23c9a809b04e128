"""Bayesian averaging over trees that Markov chains have sampled (Schetinin et al.)."""

from __future__ import annotations

import os
import warnings
from collections.abc import Callable, Sequence
from typing import Any, ClassVar, Self

import numpy.typing as npt

from ctree.data.binary_tests import BinaryTests
from ctree.data.dataset import Dataset
from ctree.data.fields import Fields
from ctree.data.schema import Schema
from ctree.domains.domain import AnyOf, Choice, Flag, Nothing
from ctree.domains.numeric import Integer, Number, Numbers
from ctree.errors import DataError, ModelError
from ctree.learners.base.common_parameters import InThreads, Seed, WithProgress, WithTreePrior, n_threads, seed_of
from ctree.learners.base.fields import hexadecimal
from ctree.learners.base.one_model import of_one_model
from ctree.learners.base.parameters import changed, fitted, parameter
from ctree.learners.mcmc.agreement import MAX_R_HAT
from ctree.learners.mcmc.chain_making import fingerprint, new_chains, restored_chains
from ctree.learners.mcmc.chain_runs import run_chains
from ctree.learners.mcmc.fields import (
    lengths_from_fields,
    levels_from_fields,
    levels_to_fields,
    records_from_fields,
    records_to_fields,
)
from ctree.learners.mcmc.lasting_chains import LastingChains
from ctree.learners.mcmc.parameters import (
    EXACT,
    MAX_CHAINS,
    MAX_SAMPLES,
    MAX_STEPS,
    MAX_TEMPERATURES,
    OF_A_CHAIN,
    check_cases,
    check_moves,
    check_rule,
    check_strategy,
    check_temperatures,
    powers_of,
    settled,
    treatment_of,
)
from ctree.learners.mcmc.sampled_trees import Forest
from ctree.progress import ProgressCallback, reporting


class MCMCTreeClassifier(WithTreePrior, InThreads, WithProgress, LastingChains):
    """The average over trees drawn from their posterior by reversible-jump Markov chains.

    A chain goes from tree to tree by small changes: a leaf is split (birth), a twig is cut (death), a node tests
    another attribute (change-split) or another threshold or value (change-rule), or a node and its parent swap tests.
    Other moves weigh all tests of a node by what they make of its cases: a leaf or a twig becomes something else
    (redraw), a node further up gets another test (retest), or what is under a node is grown anew (regrow).
    Trees are binary: a continuous attribute is compared with a threshold, a discrete one with a single value.

    Notes
    -----
    By default chains are made longer until they agree: until the rank-normalised split R-hat of the traces and of the
    probabilities of 200 training cases is at most 1.05. If they do not after `max_steps`, `fit` warns once, and says
    how far the probabilities of the chains are apart.

    An unknown value is taken for the most frequent one of its attribute, or the middle one of a continuous attribute,
    in learning and in predicting. With weights, counts are sums of them, and these values are the most frequent and the
    middle ones by weight.

    Ctrl-C stops `fit` within a moment: KeyboardInterrupt is raised, but the model is fitted by what was drawn so far,
    and `sample_more` goes on from there.

    Examples
    --------
    >>> import ctree
    >>> golf = ctree.load_golf()
    >>> model = ctree.MCMCTreeClassifier(min_cases=1, samples=500, random_state=1).fit(golf)
    >>> model.posterior_exact_, len(model.trees_), model.traces_["leaves"].shape
    (True, 2000, (4, 500))
    >>> bool(model.r_hat_["leaves"] < 1.05)
    True
    >>> model.predict({"outlook": ["overcast"], "temperature": [70], "humidity": [65], "windy": ["false"]})
    array(['Play'], dtype='<U10')
    """

    resumable: ClassVar[bool] = True

    strategy: str = parameter(
        "standard",
        Choice("standard", "sweeping"),
        'What to do with leaves that are too small. ``"standard"``: a change that leaves fewer than `min_cases` in '
        'some leaf cannot be made. ``"sweeping"``: such leaves are swept away, and the trees come out shorter. These '
        "are BDT1 and BDT2 of Schetinin and others.",
    )
    invalid_proposals: str = parameter(
        "reject",
        Choice("reject", "resample", "resample-move", "resample-local", "sweep-paper", "sweep-latent"),
        'What to do about a proposal that cannot be made. ``"reject"``: the tree stays for that step, and what is '
        'sampled is the posterior. ``"resample"``: another proposal is made, as by Schetinin and others. '
        '``"resample-move"``: another proposal of the same move is made, as long as there is one, and trees come out '
        'larger. ``"resample-local"``: like resample, with tests that leave enough cases on both sides of their own '
        'node, and changes judged by the likelihood alone. ``"sweep-latent"``: leaves are swept, and the chain walks '
        'over trees without limit, judged by what is left of them. ``"sweep-paper"``: leaves are swept as by '
        'Schetinin and others. With ``strategy="sweeping"``, ``"reject"`` stands for ``"sweep-latent"`` and '
        '``"resample"`` for ``"sweep-paper"``. ``"resample-local"`` is the reading of the paper\'s standard strategy '
        "that accepts as many moves as the paper says. The resampling ones and the paper's sweeping do not sample the "
        "posterior; `posterior_exact_` says so.",
    )
    tree_prior: str = changed(
        "denison",
        domain=Choice("denison", "chipman", "implicit"),
        help='The prior over trees. ``"denison"``: each number of leaves is equally likely, then each shape, '
        'attribute and threshold of the whole set. ``"chipman"``: a node at depth d is split with probability gamma '
        '(1 + d)^-delta, by a test that leaves enough cases on both sides. ``"implicit"``: each shape is as likely, '
        "whatever its number of leaves, then each attribute and threshold; only `min_cases` limits the size, as with "
        "the sweeping of Schetinin and others.",
    )
    min_cases: float = parameter(2, Number(above=0), "Least weight of cases in a leaf.")
    burn_in: int | None = parameter(
        None,
        AnyOf(Integer(least=0, most=MAX_STEPS), Nothing()),
        "Steps of each chain before anything is kept. None: chains are made longer until they agree (R-hat at most "
        "1.05, of traces and of predictions) or have made `max_steps`; what comes before the later part is burn-in.",
    )
    samples: int = parameter(2_000, Integer(least=1, most=MAX_SAMPLES), "Trees that each chain keeps.")
    thin: int | None = parameter(
        None,
        AnyOf(Integer(least=1, most=MAX_SAMPLES), Nothing()),
        "Steps from one kept tree to the next. None: 7 if there is a `burn_in`, else 1. Without a `burn_in`, it is so "
        "at first, and twice as many each time that the chains are made longer.",
    )
    max_steps: int | None = parameter(
        None,
        AnyOf(Integer(least=1, most=MAX_STEPS), Nothing()),
        "Most steps of a chain that is made longer until all agree. None: 100000, or fewer, down to 4000, with more "
        "than 1000 cases.",
        only_if={"burn_in": (None,)},
    )
    chains: int = parameter(
        4,
        Integer(least=1, most=MAX_CHAINS),
        "Number of chains. Whether they agree is the best test of whether they have converged.",
    )
    init: str = parameter(
        "root",
        Choice("root", "prior"),
        'Where chains start. ``"root"``: from a single leaf. ``"prior"``: each from a tree of its own, drawn from the '
        "prior.",
    )
    moves: Sequence[float] | None = parameter(
        None,
        AnyOf(Numbers(least=0, most=1), Nothing()),
        "Probabilities of birth, death, change-split, change-rule and, if wanted, swap, redraw, retest and regrow, "
        "which add up to 1. None: 0.1, 0.6, 0.2 and 0.1 of the last four, with more than 200 tests also the others. "
        "The last three weigh all tests of a node before they propose one; others are quicker. If proposals that "
        "cannot be made are not rejected, None is 0.1, 0.1, 0.2 and 0.6 of the first four, as by Schetinin and others.",
    )
    rule_step: float | None = parameter(
        None,
        AnyOf(Number(above=0), Nothing()),
        "How far change-rule moves a threshold: the standard deviation, as a share of the thresholds of the attribute. "
        "None: to any of them.",
    )
    rule_variance: float | None = parameter(
        None,
        AnyOf(Number(above=0), Nothing()),
        "The variance of that move, counted in thresholds of the attribute: the proposal variance of Schetinin and "
        "others. None: `rule_step` says how far.",
    )
    temperatures: int | Sequence[float] | None = parameter(
        None,
        AnyOf(Integer(least=1, most=MAX_TEMPERATURES), Numbers(least=0, most=1), Nothing()),
        "Number of temperatures of each chain, for parallel tempering, from the likelihood itself down to its power "
        "of 0.1; or the powers, the first of them 1. Trees are kept at the first only. None: 8 if `moves` are not "
        "given and proposals that cannot be made are rejected, else 1.",
    )
    exchange_every: int = parameter(
        2, Integer(least=1), "Steps from one attempt to exchange the trees of two temperatures to the next."
    )
    keep_trees: bool = parameter(
        True,
        Flag(),
        "Whether to keep the trees. Without them there are traces and `feature_inclusion_`, but no predictions.",
    )
    warm_start: bool = parameter(
        False,
        Flag(),
        "Whether `fit` with the same cases continues the chains until they have `samples` each, rather than start "
        "again.",
        on_command_line=False,
    )
    random_state: Any = parameter(None, Seed(), "Random seed; None for a new one each time.", aliases=("--seed",))

    interrupted_: bool = fitted("bool", "Whether Ctrl-C stopped the chains before they had all their samples.")
    _fingerprint: str = fitted()
    _treatment: str = fitted()

    def fit(
        self,
        X: Any,
        y: Any = None,
        sample_weight: npt.ArrayLike | None = None,
        *,
        progress: ProgressCallback | bool | None = None,
        checkpoint: Callable[[Self], None] | None = None,
        checkpoint_every: float = 60.0,
    ) -> Self:
        """Sample trees for a `Dataset`, or for a table `X` and classes `y`.

        `progress` is called ten times a second with a `Progress`, or True to show it. `checkpoint` is called with a
        copy of this learner, fitted by what there is, every so many seconds, for whoever wants to save it.
        """
        self._check_parameters()
        threads = n_threads(self.n_jobs)
        data = self._training_cases(X, y, sample_weight)
        if not (self.warm_start and hasattr(self, "_fetched")):
            check_cases(float(data.n_cases if data.weights is None else data.weights.sum()), float(self.min_cases))
            model = self._begun_with(data)
        else:
            model = self._taken_up(data)
        return self._run(model, self.samples, threads, progress, checkpoint, checkpoint_every, self.burn_in is None)

    def sample_more(
        self,
        samples: int,
        X: Any = None,
        y: Any = None,
        sample_weight: npt.ArrayLike | None = None,
        *,
        progress: ProgressCallback | bool | None = None,
        checkpoint: Callable[[Self], None] | None = None,
        checkpoint_every: float = 60.0,
    ) -> Self:
        """Draw so many more trees with each chain, as if it had never been stopped.

        A learner that was loaded or unpickled does not have its cases, and must be given them again.
        """
        self._check_fitted()
        Integer(least=0, most=MAX_SAMPLES).check("samples", samples)
        if X is not None:
            model = self._taken_up(self._training_cases(X, y, sample_weight))
        elif self._chains is None:
            raise DataError(
                "this model does not have its cases (it was loaded, or another thread draws more trees): "
                "pass those that it was fitted to"
            )
        else:
            model = self._twin()
        most = max(record.n_draws for record in model._records)
        return self._run(model, most + samples, n_threads(self.n_jobs), progress, checkpoint, checkpoint_every)

    def _check_together(self) -> None:
        check_rule(self.rule_step, self.rule_variance)
        check_strategy(self.strategy, self.invalid_proposals, self.tree_prior)
        check_moves(self.moves, treatment_of(self.strategy, self.invalid_proposals))
        check_temperatures(self.temperatures)

    def _begun_with(self, data: Dataset) -> Self:
        """A twin with new chains for these cases."""
        levels, seed = BinaryTests.of_cases(data), seed_of(self.random_state)
        treatment = treatment_of(self.strategy, self.invalid_proposals)
        settings = settled(self.get_params(), levels.n_tests_of)
        model = self._twin()
        model._become(
            data.schema,
            _levels=levels,
            _treatment=treatment,
            posterior_exact_=treatment in EXACT,
            seed_=seed,
            _fingerprint=fingerprint(data, levels),
            _begun={name: getattr(self, name) for name in OF_A_CHAIN},
            _chains=new_chains(settings, levels.grid(data), seed),
            burn_in_=settings["burn_in"],
            thin_=settings["thin"],
            agreement_=None,
            interrupted_=True,
            _fetched=None,
            _forest=None,
        )
        model._see(data)
        return model

    def _taken_up(self, data: Dataset) -> Self:
        """A twin with chains for the cases that the learner was fitted to, where they were left."""
        if data.schema != self.schema_ or fingerprint(data, self._levels) != self._fingerprint:
            raise DataError("these are not the cases that the chains were started with; fit a new learner to them")
        model = self._twin()
        if model._chains is None:
            model._check_unchanged()
            grid = model._levels.grid(data)
            model._chains = restored_chains(model._settings(), grid, model.seed_, model._records)
        model._see(data)
        return model

    def _run(
        self,
        model: Self,
        samples: int,
        threads: int,
        progress: ProgressCallback | bool | None,
        checkpoint: Callable[[Self], None] | None,
        checkpoint_every: float,
        lengthen: bool = False,
    ) -> Self:
        """Let the chains of a twin draw, and be as it is when they are done or Ctrl-C stops them."""
        assert model._chains is not None
        model._check_unchanged()
        model.interrupted_ = True
        are_own = model._chains is self.__dict__.get("_chains")
        try:
            if are_own:  # they are at work now: as long as that lasts, this learner has what they had drawn before
                self.__dict__ = {**self.__dict__, "_fetched": self._records, "_chains": None}
            with reporting(self._reported(progress)) as told:
                while True:
                    run_chains(
                        model._chains,
                        model.burn_in_,
                        int(samples),
                        model.thin_,
                        threads,
                        told,
                        None if checkpoint is None else lambda: checkpoint(model),
                        checkpoint_every,
                        model._most_steps if lengthen else None,
                    )
                    model._compare_chains()
                    if not (lengthen and model._worst()[1] > MAX_R_HAT and model._lengthen(int(samples))):
                        break
            model.interrupted_ = False
            disagreement = model._disagreement()
        except BaseException as problem:
            if are_own or isinstance(problem, KeyboardInterrupt):
                self._take_over(model)
            raise
        self._take_over(model)
        if disagreement is not None:
            warnings.warn(disagreement, stacklevel=3)
        return self

    @of_one_model
    def plot(self, file: str | os.PathLike[str] | None = None) -> Any:
        """The traces of the chains as a picture by matplotlib; see `ctree.plot_chains`."""
        from ctree.render.plots.chains import plot_chains

        return plot_chains(self, file)

    def _fitted_parameters(self) -> dict[str, Any]:
        return {**self.get_params(), **self._begun}

    def _fitted_fields(self) -> dict[str, Any]:
        return {
            "seed": f"{self.seed_:x}",
            "fingerprint": self._fingerprint,
            "interrupted": self.interrupted_,
            "burn_in": self.burn_in_,
            "thin": self.thin_,
            "agreement": None if self.agreement_ is None else self.agreement_.to_fields(),
            "tests": levels_to_fields(self._levels),
            "chains": records_to_fields(self._records),
        }

    def _restore(self, fields: Fields, schema: Schema) -> None:
        levels = levels_from_fields(fields, schema)
        settings = settled(self.get_params(), levels.n_tests_of)
        records = records_from_fields(fields, levels, self.chains, len(powers_of(settings["temperatures"])))
        if any((record.n_trees > 0) != (self.keep_trees and record.n_draws > 0) for record in records):
            raise ModelError("'chains' should have trees where there are draws, and only with keep_trees")
        try:
            if self.keep_trees:
                Forest(levels, self.alpha, records)  # which refuses what is no tree
        except ValueError as error:
            raise ModelError(f"'chains' has invalid trees ({error})") from None
        self._levels, self._fetched = levels, records
        self._chains = self._forest = None
        self._treatment = treatment_of(self.strategy, self.invalid_proposals)
        self._fingerprint = fields.get("fingerprint", str)
        self._begun = {name: getattr(self, name) for name in OF_A_CHAIN}
        self.burn_in_, self.thin_, self.agreement_ = lengths_from_fields(fields, settings)
        self.seed_ = hexadecimal(fields.get("seed", str), "seed")
        self.posterior_exact_ = self._treatment in EXACT
        self.interrupted_ = fields.get("interrupted", bool)

    def __getstate__(self) -> dict[str, Any]:
        # Chains are taken up from their records, by whoever has the cases.
        if not hasattr(self, "_fetched"):
            return dict(self.__dict__)
        return {**self.__dict__, "_fetched": self._records, "_chains": None, "_forest": None}
