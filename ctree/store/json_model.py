"""Models as versioned JSON: numbers exact to the last bit, readable by a person, loaded without running code.

::

    {
      "format": "ctree-model",
      "version": 2,
      "kind": "C45Classifier",
      "parameters": {"criterion": "gain-ratio", ...},
      "schema": {"classes": ["Play", "Don't Play"], "attributes": [...]},
      "trees": {"tree": {...}, "unpruned": {...}}
    }

The arrays of a tree stand under their own names; see `ctree.Tree`. A learner gives its fields and takes them back, see
`ctree.learners.base.classifier.Classifier`; it knows nothing of files.
"""

from __future__ import annotations

import json
import os
import re
from typing import Any, NoReturn

from ctree.data.fields import Fields, shown_json
from ctree.data.files.text_file import near_match, path_text
from ctree.data.files.writing import write_text
from ctree.errors import ModelError, NotFittedError, ParameterError
from ctree.learners.registry import LEARNERS, RELATIONAL_LEARNERS, learner_class
from ctree.store.files import read_text
from ctree.store.json_text import json_text
from ctree.store.migrations import migrated
from ctree.tree.fields import schema_from_dict, schema_to_dict, tree_from_dict, tree_to_dict
from ctree.tree.tree import Tree
from ctree.wording import abbreviated, abbreviated_path

FORMAT = "ctree-model"
VERSION = 2

TREE = "Tree"


def kinds() -> list[str]:
    """The kinds of models that can be saved, by the name in the file."""
    return [*LEARNERS, *RELATIONAL_LEARNERS, TREE]


def save(model: Any, path: str | os.PathLike[str]) -> None:
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
    kind: str = type(model).__name__
    if kind not in kinds() or type(model) is not _class_of(kind):
        raise ModelError(f"a {kind} cannot be saved; these can: {', '.join(kinds())}")
    try:
        fields = _tree_to_dict(model) if kind == TREE else model._to_fields()
        text = json_text({"format": FORMAT, "version": VERSION, "kind": kind, **fields})
        if re.search("[\ud800-\udbff][\udc00-\udfff]", text):
            raise ModelError(
                "a name or value has the two halves of a surrogate pair, which JSON would make one character"
            )
    except ParameterError as error:
        raise ModelError(f"the model cannot be saved: {error}") from None
    except ValueError as error:
        if isinstance(error, ModelError | NotFittedError):
            raise
        raise ModelError(f"the model has a number that cannot be saved ({error})") from None
    # A character that UTF-8 lacks, half of a pair, becomes \\udXXX, which is JSON's way to write it too.
    write_text(path_text(path), text + "\n", errors="backslashreplace", error=ModelError)


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
        raise ModelError(f"{abbreviated_path(file)}: {error}") from None


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
        raise ModelError("this is JSON, but not a ctree model")
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
    if kind not in kinds():
        hint = near_match(kind, kinds()) or "; it should be the name of a learner, or Tree"
        raise ModelError(f"the model is of an unknown kind, '{abbreviated(kind)}'{hint}")
    fields = migrated(fields, kind, version)
    return _tree_from_dict(fields) if kind == TREE else learner_class(kind)._from_fields(fields)


def _class_of(kind: str) -> Any:
    return Tree if kind == TREE else learner_class(kind)


def _tree_to_dict(tree: Any) -> dict[str, Any]:
    return {"schema": schema_to_dict(tree.schema), "trees": {"tree": tree_to_dict(tree)}}


def _tree_from_dict(fields: Fields) -> Tree:
    schema = schema_from_dict(fields.object("schema"))
    return tree_from_dict(fields.object("trees").object("tree"), schema)
