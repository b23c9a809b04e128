"""All learners with settings that make them quick, and the checks of scikit-learn that one cannot pass."""

import ctree

LEARNERS = {
    "C45Classifier": ctree.C45Classifier(),
    "C45Classifier(j48)": ctree.C45Classifier(variant="j48"),
    "C45RulesClassifier": ctree.C45RulesClassifier(),
    "ProbabilityTreeClassifier": ctree.ProbabilityTreeClassifier(),
    "BayesianTreeClassifier": ctree.BayesianTreeClassifier(),
    "NaiveBayesClassifier": ctree.NaiveBayesClassifier(),
    "CommitteeClassifier": ctree.CommitteeClassifier(members=10, random_state=0),
    "CommitteeClassifier(forest)": ctree.CommitteeClassifier(method="forest", members=10, random_state=0),
    "CommitteeClassifier(boosting)": ctree.CommitteeClassifier(method="boosting", members=10, random_state=0),
    "BayesOptimalClassifier": ctree.BayesOptimalClassifier(max_depth=2),
    "OptimalTreeClassifier": ctree.OptimalTreeClassifier(max_depth=2),
    "MCMCTreeClassifier": ctree.MCMCTreeClassifier(burn_in=500, samples=100, thin=1, chains=2, random_state=0),
}

COUNTS_CASES = (ctree.C45RulesClassifier, ctree.BayesOptimalClassifier, ctree.OptimalTreeClassifier)
"""Learners that count whole cases."""


def expected_failed_checks(learner) -> dict[str, str]:
    """The checks that a learner is known to fail, each with the reason."""
    if isinstance(learner, ctree.CommitteeClassifier):
        drawn = "for the folds of the calibration" if learner.method == "boosting" else "for the bags"
        reason = f"cases are drawn {drawn}: one of weight 2 as one, two of weight 1 one by one"
        return dict.fromkeys(
            ("check_sample_weight_equivalence_on_dense_data", "check_sample_weight_equivalence_on_sparse_data"), reason
        )
    if isinstance(learner, COUNTS_CASES):
        return {
            "check_class_weight_classifiers": "it weighs a class 0.0001, but here a case of weight 2 is two cases, and "
            "there is no such thing as a ten-thousandth of a case"
        }
    return {}
