"""Models as versioned JSON: numbers exact to the last bit, readable by a person, loaded without running code.

::

    {
      "format": "ctree-model",
      "version": 1,
      "kind": "C45Classifier",
      "parameters": {"criterion": "gain_ratio", ...},
      "schema": {"classes": ["Play", "Don't Play"], "attributes": [...]},
      "trees": {"tree": {...}, "unpruned": {...}}
    }

The arrays of a tree stand under their own names; see `ctree.Tree`. A kind of model that is to be saved is made known by
`register`; the learners themselves know nothing of files.
"""

from __future__ import annotations

import json
import os
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, NoReturn

from ctree.data.files.text_file import abbreviated, path_text
from ctree.errors import ModelError, NotFittedError
from ctree.learners.bayesian.classifier import BayesianTreeClassifier
from ctree.learners.c45.classifier import C45Classifier
from ctree.learners.lattice.bayes_optimal import BayesOptimalClassifier
from ctree.learners.lattice.lattice_classifier import LatticeClassifier
from ctree.learners.lattice.optimal_tree import OptimalTreeClassifier
from ctree.learners.mcmc.classifier import MCMCTreeClassifier
from ctree.learners.naive_bayes import NaiveBayesClassifier
from ctree.learners.probability.classifier import ProbabilityTreeClassifier
from ctree.learners.rules.classifier import C45RulesClassifier
from ctree.store.fields import Fields, shown_json
from ctree.store.files import read_text, write_atomically
from ctree.store.json_bayes import bayes_from_dict, bayes_to_dict
from ctree.store.json_bayesian import bayesian_from_dict, bayesian_to_dict
from ctree.store.json_c45 import c45_from_dict, c45_to_dict
from ctree.store.json_lattice import (
    bayes_optimal_from_dict,
    bayes_optimal_to_dict,
    optimal_tree_from_dict,
    optimal_tree_to_dict,
)
from ctree.store.json_mcmc import mcmc_from_dict, mcmc_to_dict
from ctree.store.json_probability import probability_from_dict, probability_to_dict
from ctree.store.json_rules import rules_from_dict, rules_to_dict
from ctree.store.json_text import json_text
from ctree.store.json_tree import schema_from_dict, schema_to_dict, tree_from_dict, tree_to_dict
from ctree.tree.tree import Tree

FORMAT = "ctree-model"
VERSION = 1

Model = (
    C45Classifier
    | C45RulesClassifier
    | ProbabilityTreeClassifier
    | BayesianTreeClassifier
    | LatticeClassifier
    | MCMCTreeClassifier
    | NaiveBayesClassifier
    | Tree
)


@dataclass(frozen=True)
class Codec:
    """How models of one class are written and read.

    Parameters
    ----------
    model : type
    to_dict : callable
        The fields of a model as JSON values: dicts, lists, text, finite numbers, booleans, None.
    from_dict : callable
        The model that the fields describe; whatever is wrong with them is a `ModelError`.
    """

    model: type
    to_dict: Callable[[Any], dict[str, Any]]
    from_dict: Callable[[Fields], Any]


KINDS: dict[str, Codec] = {}
"""The kinds of models that can be saved, by the name in the file."""


def register(
    kind: str, model: type, to_dict: Callable[[Any], dict[str, Any]], from_dict: Callable[[Fields], Any]
) -> None:
    """Make a kind of model known to `save` and `load`; the parameters are those of `Codec`."""
    KINDS[kind] = Codec(model, to_dict, from_dict)


def save(model: Model, path: str | os.PathLike[str]) -> None:
    """Save a fitted model, or a `Tree`, as a JSON file.

    Parameters
    ----------
    model : fitted learner or Tree
    path : str or path
        An existing file is replaced in one step, when the new one is complete.

    Raises
    ------
    ModelError
        If the model cannot be saved, or the file cannot be written.

    Examples
    --------
    >>> import ctree, tempfile, pathlib
    >>> model = ctree.C45Classifier().fit(ctree.load_golf())
    >>> path = pathlib.Path(tempfile.mkdtemp(), "golf.json")
    >>> ctree.save(model, path)
    >>> ctree.load(path).tree_ == model.tree_
    True
    """
    kind = next((kind for kind, codec in KINDS.items() if codec.model is type(model)), None)
    if kind is None:
        raise ModelError(f"a {type(model).__name__} cannot be saved; these can: {', '.join(KINDS)}")
    try:
        text = json_text({"format": FORMAT, "version": VERSION, "kind": kind, **KINDS[kind].to_dict(model)})
    except ValueError as error:
        if isinstance(error, ModelError | NotFittedError):
            raise
        raise ModelError(f"the model has a number that cannot be saved ({error})") from None
    write_atomically(path_text(path), text + "\n")


