"""Labels that other languages cannot express, or cannot tell apart, are refused by name or made different."""

from __future__ import annotations

import json
import shutil
import sqlite3

import numpy as np
import pytest
from support import exported

import ctree
from ctree.cli.main import main
from ctree.data.schema import label_texts
from ctree.errors import DataError, ModelError
from ctree.tree.answers import answer_texts


def model_of(values, classes=("no", "yes"), name="a", learner=None):
    """A tree that asks for an attribute of these values, each of which has a class of its own."""
    n = len(values)
    attribute = ctree.Attribute(name, ctree.Kind.DISCRETE, tuple(values))
    data = ctree.Dataset(
        ctree.Schema((attribute,), tuple(classes)), [list(range(n)) * 4], [i % len(classes) for i in range(n)] * 4
    )
    model = learner or ctree.C45Classifier(prune=False, min_cases=1)
    return model.fit(data), data


class TestLabelsInArrays:
    @pytest.mark.parametrize("y", [["n\0", "y"], ["n\0", "n"], [np.str_("n\0"), "y"], [2**53 + 1, 2**63 + 1]])
    def test_classes_come_back_as_they_were(self, y):
        model = ctree.C45Classifier(min_cases=1, prune=False).fit({"a": [1.0, 2.0]}, y)
        assert model.predict({"a": [1.0, 2.0]}).tolist() == [str.__str__(c) if isinstance(c, str) else c for c in y]
        assert model.score({"a": [1.0, 2.0]}, y) == 1
        assert sorted(model.classes_.tolist()) == sorted(set(model.schema_.classes))

    def test_ordinary_labels_are_in_ordinary_arrays(self):
        kinds = [ctree.NaiveBayesClassifier().fit([[1], [2]], y).classes_.dtype.kind for y in (["a", "b"], [0, 1])]
        assert kinds == ["U", "i"]

    def test_a_name_that_ends_in_nul_is_found(self):
        data = ctree.from_arrays({"a\0": [1, 2], "b": [1, 2]}, categorical_features=["a\0"])
        assert [a.is_discrete for a in data.schema] == [True, False]

    def test_votes_are_compared_with_the_classes_as_they_were(self):
        X, y = {"a": [1.0, 2.0] * 20}, ["n\0", "n"] * 20
        model = ctree.MCMCTreeClassifier(samples=50, burn_in=50, min_cases=1, random_state=0).fit(X, y)
        assert ctree.uncertainty_envelope(model, X, y).targets.tolist() == [1, 0] * 20

    def test_a_number_of_thousands_of_digits_is_no_label(self):
        for build in (lambda: ctree.from_arrays([[1]], [10**5000]), lambda: ctree.Schema((), (10**5000,))):
            with pytest.raises(DataError, match="the class has a whole number of more than 4,000 digits"):
                build()
        assert ctree.from_arrays([[1], [2]], [10**400, "a"]).schema.classes == (10**400, "a")
        with pytest.raises(DataError, match="attribute 'x0' has the value so large a number"):
            ctree.from_arrays([[10**5000], [1]])


@pytest.mark.parametrize("bad", ["n\0", "a\ud800b"])
class TestCharactersThatEndATextOrAreNone:
    @pytest.mark.parametrize("export", [ctree.to_sql, ctree.to_c, ctree.to_pmml])
    def test_they_are_refused_by_name(self, bad, export):
        shown = {"n\0": r"n\\x00", "a\ud800b": r"a\\ud800b"}[bad]
        for model, what in [
            (model_of(["x", bad])[0], f"attribute 'a': the value '{shown}' has the character U"),
            (model_of(["x", "y"], name=bad)[0], f"the attribute '{shown}' has the character U"),
            (model_of(["x", "y"], classes=[bad, "yes"])[0], f"the class '{shown}' has the character U"),
        ]:
            with pytest.raises(ModelError, match=what):
                export(model)

    def test_table_key_and_target(self, bad):
        model, _ = model_of(["x", "y"])
        with pytest.raises(ModelError, match=r"the table '.*' has the character U"):
            model.to_sql(table=bad)
        with pytest.raises(ModelError, match=r"the key '.*' has the character U"):
            model.to_sql(key=bad)
        with pytest.raises(ModelError, match=r"the target '.*' has the character U.*, which XML cannot represent"):
            model.to_pmml(target=bad)

    def test_python_has_them(self, bad):
        model, data = model_of(["x", bad], classes=[bad, "yes"], name=bad)
        assert exported.by_python(model, data).tolist() == model.predict_proba(data).tolist()

    def test_what_the_tree_does_not_ask_for_is_not_in_the_way(self, bad):
        X = {"a": ["x", "y"] * 4, bad: [bad] * 8}
        model = ctree.C45Classifier().fit(X, ["no", "yes"] * 4)
        assert bad not in model.to_sql()
        assert bad not in model.to_pmml()


