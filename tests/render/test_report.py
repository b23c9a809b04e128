"""The report: its figures against scikit-learn's, its words for what is special, its text for any names."""

from __future__ import annotations

import re
import sys
from html.parser import HTMLParser

import numpy as np
import pytest
from support.problems import random_problem

import ctree
from ctree import Attribute, Dataset, Kind, Schema
from ctree.errors import DataError, ModelError, ParameterError

pytestmark = pytest.mark.filterwarnings("ignore::ctree.learners.mcmc.convergence.ChainsDisagreeWarning")

VOID = {"meta", "link", "br", "img", "input", "hr"}


class Page(HTMLParser):
    """A page as a tree of elements; tags that are not closed, or ids that come twice, are errors."""

    def __init__(self, text):
        super().__init__()
        self.stack, self.ids, self.tables, self.tags = [], set(), [], set()
        self.links, self.text = [], ""
        self.feed(text)
        self.close()
        assert self.stack == []

    def handle_starttag(self, tag, attributes):
        given = dict(attributes)
        self.tags.add(tag)
        assert not [name for name in given if name.startswith("on")]
        if "id" in given:
            assert given["id"] not in self.ids
            self.ids.add(given["id"])
        if tag == "a":
            self.links.append(given["href"])
        if tag == "table":
            self.tables.append([])
        if tag == "tr":
            self.tables[-1].append([])
        if tag in ("td", "th"):
            self.tables[-1][-1].append("")
        if tag not in VOID:
            self.stack.append(tag)

    def handle_startendtag(self, tag, attributes):
        self.tags.add(tag)

    def handle_endtag(self, tag):
        assert self.stack.pop() == tag

    def handle_data(self, data):
        if "style" in self.stack:
            return
        self.text += data
        if self.stack and set(self.stack) & {"td", "th"}:
            self.tables[-1][-1][-1] += data

    def table(self, head):
        """The rows of the table whose first heading this is."""
        return next(table for table in self.tables if table[0][0] == head)


@pytest.fixture(scope="module")
def halves():
    """Discrete and continuous attributes, unknown values, three classes of different frequency."""
    data = random_problem(3, 500, 3, [0, 3, 0, 4, None, 2], unknown=0.08, noise=0.25).dataset()
    return data.take(slice(250)), data.take(slice(250, None))


def numbers(row):
    return [0 if cell == "·" else int(cell.replace(",", "")) for cell in row[1:]]


def test_figures_are_those_of_scikit_learn(halves):
    metrics = pytest.importorskip("sklearn.metrics")
    train, test = halves
    model = ctree.C45Classifier().fit(train)
    page = Page(ctree.report(model, test))
    predicted, table = model.predict(test), model.predict_proba(test)
    labels = list(test.schema.classes)
    matrix = metrics.confusion_matrix(test.labels, predicted, labels=labels)
    assert [numbers(row) for row in page.table("is ↓   predicted →")[1:]] == matrix.tolist()
    wrong = int((predicted != np.array(test.labels)).sum())
    assert f"{wrong} are predicted wrong: {100 * wrong / 250:.1f}% (" in page.text
    loss = metrics.log_loss(test.labels, table, labels=sorted(labels))
    tile = re.search(r"Log-loss([\d.]+)\d\.\d{3} to", page.text)
    by_label = table[:, np.argsort(labels)]
    loss = metrics.log_loss(test.labels, np.clip(by_label, 2**-52, 1), labels=sorted(labels))
    assert tile
    assert float(tile[1]) == pytest.approx(loss, abs=6e-3)
    codes = test.classes
    for name, cases, given, found, right, area in page.table("class")[1:]:
        c = labels.index(name)
        assert int(cases) == (codes == c).sum()
        assert int(given) == (predicted == name).sum()
        recall = metrics.recall_score(test.labels, predicted, labels=[name], average=None)[0]
        precision = metrics.precision_score(test.labels, predicted, labels=[name], average=None, zero_division=0)[0]
        assert float(found.split("%")[0]) == pytest.approx(100 * recall, abs=0.051)
        if right != "–":
            assert float(right.split("%")[0]) == pytest.approx(100 * precision, abs=0.051)
        assert float(area.split()[0]) == pytest.approx(metrics.roc_auc_score(codes == c, table[:, c]), abs=6e-4)


