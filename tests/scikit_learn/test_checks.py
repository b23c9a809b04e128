"""Every check that scikit-learn has for a classifier, on every learner."""

import warnings

import pytest

pytest.importorskip("sklearn")

from sklearn.utils.estimator_checks import parametrize_with_checks
from support.sklearn_learners import LEARNERS, expected_failed_checks


@parametrize_with_checks(list(LEARNERS.values()), expected_failed_checks=expected_failed_checks)
def test_all_that_scikit_learn_checks(estimator, check):
    with warnings.catch_warnings():
        # short chains of small data need not agree
        warnings.simplefilter("ignore", category=UserWarning)
        check(estimator)
