"""Classification trees whose probabilities can be trusted."""

from __future__ import annotations

import _thread
import os

TYPE_CHECKING = False  # not the one of `typing`, whose import the command would have to wait for
if TYPE_CHECKING:
    from typing import Any

    from ctree import criteria, plot
    from ctree.data.dataset import Dataset
    from ctree.data.files.arff_files import read_arff, write_arff
    from ctree.data.files.c45_files import read_c45, read_cases, read_names, write_c45
    from ctree.data.files.costs_files import read_costs
    from ctree.data.files.csv_files import read_csv, write_csv
    from ctree.data.relational.data import RelationalData
    from ctree.data.relational.reading import read_relational, write_relational
    from ctree.data.samples import load_golf, load_iris
    from ctree.data.schema import Attribute, Kind, Schema
    from ctree.data.tables.arrays import dataset_from_arrays as from_arrays
    from ctree.evaluate.comparison import compare
    from ctree.evaluate.envelope import Envelope, uncertainty_envelope
    from ctree.evaluate.protocols import Holdout, LearningCurve, StratifiedFolds
    from ctree.evaluate.tables import measure_table
    from ctree.export.c_code import to_c
    from ctree.export.onnx_graph import to_onnx
    from ctree.export.pmml import to_pmml
    from ctree.export.python_code import to_python
    from ctree.export.sql import to_sql
    from ctree.learners.bayesian.classifier import BayesianTreeClassifier
    from ctree.learners.c45.classifier import C45Classifier
    from ctree.learners.committee.bagging import BaggedTreesClassifier
    from ctree.learners.committee.classifier import CommitteeClassifier
    from ctree.learners.lattice.bayes_optimal import BayesOptimalClassifier
    from ctree.learners.lattice.itemsets import Itemsets, frequent_itemsets
    from ctree.learners.lattice.optimal_tree import OptimalTreeClassifier
    from ctree.learners.mcmc.classifier import MCMCTreeClassifier
    from ctree.learners.naive_bayes import NaiveBayesClassifier
    from ctree.learners.probability.classifier import ProbabilityTreeClassifier
    from ctree.learners.relational.classifier import RelationalTreeClassifier
    from ctree.learners.rules.classifier import C45RulesClassifier
    from ctree.learners.winnow.winnow import winnow
    from ctree.learners.winnow.winnower import Winnower
    from ctree.learners.winnow.winnowing import Winnowing
    from ctree.progress import Progress
    from ctree.render.comparison_html import side_by_side
    from ctree.render.plots.chains import plot_chains
    from ctree.render.plots.envelope import plot_envelope
    from ctree.render.plots.tree import plot_tree
    from ctree.render.report.report import report
    from ctree.scale.dask_cases import DaskCases, scan_dask
    from ctree.scale.scan import scan_arrow, scan_c45, scan_csv, scan_parquet
    from ctree.scale.scanned_cases import ScannedCases
    from ctree.scale.spark_cases import SparkCases, scan_spark
    from ctree.store.json_model import load, save
    from ctree.tree.consultation import Consultation
    from ctree.tree.explain.counterfactual import Counterfactual
    from ctree.tree.explain.ensemble import EnsembleExplanation
    from ctree.tree.explain.evidence import Evidence
    from ctree.tree.explain.explanation import Explanation
    from ctree.tree.explain.itemsets import ItemsetExplanation
    from ctree.tree.explain.rule import RuleExplanation
    from ctree.tree.explain.tree_path import TreeExplanation
    from ctree.tree.rule_list import RuleList
    from ctree.tree.rules import Condition, Rule
    from ctree.tree.tree import Tree

__version__ = "0.1.0"

