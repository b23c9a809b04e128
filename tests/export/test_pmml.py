"""PMML: what the documents have, by the published schema of PMML 4.4 too, and what is refused."""

from __future__ import annotations

import zipfile
from pathlib import Path
from xml.etree import ElementTree

import numpy as np
import pytest
from support import exported
from support.problems import random_problem

import ctree
from ctree.errors import ModelError, ParameterError

SHARED = Path(__file__).parents[3] / "shared" / "data"


@pytest.fixture
def golf():
    return ctree.read_c45("examples/golf")


@pytest.fixture(scope="module")
def schema():
    """The schema of PMML 4.4, which comes with jpmml_evaluator; Java is not needed for it."""
    etree = pytest.importorskip("lxml.etree")
    folder = Path(pytest.importorskip("jpmml_evaluator").__file__).parent
    jar = next(folder.glob("dependencies/pmml-model-[0-9]*.jar"))
    with zipfile.ZipFile(jar) as archive:
        parsed = etree.fromstring(archive.read("pmml.xsd"))
    assert parsed.get("targetNamespace") == "http://www.dmg.org/PMML-4_4"
    # what JPMML has added to the standard
    for added in parsed.xpath("//*[starts-with(@name, 'x-') or starts-with(@value, 'x-')]"):
        added.getparent().remove(added)
    return etree.XMLSchema(parsed)


def check(schema, text):
    from lxml import etree

    schema.assertValid(etree.fromstring(text.encode(), etree.XMLParser(huge_tree=True)))


class TestTheSchema:
    def test_it_can_tell(self, schema, golf):
        from lxml import etree

        text = ctree.to_pmml(ctree.C45Classifier().fit(golf))
        for right, wrong in (("multiSplit", "manySplits"), ('recordCount="5.0"', 'recordCount="five"')):
            with pytest.raises(etree.DocumentInvalid):
                check(schema, text.replace(right, wrong))

    @pytest.mark.parametrize(
        "learner",
        [
            ctree.C45Classifier(),
            ctree.C45Classifier(group_values=True, min_cases=1),
            ctree.ProbabilityTreeClassifier(binary_splits=False),
            ctree.BayesianTreeClassifier(bins=3, unknown="impute", prior_weight=1),
            ctree.OptimalTreeClassifier(max_depth=2),
        ],
        ids=lambda learner: type(learner).__name__,
    )
    @pytest.mark.parametrize("form", ["tree", "shares"])
    def test_trees(self, schema, learner, form):
        model = learner.fit(random_problem(5, 200, 3, [6, 0, 3], noise=0.1, unknown=0.2).dataset())
        check(schema, ctree.to_pmml(model, form))

    @pytest.mark.parametrize("learner", [ctree.C45RulesClassifier(), ctree.NaiveBayesClassifier()])
    def test_rules_and_naive_bayes(self, schema, learner):
        model = learner.fit(random_problem(5, 200, 3, [6, 0, 3], noise=0.1, unknown=0.2).dataset())
        check(schema, ctree.to_pmml(model))

    def test_labels_of_all_kinds(self, schema):
        X = {"n": [1, 2, 3] * 20, "b": [True, False] * 30, "f <&>": [0.5, 1.5, 2.5, 3.5] * 15}
        y = [(n + b) % 3 for n, b in zip(X["n"], X["b"], strict=True)]
        data = ctree.from_arrays(X, y, categorical_features=["n", "b"])
        model = ctree.ProbabilityTreeClassifier(binary_splits=False).fit(data)
        for form in ("tree", "shares"):
            check(schema, ctree.to_pmml(model, form))


@pytest.mark.slow
@pytest.mark.skipif(not SHARED.is_dir(), reason="the data sets are not here")
@pytest.mark.parametrize("stem", ["vote", "hypothyroid", "soybean"])
def test_sets_with_unknown_values(stem, schema):
    data = ctree.read_c45(str(SHARED / stem))
    some = data.take(np.random.default_rng(1).permutation(len(data))[:50])
    cases = exported.together(some, exported.with_unknown(some, 0.3))
    model = ctree.C45Classifier().fit(data)
    for form in ("tree", "shares"):
        check(schema, ctree.to_pmml(model, form))
    assert np.abs(exported.by_the_standard(model, cases) - model.predict_proba(cases)).max() < 2e-6
    assert np.abs(exported.by_shares(model, cases) - model.predict_proba(cases)).max() < 1e-14


