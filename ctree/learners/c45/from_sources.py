"""C4.5 from a source whose cases do not fit into memory: level by level, in 64 bits."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ctree.errors import ParameterError
from ctree.learners.c45.release8 import tidied
from ctree.learners.c45.variants import VARIANTS

if TYPE_CHECKING:  # fits in memory do without the rest, which takes its time to load
    from ctree.learners.levels.fitting import Fitting
    from ctree.scale.source import CaseSource


def check_for_source(learner: Any, source: CaseSource) -> None:
    """Refuse what cannot be learned from a source that is not collected."""
    refused = {
        "prune='reduced-error'": learner.prune == "reduced-error",
        "soft_thresholds=True": learner.soft_thresholds,
        "group_values=True with unknown values": learner.group_values and not source.complete,
    }
    for what, is_refused in refused.items():
        if is_refused:
            raise ParameterError(
                f"{what} needs all cases in memory, and those of the source do not fit: scan them with more memory, "
                "or give it some of the cases"
            )


def fit_source(learner: Any, fitting: Fitting, source: CaseSource) -> dict[str, Any]:
    """What a learner learns from a source."""
    from ctree.learners.base.gain_settings import GainSettings
    from ctree.learners.levels.error_rules import error_rules
    from ctree.learners.levels.finish import PruneAtOnce
    from ctree.learners.levels.growing import total_weight

    check_for_source(learner, source)
    variant, j48 = VARIANTS[learner.variant], learner.variant == "j48"
    settings = GainSettings(
        float(source.n_cases) if j48 else total_weight(source),
        0.0 if j48 else source.unit,
        min_cases=learner.min_cases,
        gain_only=learner.criterion == "gain",
        group_values=learner.group_values,
        binary_splits=learner.binary_splits,
        mdl_correction=learner.mdl_correction,
        j48=j48,
        limits=learner._limits(source.schema),
    )
    n_classes = source.schema.n_classes
    prune = None
    # where leaves are chosen, that is only once the whole tree has grown
    if learner.prune and learner.subtree_raising and learner.max_leaves is None:
        rules = error_rules(n_classes, learner.confidence, j48=j48)
        prune = PruneAtOnce(rules, settings.unit, variant.collapsed if learner.collapse else None, n_classes)
    grown = fitting.grow_by_gain(source, settings, actual_thresholds=learner.actual_thresholds, prune=prune)
    grown = settings.limits.chosen(grown)
    if learner.collapse and prune is None:
        grown = variant.collapsed(grown, n_classes, False)
    pruned = grown
    if learner.prune:
        pruned = fitting.prune_by_errors(
            source, grown, learner.confidence, subtree_raising=learner.subtree_raising, j48=j48
        )
        pruned = tidied(source.schema, pruned) if learner.group_values else pruned
    unpruned = learner._tree_in(source.schema, grown, single=False, final=False)
    is_final = pruned is grown and not learner.monotone
    tree = unpruned if is_final else learner._tree_in(source.schema, pruned, single=False)
    return {"tree_": tree, "unpruned_tree_": unpruned, "_grown_order": None}