def load(path: str | os.PathLike[str]) -> Any:
    """Load what `save` wrote.

    Parameters
    ----------
    path : str or path

    Returns
    -------
    fitted learner or Tree
        Its trees and parameters, and so its predictions, are those of the saved model to the last bit.

    Raises
    ------
    ModelError
        If the file does not exist, is not a model, is damaged, or was written by a later version.

    Examples
    --------
    >>> import ctree, pathlib, tempfile
    >>> model = ctree.C45Classifier().fit(ctree.load_golf())
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     ctree.save(model, pathlib.Path(folder) / "golf.json")
    ...     loaded = ctree.load(pathlib.Path(folder) / "golf.json")
    >>> loaded.tree_ == model.tree_
    True
    """
    file = path_text(path)
    text = read_text(file)
    try:
        return _model(_parsed(text))
    except ModelError as error:
        raise ModelError(f"{file}: {error}") from None


def _parsed(text: str) -> object:
    try:
        return json.loads(text, parse_constant=_refuse_constant)
    except json.JSONDecodeError as error:
        place = f"line {error.lineno}, column {error.colno}"
        raise ModelError(f"this is not JSON, and so not a model ({place}: {error.msg})") from None
    except RecursionError:
        raise ModelError("this is not a model: it is nested too deeply") from None
    except ValueError as error:
        if isinstance(error, ModelError):
            raise
        raise ModelError("the file has a number of too many digits") from None


def _refuse_constant(name: str) -> NoReturn:
    raise ModelError(f"the file has a number that is not finite, {name}")


def _model(content: object) -> Any:
    if not isinstance(content, dict) or content.get("format") != FORMAT:
        raise ModelError("this is JSON, but not a model of ctree's")
    fields = Fields(content)
    version = fields.get("version", int)
    if version > VERSION:
        raise ModelError(
            f"the model was written by a later version of ctree (format {shown_json(version)}, where this one "
            f"reads up to {VERSION}); a newer ctree is needed"
        )
    if version < 1:
        raise ModelError(f"the format version is {shown_json(version)}, but should be from 1 to {VERSION}")
    kind = fields.get("kind", str)
    if kind not in KINDS:
        raise ModelError(f"the model is of an unknown kind, '{abbreviated(kind)}'; known are {', '.join(KINDS)}")
    return KINDS[kind].from_dict(fields)


def _tree_to_dict(tree: Tree) -> dict[str, Any]:
    return {"schema": schema_to_dict(tree.schema), "trees": {"tree": tree_to_dict(tree)}}


def _tree_from_dict(fields: Fields) -> Tree:
    schema = schema_from_dict(fields.object("schema"))
    return tree_from_dict(fields.object("trees").object("tree"), schema)


register("Tree", Tree, _tree_to_dict, _tree_from_dict)
register("C45Classifier", C45Classifier, c45_to_dict, c45_from_dict)
register("C45RulesClassifier", C45RulesClassifier, rules_to_dict, rules_from_dict)
register("ProbabilityTreeClassifier", ProbabilityTreeClassifier, probability_to_dict, probability_from_dict)
register("BayesianTreeClassifier", BayesianTreeClassifier, bayesian_to_dict, bayesian_from_dict)
register("BayesOptimalClassifier", BayesOptimalClassifier, bayes_optimal_to_dict, bayes_optimal_from_dict)
register("OptimalTreeClassifier", OptimalTreeClassifier, optimal_tree_to_dict, optimal_tree_from_dict)
register("MCMCTreeClassifier", MCMCTreeClassifier, mcmc_to_dict, mcmc_from_dict)
register("NaiveBayesClassifier", NaiveBayesClassifier, bayes_to_dict, bayes_from_dict)