class TestLabelsWithTheSameText:
    PAIRS = ((True, "True"), (1, "1"), (1.5, "1.5"))

    @pytest.mark.parametrize("pair", PAIRS)
    def test_c_refuses_them(self, pair):
        with pytest.raises(ModelError, match="attribute 'a' has two labels that C would both call '"):
            ctree.to_c(model_of(pair)[0])
        with pytest.raises(ModelError, match="the class has two labels that C would both call '"):
            ctree.to_c(model_of(["x", "y"], classes=pair)[0])

    @pytest.mark.parametrize("pair", PAIRS[1:])
    def test_sql_and_pmml_refuse_them(self, pair):
        with pytest.raises(ModelError, match="attribute 'a' has two labels that SQL would both call '"):
            ctree.to_sql(model_of(pair)[0])
        with pytest.raises(ModelError, match="attribute 'a' has two labels that PMML would both call '"):
            ctree.to_pmml(model_of(pair)[0])

    @pytest.mark.parametrize("pair", PAIRS)
    def test_python_and_saved_models_tell_them_apart(self, pair, tmp_path):
        model, data = model_of(pair, classes=pair)
        assert exported.by_python(model, data).tolist() == model.predict_proba(data).tolist()
        ctree.save(model, tmp_path / "m.json")
        loaded = ctree.load(tmp_path / "m.json")
        assert loaded.predict(data).tolist() == model.predict(data).tolist() == list(pair) * 4

    @pytest.mark.parametrize("pair", PAIRS)
    def test_a_consultation_and_a_page_show_them_in_quotes(self, pair):
        model, _ = model_of(pair, classes=pair)
        number, text = str(pair[0]), repr(pair[1])
        for answer, label in ((number, pair[0]), (text, pair[1])):
            case = model.consultation()
            case.answer(answer)
            assert (case.certainties()[0].label, case.certainties()[0].cf) == (label, 1)
        page = model.to_html()
        assert page.count(json.dumps([number, text], separators=(",", ":"))) == 2

    def test_values_that_are_no_answers_are_answered_in_quotes(self):
        values = ("a", " a", "a\n", "?", "'?'")
        model, _ = model_of(values, classes=values)
        for code, text in enumerate(answer_texts(model.schema_[0])):
            case = model.consultation()
            case.answer(text)
            assert case.certainties()[0].label == values[code]

    def test_predictions_as_json_have_each_class(self, tmp_path, capsys):
        model, _ = model_of(["x", "y"], classes=(1, "1"))
        ctree.save(model, tmp_path / "m.json")
        (tmp_path / "t.csv").write_text("a\nx\ny\n")
        assert main(["predict", str(tmp_path / "m.json"), str(tmp_path / "t.csv"), "--json"]) == 0
        lines = [json.loads(line) for line in capsys.readouterr().out.splitlines()]
        assert [line["probabilities"] for line in lines] == [{"1": 1.0, "'1'": 0.0}, {"1": 0.0, "'1'": 1.0}]

    def test_texts_differ_whatever_the_labels_are(self):
        for labels in ([True, "True", "'True'"], [1, "1", "'1'", "\"'1'\""], [0.5, "0.5", "a"]):
            texts = label_texts(labels)
            assert len(set(texts)) == len(labels)


class TestNumbersAsValues:
    def test_numbers_that_are_one_double_are_refused_in_sql(self):
        model, data = model_of([2**53, 2**53 + 1])
        with pytest.raises(ModelError, match="attribute 'a' has two labels that SQL would both call"):
            model.to_sql()
        assert exported.by_python(model, data).tolist() == model.predict_proba(data).tolist()

    def test_a_number_beyond_all_doubles_is_refused_in_sql(self):
        with pytest.raises(ModelError, match="attribute 'a' has a value that is too large for a number of SQL"):
            model_of([1, 10**400])[0].to_sql()

    def test_labels_of_numpy_are_plain_in_python(self):
        model, _ = model_of([np.int64(1), np.int64(2)], classes=(np.str_("no"), np.str_("yes")))
        module = {}
        exec(model.to_python(), module)
        assert module["predict"]({"a": 2}) == "yes"


class TestNamesInSql:
    @pytest.mark.parametrize("table", ["known", "walk", "Branches", "leaves", "sums", "totals"])
    @pytest.mark.parametrize("form", ["walk", "case"])
    def test_no_part_of_the_query_hides_the_table(self, table, form):
        model, _ = model_of(["x", "y"])
        base = sqlite3.connect(":memory:")
        base.execute(f'CREATE TABLE "{table}" (a VARCHAR)')
        base.execute(f"INSERT INTO \"{table}\" VALUES ('y')")
        rows = base.execute(model.to_sql("sqlite", table=table, form=form)).fetchall()
        assert [row[-2:] for row in rows] == [(0, 1)]

    def test_an_attribute_with_the_name_of_the_leaf(self):
        model, data = model_of(["x", "y"], name="CTREE leaf")
        assert exported.by_sqlite(model, data, "case").tolist() == model.predict_proba(data).tolist()


@pytest.mark.skipif(shutil.which("gcc") is None, reason="there is no gcc")
def test_c_takes_texts_longer_than_a_literal_may_be(tmp_path):
    model, data = model_of(["x" * 5000, "é" * 3000], name="n" * 10_000, classes=("c" * 4096, "yes"))
    assert exported.by_c(model, data, tmp_path).tolist() == model.predict_proba(data).tolist()


def test_a_picture_has_one_line_for_a_group_of_values():
    values = ["a" * 20, "c\nd", "e\0", "f"]  # too long for all to be shown
    data = ctree.from_arrays({"a": values * 5, "b": [1.0] * 20}, ["no", "no", "no", "yes"] * 5)
    dot = ctree.ProbabilityTreeClassifier().fit(data).tree_.to_dot()
    assert all(line.endswith(("{", "}", ";")) for line in dot.split("\n"))


def test_two_halves_of_a_pair_are_not_saved_as_one_character(tmp_path):
    with pytest.raises(ModelError, match="a name or value has the two halves of a surrogate pair"):
        ctree.save(model_of(["x", "\ud83d\ude00"])[0], tmp_path / "m.json")
    assert not (tmp_path / "m.json").exists()
    model, _ = model_of(["\ud83d", "\ude00"])
    ctree.save(model, tmp_path / "m.json")
    assert ctree.load(tmp_path / "m.json").schema_ == model.schema_
