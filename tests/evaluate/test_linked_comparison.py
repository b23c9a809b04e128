"""Comparisons of learners on linked tables."""

from __future__ import annotations

import numpy as np
import pytest

import ctree
from ctree.errors import ParameterError
from ctree.evaluate.cache import ResultCache, data_digest
from ctree.evaluate.measures import expected_auc, tree_size
from ctree.evaluate.preparation import Preparation
from ctree.evaluate.protocols import StratifiedFolds
from ctree.evaluate.trial import TrialError


def linked(n: int = 60, seed: int = 0, kinds: tuple[str, ...] = ("a", "b", "c")) -> ctree.RelationalData:
    """Persons with purchases; those who bought an expensive "a" are the ones."""
    rng = np.random.default_rng(seed)
    owner = np.sort(rng.integers(n, size=3 * n))
    kind, price = np.array(kinds)[rng.integers(3, size=3 * n)], rng.integers(1, 10, size=3 * n)
    bought = {int(person) for person in owner[(kind == kinds[0]) & (price > 5)]}
    return ctree.RelationalData(
        {
            "person": {"id": list(range(n)), "buys": ["yes" if i in bought else "no" for i in range(n)]},
            "purchase": {"person": owner, "kind": kind, "price": price},
        },
        target=("person", "buys"),
        keys={"person": "id"},
        foreign_keys={"purchase.person": "person"},
    )


LEARNERS = {name: ctree.RelationalTreeClassifier(method=name) for name in ("c4.4", "bic-prune")}


def test_scores_are_those_of_a_plain_loop():
    data = linked()
    folds = StratifiedFolds(3, 1)
    result = ctree.compare({"linked": data}, LEARNERS, protocol=folds)
    for run, split in enumerate(folds.series(data.classes)[0].splits):
        train, test = data.take(split.train), data.take(split.test)
        for place, learner in enumerate(LEARNERS.values()):
            model = type(learner)(**learner.get_params()).fit(train)
            found = {measure: result.scores[measure][0, place, run] for measure in ("auc", "leaves", "accuracy")}
            area = expected_auc(test.classes, model.predict_proba(test)).value
            assert found == {"auc": area, "leaves": model.tree_.n_leaves, "accuracy": model.score(test)}


def test_the_size_of_a_relational_tree():
    tree = LEARNERS["c4.4"].fit(linked()).tree_
    assert tree_size(LEARNERS["c4.4"]) == (tree.n_nodes, tree.n_leaves, tree.depth)


def test_results_are_kept_and_found_again(tmp_path):
    first, again, other = (
        ctree.compare(
            {"linked": linked(seed=seed)}, LEARNERS, protocol=StratifiedFolds(2, 1), cache=ResultCache(tmp_path)
        )
        for seed in (0, 0, 1)
    )
    assert [result.reused for result in (first, again, other)] == [0, 4, 0]
    assert again.scores["auc"].tolist() == first.scores["auc"].tolist()


def test_digests_differ_where_the_tables_do():
    data = linked()
    others = [linked(seed=1), linked(kinds=("a", "b", "x")), data.take(slice(0, 59))]
    assert data_digest(data) == data_digest(linked())
    assert len({data_digest(d) for d in (data, *others)}) == 4


def test_linked_tables_are_not_prepared():
    with pytest.raises(ParameterError, match="linked: linked tables are neither imputed nor put into bins"):
        ctree.compare({"linked": linked()}, LEARNERS, preparation=Preparation(bins=3))


def test_other_learners_refuse_linked_tables():
    with pytest.raises(TrialError, match=r"c4.5 failed on linked"):
        ctree.compare({"linked": linked()}, {"c4.5": ctree.C45Classifier()}, protocol=StratifiedFolds(2, 1))
