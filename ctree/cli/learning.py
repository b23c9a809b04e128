"""Learn a model from files, print it and how well it does, save it."""

from __future__ import annotations

import argparse
import os
import sys
import warnings
from typing import Any

import numpy as np

from ctree.cli.inputs import class_name_of, form_of, read_for_model, read_source
from ctree.cli.lattice_options import lattice_facts, lattice_text
from ctree.cli.options import plural, warn
from ctree.cli.report import MAX_CLASSES, Result, confusion, confusion_text
from ctree.cli.sampling import sample
from ctree.data.dataset import Dataset
from ctree.data.files.c45_files import read_c45, stem_of
from ctree.errors import DataError, LimitWarning, ModelError
from ctree.learners.bayesian.classifier import BayesianTreeClassifier
from ctree.learners.c45.classifier import C45Classifier
from ctree.learners.lattice.lattice_classifier import LatticeClassifier
from ctree.learners.mcmc.classifier import MCMCTreeClassifier
from ctree.learners.naive_bayes import NaiveBayesClassifier
from ctree.learners.probability.classifier import ProbabilityTreeClassifier
from ctree.learners.rules.classifier import C45RulesClassifier
from ctree.store.json_model import save
from ctree.store.json_text import json_text
from ctree.tree.tree import Tree

Learner = (
    C45Classifier
    | C45RulesClassifier
    | ProbabilityTreeClassifier
    | BayesianTreeClassifier
    | LatticeClassifier
    | MCMCTreeClassifier
    | NaiveBayesClassifier
)


def learn(args: argparse.Namespace, model: Learner) -> None:
    """Do what `ctree learn` was asked to."""
    if args.output is not None:
        _check_target(args.output)
    data = read_source(args.source, args.class_name, args.discrete, args.unknown_class)
    if len(data.schema) == 0:
        sentence = "the cases have a class but no attributes; in a .csv file commas separate the columns"
        raise DataError(f"{_file_of(args.source)}: {sentence}")
    test_file, test = _test_cases(args, data)
    if not args.json:
        print(_data_text(_file_of(args.source), data), flush=True)
    if isinstance(model, MCMCTreeClassifier):
        model = sample(args, model, data)
    else:
        # the only other learners that take long
        options = {"progress": sys.stderr.isatty()} if isinstance(model, LatticeClassifier) else {}
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always", LimitWarning)
            model.fit(data, **options)
        for warning in caught:
            warn(str(warning.message))
    if args.output is not None:
        save(model, args.output)
    training = confusion(data, model.predict_codes(data))
    testing = None if test is None else confusion(test, model.predict_codes(test))
    if args.json:
        print(json_text(_facts(args, model, data, training, test_file, testing)))
    else:
        print(_text(args, model, training, testing))


def _test_cases(args: argparse.Namespace, data: Dataset) -> tuple[str | None, Dataset | None]:
    """The test cases in the codes of the training cases, and the file they are from."""
    if args.test is not None:
        class_name = None
        if form_of(args.test) != "c4.5":
            class_name = args.class_name or class_name_of(args.source)
        return args.test, read_for_model(args.test, data.schema, class_name, args.unknown_class, needed=True)
    if form_of(args.source) == "c4.5":
        stem = stem_of(args.source)
        if os.path.exists(stem + ".test"):
            return stem + ".test", read_c45(stem, "test", unknown_class=args.unknown_class)
    return None, None


def _file_of(source: str) -> str:
    return stem_of(source) + ".data" if form_of(source) == "c4.5" else source


def _check_target(path: str) -> None:
    """Refuse a place for the model where nothing can be written, before any time is spent on learning."""
    folder = os.path.dirname(path) or "."
    if not os.path.isdir(folder):
        raise ModelError(f"{path}: the model cannot be saved there, as there is no directory '{folder}'")
    if os.path.isdir(path):
        raise ModelError(f"{path}: the model cannot be saved there, as this is a directory")


def _counts(data: Dataset) -> dict[str, int]:
    """What the data are, in numbers."""
    unknown = 0
    for column in data.columns:
        if column is not None:
            unknown += int(np.count_nonzero(column < 0 if column.dtype.kind == "i" else np.isnan(column)))
    discrete = sum(a.is_discrete for a in data.schema)
    continuous = sum(a.is_continuous for a in data.schema)
    return {
        "cases": data.n_cases,
        "attributes": discrete + continuous,
        "discrete": discrete,
        "continuous": continuous,
        "ignored": len(data.schema) - discrete - continuous,
        "unknown_values": unknown,
    }


