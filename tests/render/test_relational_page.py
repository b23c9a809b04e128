"""The page of a relational tree in a real browser: its questions, and examples that go the naive learner's way."""

from __future__ import annotations

import json
import re

import numpy as np
import pytest
from naive.relational_data import RelationalData as NaiveData
from naive.relational_tree import RelationalTree as NaiveTree
from support.browser import until
from support.expected_relational import data_of
from support.naive_ways import contents, naive_way, places
from support.relational_problems import random_relational_problem, random_settings

import ctree
from ctree.errors import DataError, NotFittedError, ParameterError

pytestmark = pytest.mark.slow


def machines(**options):
    """Machines that are fixed if a gear is worn, and sent back if an engine is."""
    tables = {
        "machine": {"id": ["a", "b", "c", "d", "e"], "action": ["fix", "ok", "fix", "sendback", "ok"]},
        "worn": {"machine": ["a", "a", "c", "d"], "part": ["belt", "gear", "gear", "engine"]},
        "part": {"part": ["gear", "belt", "engine"], "replaceable": ["yes", "yes", "no"]},
    }
    return ctree.RelationalData(
        tables,
        target=("machine", "action"),
        keys={"machine": "id", "part": "part"},
        foreign_keys={"worn.machine": "machine", "worn.part": "part"},
        **options,
    )


@pytest.fixture(scope="module")
def fitted():
    data = machines()
    return ctree.RelationalTreeClassifier().fit(data), data


def shown_model(html):
    """What the page knows."""
    text = re.search(r'<script type="application/json" id="model">(.*?)</script>', html, re.DOTALL).group(1)
    return json.loads(text)


def lit(page):
    return page.eval_on_selector_all("#tree li.lit", "all => all.map(li => Number(li.id.slice(1)))")


@pytest.mark.parametrize("seed", range(4300, 4312))
def test_examples_go_the_way_of_the_naive_tree(seed, tmp_path, opens):
    problem = random_relational_problem(seed, most_examples=14)
    settings = random_settings(seed, aggregates=seed % 3 == 0) | {"method": "c4.4"}
    data = data_of(problem, tmp_path)
    model = ctree.RelationalTreeClassifier(**settings).fit(data)
    naive_data = NaiveData(problem.schema, problem.columns)
    naive = NaiveTree(naive_data, **settings)
    html = model.to_html(examples=data)
    page = opens(html)
    options = page.locator("#example option").all_inner_texts()
    assert len(options) == len(data) + 1
    leaves, probabilities = model.tree_.apply(data), model.predict_proba(data)
    for example, (key, label) in enumerate(zip(data.keys, data.labels, strict=True)):
        page.select_option("#example", str(example))
        way, answers = naive_way(naive, naive_data, example)
        assert sorted(lit(page)) == sorted(way)
        assert way[-1] == leaves[example]
        assert page.get_attribute("#tree li[aria-selected=true]", "id") == f"n{way[-1]}"
        told = page.locator("#probabilities tr td:nth-child(2)")
        titles = [told.nth(c).get_attribute("title") for c in range(told.count())]
        assert [float(p) for p in titles] == probabilities[example].tolist()
        predicted = model.classes_[probabilities[example].argmax()]
        assert page.inner_text("#result .answer") == predicted
        end = "as predicted" if predicted == label else f"not {predicted}"
        assert page.inner_text("#result .hint") == f"Its class is {label}, {end}."
        assert options[example + 1] == f"{key}: {predicted}" + (f" (is {label})" if predicted != label else "")
        # Each question of the way with its answer, and rows that fit all of them.
        first = [model.tree_.branches(node).start for node in way[:-1]]
        holds = ["yes" if below == yes else "no" for below, yes in zip(way[1:], first, strict=True)]
        assert page.locator("#result .path .says").all_inner_texts() == holds
        found = [row for rows in shown_model(html)["examples"][example][3] for row in rows]
        rows = [places(problem, name, key) for name, key, _ in found]
        assert page.locator("#result .rows").all_inner_texts() == [
            f"{name} is row {key:,}" + contents(problem, name, place)
            if isinstance(key, int)
            else f"{name} is {key}" + contents(problem, name, place)
            for (name, key, _), (place, *_) in zip(found, rows, strict=True)
        ]
        assert any(
            len(answer) == len(rows) + 1 and all(row in fits for row, fits in zip(answer[1:], rows, strict=True))
            for answer in answers
        )
    page.select_option("#example", "")
    assert lit(page) == []
    assert page.inner_text("#result") == ""


