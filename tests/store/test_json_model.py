"""Models as JSON: what is loaded is what was saved, and what is wrong is said in one sentence."""

from __future__ import annotations

import json
import os
import stat
import time

import numpy as np
import pytest

import ctree
from ctree.errors import ModelError, NotFittedError


def mixed_data(n_cases: int = 400, seed: int = 0) -> ctree.Dataset:
    """Numbers and discrete values, some unknown, with labels of all types."""
    rng = np.random.default_rng(seed)
    x, y = rng.normal(size=n_cases), rng.normal(size=n_cases)
    x[rng.random(n_cases) < 0.1] = np.nan
    schema = ctree.Schema(
        (
            ctree.Attribute("x", ctree.Kind.CONTINUOUS),
            ctree.Attribute('ä\n"], [é', ctree.Kind.DISCRETE, ("], [", 7, 2.5, "ü")),
            ctree.Attribute("id", ctree.Kind.IGNORE),
            ctree.Attribute("y", ctree.Kind.CONTINUOUS),
            ctree.Attribute("z", ctree.Kind.DISCRETE, (True, False)),
        ),
        (3, 1.5, False, "no"),
    )
    colour, z = rng.integers(-1, 4, n_cases), rng.integers(0, 2, n_cases)
    classes = np.where(rng.random(n_cases) < 0.2, rng.integers(0, 4, n_cases), (y > 0) + 2 * (colour > 1))
    return ctree.Dataset(schema, [x, colour, None, y, z], classes)


@pytest.fixture(scope="module")
def data():
    return mixed_data()


@pytest.fixture
def path(tmp_path):
    return tmp_path / "model.json"


PARAMETERS = [
    {},
    {"criterion": "gain"},
    {"min_cases": 3},
    {"min_cases": 2.5},
    {"confidence": 0.1},
    {"prune": False},
    {"group_values": True},
    {"estimate": "laplace"},
    {"estimate": "m", "m": 0.1},
    {"categorical_features": [0, 1]},
    {"categorical_features": ["x"]},
    {"categorical_features": [True, False]},
    {"class_weight": {3: 2, "no": 0.5, False: 1.5}},
    {"class_weight": "balanced"},
    {"unseen": "error"},
    {"n_jobs": 2},
    {"n_jobs": -1},
]


@pytest.mark.parametrize("parameters", PARAMETERS, ids=str)
def test_every_parameter_and_prediction_comes_back(parameters, data, path):
    model = ctree.C45Classifier(**parameters).fit(data)
    ctree.save(model, path)
    loaded = ctree.load(path)
    assert type(loaded) is ctree.C45Classifier
    assert loaded.get_params() == model.get_params()
    assert [type(v) for v in loaded.get_params().values()] == [type(v) for v in model.get_params().values()]
    assert loaded.tree_ == model.tree_
    assert loaded.unpruned_tree_ == model.unpruned_tree_
    assert (loaded.tree_ is loaded.unpruned_tree_) == (model.tree_ is model.unpruned_tree_)
    assert loaded.predict_proba(data).tobytes() == model.predict_proba(data).tobytes()
    assert loaded.predict(data).tolist() == model.predict(data).tolist()


def test_every_fitted_attribute_comes_back(data, path):
    model = ctree.C45Classifier().fit(data)
    ctree.save(model, path)
    loaded = ctree.load(path)
    assert vars(loaded).keys() == vars(model).keys()
    assert loaded.classes_.tolist() == model.classes_.tolist()
    assert loaded.classes_.dtype == model.classes_.dtype
    assert loaded.n_features_in_ == model.n_features_in_


def test_labels_keep_their_types(data, path):
    ctree.save(ctree.C45Classifier().fit(data), path)
    schema = ctree.load(path).schema_
    assert schema == data.schema
    for loaded, saved in [(schema.classes, data.schema.classes)] + [
        (a.values, b.values) for a, b in zip(schema, data.schema, strict=True)
    ]:
        assert [type(v) for v in loaded] == [type(v) for v in saved]


def test_a_bare_tree_comes_back(data, path):
    tree = ctree.C45Classifier(group_values=True).fit(data).tree_
    ctree.save(tree, path)
    loaded = ctree.load(path)
    assert type(loaded) is ctree.Tree
    assert loaded == tree
    assert loaded.predict_proba(data).tobytes() == tree.predict_proba(data).tobytes()


def test_numbers_are_exact_to_the_last_bit(data, path):
    tree = ctree.C45Classifier().fit(data).tree_
    rng = np.random.default_rng(1)
    odd = rng.integers(0, 2**62, tree.n_nodes).view(np.float64)
    odd[:3] = [-0.0, 5e-324, np.nextafter(1, 2)]
    tree = ctree.Tree(data.schema, tree.arrays.replace(threshold=odd), float32=False)
    ctree.save(tree, path)
    assert ctree.load(path).threshold.tobytes() == odd.tobytes()