def test_sections_are_there_and_linked(halves):
    train, test = halves
    page = Page(ctree.report(ctree.C45Classifier().fit(train), test, title="A <title> & more"))
    sections = ["summary", "data", "model", "tree", "rules", "confusion", "calibration", "ranking", "cost"]
    assert page.links == [f"#{name}" for name in [*sections, "importance", "wrong"]]
    assert {link[1:] for link in page.links} <= page.ids
    assert "A <title> & more" in page.text
    assert not page.tags & {"script", "iframe", "object", "img"}


def test_the_data_at_a_glance(halves):
    train, test = halves
    page = Page(ctree.report(ctree.C45Classifier().fit(train), test))
    rows = {row[0]: row[1:] for row in page.table("attribute")[1:]}
    for attribute, column in zip(test.schema, test.columns, strict=True):
        if column is None:
            assert attribute.name not in rows
            continue
        kind, unknown, values, _ = rows[attribute.name]
        assert kind == attribute.kind.value
        missing = np.isnan(column) if attribute.is_continuous else column < 0
        assert unknown == f"{100 * missing.mean():.1f}%"
        if attribute.is_continuous:
            known = column[~missing]
            assert values == f"{known.min():.5g} to {known.max():.5g}, median {np.median(known):.5g}"
        else:
            counts = [(column == code).sum() for code in range(len(attribute.values))]
            most = int(np.argmax(counts))
            assert values.startswith(f"{attribute.values[most]} {100 * counts[most] / sum(counts):.0f}%")


def test_rules_of_leaves_cover_all_cases(halves):
    train, test = halves
    model = ctree.C45Classifier(min_cases=20).fit(train)
    page = Page(ctree.report(model, test))
    rows = page.table("rule")[1:]
    assert len(rows) == model.tree_.n_leaves
    assert sum(int(row[5]) for row in rows) == 250
    wrong = sum(int(row[6].split()[0]) for row in rows if row[6] != "–")
    assert wrong == (model.predict(test) != np.array(test.labels)).sum()


def test_rules_of_a_list(halves):
    train, test = halves
    model = ctree.C45RulesClassifier().fit(train)
    page = Page(ctree.report(model, test))
    assert "The rules are tried in this order" in page.text
    assert "tree" not in page.ids
    default = re.search(
        r"If no rule applies, the class is (\S+): (\d+) of the cases here, (\d+) of them wrong", page.text
    )
    uncovered = model.rules_.apply(test) < 0
    assert default[1] == str(model.default_)
    assert int(default[2]) == uncovered.sum()
    assert int(default[3]) == (uncovered & (model.predict(test) != np.array(test.labels))).sum()


def test_wrong_cases_have_their_values_and_reasons(halves):
    train, test = halves
    model = ctree.C45Classifier().fit(train)
    text = ctree.report(model, test, examples=3)
    table, codes = model.predict_proba(test), test.classes
    wrong = [i for i in range(250) if model.predict(test)[i] != test.labels[i]]
    sure = sorted(wrong, key=lambda i: (table[i, codes[i]] - table[i].max(), i))[:3]
    assert re.findall(r"<h3>Case (\d+) is", text) == [str(i + 1) for i in sure]
    page = Page(text)
    for i in sure:
        for line in str(model.explain(test.take([i]))).replace("<=", "≤").splitlines()[:20]:
            assert line.strip() in page.text
    assert f"{len(wrong)} cases were predicted wrong" in page.text
    assert "Where it was wrong" not in ctree.report(model, test, examples=0)


