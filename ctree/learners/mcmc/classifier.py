"""Bayesian averaging over trees that Markov chains have sampled (Schetinin et al.)."""

from __future__ import annotations

import os
import warnings
from collections.abc import Callable, Sequence
from typing import Any, ClassVar, Self

import numpy as np
import numpy.typing as npt

from ctree.data.binary_tests import BinaryTests
from ctree.data.dataset import Dataset
from ctree.data.fields import Fields
from ctree.data.schema import Schema
from ctree.domains import AnyOf, Choice, Flag, Integer, Nothing, Number, Numbers
from ctree.errors import DataError, MissingExtraError, ModelError, ParameterError
from ctree.learners.base.classifier import Classifier, Floats, fitted_attributes
from ctree.learners.base.common_parameters import InThreads, Seed, WithTreePrior, n_threads
from ctree.learners.base.estimator import not_fitted
from ctree.learners.base.parameters import changed, fitted, parameter
from ctree.learners.base.tree_classifier import tree_size
from ctree.learners.mcmc.chain_making import fingerprint, new_chains, restored_chains
from ctree.learners.mcmc.chain_runs import run_chains
from ctree.learners.mcmc.convergence import ChainsDisagreeWarning, effective_size, split_r_hat
from ctree.learners.mcmc.explanations import explain_by_draws
from ctree.learners.mcmc.fields import (
    hexadecimal,
    levels_from_fields,
    levels_to_fields,
    records_from_fields,
    records_to_fields,
)
from ctree.learners.mcmc.parameters import (
    EXACT,
    MAX_CHAINS,
    MAX_TEMPERATURES,
    check_cases,
    check_moves,
    check_strategy,
    check_temperatures,
    powers_of,
    seed_of,
    treatment_of,
)
from ctree.learners.mcmc.sampled_trees import TRACES, ChainRecord, Forest, SampledTrees
from ctree.progress import ProgressCallback, reporting
from ctree.tree.explain.ensemble import EnsembleExplanation
from ctree.tree.tree import Tree
from ctree.wording import plural
from ctree_ext.mcmc.chain import MOVES, Chain

OF_A_CHAIN = (
    "strategy",
    "invalid_proposals",
    "tree_prior",
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
    "temperatures",
    "exchange_every",
    "keep_trees",
)
"""The parameters that a chain cannot change on the way."""

MAX_R_HAT = 1.05
"""Above this the chains are said to disagree."""