@pytest.mark.parametrize("seed", range(4320, 4326))
def test_rows_say_what_the_text_says(seed, tmp_path, opens):
    data = data_of(random_relational_problem(seed), tmp_path)
    tree = ctree.RelationalTreeClassifier(lookahead=1, closing=True, aggregates=("count", "mean")).fit(data).tree_
    page = opens(tree.to_html())
    page.click("#unfold")
    lines = tree.to_text().splitlines()
    rows = page.locator("#tree li .words")
    assert rows.count() == len(lines) == tree.n_nodes
    for line, row in zip(lines, rows.all(), strict=True):
        answer, question = re.fullmatch(r"(?:[ |`]*-- (yes|no): )?(.*)", line).groups()
        said = row.locator(".says").all_inner_texts()
        assert said == ([answer] if answer else [])
        words = row.locator(".condition").inner_text()
        if question.endswith("?"):
            assert words == f"{answer} {question}" if answer else words == question
            # The names of rows are stressed wherever they are.
            names = "|".join(map(re.escape, data.schema.table_names))
            assert row.locator(".named").all_inner_texts() == re.findall(rf"\b(?:{names}) \d+\b", question)
        else:
            label = question.split("  (")[0]
            assert row.locator(".class").inner_text() == label


def test_the_model_is_the_tree_to_the_last_bit(fitted):
    model, data = fitted
    tree = model.tree_
    read = shown_model(model.to_html(examples=data))
    assert read["first"] == tree.arrays.first_branch.tolist()
    assert read["branches"] == tree.arrays.n_branches.tolist()
    assert ["".join(parts) if parts else None for parts in read["questions"]] == [
        None if test is None else tree.question(node) for node, test in enumerate(tree.tests)
    ]
    for name, rows in (("counts", tree.counts), ("probabilities", tree.probabilities)):
        for sparse, row in zip(read[name], rows.tolist(), strict=True):
            dense = [sparse[0]] * 3
            for place, number in zip(sparse[1::2], sparse[2::2], strict=True):
                dense[place] = number
            assert dense == row
    assert [leaf for _, leaf, _, _ in read["examples"]] == tree.apply(data).tolist()
    assert [name for name, _, _, _ in read["examples"]] == data.keys


def test_examples_are_picked_in_several_ways(opens, fitted):
    model, data = fitted
    page = opens(model.to_html("Machines", examples=data))
    assert page.title() == "Machines"
    assert page.inner_text("#how") == "5 examples to look at: each question with the rows that answer it."
    assert page.get_by_label("machine", exact=True).get_attribute("id") == "example"
    page.click("#after")
    assert page.input_value("#example") == "0"
    assert "worn 1 is row 1" in page.inner_text("#r0 .share-place")
    page.click("#before")
    page.click("#before")
    assert page.input_value("#example") == "4"
    page.click("#node button[data-example]")
    assert page.input_value("#example") == "1"  # the first that comes to the same leaf
    page.click("#r0")
    assert page.locator("#node .here button").all_inner_texts() == ["a", "b", "c", "d", "e"]
    page.click("#result .ways button")
    assert page.get_attribute("#tree li[aria-selected=true]", "id") == f"n{model.tree_.apply(data)[1]}"
    page.click("text=Clear")
    until(page, "ctreePage.answer() === null")
    assert page.input_value("#example") == ""
    assert page.locator("#only").is_hidden()  # nothing is wrong
    assert page.locator("button:not([aria-label]):not(.here button):visible").all_inner_texts() == [
        "Unfold all",
        "Fold all",
        "Clear",
    ]


def test_wrong_predictions_can_be_picked_alone(opens):
    data = machines()
    model = ctree.RelationalTreeClassifier(min_cases=2).fit(data)
    wrong = np.flatnonzero(model.predict(data) != np.array(data.labels))
    assert 0 < len(wrong) < 5
    page = opens(model.to_html(examples=data))
    assert page.inner_text("#only").strip() == f"only wrong predictions ({len(wrong)})"
    page.check("#wrong")
    values = page.eval_on_selector_all("#example option", "all => all.map(o => o.value)")
    assert values == ["", *map(str, wrong)]
    page.click("#after")
    assert page.input_value("#example") == str(wrong[0])
    # One that is picked elsewhere is listed again.
    right = next(i for i in range(5) if i not in wrong)
    page.evaluate(f"ctreePage.pick({right})")
    assert page.input_value("#example") == str(right)
    assert not page.is_checked("#wrong")


def test_ways_are_unfolded_and_folded_again(opens, fitted):
    model, data = fitted
    page = opens(model.to_html(examples=data, max_depth=0))
    assert page.locator("#tree li").count() == 1
    deepest = int(model.tree_.node_depth[model.tree_.apply(data)].argmax())
    page.select_option("#example", str(deepest))
    assert page.locator("#tree li").count() == model.tree_.n_nodes
    page.select_option("#example", "")
    assert page.locator("#tree li").count() == 1