LEARNERS = [
    ctree.C45Classifier(variant="j48"),
    ctree.C45Classifier(soft_thresholds=True),
    ctree.ProbabilityTreeClassifier(approach="bic-prune"),
    ctree.BayesianTreeClassifier(averaging="prunings", bins=3),
    ctree.OptimalTreeClassifier(max_depth=2),
    ctree.BayesOptimalClassifier(max_depth=2),
    ctree.MCMCTreeClassifier(min_cases=1, random_state=0),
    ctree.NaiveBayesClassifier(),
    ctree.C45RulesClassifier(),
]


@pytest.mark.parametrize("learner", LEARNERS, ids=lambda learner: type(learner).__name__)
def test_every_learner_has_a_report(learner):
    golf = ctree.load_golf()
    page = Page(ctree.report(learner.fit(golf), golf))
    assert "Of 14 cases" in page.text
    assert type(learner).__name__ in page.text


def test_trees_and_linked_tables_too():
    golf, shop = ctree.load_golf(), ctree.read_relational("examples/shop")
    assert "A tree: 8 nodes, 5 leaves, depth 2." in Page(ctree.report(ctree.C45Classifier().fit(golf).tree_, golf)).text
    model = ctree.RelationalTreeClassifier(max_depth=1).fit(shop)
    page = Page(ctree.report(model, shop))
    assert "24 examples with a class" in page.text
    wrong = [key for key, a, b in zip(shop.keys, model.predict(shop), shop.labels, strict=True) if a != b]
    assert wrong
    assert sorted(re.findall(r"Example (\S+) is", page.text)) == sorted(wrong)
    Page(ctree.report(ctree.BaggedTreesClassifier(random_state=0, members=3).fit(shop), shop))


@pytest.mark.parametrize(
    "learner",
    [
        ctree.NaiveBayesClassifier(),
        ctree.C45Classifier(),
        ctree.BayesianTreeClassifier(bins=4),
        ctree.ProbabilityTreeClassifier(approach="bic-prune"),
        ctree.OptimalTreeClassifier(max_depth=2),
    ],
    ids=lambda learner: type(learner).__name__,
)
def test_training_cases_are_told(halves, learner):
    train, test = halves
    told = "These seem to be the cases that the model was learned from"
    model = learner.fit(train)
    assert told in ctree.report(model, train)
    assert told not in ctree.report(model, test)
    # as many of each class, but other cases
    rng = np.random.default_rng(0)
    columns = [None if column is None else rng.permutation(column) for column in train.columns]
    assert told not in ctree.report(model, Dataset(train.schema, columns, train.classes))


def test_no_matplotlib_is_needed(halves, monkeypatch):
    train, test = halves
    monkeypatch.setitem(sys.modules, "matplotlib", None)
    monkeypatch.setitem(sys.modules, "matplotlib.figure", None)
    model = ctree.C45Classifier().fit(train)
    assert ctree.report(model, test)
    with pytest.raises(ImportError, match="pictures need matplotlib"):
        ctree.plot.roc(model, test)


def test_weights_and_cases_without_class(halves):
    train, test = halves
    model = ctree.C45Classifier().fit(train)
    classes = test.classes.copy()
    classes[:50] = -1
    some = Dataset(test.schema, test.columns, classes, np.full(250, 2.0))
    page = Page(ctree.report(model, some))
    assert "200 cases with a class; 50 cases without one left out; a total weight of 400" in page.text
    assert sum(sum(numbers(row)) for row in page.table("is ↓   predicted →")[1:]) == 400
    # the first wrong case is counted as it was given
    shown = [int(n) for n in re.findall(r"Case (\d+) is", page.text)]
    assert all(model.predict(test)[n - 1] != test.labels[n - 1] and n > 50 for n in shown)


