class StoppingRule:
    def __init__(
        self,
        name: str,
        cases: float,
        n_classes: int,
        *,
        pruning: str = "never",
        significance: float = 0.1,
        present_classes: bool = False,
    ) -> None: ...

def bic_threshold(n: float, n_classes: int, branches: int = 2) -> float: ...
def mdl_threshold(n: float, n_classes: int, n_tests: int, branches: int = 2) -> float: ...
def chi_square_cutoff(n_tests: int, n_classes: int, branches: int = 2, significance: float = 0.1) -> float: ...