class TestPmml:
    def test_the_structure(self, golf):
        space = "{http://www.dmg.org/PMML-4_4}"
        model = ctree.BayesianTreeClassifier(bins=3, prior_weight=1, unknown="impute").fit(golf)
        root = ElementTree.fromstring(ctree.to_pmml(model, target="play"))
        assert (root.tag, root.get("version")) == (f"{space}PMML", "4.4")
        assert [child.tag.removeprefix(space) for child in root] == ["Header", "DataDictionary", "TreeModel"]
        fields = root.find(f"{space}DataDictionary")
        assert int(fields.get("numberOfFields")) == len(fields)
        tree = root.find(f"{space}TreeModel")
        assert [child.tag.removeprefix(space) for child in tree] == ["MiningSchema", "Output", "Node"]
        assert tree.get("splitCharacteristic") == "multiSplit"
        assert {f.get("name") for f in tree.find(f"{space}MiningSchema")} == {f.get("name") for f in fields}
        nodes = list(tree.iter(f"{space}Node"))
        assert [int(node.get("id")) for node in nodes] == [node.index for node in model.tree_]
        for node in nodes:
            assert node[0].tag.removeprefix(space) in ("True", "SimplePredicate", "CompoundPredicate", "False")
            rest = {child.tag.removeprefix(space) for child in node[1:]}
            assert rest in ({"Node"}, {"ScoreDistribution"})

    def test_the_structure_of_shares(self, golf):
        space = "{http://www.dmg.org/PMML-4_4}"
        root = ElementTree.fromstring(ctree.to_pmml(ctree.C45Classifier().fit(golf), form="shares"))
        model = root.find(f"{space}RegressionModel")
        kinds = [child.tag.removeprefix(space) for child in model]
        assert kinds == ["MiningSchema", "Output", "LocalTransformations", "RegressionTable", "RegressionTable"]
        assert len(model.find(f"{space}LocalTransformations")) == 8

    def test_values_without_a_branch(self):
        data = random_problem(5, 200, 2, [6, 0], noise=0.1).dataset()
        grouped = ctree.C45Classifier(group_values=True, min_cases=1).fit(data)
        assert (grouped.tree_.arrays.group < 0).any()
        cases = exported.together(data, exported.with_unknown(data, 0.3))
        assert exported.by_the_standard(grouped, cases) == pytest.approx(grouped.predict_proba(cases), abs=1e-12)

    def test_sums_in_32_bits(self):
        single = ctree.C45Classifier().fit(_fractions())
        with pytest.raises(ModelError, match=r"do not add up to its cases: they differ by 1e-07 .* tolerance is 1e-10"):
            ctree.to_pmml(single, tolerance=1e-10)
        cases = exported.with_unknown(_fractions(), 0.4)
        off = np.abs(exported.by_the_standard(single, cases) - single.predict_proba(cases)).max()
        assert 1e-12 < off < exported.tree_model_bound(single) < 1e-6
        assert exported.by_shares(single, cases) == pytest.approx(single.predict_proba(cases), abs=1e-14)

    def test_wrong_names(self, golf):
        model = ctree.C45Classifier().fit(golf)
        with pytest.raises(ParameterError, match="target must not be the name of an attribute"):
            ctree.to_pmml(model, target="outlook")
        assert '<MiningField name="class_" usageType="target"/>' in ctree.to_pmml(
            ctree.C45Classifier(min_cases=1, prune=False).fit({"class": [1.0, 2.0]}, ["x", "y"])
        )
        with pytest.raises(ModelError, match="XML cannot represent"):
            ctree.to_pmml(ctree.C45Classifier(min_cases=1, prune=False).fit({"a\x01": [1.0, 2.0]}, ["x", "y"]))


def _fractions():
    """Cases with unknown values, of which 32 bits keep no exact sums."""
    return random_problem(8, 300, 3, [0, 4, 0, 3], unknown=0.2, noise=0.1).dataset()
