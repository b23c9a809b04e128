"""Answers and their arithmetic, without a terminal."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from naive.consult import consult as naive_consult
from support.problems import as_nodes, growing_options, grown, problems, pruned

import ctree
from ctree import Attribute, C45Classifier, Kind, Tree
from ctree.errors import DataError
from ctree.tree.answers import Range, Shares, expected, parse_answer
from ctree.tree.consultation import Consultation, mean_share_below, share_below
from ctree.tree.leaves import leaf_probabilities
from ctree.tree.soft_thresholds import softened

OUTLOOK = Attribute("outlook", Kind.DISCRETE, ("sunny", "overcast", "rain"))
HUMIDITY = Attribute("humidity", Kind.CONTINUOUS)
ODD = Attribute("odd", Kind.DISCRETE, ("a", "a: 0.5", "a, b", "b", "a b"))


@pytest.fixture(scope="module")
def golf_tree():
    return C45Classifier().fit(ctree.read_c45("examples/golf")).tree_


class TestAnswers:
    @pytest.mark.parametrize(
        ("text", "probabilities"),
        [
            ("sunny", (1, 0, 0)),
            ("  rain ", (0, 0, 1)),
            ("Sunny", (1, 0, 0)),
            ("sunny: 1", (1, 0, 0)),
            ("sunny: 0.5", (0.5, 0.25, 0.25)),
            ("sunny: 0", (0, 0.5, 0.5)),
            ("rain:.2,sunny : 0.4", (0.4, 0.4, 0.2)),
            ("sunny: 0.1, overcast: 0.2, rain: 0.7", (0.1, 0.2, 0.7)),
            ("sunny: 0.33, overcast: 0.33, rain: 0.33", (1 / 3, 1 / 3, 1 / 3)),
            ("sunny: 5e-1, overcast: 0.5", (0.5, 0.5, 0)),
        ],
    )
    def test_values_and_probabilities(self, text, probabilities):
        assert parse_answer(OUTLOOK, text).probabilities == pytest.approx(probabilities)

    @pytest.mark.parametrize(
        ("text", "low", "high"),
        [
            ("75", 75, 75),
            ("-7.5e1", -75, -75),
            ("1e-5", 1e-5, 1e-5),
            ("70 - 80", 70, 80),
            ("70-80", 70, 80),
            ("-5--3", -5, -3),
            ("-5 - -3", -5, -3),
            (".5 -1.", 0.5, 1),
            ("3 - 3", 3, 3),
        ],
    )
    def test_numbers_and_ranges(self, text, low, high):
        assert parse_answer(HUMIDITY, text) == Range(low, high)

    @pytest.mark.parametrize("attribute", [OUTLOOK, HUMIDITY])
    def test_a_question_mark_is_an_unknown_value(self, attribute):
        assert parse_answer(attribute, " ? ") is None

    @pytest.mark.parametrize(
        ("text", "value"),
        [("a", 0), ("a: 0.5", 1), ("a, b", 2), ("b", 3), ("a b", 4), ("a: 0.5: 1", 1), ("a, b: 1", 2), ("a b: 1", 4)],
    )
    def test_values_may_have_blanks_colons_and_commas(self, text, value):
        assert parse_answer(ODD, text) == Shares(tuple(float(v == value) for v in range(5)))

    def test_the_longest_value_that_fits_is_meant(self):
        assert parse_answer(ODD, "a: 0.5: 0.25, a, b: 0.75, a: 0").probabilities == (0, 0.25, 0.75, 0, 0)

    def test_values_that_differ_in_capitals_are_told_apart(self):
        attribute = Attribute("x", Kind.DISCRETE, ("On", "on", "off"))
        assert parse_answer(attribute, "on").probabilities == (0, 1, 0)
        assert parse_answer(attribute, "On: 1").probabilities == (1, 0, 0)
        with pytest.raises(DataError, match="'ON' is not a value"):
            parse_answer(attribute, "ON")

    def test_values_may_be_numbers(self):
        assert parse_answer(Attribute("x", Kind.DISCRETE, (1, 2.5, True and 3)), "2.5: 1").probabilities == (0, 1, 0)

    @pytest.mark.parametrize(
        ("attribute", "text", "message"),
        [
            (
                OUTLOOK,
                "suny",
                "'suny' is not a value of 'outlook' (did you mean 'sunny'?); its values are sunny, overcast, rain",
            ),
            (OUTLOOK, "fog: 0.5", "'fog' is not a value of 'outlook'; its values are sunny, overcast, rain"),
            (
                OUTLOOK,
                "sunny: 0.5, fog: 0.5",
                "'fog' is not a value of 'outlook'; its values are sunny, overcast, rain",
            ),
            (OUTLOOK, "", "there is no answer for 'outlook'; if it is unknown, enter ?"),
            (HUMIDITY, "", "there is no answer for 'humidity'; if it is unknown, enter ?"),
            (OUTLOOK, "sunny, rain", "after 'sunny' a probability is missing, as in 'sunny: 0.5'"),
            (OUTLOOK, "sunny:", "after 'sunny' a probability is missing, as in 'sunny: 0.5'"),
            (OUTLOOK, "sunny: much", "after 'sunny' a probability is missing, as in 'sunny: 0.5'"),
            (OUTLOOK, "sunny: 1.5", "the probability of 'sunny' should be from 0 to 1, not 1.5"),
            (OUTLOOK, "sunny: -0.5", "the probability of 'sunny' should be from 0 to 1, not -0.5"),
            (OUTLOOK, "sunny: 0.7, rain: 0.7", "the probabilities add up to 1.4, but may not exceed 1"),
            (OUTLOOK, "sunny: 0.2, sunny: 0.2", "the value 'sunny' is given twice"),
            (
                OUTLOOK,
                "sunny: 0.2, overcast: 0.2, rain: 0.2",
                "all values have a probability, so these should add up to 1, not 0.6",
            ),
            (HUMIDITY, "80 - 70", "the range 80 - 70 runs backwards; the lower end comes first"),
            (HUMIDITY, "1e999", "the number 1e999 is too large"),
            (
                HUMIDITY,
                "high",
                "'high' is not a number for 'humidity'; enter a number such as 75, a range such as 70 - 80, or ?",
            ),
            (
                HUMIDITY,
                "nan",
                "'nan' is not a number for 'humidity'; enter a number such as 75, a range such as 70 - 80, or ?",
            ),
        ],
    )
    def test_wrong_answers(self, attribute, text, message):
        with pytest.raises(DataError) as caught:
            parse_answer(attribute, text)
        assert str(caught.value) == message

    @given(st.text("ab ,:.0519?-e", max_size=30), st.sampled_from([OUTLOOK, HUMIDITY, ODD]))
    @settings(deadline=None)
    def test_any_text_is_an_answer_or_a_data_error(self, text, attribute):
        try:
            answer = parse_answer(attribute, text)
        except DataError:
            return
        if isinstance(answer, Shares):
            assert sum(answer.probabilities) == pytest.approx(1)
            assert min(answer.probabilities) >= 0
        elif isinstance(answer, Range):
            assert answer.low <= answer.high

    def test_what_is_expected_can_be_said(self):
        assert "sunny, overcast, rain, several" in expected(OUTLOOK)
        assert "10 - 20" in expected(HUMIDITY)
        assert expected(Attribute("x", Kind.DISCRETE, ("only",))) == "Enter one of only or ? if it is unknown."


class TestQuestions:
    def test_only_what_is_needed_is_asked(self, golf_tree):
        case = Consultation(golf_tree)
        assert case.question.name == "outlook"
        case.answer("overcast")
        assert case.question is None
        assert [weight for _, weight in case.leaves] == [1.0]

    def test_the_branches_are_gone_through_one_after_the_other(self, golf_tree):
        case = Consultation(golf_tree)
        asked = []
        while case.question is not None:
            asked.append(case.question.name)
            case.answer("?")
        assert asked == ["outlook", "humidity", "windy"]

    def test_a_branch_without_weight_is_not_asked_about(self, golf_tree):
        case = Consultation(golf_tree)
        case.answer("sunny: 0, overcast: 0.5")
        assert case.question.name == "windy"

    def test_after_a_wrong_answer_the_question_stands(self, golf_tree):
        case = Consultation(golf_tree)
        with pytest.raises(DataError):
            case.answer("fog")
        assert case.question.name == "outlook"

    def test_an_answer_to_nothing_is_refused(self, golf_tree):
        case = Consultation(golf_tree)
        case.answer("overcast")
        with pytest.raises(DataError, match="there are no more questions"):
            case.answer("sunny")


class TestCertainties:
    def test_the_worked_answer(self, golf_tree):
        case = Consultation(golf_tree)
        case.answer("sunny")
        case.answer("?")
        best, other = case.certainties()
        assert (best.label, other.label) == ("Don't Play", "Play")
        assert [best.cf, best.low, best.high] == pytest.approx([0.6, 0.378, 0.8], abs=5e-4)
        assert [other.cf, other.low, other.high] == pytest.approx([0.4, 0.2, 0.622], abs=5e-4)

    def test_a_soft_threshold_shares_a_case_that_is_near(self, golf_tree):
        tree = softened(golf_tree, ctree.read_c45("examples/golf"))
        case = Consultation(tree)
        case.answer("sunny")
        case.answer("75")
        assert {c.label: c.cf for c in case.certainties()} == pytest.approx({"Play": 0.5, "Don't Play": 0.5}, abs=1e-3)
        hard = Consultation(golf_tree)
        hard.answer("sunny")
        hard.answer("75")
        assert hard.certainties()[0].cf == 1.0

    def test_a_leaf_is_no_surer_than_its_estimate(self):
        tree = C45Classifier(estimate="laplace", prune=False).fit(ctree.read_c45("examples/golf")).tree_
        case = Consultation(tree)
        case.answer("overcast")
        best = case.certainties()[0]
        assert (best.cf, best.low, best.high) == pytest.approx((5 / 6, 5 / 6, 1.0))

    def test_a_leaf_without_cases_is_certain_of_nothing(self):
        data = ctree.from_arrays({"x": ["a", "a", "b", "b"]}, ["no", "no", "yes", "yes"])
        values = (*data.schema[0].values, "c")
        schema = ctree.Schema((Attribute("x", Kind.DISCRETE, values),), data.schema.classes)
        tree = C45Classifier().fit(ctree.Dataset(schema, data.columns, data.classes)).tree_
        case = Consultation(tree)
        case.answer("c")
        best = case.certainties()[0]
        assert (best.cf, best.low, best.high) == (1.0, 0.0, 1.0)


def random_answers(problem, rng):
    """For each attribute an answer as text and as the naive version takes it."""
    answers = []
    for column, n in zip(problem.columns, problem.n_values, strict=True):
        kind = rng.integers(4)
        if column is None or kind == 0:
            answers.append(("?", None))
        elif n and (kind == 1 or n == 1):
            value = int(rng.integers(n))
            answers.append((f"v{value}", [float(v == value) for v in range(n)]))
        elif n:
            first, second = rng.permutation(n)[:2].tolist()
            p, q = 0.5, 0.25
            rest = 0.25 / (n - 2) if n > 2 else 0.0
            q = q if n > 2 else 0.5
            shares = [p if v == first else q if v == second else rest for v in range(n)]
            answers.append((f"v{first}: {p}, v{second}: {q}", shares))
        else:
            known = [x for x in column if x is not None] or [0.0]
            low, high = sorted(rng.choice(known, size=2).tolist())
            high = high if kind > 1 else low
            answers.append((f"{low!r} - {high!r}" if high > low else repr(low), (low, high)))
    return answers


@given(problems(), growing_options, st.booleans(), st.booleans(), st.integers(0, 2**32 - 1))
@settings(deadline=None, max_examples=120)
def test_the_sums_are_the_naive_ones(problem, options, prune, soft, seed):
    arrays = pruned(problem, **options) if prune else grown(problem, **options)[0]
    tree = Tree(
        problem.schema,
        arrays.replace(probabilities=leaf_probabilities(arrays.counts, arrays.best)),
        float32=True,
    )
    tree = softened(tree, problem.dataset()) if soft else tree
    answers = random_answers(problem, np.random.default_rng(seed))
    case = Consultation(tree)
    while case.question is not None:
        case.answer(answers[problem.schema.index(case.question.name)][0])
    root = as_nodes(problem, arrays)
    central, low = naive_consult(root, [a for _, a in answers], problem.n_classes, naive_bounds(tree, root))
    # Fractions may drift so far that a leaf expects more errors than it has cases; it is certain of nothing then.
    assume((tree.errors <= tree.cases)[tree.test == 0].all())
    found = {c.label: c for c in case.certainties()}
    assert [found[c].cf for c in tree.schema.classes] == pytest.approx(central, abs=1e-6)
    assert [found[c].low for c in tree.schema.classes] == pytest.approx(low, abs=1e-6)
    uncertain = max(0, 1 - sum(low))
    assert [found[c].high for c in tree.schema.classes] == pytest.approx([x + uncertain for x in low], abs=1e-6)
    assert case.certainties()[0].cf == max(c.cf for c in found.values())


def naive_bounds(tree, root):
    """The bounds of soft thresholds by the nodes of the naive version."""
    if tree.lower is None:
        return {}
    level, nodes = [root], []
    while level:
        nodes += level
        level = [branch for node in level for branch in node.branches]
    return {id(node): (tree.lower[i], tree.upper[i]) for i, node in enumerate(nodes)}


def test_the_share_falls_from_one_bound_to_the_other():
    assert [share_below(x, 2.0, 4.0, 8.0) for x in (1, 2, 9)] == [1.0, 1.0, 0.0]
    assert share_below(4.0, 2.0, 4.0, 8.0) == 1 - 0.5 * 2 / 2.001
    assert share_below(6.0, 2.0, 4.0, 8.0) == 0.5 - 0.5 * 2 / 4.001


FAR = 1.7e308


@pytest.mark.parametrize(
    ("x", "bounds", "share"),
    [
        (-FAR / 2, (-FAR, 0.0, FAR), 0.75),
        (FAR / 2, (-FAR, 0.0, FAR), 0.25),
        (0.0, (-FAR, FAR, FAR), 0.75),
        (FAR, (-FAR, FAR, FAR), 0.5),
        (0.0, (-FAR, -FAR, FAR), 0.25),
        (FAR, (-FAR, -FAR, FAR), 0.0),
        (-FAR / 2, (-FAR, FAR, FAR), 0.875),
    ],
)
def test_the_share_falls_between_bounds_at_the_ends_of_all_numbers(x, bounds, share):
    assert share_below(x, *bounds) == pytest.approx(share)


def test_a_range_over_all_numbers_has_a_share_below():
    assert mean_share_below(-FAR, FAR, 0.0, 0.0, 0.0) == pytest.approx(0.5)
    assert mean_share_below(-FAR, FAR, FAR / 2, FAR / 2, FAR / 2) == pytest.approx(0.75)
    assert mean_share_below(-FAR, FAR, -FAR, 0.0, FAR) == pytest.approx(0.5)
    assert mean_share_below(-FAR, FAR, -FAR, FAR, FAR) == pytest.approx(0.75)
    assert mean_share_below(-FAR, 0.0, -FAR, FAR, FAR) == pytest.approx(0.875)


def test_a_range_counts_by_how_much_of_it_lies_below():
    assert mean_share_below(70.0, 100.0, 75.0, 75.0, 75.0) == pytest.approx(1 / 6)
    assert mean_share_below(0.0, 70.0, 75.0, 75.0, 75.0) == 1.0
    assert mean_share_below(76.0, 80.0, 75.0, 75.0, 75.0) == 0.0
    assert mean_share_below(0.0, 10.0, 2.0, 4.0, 8.0) == pytest.approx(0.2 + 0.15 + 0.1, abs=1e-3)