def test_search_finds_questions_where_they_are_shown(opens, fitted):
    model, _ = fitted
    page = opens(model.to_html(max_depth=0))
    page.fill("#search", "REPLACEABLE")
    nodes = [
        node for node, test in enumerate(model.tree_.tests) if test and "replaceable" in model.tree_.question(node)
    ]
    assert nodes
    assert page.eval_on_selector_all("li.found", "all => all.map(li => Number(li.id.slice(1)))") == nodes
    page.fill("#search", "sendback")
    assert page.locator("li.found .class").all_inner_texts() == ["sendback"]


def test_without_examples_there_is_nothing_to_pick(opens, fitted):
    model, data = fitted
    for html in (model.to_html(), model.tree_.to_html(), model.to_html(examples=data.take([]))):
        page = opens(html)
        assert page.locator("#example, #case, #result").count() == 0
        assert page.locator("#tree li").count() == model.tree_.n_nodes
        page.hover("#r1 .condition")
        assert "worn 1" in page.inner_text("#tip")
        page.click("#r2")
        assert page.locator("#node .path li").all_inner_texts() == ["all examples", f"{model.tree_.question(0)} no"]


def test_examples_without_classes_or_keys(opens, fitted):
    model, _ = fitted
    strange = ctree.RelationalData({"machine": {"colour": ["red", "blue"]}}, target="machine")
    with pytest.raises(DataError):
        model.to_html(examples=strange)
    single = ctree.RelationalData(
        {"machine": {"x": [1.0, 2.0, 3.0, 4.0], "action": ["a", "a", "b", "b"]}}, target=("machine", "action")
    )
    plain = ctree.RelationalTreeClassifier().fit(single)
    new = ctree.RelationalData({"machine": {"x": [3.5, None]}}, target="machine")
    page = opens(plain.to_html(examples=new))
    assert page.locator("#example option").all_inner_texts() == ["none", "row 1: b", "row 2: b"]
    page.select_option("#example", "1")
    assert page.locator("#result .hint").count() == 0
    assert lit(page) == [0, 2]


def test_a_tree_of_one_leaf(opens):
    data = machines()
    model = ctree.RelationalTreeClassifier(method="mdl-stop").fit(data)
    assert model.tree_.n_nodes == 1
    page = opens(model.to_html(examples=data))
    assert page.locator("#tree li").count() == 1
    page.select_option("#example", "3")
    assert lit(page) == [0]
    assert page.locator("#result .path li").count() == 0


NASTY = ["</script><b>bold</b>", 'a "quoted" <i>&amp;', "{{model}} {{title}}", "it's\nback\\slash $x$", "<img src=x>"]


def nasty_data():
    """Tables, columns, keys, values and classes that are no plain names, and a value of 5,000 letters."""
    rng = np.random.default_rng(1)
    table, link, column, n = NASTY[0], "\ue000 <!--", NASTY[3], 40
    values = np.array([NASTY[1], NASTY[2], NASTY[4], "ö" * 5000], dtype=object)
    kinds = rng.integers(4, size=n)
    keys = [f"{NASTY[4]} {i}" for i in range(n)]
    return ctree.RelationalData(
        {
            "t": {"id": keys, "class": [NASTY[k] for k in kinds]},
            table: {link: [*keys, *keys], column: values[np.concatenate([kinds, kinds])]},
        },
        target=("t", "class"),
        keys={"t": "id"},
        foreign_keys={f"{table}.{link}": "t"},
    )


def test_names_are_text_whatever_is_in_them(opens):
    data = nasty_data()
    model = ctree.RelationalTreeClassifier().fit(data)
    assert (model.predict(data) == data.labels).all()
    page = opens(model.to_html(title=NASTY[0], examples=data))
    assert page.title() == NASTY[0]
    page.click("#unfold")
    questions = [model.tree_.question(node) for node, test in enumerate(model.tree_.tests) if test is not None]
    assert page.evaluate("ctreePage.model.questions.filter(q => q).map(q => q.join(''))") == questions
    for example in (0, 7, 23):
        page.select_option("#example", str(example))
        assert page.text_content("#result .answer") == data.labels[example]
        page.hover("#r0")
        assert page.locator("main img, main i, #tip i, b:not(.named):not(.says)").count() == 0
    assert page.locator("#r0 .named").all_text_contents() == [f"{NASTY[0]} 1"]
    # A long value does not make the row long.
    assert max(page.eval_on_selector_all(".words", "all => all.map(w => w.textContent.length)")) < 400
    assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")


