"""What the trees drawn by Markov chains tell together: predictions, traces, diagnostics, texts."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from ctree.data.binary_tests import BinaryTests
from ctree.data.dataset import Dataset
from ctree.errors import missing
from ctree.learners.base.case_consultation import asked_by_tests
from ctree.learners.base.classifier import Classifier, Floats
from ctree.learners.base.estimator import not_fitted
from ctree.learners.base.one_model import of_one_model
from ctree.learners.base.parameters import fitted
from ctree.learners.base.tree_classifier import tree_size
from ctree.learners.mcmc.agreement import Agreement
from ctree.learners.mcmc.convergence import effective_size, split_r_hat
from ctree.learners.mcmc.explanations import explain_by_draws
from ctree.learners.mcmc.sampled_trees import TRACES, ChainRecord, Forest, SampledTrees
from ctree.tree.explain.ensemble import EnsembleExplanation
from ctree.tree.tree import Tree
from ctree.wording import plural
from ctree_ext.mcmc.chain import MOVES, Chain


class DrawnTrees(Classifier):
    """Parent of the sampler: what can be asked of the trees that its chains have drawn."""

    posterior_exact_: bool = fitted("bool", "Whether the chains have the posterior as their stationary distribution.")
    agreement_: Agreement | None = fitted(
        "Agreement or None",
        "How far the chains agree about the classes of training cases: the worst ``r_hat`` of a predicted probability, "
        "the least ``effective_size``, and how ``farthest`` and ``usual`` means of one chain are from those of all. "
        "None without trees or draws.",
    )
    _levels: BinaryTests = fitted()
    _fetched: list[ChainRecord] | None = fitted()
    _chains: list[Chain] | None = fitted()
    _begun: dict[str, Any] = fitted()
    _forest: Forest | None = fitted()

    @property
    def _records(self) -> list[ChainRecord]:
        """What there is of each chain; it is fetched from them only when it is asked for, as there may be much."""
        fetched, chains = self._fetched, self._chains
        if fetched is None or (chains is not None and not all(map(ChainRecord.is_of, fetched, chains))):
            assert chains is not None
            self._fetched = fetched = [ChainRecord.of(chain) for chain in chains]
        return fetched

    @property
    @of_one_model
    def trees_(self) -> SampledTrees:
        """The trees that were drawn, each a `Tree` when it is asked for. By itself a tree sends a case of unknown
        value down both branches; the model fills the value in before."""
        self._check_trees()
        return SampledTrees(self.schema_, self._levels, self._begun["alpha"], self._records)

    @property
    @of_one_model
    def best_tree_(self) -> Tree:
        """The drawn tree with the greatest posterior."""
        self._check_trees()
        chain = int(np.argmax([r.traces["log_posterior"].max(initial=-np.inf) for r in self._records]))
        before = sum(record.n_draws for record in self._records[:chain])
        return self.trees_[before + int(self._records[chain].traces["log_posterior"].argmax())]

    @property
    @of_one_model
    def traces_(self) -> dict[str, npt.NDArray[Any]]:
        """By chain and draw: ``log_likelihood``, ``log_posterior``, ``leaves`` and ``depth``."""
        self._check_fitted()
        return _stacked([record.traces for record in self._records])

    @property
    @of_one_model
    def burn_in_traces_(self) -> dict[str, npt.NDArray[Any]]:
        """The same for the steps of burn-in."""
        self._check_fitted()
        return _stacked([record.burn_in_traces for record in self._records])

    @property
    @of_one_model
    def moves_(self) -> list[dict[str, dict[str, int]]]:
        """Per chain and move, how often it was proposed, invalid and accepted."""
        self._check_fitted()
        return [record.moves for record in self._records]

    @property
    @of_one_model
    def acceptance_(self) -> float:
        """The share of valid proposals that were accepted, of all moves, chains and steps."""
        counts = [move for moves in self.moves_ for name, move in moves.items() if name in MOVES]
        valid = sum(move["proposed"] - move["invalid"] for move in counts)
        return sum(move["accepted"] for move in counts) / valid if valid else float("nan")

    @property
    @of_one_model
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
    @of_one_model
    def r_hat_(self) -> dict[str, float]:
        """Split R-hat of each trace; see `diagnostics`."""
        return {name: float(split_r_hat(trace)) for name, trace in self.traces_.items()}

    @property
    @of_one_model
    def effective_size_(self) -> dict[str, float]:
        """Effective sample size of each trace; see `diagnostics`."""
        return {name: float(effective_size(trace)) for name, trace in self.traces_.items()}

    @of_one_model
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
        model = self._as_it_is()
        return model._together().votes(model._cases(X))

    @of_one_model
    def to_arviz(self, X: Any = None) -> Any:
        """The draws as arviz has them (``pip install 'ctree-learn[arviz]'``), in the shape (chain, draw).

        With cases `X`, also the class probabilities that each tree gives them, as ``probability``.
        """
        try:
            import arviz
        except ImportError:
            raise missing("to_arviz needs", "arviz", "arviz") from None
        traces = self.traces_
        posterior: dict[str, Any] = {name: traces[name] for name in ("leaves", "depth")}
        if X is not None:
            posterior["probability"] = np.stack(self._draws(X), axis=-1)
        stats = {"lp": traces["log_posterior"], "total_log_likelihood": traces["log_likelihood"]}
        if int(arviz.__version__.split(".")[0]) >= 1:
            return arviz.from_dict({"posterior": posterior, "sample_stats": stats})
        return arviz.from_dict(posterior=posterior, sample_stats=stats)

    @of_one_model
    def as_tree(self) -> Tree:
        """The most probable tree of those drawn."""
        return self.best_tree_

    def _questions(self) -> dict[int, Sequence[float]]:
        return asked_by_tests(self._levels, self.feature_inclusion_)

    @of_one_model
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
        if self.agreement_ is not None:
            of_all = self.agreement_
            numbers = f"{of_all.r_hat:>8.3f}{of_all.effective_size:>11.0f}"
            lines.append(f"{'predictions':<16}{'':>10}{'':>10}{numbers}")
            apart = f"up to {of_all.farthest:.3f}, {of_all.usual:.3f} for the average case"
            lines += ["", f"Probabilities of a class differ between a chain and all of them by {apart}."]
        if self._begun["keep_trees"] and traces["leaves"].size:
            lines += ["", "The most probable tree of those drawn:", "", self.best_tree_.to_text()]
        return "\n".join(lines)

    @of_one_model
    def size_text(self) -> str:
        """How many trees there are, and how large on average."""
        return f"{plural(len(self.trees_), 'tree')}, {self.traces_['leaves'].mean():.1f} leaves on average"

    @of_one_model
    def summary(self) -> dict[str, Any]:
        """What there is to know of the model, as plain data."""
        best = self.best_tree_
        sampled = {
            "trees": len(self.trees_),
            "posterior_exact": self.posterior_exact_,
            "diagnostics": self.diagnostics(),
            "agreement": None if self.agreement_ is None else self.agreement_.to_fields(),
        }
        return {"sampled": sampled, "tree": {**tree_size(best), "text": best.to_text()}}

    def _explanations(self, data: Dataset) -> Sequence[EnsembleExplanation]:
        return explain_by_draws(self._together(), self._levels, data, self._chosen)

    def _probabilities(self, data: Dataset) -> Floats:
        return self._together().probabilities(data)

    def _draws(self, X: Any) -> list[Floats]:
        """By class the probabilities of the drawn trees, (chains, draws, cases)."""
        model = self._as_it_is()
        forest, data = model._together(), model._cases(X)
        return [forest.draws_of(data, c) for c in range(len(model.classes_))]

    def _together(self) -> Forest:
        self._check_trees()
        records, forest = self._records, self._forest
        if forest is None or forest.records is not records:
            self._forest = forest = Forest(self._levels, self._begun["alpha"], records)
        return forest

    def _check_trees(self) -> None:
        self._check_fitted()
        if not self._begun["keep_trees"]:
            raise not_fitted("the trees were not kept (keep_trees=False), so there are traces but no predictions")
        if not any(record.n_draws for record in self._records):
            raise not_fitted("no tree has been drawn yet: the chains were stopped in burn-in; sample_more goes on")


def _stacked(traces: list[dict[str, npt.NDArray[Any]]]) -> dict[str, npt.NDArray[Any]]:
    n = min(len(trace["tree"]) for trace in traces)
    return {name: np.stack([trace[name][:n] for trace in traces]) for name in TRACES}
