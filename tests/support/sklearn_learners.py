"""All learners with settings that make them quick, and the checks of scikit-learn that one cannot pass."""

import ctree

LEARNERS = {
    "C45Classifier": ctree.C45Classifier(),
    "C45Classifier(j48)": ctree.C45Classifier(variant="j48"),
    "C45RulesClassifier": ctree.C45RulesClassifier(),
    "ProbabilityTreeClassifier": ctree.ProbabilityTreeClassifier(),
    "BayesianTreeClassifier": ctree.BayesianTreeClassifier(),
    "NaiveBayesClassifier": ctree.NaiveBayesClassifier(),
    "BayesOptimalClassifier": ctree.BayesOptimalClassifier(max_depth=2),
    "OptimalTreeClassifier": ctree.OptimalTreeClassifier(max_depth=2),
    "MCMCTreeClassifier": ctree.MCMCTreeClassifier(burn_in=500, samples=100, thin=1, chains=2, random_state=0),
}

COUNTS_CASES = (ctree.C45RulesClassifier, ctree.BayesOptimalClassifier, ctree.OptimalTreeClassifier)
"""Learners that count whole cases."""


def expected_failed_checks(learner) -> dict[str, str]:
    """The checks that a learner is known to fail, each with the reason."""
    if isinstance(learner, COUNTS_CASES):
        return {
            "check_class_weight_classifiers": "it weighs a class 0.0001, but here a case of weight 2 is two cases, and "
            "there is no such thing as a ten-thousandth of a case"
        }
    return {}
