import numpy as np
import numpy.typing as npt

from ctree_ext.grow.own_criterion import OwnCriterion

class SplitScore:
    def __init__(
        self,
        name: str,
        max_count: int,
        n_classes: int,
        *,
        prior_weight: float = 2.0,
        nonuniform: bool = False,
        max_in_class: int | None = None,
        weight: float | None = None,
        tabled: int | None = None,
        own: OwnCriterion | None = None,
    ) -> None: ...
    @property
    def name(self) -> str: ...
    @property
    def own(self) -> OwnCriterion | None: ...

def tie_tolerance(cases: float) -> float: ...
def split_score(counts: npt.NDArray[np.float64], score: SplitScore, present_above: int = 0) -> float: ...
def log_marginal(counts: npt.NDArray[np.float64], alphas: npt.NDArray[np.float64]) -> float: ...