def test_the_file_is_json_with_its_format_and_version(data, path):
    ctree.save(ctree.C45Classifier().fit(data), path)
    content = json.loads(path.read_text(encoding="utf-8"))
    assert list(content) == ["format", "version", "kind", "parameters", "schema", "trees"]
    assert (content["format"], content["version"], content["kind"]) == ("ctree-model", 2, "C45Classifier")
    assert list(content["trees"]) == ["tree", "unpruned"]


def test_a_file_without_a_later_parameter_takes_its_default(data, path):
    ctree.save(ctree.C45Classifier(m=3.0).fit(data), path)
    content = json.loads(path.read_text())
    del content["parameters"]["m"]
    path.write_text(json.dumps(content))
    assert ctree.load(path).m == 2.0


def test_a_label_that_utf8_lacks_comes_back(path):
    data = ctree.from_arrays({"x": [1, 2, 3, 4]}, ["a\udc80", "a\udc80", "b", "b"])
    ctree.save(ctree.C45Classifier().fit(data), path)
    assert ctree.load(path).schema_.classes == ("a\udc80", "b")


def test_saving_replaces_the_file_and_leaves_no_other(data, path):
    path.write_text("old")
    path.chmod(0o640)
    ctree.save(ctree.C45Classifier().fit(data), path)
    assert [p.name for p in path.parent.iterdir()] == ["model.json"]
    assert stat.S_IMODE(path.stat().st_mode) == 0o640


def test_saving_through_a_link_writes_the_file_behind_it(data, path):
    link = path.with_name("link.json")
    link.symlink_to(path)
    ctree.save(ctree.C45Classifier().fit(data), link)
    assert link.is_symlink()
    assert path.is_file()


def test_a_model_that_cannot_be_saved_leaves_the_old_file(data, path, monkeypatch):
    path.write_text("old")
    monkeypatch.setattr(os, "fsync", lambda _: (_ for _ in ()).throw(OSError(28, "No space left on device")))
    with pytest.raises(ModelError, match=r"model\.json: the file cannot be written \(No space left on device\)"):
        ctree.save(ctree.C45Classifier().fit(data), path)
    assert path.read_text() == "old"
    assert [p.name for p in path.parent.iterdir()] == ["model.json"]


def test_a_large_tree_is_loaded_quickly(path):
    n, inner = 2**17 - 1, 2**16 - 1
    leaf = np.arange(n) >= inner
    rng = np.random.default_rng(3)
    share = rng.random(n)
    cases = 2.0 ** (17 - np.floor(np.log2(np.arange(n) + 1)))
    arrays = {
        "test": np.where(leaf, 0, 1),
        "attribute": np.where(leaf, -1, 0),
        "threshold": rng.normal(size=n),
        "first_branch": np.where(leaf, -1, 2 * np.arange(n) + 1),
        "n_branches": np.where(leaf, 0, 2),
        "group_start": np.full(n, -1),
        "group": [],
        "best": (share < 0.5).astype(int),
        "cases": cases,
        "errors": np.zeros(n),
        "counts": np.column_stack([share * cases, (1 - share) * cases]),
        "probabilities": np.column_stack([share, 1 - share]),
    }
    tree = ctree.Tree(ctree.Schema((ctree.Attribute("x", ctree.Kind.CONTINUOUS),), ("a", "b")), arrays)
    ctree.save(tree, path)
    start = time.process_time()
    assert ctree.load(path) == tree
    assert time.process_time() - start < 5


@pytest.mark.parametrize(
    ("parameters", "message"),
    [
        ({"confidence": float("inf")}, "confidence must be a number greater than 0 and at most 1, not inf"),
        ({"m": float("nan")}, "m must be a number at least 1e-200 and at most 1e.15, not nan"),
        ({"criterion": 3}, "criterion must be 'gain-ratio' or 'gain', not 3"),
        ({"n_jobs": "all"}, "n_jobs must be None or a number of threads up to 1000, -1 for all cores, not 'all'"),
        (
            {"categorical_features": [None]},
            "categorical_features must be None or a list of names or numbers of columns, or a mask, not .None.",
        ),
        (
            {"class_weight": "even"},
            "class_weight must be None, 'balanced', 'costs' or a dict of classes to weights of at least 0, not 'even'",
        ),
        ({"class_weight": {"no": "two"}}, "class_weight must be None, 'balanced', 'costs' or a dict"),
        ({"unseen": "new"}, "unseen must be 'unknown' or 'error', not 'new'"),
    ],
    ids=str,
)
def test_a_parameter_that_cannot_be_saved_is_named(parameters, message, data, path):
    model = ctree.C45Classifier().fit(data).set_params(**parameters)
    with pytest.raises(ModelError, match=message):
        ctree.save(model, path)
    assert not path.exists()


