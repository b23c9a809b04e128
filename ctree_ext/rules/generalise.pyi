from typing import Any

from ctree_ext.base.cases import CaseTable
from ctree_ext.base.node_arrays import NodeArrays

def generalised_paths(
    table: CaseTable, arrays: NodeArrays, confidence: float = 0.25, significance: float | None = None
) -> dict[str, Any]: ...