__all__ = [
    "Attribute",
    "BaggedTreesClassifier",
    "BayesOptimalClassifier",
    "BayesianTreeClassifier",
    "C45Classifier",
    "C45RulesClassifier",
    "CommitteeClassifier",
    "Condition",
    "Consultation",
    "Counterfactual",
    "DaskCases",
    "Dataset",
    "EnsembleExplanation",
    "Envelope",
    "Evidence",
    "Explanation",
    "Holdout",
    "ItemsetExplanation",
    "Itemsets",
    "Kind",
    "LearningCurve",
    "MCMCTreeClassifier",
    "NaiveBayesClassifier",
    "OptimalTreeClassifier",
    "ProbabilityTreeClassifier",
    "Progress",
    "RelationalData",
    "RelationalTreeClassifier",
    "Rule",
    "RuleExplanation",
    "RuleList",
    "ScannedCases",
    "Schema",
    "SparkCases",
    "StratifiedFolds",
    "Tree",
    "TreeExplanation",
    "Winnower",
    "Winnowing",
    "__version__",
    "compare",
    "criteria",
    "frequent_itemsets",
    "from_arrays",
    "load",
    "load_golf",
    "load_iris",
    "measure_table",
    "plot",
    "plot_chains",
    "plot_envelope",
    "plot_tree",
    "read_arff",
    "read_c45",
    "read_cases",
    "read_costs",
    "read_csv",
    "read_names",
    "read_relational",
    "report",
    "save",
    "scan_arrow",
    "scan_c45",
    "scan_csv",
    "scan_dask",
    "scan_parquet",
    "scan_spark",
    "side_by_side",
    "to_c",
    "to_onnx",
    "to_pmml",
    "to_python",
    "to_sql",
    "uncertainty_envelope",
    "winnow",
    "write_arff",
    "write_c45",
    "write_csv",
    "write_relational",
]

# Each name is imported when it is first asked for: the command's help need not wait for numpy and the kernels.
_MODULES = {
    "Attribute": "ctree.data.schema",
    "BaggedTreesClassifier": "ctree.learners.committee.bagging",
    "BayesianTreeClassifier": "ctree.learners.bayesian.classifier",
    "BayesOptimalClassifier": "ctree.learners.lattice.bayes_optimal",
    "C45Classifier": "ctree.learners.c45.classifier",
    "C45RulesClassifier": "ctree.learners.rules.classifier",
    "CommitteeClassifier": "ctree.learners.committee.classifier",
    "Condition": "ctree.tree.rules",
    "Consultation": "ctree.tree.consultation",
    "Counterfactual": "ctree.tree.explain.counterfactual",
    "DaskCases": "ctree.scale.dask_cases",
    "SparkCases": "ctree.scale.spark_cases",
    "Dataset": "ctree.data.dataset",
    "Envelope": "ctree.evaluate.envelope",
    "EnsembleExplanation": "ctree.tree.explain.ensemble",
    "Evidence": "ctree.tree.explain.evidence",
    "Explanation": "ctree.tree.explain.explanation",
    "ItemsetExplanation": "ctree.tree.explain.itemsets",
    "RuleExplanation": "ctree.tree.explain.rule",
    "Holdout": "ctree.evaluate.protocols",
    "Itemsets": "ctree.learners.lattice.itemsets",
    "Kind": "ctree.data.schema",
    "LearningCurve": "ctree.evaluate.protocols",
    "MCMCTreeClassifier": "ctree.learners.mcmc.classifier",
    "NaiveBayesClassifier": "ctree.learners.naive_bayes",
    "Progress": "ctree.progress",
    "ProbabilityTreeClassifier": "ctree.learners.probability.classifier",
    "OptimalTreeClassifier": "ctree.learners.lattice.optimal_tree",
    "RelationalData": "ctree.data.relational.data",
    "RelationalTreeClassifier": "ctree.learners.relational.classifier",
    "Rule": "ctree.tree.rules",
    "RuleList": "ctree.tree.rule_list",
    "ScannedCases": "ctree.scale.scanned_cases",
    "Schema": "ctree.data.schema",
    "StratifiedFolds": "ctree.evaluate.protocols",
    "Tree": "ctree.tree.tree",
    "TreeExplanation": "ctree.tree.explain.tree_path",
    "Winnower": "ctree.learners.winnow.winnower",
    "Winnowing": "ctree.learners.winnow.winnowing",
    "compare": "ctree.evaluate.comparison",
    "frequent_itemsets": "ctree.learners.lattice.itemsets",
    "from_arrays": "ctree.data.tables.arrays",
    "load": "ctree.store.json_model",
    "load_golf": "ctree.data.samples",
    "load_iris": "ctree.data.samples",
    "measure_table": "ctree.evaluate.tables",
    "plot_chains": "ctree.render.plots.chains",
    "plot_envelope": "ctree.render.plots.envelope",
    "plot_tree": "ctree.render.plots.tree",
    "read_arff": "ctree.data.files.arff_files",
    "read_c45": "ctree.data.files.c45_files",
    "read_cases": "ctree.data.files.c45_files",
    "read_costs": "ctree.data.files.costs_files",
    "read_csv": "ctree.data.files.csv_files",
    "read_names": "ctree.data.files.c45_files",
    "read_relational": "ctree.data.relational.reading",
    "report": "ctree.render.report.report",
    "save": "ctree.store.json_model",
    "scan_arrow": "ctree.scale.scan",
    "scan_c45": "ctree.scale.scan",
    "scan_csv": "ctree.scale.scan",
    "scan_dask": "ctree.scale.dask_cases",
    "scan_spark": "ctree.scale.spark_cases",
    "side_by_side": "ctree.render.comparison_html",
    "scan_parquet": "ctree.scale.scan",
    "to_c": "ctree.export.c_code",
    "to_onnx": "ctree.export.onnx_graph",
    "to_pmml": "ctree.export.pmml",
    "to_python": "ctree.export.python_code",
    "to_sql": "ctree.export.sql",
    "uncertainty_envelope": "ctree.evaluate.envelope",
    "winnow": "ctree.learners.winnow.winnow",
    "write_arff": "ctree.data.files.arff_files",
    "write_c45": "ctree.data.files.c45_files",
    "write_csv": "ctree.data.files.csv_files",
    "write_relational": "ctree.data.relational.reading",
}
_OWN_NAMES = {"from_arrays": "dataset_from_arrays"}
_OWN_MODULES = ("criteria", "plot")