def test_many_classes_and_a_large_tree(opens):
    rng = np.random.default_rng(0)
    n = 2000
    data = ctree.RelationalData(
        {
            "e": {"id": np.arange(n), "class": rng.integers(0, 40, n).astype(str)},
            "r": {"e": rng.integers(0, n, 3 * n), "v": rng.random(3 * n), "k": rng.choice(list("abcdef"), 3 * n)},
        },
        target=("e", "class"),
        keys={"e": "id"},
        foreign_keys={"r.e": "e"},
    )
    model = ctree.RelationalTreeClassifier(thresholds=10).fit(data)
    assert model.tree_.n_nodes > 2000
    chosen = data.take(rng.permutation(n)[:500])
    page = opens(model.to_html(examples=chosen))
    assert page.locator("#tree li").count() <= 80
    leaves = model.tree_.apply(chosen)
    for example in range(0, 500, 45):
        page.evaluate(f"ctreePage.pick({example})")
        assert page.evaluate("ctreePage.answer().leaf") == leaves[example]
        assert len(lit(page)) == model.tree_.node_depth[leaves[example]] + 1
    assert page.locator("#probabilities tr").count() == 10  # nine classes and the others


@pytest.mark.parametrize("width", [1280, 390])
@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_questions_are_not_hidden_by_figures(opens, fitted, width, scheme):
    model, data = fitted
    page = opens(model.to_html(examples=data))
    before = page.viewport_size
    page.set_viewport_size({"width": width, "height": 800})
    page.emulate_media(color_scheme=scheme)
    page.select_option("#example", "0")
    gaps = page.eval_on_selector_all(
        "#tree .row",
        """all => all.map(row => {
             const figures = row.querySelector(".figures").getBoundingClientRect();
             const words = [...row.querySelectorAll(".condition, .class, .share")].map(e => e.getBoundingClientRect());
             return Math.max(figures.left - Math.max(...words.map(w => w.right)),
                             figures.top - Math.max(...words.map(w => w.bottom)));
           })""",
    )
    assert min(gaps) > -1  # beside them, or below
    assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")
    page.emulate_media(color_scheme="light", media="print")
    assert page.locator("#case, .tools").filter(visible=True).count() == 0
    assert page.locator("#result").is_visible()
    page.emulate_media(media="screen")
    page.set_viewport_size(before)


def test_keys_choose_examples_where_the_learner_has_the_tables():
    data = machines()
    model = ctree.RelationalTreeClassifier(data=data).fit(data.keys, data.labels)
    assert [entry[0] for entry in shown_model(model.to_html(examples=["d", "a"]))["examples"]] == ["d", "a"]


def test_the_page_needs_nothing_from_elsewhere(fitted):
    model, data = fitted
    text = model.to_html(examples=data)
    assert not re.findall(r"(?:src|href)=\"(?!data:)|@import|url\(|https?://", text)
    assert "default-src 'none'" in text


def test_what_cannot_be_shown_says_why(fitted):
    model, data = fitted
    with pytest.raises(NotFittedError, match="call fit first"):
        ctree.RelationalTreeClassifier().to_html()
    with pytest.raises(ParameterError, match="max_depth must be None or a whole number"):
        model.to_html(max_depth=-1)
    with pytest.raises(ParameterError, match="at most 500 examples, not 505: choose some"):
        model.to_html(examples=data.take([0, 1, 2, 3, 4] * 101))
    with pytest.raises(ParameterError, match="examples must be a RelationalData or None, not list"):
        model.tree_.to_html(examples=["a"])
    with pytest.raises(DataError, match="give a RelationalData"):
        model.to_html(examples=["a"])


def test_examples_end_where_the_tree_is_pruned(opens, fitted):
    model, data = fitted
    page = opens(model.to_html(examples=data))
    last = int(page.get_attribute("#stop", "max"))
    page.evaluate("ctreePage.pick(1)")
    page.focus("#stop")
    page.keyboard.press("Home")
    until(page, "document.querySelectorAll('#tree li').length === 1")
    assert page.evaluate("ctreePage.answer().leaf") == 0
    root = model.tree_.probabilities[0]
    best = model.classes_[root.argmax()]
    assert page.inner_text("#result .answer") == best
    labels = [str(label) for label in data.labels]
    wrong = sum(label != best for label in labels)
    assert page.inner_text("#only span") == f"only wrong predictions ({wrong})"
    share = 100 * (1 - model.tree_.counts[0].max() / model.tree_.counts[0].sum())
    assert f"training error {share:.1f} %" in page.inner_text("#stop-said")
    page.keyboard.press("End")
    until(page, f"document.querySelectorAll('#tree li').length === {model.tree_.n_nodes}")
    assert page.evaluate("ctreePage.answer().leaf") == model.tree_.apply(data)[1]
    assert page.locator("#only").is_hidden()
    assert last >= 1