@pytest.mark.parametrize(("n_classes", "head"), [(26, "is ↓   predicted →"), (80, "is")])
def test_many_classes(n_classes, head):
    rng = np.random.default_rng(1)
    codes = rng.integers(n_classes, size=1500)
    data = ctree.from_arrays(
        np.column_stack([codes + rng.normal(size=1500), rng.random(1500)]), [f"c{c:02}" for c in codes]
    )
    model = ctree.C45Classifier(min_cases=10).fit(data)
    page = Page(ctree.report(model, data))
    assert page.table(head)
    assert f"the 4 of {n_classes} classes with the most errors" in page.text
    assert len(page.text) < 60_000


def test_costs_are_told(halves):
    train, test = halves
    model = ctree.ProbabilityTreeClassifier().fit(train)
    first, second, third = test.schema.classes
    page = Page(ctree.report(model, test, costs={(first, second): 7, (third, first): 0.5}))
    rows = page.table("each case is given")[1:]
    cost = {(first, second): 7, (third, first): 0.5}
    predicted = model.predict(test)
    mean = np.mean([0 if a == b else cost.get((a, b), 1) for a, b in zip(test.labels, predicted, strict=True)])
    assert float(rows[0][1].split()[0]) == pytest.approx(mean, abs=6e-4)
    assert float(rows[1][1].split()[0]) <= float(rows[2][1]) * 1.5


HOSTILE = [
    '<script>alert("x")</script>',
    '"><img src=x onerror=alert(1)>',
    "a&b; 'c' {{title}}",
    "\ud800\0\n",
    "x" * 300,
]


def test_names_are_text():
    attributes = (Attribute(HOSTILE[0], Kind.CONTINUOUS), Attribute(HOSTILE[1], Kind.DISCRETE, tuple(HOSTILE)))
    rng = np.random.default_rng(0)
    codes = rng.integers(5, size=200)
    data = Dataset(Schema(attributes, tuple(HOSTILE)), [rng.random(200) + codes, rng.integers(5, size=200)], codes)
    for learner in (ctree.C45Classifier(min_cases=10), ctree.NaiveBayesClassifier(), ctree.C45RulesClassifier()):
        text = ctree.report(
            learner.fit(data.take(slice(100))), data, title=HOSTILE[0], origins={HOSTILE[1]: HOSTILE[0]}
        )
        page = Page(text)
        assert not page.tags & {"script", "img"}
        assert HOSTILE[0] in page.text
        text.encode("utf-8")


def test_one_class_or_one_case():
    golf = ctree.load_golf()
    model = ctree.C45Classifier().fit(golf)
    for data in (golf.take(golf.classes == 0), golf.take([3])):
        assert "All cases have the same class." in Page(ctree.report(model, data)).text
    alone = ctree.C45Classifier(min_cases=100).fit(golf)
    assert "The model asks for no attribute." in Page(ctree.report(alone, golf)).text


def test_what_is_wrong_is_said(tmp_path):
    golf = ctree.load_golf()
    model = ctree.C45Classifier().fit(golf)
    wrong = [
        (lambda: ctree.report(object(), golf), ModelError, "not a object"),
        (lambda: ctree.report(model, golf, examples=-1), ParameterError, "at least 0"),
        (lambda: ctree.report(model, golf, classes="Play"), ParameterError, "a list of 1 to 6"),
        (lambda: ctree.report(model, golf, classes=["x"]), ParameterError, "no class 'x'"),
        (lambda: ctree.report(model, golf, costs=[[1]]), DataError, "should have shape"),
        (lambda: ctree.report(model, Dataset(golf.schema, golf.columns)), DataError, "no classes"),
        (lambda: ctree.report(model, golf, file=tmp_path / "no" / "page.html"), DataError, "page.html"),
    ]
    for call, error, message in wrong:
        with pytest.raises(error, match=message):
            call()
    text = ctree.report(model, golf, file=tmp_path / "page.html")
    assert (tmp_path / "page.html").read_text("utf-8") == text
