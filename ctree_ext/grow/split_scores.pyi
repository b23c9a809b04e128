import numpy as np
import numpy.typing as npt

class SplitMeasure:
    def __init__(
        self,
        name: str,
        n_whole: int,
        n_classes: int,
        *,
        prior_weight: float = 2.0,
        nonuniform: bool = False,
        most_in_class: int | None = None,
        weight: float | None = None,
    ) -> None: ...
    @property
    def name(self) -> str: ...

def hair(cases: float) -> float: ...
def figure(counts: npt.NDArray[np.float64], measure: SplitMeasure, present_above: int = 0) -> float: ...
def log_marginal(counts: npt.NDArray[np.float64], alphas: npt.NDArray[np.float64]) -> float: ...