class MCMCTreeClassifier(WithTreePrior, InThreads, Classifier):
    """The average over trees drawn from their posterior by reversible-jump Markov chains.

    A chain goes from tree to tree by small changes: a leaf is split (birth), a twig is cut (death), a node tests
    another attribute (change-split) or another threshold or value (change-rule), or a node and its parent swap tests.
    Trees are binary: a continuous attribute is compared with a threshold, a discrete one with a single value.

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

    resumable: ClassVar[bool] = True

    strategy: str = parameter(
        "standard",
        Choice("standard", "sweeping"),
        'What to do with leaves that are too small. With ``"standard"`` a change that leaves fewer than `min_cases` '
        'in some leaf cannot be made; with ``"sweeping"`` such leaves are swept away, and the trees come out shorter '
        "(BDT1 and BDT2 of the paper).",
    )
    invalid_proposals: str = parameter(
        "reject",
        Choice("reject", "resample", "resample-move", "sweep-paper", "sweep-latent"),
        'What to do about a proposal that cannot be made. ``"reject"`` keeps the tree for that step, and what is '
        'sampled is the posterior; with ``strategy="sweeping"`` it stands for ``"sweep-latent"``: the chain walks over '
        'trees without limit, which are judged by what is left of them when they are swept. ``"resample"`` makes '
        'another proposal, as the paper does; with ``strategy="sweeping"`` it stands for ``"sweep-paper"``, the '
        'paper\'s own sweeping. ``"resample-move"`` makes another proposal of the same move, as long as there is one: '
        "trees come out larger, near the size of the paper's. These three do not sample the posterior; "
        "`posterior_exact_` says so.",
    )
    tree_prior: str = changed(
        "denison",
        domain=Choice("denison", "chipman"),
        help='The prior over trees. ``"denison"``: each number of leaves is equally likely, then each shape, attribute '
        'and threshold of the whole set. ``"chipman"``: a node at depth d is split with probability gamma '
        "(1 + d)^-delta, by a test that leaves enough cases on both sides.",
    )
    min_cases: float = parameter(2, Number(above=0), "Least weight of cases in a leaf.")
    burn_in: int = parameter(50_000, Integer(least=0), "Steps of each chain before anything is kept.")
    samples: int = parameter(2_000, Integer(least=1), "Trees that each chain keeps.")
    thin: int = parameter(7, Integer(least=1), "Steps from one kept tree to the next.")
    chains: int = parameter(
        4,
        Integer(least=1, most=MAX_CHAINS),
        "Number of chains. Whether they agree is the best test of whether they have converged.",
    )
    init: str = parameter(
        "root",
        Choice("root", "prior"),
        "Where chains start: from a single leaf, or each from a tree of its own drawn from the prior.",
    )
    moves: Sequence[float] = parameter(
        (0.1, 0.1, 0.2, 0.6),
        Numbers(least=0, most=1),
        "Probabilities of birth, death, change-split, change-rule and, if wanted, swap, which add up to 1.",
    )
    rule_step: float | None = parameter(
        None,
        AnyOf(Number(above=0), Nothing()),
        "How far change-rule moves a threshold: the standard deviation, as a share of the thresholds of the attribute. "
        "None: to any of them.",
    )
    temperatures: int | Sequence[float] = parameter(
        1,
        AnyOf(Integer(least=1, most=MAX_TEMPERATURES), Numbers(least=0, most=1)),
        "Number of temperatures of each chain, for parallel tempering, from the likelihood itself down to its power of "
        "0.1; or the powers, the first of them 1. Trees are kept at the first only.",
    )
    exchange_every: int = parameter(
        10, Integer(least=1), "Steps from one attempt to exchange the trees of two temperatures to the next."
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
    )
    random_state: Any = parameter(None, Seed(), "Random seed; None for a new one each time.", aliases=("--seed",))

    seed_: int = fitted("int", "The seed that `random_state` came to.")
    posterior_exact_: bool = fitted("bool", "Whether the chains have the posterior as their stationary distribution.")
    interrupted_: bool = fitted("bool", "Whether Ctrl-C stopped the chains before they had all their samples.")
    _levels: BinaryTests = fitted()
    _fetched: list[ChainRecord] | None = fitted()
    _chains: list[Chain] | None = fitted()
    _fingerprint: str = fitted()
    _begun: dict[str, Any] = fitted()
    _treatment: str = fitted()
    _forest: Forest | None = fitted()

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
        self._check_parameters()
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
        Integer(least=0).check("samples", samples)
        if X is not None:
            self._take_up(self._training_cases(X, y, sample_weight))
        elif self._chains is None:
            raise DataError("a loaded model has no cases: pass those that it was fitted to")
        most = max(record.n_draws for record in self._records)
        return self._run(most + samples, n_threads(self.n_jobs), progress, checkpoint, checkpoint_every)

    def _check_together(self) -> None:
        check_strategy(self.strategy, self.invalid_proposals, self.tree_prior)
        check_moves(self.moves)
        check_temperatures(self.temperatures)

    def _begin(self, data: Dataset) -> None:
        levels, seed = BinaryTests.of_cases(data), seed_of(self.random_state)
        treatment = treatment_of(self.strategy, self.invalid_proposals)
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
            raise DataError("these are not the cases that the chains were started with; fit a new learner to them")
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
                    f"the chains were started with {name}={begun!r}, which cannot be changed to {now!r} later; "
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
                f"above {MAX_R_HAT}): more burn_in, a rule_step, temperatures or swaps may help",
                ChainsDisagreeWarning,
                stacklevel=4,
            )

    @property
    def trees_(self) -> SampledTrees:
        """The trees that were drawn, each a `Tree` when it is asked for. By itself a tree sends a case of unknown
        value down both branches; the model fills the value in before."""
        self._check_trees()
        return SampledTrees(self.schema_, self._levels, self._begun["alpha"], self._records)

    @property
    def best_tree_(self) -> Tree:
        """The drawn tree with the greatest posterior."""
        self._check_trees()
        chain = int(np.argmax([r.traces["log_posterior"].max(initial=-np.inf) for r in self._records]))
        before = sum(record.n_draws for record in self._records[:chain])
        return self.trees_[before + int(self._records[chain].traces["log_posterior"].argmax())]

    @property
    def traces_(self) -> dict[str, npt.NDArray[Any]]:
        """By chain and draw: ``log_likelihood``, ``log_posterior``, ``leaves`` and ``depth``."""
        self._check_fitted()
        return _stacked([record.traces for record in self._records])

    @property
    def burn_in_traces_(self) -> dict[str, npt.NDArray[Any]]:
        """The same for the steps of burn-in."""
        self._check_fitted()
        return _stacked([record.burn_in_traces for record in self._records])

    @property
    def moves_(self) -> list[dict[str, dict[str, int]]]:
        """Per chain and move, how often it was proposed, invalid and accepted."""
        self._check_fitted()
        return [record.moves for record in self._records]

    @property
    def feature_inclusion_(self) -> Floats:
        """Per attribute, the share of trees that test it."""
        self._check_fitted()
        result = np.zeros(len(self.schema_))
        draws = sum(record.n_draws for record in self._records)
        for record in self._records:
            for entry, n in zip(self._levels.levels, record.state["used"], strict=True):
                result[entry.attribute] += n / max(draws, 1)
        return result

    @property
    def r_hat_(self) -> dict[str, float]:
        """Split R-hat of each trace; see `diagnostics`."""
        return {name: float(split_r_hat(trace)) for name, trace in self.traces_.items()}

    @property
    def effective_size_(self) -> dict[str, float]:
        """Effective sample size of each trace; see `diagnostics`."""
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
        lines = ["move          proposed  unavailable  accepted"]
        for move in (*MOVES, "exchange"):
            counts = [sum(m[move][what] for m in self.moves_) for what in ("proposed", "unavailable", "accepted")]
            if counts[0]:
                shares = [f"{100 * n / counts[0]:.1f}%" for n in counts[1:]]
                lines.append(f"{move:<12}{counts[0]:>10}{shares[0]:>13}{shares[1]:>10}")
        lines += ["", f"{'':<16}{'mean':>10}{'s.d.':>10}{'R-hat':>8}{'effective':>11}"]
        traces = self.traces_
        for name, measures in self.diagnostics().items() if traces["leaves"].size else ():
            numbers = f"{traces[name].mean():>10.2f}{traces[name].std():>10.2f}{measures['r_hat']:>8.3f}"
            lines.append(f"{name.replace('_', ' '):<16}{numbers}{measures['effective_size']:>11.0f}")
        if self._begun["keep_trees"] and traces["leaves"].size:
            lines += ["", "The most probable tree of those drawn:", "", self.best_tree_.to_text()]
        return "\n".join(lines)

    def size_text(self) -> str:
        """How many trees there are, and how large on average."""
        return f"{plural(len(self.trees_), 'tree')}, {self.traces_['leaves'].mean():.1f} leaves on average"

    def summary(self) -> dict[str, Any]:
        """What there is to know of the model, as plain data."""
        best = self.best_tree_
        sampled = {
            "trees": len(self.trees_),
            "posterior_exact": self.posterior_exact_,
            "diagnostics": self.diagnostics(),
        }
        return {"sampled": sampled, "tree": {**tree_size(best), "text": best.to_text()}}

    def _fitted_parameters(self) -> dict[str, Any]:
        return {**self.get_params(), **self._begun}

    def _fitted_fields(self) -> dict[str, Any]:
        return {
            "seed": f"{self.seed_:x}",
            "fingerprint": self._fingerprint,
            "interrupted": self.interrupted_,
            "tests": levels_to_fields(self._levels),
            "chains": records_to_fields(self._records),
        }

    def _restore(self, fields: Fields, schema: Schema) -> None:
        levels = levels_from_fields(fields, schema)
        records = records_from_fields(fields, levels, self.chains, len(powers_of(self.temperatures)))
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
        self.seed_ = hexadecimal(fields.get("seed", str), "seed")
        self.posterior_exact_ = self._treatment in EXACT
        self.interrupted_ = fields.get("interrupted", bool)

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
            raise not_fitted("the trees were not kept (keep_trees=False), so there are traces but no predictions")
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
