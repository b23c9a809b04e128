"""Weights by class for cases that do not fit into memory."""

from __future__ import annotations

from typing import Any

import numpy as np

from ctree.errors import DataError, ParameterError
from ctree.learners.base.training import class_factors, refuse_fractions
from ctree.scale.binned_source import class_weights
from ctree.scale.changed_source import weighted_by_class
from ctree.scale.coded_source import CodedSource
from ctree.scale.source import CaseSource


def source_by_class(source: CaseSource, class_weight: Any, whole: bool = False) -> CaseSource:
    """The cases of a source, each with its weight times that of its class."""
    if not isinstance(source, CodedSource):
        raise ParameterError("class_weight is for cases in memory or in coded parts, and those of the source are not")
    totals = class_weights(source) if source.weighted else source.class_counts.astype(np.float64)
    factors = class_factors(class_weight, totals, source.class_counts > 0, source.schema.classes, whole)
    if whole and not source.weighted and (factors[totals > 0] != np.floor(factors[totals > 0])).any():
        refuse_fractions(class_weight, factors, totals, source.schema.classes)
    if not (totals * factors).any():
        raise DataError("no case has a weight greater than zero")
    return weighted_by_class(source, totals, factors)
