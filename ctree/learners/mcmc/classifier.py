"""Bayesian averaging over trees that Markov chains have sampled (Schetinin et al.)."""

from __future__ import annotations

import os
import warnings
from collections.abc import Callable, Sequence
from typing import Any, Self

import numpy as np
import numpy.typing as npt

from ctree.checks import check_integer
from ctree.data.binary_tests import BinaryTests
from ctree.data.dataset import Dataset
from ctree.errors import DataError, MissingExtraError, ParameterError
from ctree.learners.base.classifier import Classifier, Floats, fitted_attributes
from ctree.learners.base.estimator import not_fitted
from ctree.learners.base.kernels import n_threads
from ctree.learners.mcmc.chain_making import fingerprint, new_chains, restored_chains
from ctree.learners.mcmc.chain_runs import run_chains
from ctree.learners.mcmc.convergence import ChainsDisagreeWarning, effective_size, split_r_hat
from ctree.learners.mcmc.explanations import explain_by_draws
from ctree.learners.mcmc.parameters import (
    EXACT,
    check_cases,
    check_parameters,
    seed_of,
    treatment_of,
)
from ctree.learners.mcmc.sampled_trees import TRACES, ChainRecord, Forest, SampledTrees
from ctree.progress import ProgressCallback, reporting
from ctree.tree.explain.ensemble import EnsembleExplanation
from ctree.tree.tree import Tree
from ctree_ext.mcmc.chain import MOVES, Chain

OF_A_CHAIN = (
    "strategy",
    "unavailable",
    "prior",
    "gamma",
    "delta",
    "test_prior",
    "alpha",
    "min_cases",
    "max_depth",
    "burn_in",
    "thin",
    "chains",
    "moves",
    "rule_step",
    "tempers",
    "exchange_every",
    "keep_trees",
)
"""The parameters that a chain cannot change on the way."""

MAX_R_HAT = 1.05
"""Above this the chains are said to disagree."""