def _data_text(file: str, data: Dataset) -> str:
    n = _counts(data)
    kinds = [f"{n[kind]} {kind}" for kind in ("discrete", "continuous") if n[kind]]
    attributes = f"{plural(n['attributes'], 'attribute')} ({', '.join(kinds)}" if kinds else "(none"
    attributes += f"; {n['ignored']} ignored)" if n["ignored"] else ")"
    unknown = plural(n["unknown_values"], "unknown value")
    if n["unknown_values"]:
        unknown += f" ({100 * n['unknown_values'] / (n['cases'] * n['attributes']):.1f}%)"
    return f"{file}: {plural(n['cases'], 'case')}, {attributes}, {plural(data.schema.n_classes, 'class')}, {unknown}"


def _size_text(tree: Tree) -> str:
    return f"{plural(tree.n_nodes, 'node')}, {plural(tree.n_leaves, 'leaf')}, depth {tree.depth}"


def _model_text(model: Learner) -> tuple[str, str]:
    """The tree, the rules or the counts, and their size."""
    if isinstance(model, LatticeClassifier):
        return lattice_text(model)
    if isinstance(model, MCMCTreeClassifier):
        text = f"{model.to_text()}\n\nThe most probable tree of those drawn:\n\n{model.best_tree_.to_text()}"
        return text, f"{plural(len(model.trees_), 'tree')}, {model.traces_['leaves'].mean():.1f} leaves on average"
    if isinstance(model, NaiveBayesClassifier):
        tables = [table for table in model.counts_ if table is not None]
        return model.to_text(), f"{plural(len(tables), 'attribute')}, {plural(sum(map(len, tables)), 'value')}"
    size = _size_text(model.tree_)
    if isinstance(model, C45RulesClassifier):
        n_rules, n_conditions = len(model.rules_), sum(map(len, model.rules_))
        counts = f"{plural(n_rules, 'rule')}, {plural(n_conditions, 'condition')}"
        return str(model.rules_), f"{counts} (the tree they are from: {size})"
    if isinstance(model, BayesianTreeClassifier):
        return model.tree_.to_text(), size
    if model.unpruned_tree_.n_nodes != model.tree_.n_nodes:
        size += f" (before pruning: {_size_text(model.unpruned_tree_)})"
    return model.tree_.to_text(), size


def _text(args: argparse.Namespace, model: Learner, training: Result, testing: Result | None) -> str:
    """The model and the facts about it, for a person."""
    text, size = _model_text(model)
    lines = ["", text, "", f"Size:      {size}", f"Training:  {training.sentence()}"]
    if testing is not None:
        lines.append(f"Test:      {testing.sentence()}")
    if args.output is not None:
        lines.append(f"Saved:     {args.output}")
    if testing is not None and testing.errors:
        heading = "Test cases by true class (row) and predicted class (column):"
        if len(testing.classes) > MAX_CLASSES:
            heading = "The most frequent errors on the test cases:"
        lines += ["", heading, "", confusion_text(testing)]
    return "\n".join(lines)


def _facts(
    args: argparse.Namespace,
    model: Learner,
    data: Dataset,
    training: Result,
    test_file: str | None,
    testing: Result | None,
) -> dict[str, Any]:
    """The same for a program."""
    return {
        "data": {"file": _file_of(args.source), **_counts(data), "classes": list(data.schema.classes)},
        "method": args.method,
        "parameters": model.get_params(),
        **_model_facts(model),
        "training": training.to_dict(),
        "test": None if testing is None else {"file": test_file, **testing.to_dict()},
        "model": args.output,
    }


def _model_facts(model: Learner) -> dict[str, Any]:
    if isinstance(model, LatticeClassifier):
        return lattice_facts(model)
    if isinstance(model, MCMCTreeClassifier):
        exact, best = model.posterior_exact_, model.best_tree_
        sampled = {"trees": len(model.trees_), "posterior_exact": exact, "diagnostics": model.diagnostics()}
        return {"sampled": sampled, "tree": {**_size(best), "text": best.to_text()}}
    if isinstance(model, NaiveBayesClassifier):
        return {"counts": {"text": model.to_text()}}
    if isinstance(model, C45RulesClassifier):
        rules = {"rules": len(model.rules_), "conditions": sum(map(len, model.rules_)), "text": str(model.rules_)}
        return {"rules": rules, "tree": _size(model.tree_)}
    tree = model.tree_
    if isinstance(model, BayesianTreeClassifier):
        return {"tree": {**_size(tree), "text": tree.to_text()}}
    return {"tree": {**_size(tree), "text": tree.to_text()}, "unpruned": _size(model.unpruned_tree_)}


def _size(tree: Tree) -> dict[str, int]:
    return {"nodes": tree.n_nodes, "leaves": tree.n_leaves, "depth": tree.depth}
