"""What errors cost on the data sets of a comparison."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
import numpy.typing as npt

from ctree.data.costs import cost_matrix
from ctree.errors import DataError, ParameterError
from ctree.evaluate.candidates import Cases
from ctree.wording import abbreviated_list, abbreviated_path, near_match

Floats = npt.NDArray[np.float64]


def costs_by_set(costs: Any, sets: Mapping[str, Cases]) -> dict[str, Floats]:
    """The cost matrix of each data set that has one.

    Parameters
    ----------
    costs : None, mapping, DataFrame or array
        As `ctree.data.costs.cost_matrix` takes it, for all sets; or a mapping of names of sets to such.
    sets : mapping of str to Dataset or RelationalData

    Examples
    --------
    >>> import ctree
    >>> costs_by_set({"golf": {("Don't Play", "Play"): 5}}, {"golf": ctree.load_golf()})["golf"].tolist()
    [[0.0, 1.0], [5.0, 0.0]]
    """
    if costs is None:
        return {}
    by_set = dict.fromkeys(sets, costs)
    if isinstance(costs, Mapping) and costs and all(isinstance(name, str) for name in costs):
        strange = next((name for name in costs if name not in sets), None)
        if strange is not None:
            raise ParameterError(
                f"the costs are for a set '{abbreviated_path(strange)}', but the sets are "
                f"{abbreviated_list([*sets])}{near_match(strange, sets)}"
            )
        by_set = {name: costs[name] for name in sets if costs.get(name) is not None}
    found = {}
    for name, given in by_set.items():
        try:
            found[name] = cost_matrix(given, sets[name].schema.classes)
        except DataError as error:
            raise DataError(f"{abbreviated_path(name)}: {error}") from None
    return found