class MCMCTreeClassifier(Classifier):
    """The average over trees drawn from their posterior by reversible-jump Markov chains.

    A chain goes from tree to tree by small changes: a leaf is split (birth), a twig is cut (death), a node tests
    another attribute (change-split) or another threshold or value (change-rule), or a node and its parent swap tests.
    Trees are binary: a continuous attribute is compared with a threshold, a discrete one with a single value.

    Parameters
    ----------
    strategy : {"standard", "sweeping"}
        What becomes of a change that leaves fewer than `min_cases` in some leaf: with ``"standard"`` it cannot be made;
        with ``"sweeping"`` such leaves are swept away, and the trees come out shorter (BDT1 and BDT2 of the paper).
    unavailable : {"reject", "resample", "resample-move", "sweep-paper", "sweep-latent"}
        What is done about a proposal that cannot be made. ``"reject"`` keeps the tree for that step, and what is
        sampled is the posterior; with ``strategy="sweeping"`` it stands for ``"sweep-latent"``: the chain walks over
        trees without limit, which are judged by what is left of them when they are swept. ``"resample"`` makes another
        proposal, as the paper does; with ``strategy="sweeping"`` it stands for ``"sweep-paper"``, the paper's own
        sweeping. ``"resample-move"`` makes another proposal of the same move, as long as there is one: trees come out
        larger, near the size of the paper's. These three do not sample the posterior; `posterior_exact_` says so.
    prior : {"denison", "chipman"}
        ``"denison"``: each number of leaves as likely, then each shape, attribute, and threshold of the whole set.
        ``"chipman"``: a node at depth d is split with probability gamma (1 + d)^-delta, by a test that leaves enough
        cases on both sides.
    gamma, delta : float
        For ``prior="chipman"``; gamma between 0 and 1, delta at least 0.
    test_prior : {"per_feature", "per_test"}
        For ``prior="chipman"``: whether each attribute is as likely as the others, or each test.
    alpha : float
        Dirichlet's prior of each class in a leaf.
    min_cases : float
        The least weight of cases in a leaf.
    max_depth : int or None
        The most tests on the way to a leaf.
    burn_in : int
        Steps of each chain before anything is kept.
    samples : int
        Trees that each chain keeps.
    thin : int
        Steps from one of them to the next.
    chains : int
        How many chains there are. Whether they agree is the best test of whether they have got anywhere.
    starts : {"root", "prior"}
        Where chains begin: with a single leaf, or each with a tree of its own drawn from the prior.
    moves : sequence of four or five floats
        The probabilities of birth, death, change-split, change-rule and swap, which add up to 1.
    rule_step : float or None
        How far change-rule goes: the standard deviation, as a share of the thresholds of the attribute. None: to any.
    tempers : int or sequence of float
        Parallel tempering: how many temperatures each chain has (from the likelihood itself down to its power of 0.1),
        or the powers, the first of them 1. Trees are kept at the first only.
    exchange_every : int
        Steps from one try to exchange the trees of two temperatures to the next.
    keep_trees : bool
        Whether to keep the trees. Without them there are traces and `feature_inclusion_`, but no predictions.
    warm_start : bool
        With the same cases, let `fit` go on with the chains until they have `samples` each, rather than begin anew.
    n_jobs : int or None
        Threads; None is 1, -1 all cores. What is drawn does not depend on it.
    random_state : int, numpy generator or None
        The seed.
    categorical_features : array-like or None
        For tables: which columns are discrete, as a mask, indices or names. None: those that hold no numbers.
    class_weight : dict, "balanced" or None
        What the cases of a class count, times their own weight; ``"balanced"`` lets every class count the same in sum.
    unseen : {"unknown", "error"}
        What a discrete value is to `predict` that was not there in `fit`: unknown, or an error.

    Attributes
    ----------
    posterior_exact_ : bool
        Whether the chains have the posterior as their stationary distribution.
    trees_ : SampledTrees
        The trees that were drawn, each a `Tree` when it is asked for. By itself a tree sends a case of unknown value
        down both branches; the model fills the value in before.
    best_tree_ : Tree
        The one with the greatest posterior.
    traces_ : dict of str to array (chains, draws)
        ``log_likelihood``, ``log_posterior``, ``leaves``, ``depth``.
    burn_in_traces_ : dict of str to array (chains, draws)
        The same of the steps before.
    moves_ : list of dict
        Per chain and move how often it was proposed, invalid and accepted.
    feature_inclusion_ : array (attributes,)
        The share of trees that test an attribute.
    r_hat_, effective_size_ : dict of str to float
        Of each trace; see `diagnostics`.
    seed_ : int
        What `random_state` came to.
    interrupted_ : bool
        Whether Ctrl-C stopped the chains before they had all their samples.
    classes_, schema_, n_features_in_

    Notes
    -----
    An unknown value is taken for the most frequent one of its attribute, or the middle one of a continuous attribute,
    in learning and in predicting. With weights, counts are sums of them.

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

    seed_: int
    posterior_exact_: bool
    interrupted_: bool
    _levels: BinaryTests
    _fetched: list[ChainRecord] | None
    _chains: list[Chain] | None
    _fingerprint: str
    _begun: dict[str, Any]
    _treatment: str
    _forest: Forest | None

    def __init__(
        self,
        *,
        strategy: str = "standard",
        unavailable: str = "reject",
        prior: str = "denison",
        gamma: float = 0.8,
        delta: float = 0.8,
        test_prior: str = "per_feature",
        alpha: float = 1.0,
        min_cases: float = 2,
        max_depth: int | None = None,
        burn_in: int = 50_000,
        samples: int = 2_000,
        thin: int = 7,
        chains: int = 4,
        starts: str = "root",
        moves: Sequence[float] = (0.1, 0.1, 0.2, 0.6),
        rule_step: float | None = None,
        tempers: int | Sequence[float] = 1,
        exchange_every: int = 10,
        keep_trees: bool = True,
        warm_start: bool = False,
        n_jobs: int | None = None,
        random_state: Any = None,
        categorical_features: Any = None,
        class_weight: Any = None,
        unseen: str = "unknown",
    ) -> None:
        self.strategy = strategy
        self.unavailable = unavailable
        self.prior = prior
        self.gamma = gamma
        self.delta = delta
        self.test_prior = test_prior
        self.alpha = alpha
        self.min_cases = min_cases
        self.max_depth = max_depth
        self.burn_in = burn_in
        self.samples = samples
        self.thin = thin
        self.chains = chains
        self.starts = starts
        self.moves = moves
        self.rule_step = rule_step
        self.tempers = tempers
        self.exchange_every = exchange_every
        self.keep_trees = keep_trees
        self.warm_start = warm_start
        self.n_jobs = n_jobs
        self.random_state = random_state
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
        checkpoint: Callable[[Self], None] | None = None,
        checkpoint_every: float = 60.0,
    ) -> Self:
        """Sample trees for a `Dataset`, or for a table `X` and classes `y`.

        `progress` is called ten times a second with a `Progress`, or True to show it. `checkpoint` is called with this
        learner, fitted by what there is, every so many seconds, for whoever wants to save it.
        """
        check_parameters(self.get_params())
        threads = n_threads(self.n_jobs)
        data = self._training_cases(X, y, sample_weight)
        if not (self.warm_start and hasattr(self, "_fetched")):
            check_cases(float(data.n_cases if data.weights is None else data.weights.sum()), self.min_cases)
            self._begin(data)
        else:
            self._take_up(data)
        return self._run(self.samples, threads, progress, checkpoint, checkpoint_every)

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
        check_integer("samples", samples, least=0)
        if X is not None:
            self._take_up(self._training_cases(X, y, sample_weight))
        elif self._chains is None:
            raise DataError("a learner that was loaded has no cases: give those that it was fitted to")
        most = max(record.n_draws for record in self._records)
        return self._run(most + samples, n_threads(self.n_jobs), progress, checkpoint, checkpoint_every)

    def _begin(self, data: Dataset) -> None:
        levels, seed = BinaryTests.of_cases(data), seed_of(self.random_state)
        treatment = treatment_of(self.strategy, self.unavailable)
        known = fitted_attributes(data.schema)
        # All at once, so that an interrupt leaves the learner as it was or begun anew, and nothing between.
        self.__dict__.update(
            _levels=levels,
            _treatment=treatment,
            posterior_exact_=treatment in EXACT,
            seed_=seed,
            _fingerprint=fingerprint(data, levels),
            _begun={name: getattr(self, name) for name in OF_A_CHAIN},
            _chains=new_chains(self.get_params(), levels, data, seed),
            interrupted_=True,
            _fetched=None,
            _forest=None,
            **known,
        )
        if "feature_names_in_" not in known:
            self.__dict__.pop("feature_names_in_", None)

    def _take_up(self, data: Dataset) -> None:
        """Chains for the cases that the learner was fitted to, where they were left."""
        if data.schema != self.schema_ or fingerprint(data, self._levels) != self._fingerprint:
            raise DataError("these are not the cases that the chains were begun with; fit a new learner to them")
        if self._chains is None:
            self._check_unchanged()
            self._chains = restored_chains(self.get_params(), self._levels, data, self.seed_, self._records)

    def _run(
        self,
        samples: int,
        threads: int,
        progress: ProgressCallback | bool | None,
        checkpoint: Callable[[Self], None] | None,
        checkpoint_every: float,
    ) -> Self:
        assert self._chains is not None
        self._check_unchanged()

        self.interrupted_ = True
        with reporting(progress) as told:
            run_chains(
                self._chains,
                self.burn_in,
                samples,
                self.thin,
                threads,
                told,
                None if checkpoint is None else lambda: checkpoint(self),
                checkpoint_every,
            )
        self.interrupted_ = False
        if self.keep_trees:
            self._together()
        self._warn()
        return self

    @property
    def _records(self) -> list[ChainRecord]:
        """What there is of each chain; it is fetched from them only when it is asked for, as there may be much."""
        fetched, chains = self._fetched, self._chains
        if fetched is None or (chains is not None and not all(map(ChainRecord.is_of, fetched, chains))):
            assert chains is not None
            self._fetched = fetched = [ChainRecord.of(chain) for chain in chains]
        return fetched

    def _check_unchanged(self) -> None:
        for name, begun in self._begun.items():
            now = getattr(self, name)
            if now is not begun and not np.array_equal(now, begun):
                raise ParameterError(
                    f"the chains were begun with {name}={begun!r}, which cannot become {now!r} on the way; "
                    "fit a new learner, or set warm_start=False"
                )

    def _warn(self) -> None:
        """Say so if the chains disagree."""
        if self.chains < 2:
            return
        r_hat = self.r_hat_
        worst = max(r_hat, key=lambda name: np.nan_to_num(r_hat[name]))
        if r_hat[worst] > MAX_R_HAT:
            warnings.warn(
                f"the {self.chains} chains disagree about {worst.replace('_', ' ')} (R-hat {r_hat[worst]:.2f}, "
                f"above {MAX_R_HAT}): more burn_in, a rule_step, tempers or swaps may help",
                ChainsDisagreeWarning,
                stacklevel=4,
            )

    @property
    def trees_(self) -> SampledTrees:
        self._check_trees()
        return SampledTrees(self.schema_, self._levels, self._begun["alpha"], self._records)

    @property
    def best_tree_(self) -> Tree:
        self._check_trees()
        chain = int(np.argmax([r.traces["log_posterior"].max(initial=-np.inf) for r in self._records]))
        before = sum(record.n_draws for record in self._records[:chain])
        return self.trees_[before + int(self._records[chain].traces["log_posterior"].argmax())]

    @property
    def traces_(self) -> dict[str, npt.NDArray[Any]]:
        self._check_fitted()
        return _stacked([record.traces for record in self._records])

    @property
    def burn_in_traces_(self) -> dict[str, npt.NDArray[Any]]:
        self._check_fitted()
        return _stacked([record.burn_in_traces for record in self._records])

    @property
    def moves_(self) -> list[dict[str, dict[str, int]]]:
        self._check_fitted()
        return [record.moves for record in self._records]

    @property
    def feature_inclusion_(self) -> Floats:
        self._check_fitted()
        result = np.zeros(len(self.schema_))
        draws = sum(record.n_draws for record in self._records)
        for record in self._records:
            for entry, n in zip(self._levels.levels, record.state["used"], strict=True):
                result[entry.attribute] += n / max(draws, 1)
        return result

    @property
    def r_hat_(self) -> dict[str, float]:
        return {name: float(split_r_hat(trace)) for name, trace in self.traces_.items()}

    @property
    def effective_size_(self) -> dict[str, float]:
        return {name: float(effective_size(trace)) for name, trace in self.traces_.items()}

    def diagnostics(self, X: Any = None) -> dict[str, dict[str, float]]:
        """Split R-hat and effective sample size by name: of each trace, and of predictions for cases `X`.

        Of predictions, those of the case and class that fare worst: a chain is no better than what it says of a case.
        """
        r_hat, sizes = self.r_hat_, self.effective_size_
        result = {name: {"r_hat": r_hat[name], "effective_size": sizes[name]} for name in r_hat}
        if X is not None:
            draws = self._draws(X)
            result["predictions"] = {
                "r_hat": float(max(split_r_hat(d).max(initial=1.0) for d in draws)),
                "effective_size": float(min(effective_size(d).min(initial=np.inf) for d in draws)),
            }
        return result

    def votes(self, X: Any) -> npt.NDArray[np.int32]:
        """The class that each drawn tree gives each case, as a place in ``classes_``: (chains, draws, cases)."""
        return self._together().votes(self._cases(X))

    def to_arviz(self, X: Any = None) -> Any:
        """The draws as arviz has them (``pip install 'ctree-learn[arviz]'``), in the shape (chain, draw).

        With cases `X`, also the class probabilities that each tree gives them, as ``probability``.
        """
        try:
            import arviz
        except ImportError:
            raise MissingExtraError("to_arviz needs arviz: pip install 'ctree-learn[arviz]'") from None
        traces = self.traces_
        posterior: dict[str, Any] = {name: traces[name] for name in ("leaves", "depth")}
        if X is not None:
            posterior["probability"] = np.stack(self._draws(X), axis=-1)
        stats = {"lp": traces["log_posterior"], "total_log_likelihood": traces["log_likelihood"]}
        if int(arviz.__version__.split(".")[0]) >= 1:
            return arviz.from_dict({"posterior": posterior, "sample_stats": stats})
        return arviz.from_dict(posterior=posterior, sample_stats=stats)

    def plot(self, file: str | os.PathLike[str] | None = None) -> Any:
        """The traces of the chains as a picture by matplotlib; see `ctree.plot_chains`."""
        from ctree.render.plots.chains import plot_chains

        return plot_chains(self, file)

    def to_text(self) -> str:
        """What the chains did: their moves, their trees, and whether they agree."""
        self._check_fitted()
        lines = ["move          proposed      invalid  accepted"]
        for move in (*MOVES, "exchange"):
            counts = [sum(m[move][what] for m in self.moves_) for what in ("proposed", "invalid", "accepted")]
            if counts[0]:
                shares = [f"{100 * n / counts[0]:.1f}%" for n in counts[1:]]
                lines.append(f"{move:<12}{counts[0]:>10}{shares[0]:>13}{shares[1]:>10}")
        lines += ["", f"{'':<16}{'mean':>10}{'s.d.':>10}{'R-hat':>8}{'effective':>11}"]
        traces = self.traces_
        for name, measures in self.diagnostics().items() if traces["leaves"].size else ():
            numbers = f"{traces[name].mean():>10.2f}{traces[name].std():>10.2f}{measures['r_hat']:>8.3f}"
            lines.append(f"{name.replace('_', ' '):<16}{numbers}{measures['effective_size']:>11.0f}")
        return "\n".join(lines)

    def _explanations(self, data: Dataset) -> Sequence[EnsembleExplanation]:
        return explain_by_draws(self._together(), self._levels, data)

    def _probabilities(self, data: Dataset) -> Floats:
        return self._together().probabilities(data)

    def _draws(self, X: Any) -> list[Floats]:
        """By class the probabilities of the drawn trees, (chains, draws, cases)."""
        forest, data = self._together(), self._cases(X)
        return [forest.draws_of(data, c) for c in range(len(self.classes_))]

    def _together(self) -> Forest:
        self._check_trees()
        records = self._records
        if self._forest is None or self._forest.records is not records:
            self._forest = Forest(self._levels, self._begun["alpha"], records)
        return self._forest

    def _check_trees(self) -> None:
        self._check_fitted()
        if not self._begun["keep_trees"]:
            raise not_fitted("the trees were not kept (keep_trees=False): there are traces, but no predictions")
        if not any(record.n_draws for record in self._records):
            raise not_fitted("no tree has been drawn yet: the chains were stopped in burn-in; sample_more goes on")

    def __getstate__(self) -> dict[str, Any]:
        # Chains are taken up from their records, by whoever has the cases.
        if not hasattr(self, "_fetched"):
            return dict(self.__dict__)
        return {**self.__dict__, "_fetched": self._records, "_chains": None, "_forest": None}


def _stacked(traces: list[dict[str, npt.NDArray[Any]]]) -> dict[str, npt.NDArray[Any]]:
    n = min(len(trace["tree"]) for trace in traces)
    return {name: np.stack([trace[name][:n] for trace in traces]) for name in TRACES}
