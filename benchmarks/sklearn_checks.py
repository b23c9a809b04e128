"""How many of scikit-learn's checks each learner passes, by the version that runs this or by several.

``python benchmarks/sklearn_checks.py`` counts for the scikit-learn at hand; with interpreters of other environments
after it, for each of those: ``python benchmarks/sklearn_checks.py /opt/sk16/bin/python /opt/sk17/bin/python``.
"""

import importlib.util
import json
import os
import subprocess
import sys
import warnings
from pathlib import Path

PROJECT = Path(__file__).parents[1]


def count() -> dict[str, dict[str, int]]:
    """Per learner how many checks passed, were expected to fail and did, were skipped, or failed."""
    import unittest

    sys.path.insert(0, str(PROJECT / "tests"))
    if importlib.util.find_spec("ctree") is None:  # not installed: the sources, compiled in place
        sys.path.insert(0, str(PROJECT))
    from sklearn.utils.estimator_checks import estimator_checks_generator
    from support.sklearn_learners import LEARNERS, expected_failed_checks

    warnings.simplefilter("ignore")
    table = {}
    for name, learner in LEARNERS.items():
        counts = {"passed": 0, "expected": 0, "skipped": 0, "failed": 0}
        for estimator, check in estimator_checks_generator(learner, mark=None):
            which = getattr(check, "func", check).__name__
            try:
                check(estimator)
                outcome = "passed"
            except unittest.SkipTest as reason:
                outcome = "skipped"
                print(f"{name}: {which} skipped: {reason}", file=sys.stderr)
            except Exception as error:
                outcome = "expected" if which in expected_failed_checks(learner) else "failed"
                if outcome == "failed":
                    print(f"{name}: {which} failed: {type(error).__name__}: {error}", file=sys.stderr)
            counts[outcome] += 1
        table[name] = counts
    return table


def main() -> int:
    # The check of array libraries is skipped without this, which has to be set before scipy is imported.
    os.environ["SCIPY_ARRAY_API"] = "1"
    if sys.argv[1:] == ["--json"]:
        import sklearn

        json.dump({"version": sklearn.__version__, "counts": count()}, sys.stdout)
        return 0
    tables = []
    for python in sys.argv[1:] or [sys.executable]:
        done = subprocess.run([python, __file__, "--json"], stdout=subprocess.PIPE, text=True, check=True)
        tables.append(json.loads(done.stdout))
    print("learner".ljust(28) + "".join(table["version"].rjust(22) for table in tables))
    for name in tables[0]["counts"]:
        cells = []
        for table in tables:
            counts = table["counts"][name]
            notes = [f"{n} {what}" for what, n in counts.items() if n and what != "passed"]
            cells.append(", ".join([f"{counts['passed']} of {sum(counts.values())}", *notes]))
        print(name.ljust(28) + "".join(cell.rjust(22) for cell in cells))
    return any(counts["failed"] for table in tables for counts in table["counts"].values())


if __name__ == "__main__":
    sys.exit(main())