def test_what_cannot_be_saved_is_refused(data, path):
    with pytest.raises(ModelError, match="a dict cannot be saved; these can: C45Classifier"):
        ctree.save({}, path)
    with pytest.raises(NotFittedError, match="this C45Classifier is not fitted yet"):
        ctree.save(ctree.C45Classifier(), path)
    tree = ctree.C45Classifier().fit(data).tree_
    broken = ctree.Tree(data.schema, tree.arrays.replace(errors=np.full(tree.n_nodes, np.nan)))
    with pytest.raises(ModelError, match="the model has a number that cannot be saved"):
        ctree.save(broken, path)
    with pytest.raises(ModelError, match=r"no/such/place: the file cannot be written \(No such file or directory\)"):
        ctree.save(tree, "no/such/place")
    with pytest.raises(ModelError, match=r"the file cannot be written \(Is a directory\)"):
        ctree.save(tree, path.parent)


GOLF = {
    "outlook": ["sunny", "sunny", "overcast", "rain", "rain"],
    "humidity": [85, 70, 78, 96, 70],
}


@pytest.fixture(scope="module")
def golf_model():
    return ctree.C45Classifier(min_cases=1, group_values=True).fit(
        ctree.from_arrays(GOLF, ["no", "yes", "yes", "no", "yes"])
    )


def change(content, place, value):
    """Set one field of a model file, or take it out."""
    *way, last = place
    for step in way:
        content = content[step]
    if value is KeyError:
        del content[last]
    else:
        content[last] = value


TREE = ("trees", "tree")
DAMAGES = [
    (("format",), "pmml", "this is JSON, but not a ctree model"),
    (("format",), KeyError, "this is JSON, but not a ctree model"),
    (("version",), KeyError, "the field 'version' is missing"),
    (("version",), 3, "the model was written by a later version of ctree (format 3, where this one reads up to 2); "
     "a newer ctree is needed"),
    (("version",), 10**40, "the model was written by a later version of ctree (format a huge number, where this one "
     "reads up to 2); a newer ctree is needed"),
    (("version",), 0, "the format version is 0, but should be from 1 to 2"),
    (("version",), True, "'version' should be a whole number, not true"),
    (("version",), "1", "'version' should be a whole number, not '1'"),
    (
        ("kind",),
        "Forest",
        "the model is of an unknown kind, 'Forest'; it should be the name of a learner, or Tree",
    ),
    (
        ("kind",),
        "C45classifer",
        "the model is of an unknown kind, 'C45classifer' (did you mean 'C45Classifier'?)",
    ),
    (("kind",), ["Tree"], "'kind' should be text, not a list"),
    (("parameters",), KeyError, "the field 'parameters' is missing"),
    (("parameters",), [], "'parameters' should be an object in braces, not a list"),
    (("parameters", "depth"), 3, "C45Classifier has no parameter 'depth'"),
    (("parameters", "prune"), 1, "'parameters.prune' should be True, False or 'reduced-error', not 1"),
    (("parameters", "confidence"), None,
     "'parameters.confidence' should be a number greater than 0 and at most 1, not null"),
    (("parameters", "m"), 10**400,
     "'parameters.m' should be a number at least 1e-200 and at most 1e+15, not a huge number"),
    (("schema",), KeyError, "the field 'schema' is missing"),
    (("schema", "classes"), [], "'schema.classes' is empty"),
    (("schema", "classes"), ["yes", None], "'schema.classes' should list texts and numbers, not null"),
    (("schema", "classes"), ["yes", "yes"], "the class 'yes' is listed twice"),
    (("schema", "attributes"), {}, "'schema.attributes' should be a list, not an object"),
    (("schema", "attributes", 0), "x", "'schema.attributes[0]' should be an object in braces, not 'x'"),
    (("schema", "attributes", 0, "kind"), "nominal", "'schema.attributes[0].kind' should be one of discrete, "
     "ordered, continuous, date, time, timestamp, ignore, not 'nominal'"),
    (("schema", "attributes", 0, "name"), 5, "'schema.attributes[0].name' should be text, not 5"),
    (("schema", "attributes", 0, "name"), "humidity", "two attributes are called 'humidity'"),
    (("schema", "attributes", 0, "values"), [1, True], "attribute 'outlook' lists the value 'True' twice"),
    (("schema", "attributes", 1, "values"), ["a"], "attribute 'humidity' is continuous and so cannot list values"),
    (("trees",), KeyError, "the field 'trees' is missing"),
    (("trees", "unpruned"), KeyError, "the field 'trees.unpruned' is missing"),
    (TREE, 3, "'trees.tree' should be an object in braces, not 3"),
    ((*TREE, "float32"), 0, "'trees.tree.float32' should be true or false, not 0"),
    ((*TREE, "test"), KeyError, "the field 'trees.tree.test' is missing"),
    ((*TREE, "test"), "abc", "'trees.tree.test' should be a list, not 'abc'"),
    ((*TREE, "test"), [], "a tree has at least one node"),
    ((*TREE, "test", 0), 300, "'trees.tree.test' has a number that is too large"),
    ((*TREE, "test", 0), 9, "a node of the tree has an unknown kind of test"),
    ((*TREE, "attribute", 0), 1.0, "'trees.tree.attribute[0]' should be a whole number, not 1.0"),
    ((*TREE, "attribute", 0), True, "'trees.tree.attribute[0]' should be a whole number, not true"),
    ((*TREE, "attribute", 0), [0], "'trees.tree.attribute[0]' should be a whole number, not a list"),
    ((*TREE, "attribute", 0), 2**31, "'trees.tree.attribute' has a number that is too large"),
    ((*TREE, "attribute", 0), 10**30, "'trees.tree.attribute' has a number that is too large"),
    ((*TREE, "attribute", 0), 7, "the tree tests an attribute that its schema does not have"),
    ((*TREE, "threshold", 0), 10**400, "'trees.tree.threshold' has a number that is too large"),
    ((*TREE, "threshold", 0), "1", "'trees.tree.threshold[0]' should be a number, not '1'"),
    ((*TREE, "counts", 0), [1.0], "'trees.tree.counts[0]' should be a list of 2 numbers, one per class"),
    ((*TREE, "counts", 0), 1.0, "'trees.tree.counts[0]' should be a list of 2 numbers, one per class"),
    ((*TREE, "counts", 0, 0), -1.0, "'trees.tree.counts' has a negative number"),
    ((*TREE, "probabilities", 0), [0.9, 0.9], "'trees.tree.probabilities' has a row that is not a distribution"),
    ((*TREE, "cases", 0), 1e9, "'trees.tree.cases' has a node whose branches do not share its cases"),
    ((*TREE, "best", 0), 2, "a node of the tree has a class that its schema does not have"),
]  # fmt: skip