# A process that is forked while another thread imports would wait for that thread for ever, as it does not have it. So
# a fork waits until the import is done.
_importing = _thread.RLock()
if hasattr(os, "register_at_fork"):
    os.register_at_fork(
        before=_importing.acquire, after_in_parent=_importing.release, after_in_child=_importing.release
    )

# When a package has been imported, Python takes it out of sys.modules for a moment, to put it last. A thread that
# imports one of its modules just then fails with a KeyError, as happens in free-threaded Python. Public names are
# imported by one thread at a time, but not what methods such as `to_sql` import. So all packages, which are empty, come
# first.
_PACKAGES = [
    *(
        f"ctree.{name}"
        for name in ("data", "domains", "evaluate", "export", "learners", "render", "scale", "store", "tree")
    ),
    *(f"ctree.data.{name}" for name in ("files", "relational", "scan", "tables")),
    *(
        f"ctree.learners.{name}"
        for name in (
            "base",
            "bayesian",
            "c45",
            "committee",
            "lattice",
            "levels",
            "mcmc",
            "probability",
            "relational",
            "rules",
            "winnow",
        )
    ),
    *("ctree.evaluate.curves", "ctree.evaluate.papers", "ctree.render.cells", "ctree.render.charts"),
    *("ctree.render.plots", "ctree.render.report", "ctree.scale.engines", "ctree.tree.explain"),
    *(f"ctree.evaluate.papers.{name}" for name in ("cano2008", "fierens2005", "nijssen2008")),
    *(
        f"ctree_ext.{name}"
        for name in ("base", "grow", "io", "lattice", "mcmc", "prune", "relational", "rules", "scale")
    ),
]


def __getattr__(name: str) -> Any:
    if name not in _MODULES and name not in _OWN_MODULES:
        raise AttributeError(f"module 'ctree' has no attribute '{name}'")
    with _importing:
        from importlib import import_module

        for package in _PACKAGES:
            import_module(package)
        if name in _OWN_MODULES:
            return import_module(f"ctree.{name}")
        value = getattr(import_module(_MODULES[name]), _OWN_NAMES.get(name, name))
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
