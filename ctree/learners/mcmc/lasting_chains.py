"""How long the chains of a sampler are: until they agree, or as long as was asked for."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from ctree.data.dataset import Dataset
from ctree.errors import ParameterError
from ctree.learners.base.parameters import fitted
from ctree.learners.mcmc.agreement import MAX_R_HAT, Agreement, agreement_of, checked_rows
from ctree.learners.mcmc.chain_making import restored_chains
from ctree.learners.mcmc.convergence import ChainsDisagreeWarning
from ctree.learners.mcmc.drawn_trees import DrawnTrees
from ctree.learners.mcmc.lengthening import lengthened, n_kept
from ctree.learners.mcmc.parameters import most_steps, settled
from ctree.wording import shortened


class LastingChains(DrawnTrees):
    """Parent of the sampler: chains that are compared, and made longer while they disagree."""

    burn_in_: int = fitted("int", "The steps of each chain that were burn-in.")
    thin_: int = fitted("int", "The steps from one kept tree to the next.")
    seed_: int = fitted("int", "The seed that `random_state` came to.")
    _rows: npt.NDArray[np.int32] = fitted()
    _most_steps: int = fitted()

    # parameters of the learner
    chains: int
    burn_in: int | None
    max_steps: int | None
    keep_trees: bool

    def _settings(self) -> dict[str, Any]:
        """The parameters of the chains as they are now."""
        return {**settled(self.get_params(), self._levels.n_tests_of), "burn_in": self.burn_in_, "thin": self.thin_}

    def _check_unchanged(self) -> None:
        for name, begun in self._begun.items():
            now = getattr(self, name)
            if now is not begun and not np.array_equal(now, begun):
                raise ParameterError(
                    f"the chains were started with {name}={shortened(begun)}, which cannot be changed to "
                    f"{shortened(now)} later; fit a new learner, or set warm_start=False"
                )

    def _see(self, data: Dataset) -> None:
        """Note of the cases what it takes to compare the chains, and how long they may become."""
        self._rows = checked_rows(self._levels.of(data))
        self._most_steps = most_steps(self.max_steps, data.n_cases)

    def _compare_chains(self) -> None:
        """Find out how far the chains agree about the cases that they were fitted to."""
        self.agreement_ = None
        if self.keep_trees:
            self.agreement_ = agreement_of(self._together(), self._rows, self.schema_.n_classes)

    def _worst(self) -> tuple[str, float]:
        """What the chains agree on least, and its R-hat."""
        r_hat = {name.replace("_", " "): value for name, value in self.r_hat_.items()}
        if isinstance(self.agreement_, Agreement):
            r_hat = {"predictions": self.agreement_.r_hat, **r_hat}
        worst = max(r_hat, key=lambda name: np.nan_to_num(r_hat[name], posinf=np.inf))
        return worst, r_hat[worst]

    def _lengthen(self, samples: int) -> bool:
        """Let the chains go on with steps twice as far apart; False if they would become too long."""
        assert self._chains is not None
        kept = n_kept(samples) if self.keep_trees else 0
        if self.burn_in_ + samples * self.thin_ + (samples - kept) * 2 * self.thin_ > self._most_steps:
            return False
        records = [lengthened(record, self._levels, self.thin_) for record in self._records]
        settings = {**self._settings(), "thin": 2 * self.thin_}
        chains = restored_chains(settings, self._chains[0].grid, self.seed_, records)
        self.burn_in_, self.thin_ = records[0].state["burnt_steps"], 2 * self.thin_
        self._chains, self._fetched, self._forest = chains, records, None
        return True

    def _disagreement(self) -> ChainsDisagreeWarning | None:
        """What to warn of if the chains disagree."""
        if self.chains < 2:
            return None
        worst, r_hat = self._worst()
        if not r_hat > MAX_R_HAT:
            return None
        steps = sum(self._records[0].state[name] for name in ("burnt_steps", "drawn_steps"))
        text = (
            f"the {self.chains} chains do not agree after {steps} steps each: the R-hat of {worst} is {r_hat:.2f}, and "
            f"should be at most {MAX_R_HAT}"
        )
        if isinstance(self.agreement_, Agreement):
            text += (
                f". The probability of a class differs between a chain and all of them by up to "
                f"{self.agreement_.farthest:.2f}, by {self.agreement_.usual:.2f} for the average case: take "
                "probabilities to be that uncertain"
            )
        if self.burn_in is None:
            more = f"longer chains may help (max_steps={4 * self._most_steps})"
        else:
            more = "longer chains may help: a larger burn_in, or none at all, which makes them longer until they agree"
        return ChainsDisagreeWarning(f"{text}; {more}", f"the chains do not agree (R-hat above {MAX_R_HAT}); {more}")