@pytest.mark.parametrize(("place", "value", "message"), DAMAGES, ids=lambda p: str(p)[:40])
def test_a_damaged_model_is_refused_in_one_sentence(place, value, message, golf_model, path):
    ctree.save(golf_model, path)
    content = json.loads(path.read_text())
    change(content, place, value)
    path.write_text(json.dumps(content))
    with pytest.raises(ModelError) as caught:
        ctree.load(path)
    assert str(caught.value) == f"{path}: {message}"


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (b"", "this is not JSON, and so not a model (line 1, column 1: Expecting value)"),
        (b'{"format":\n x}', "this is not JSON, and so not a model (line 2, column 2: Expecting value)"),
        (b"[1, 2]", "this is JSON, but not a ctree model"),
        (b"\x80abc", "not a model: byte 1 is not UTF-8 text"),
        (b"[" * 100_000, "this is not a model: it is nested too deeply"),
        (b'{"format": NaN}', "the file has a number that is not finite, NaN"),
        (b'{"format": -Infinity}', "the file has a number that is not finite, -Infinity"),
        (b'{"version": ' + b"1" * 5000 + b"}", "the file has a number of too many digits"),
    ],
    ids=lambda p: str(p)[:30],
)
def test_a_file_that_is_no_model_is_refused(text, message, path):
    path.write_bytes(text)
    with pytest.raises(ModelError) as caught:
        ctree.load(path)
    assert str(caught.value) == f"{path}: {message}"


def test_numbers_that_overflow_are_refused(golf_model, path):
    ctree.save(golf_model, path)
    path.write_text(path.read_text().replace('"threshold": [', '"threshold": [1e999, '))
    with pytest.raises(ModelError, match=r"'trees\.tree\.threshold' has a number that is not finite"):
        ctree.load(path)


def test_a_file_that_is_not_there_is_said_to_be_so(path):
    with pytest.raises(ModelError, match=r"model\.json: there is no such file"):
        ctree.load(path)
    with pytest.raises(ModelError, match="this is a directory, not a model"):
        ctree.load(path.parent)
    with pytest.raises(ModelError, match="cannot be read"):
        ctree.load("a\0b")
