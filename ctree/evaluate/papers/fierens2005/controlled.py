"""Section 3.2 of Fierens and others' report: the influence of classes, examples, skew and tests, on other sets.

The report's figures are curves without numbers, on sets that are relational (diterpenes, hiv, trains) or not public
(asm). So its sentences about them are checked, on the sets that are most like them.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping

import numpy as np
import numpy.typing as npt

from ctree.data.bins import bin_codes, equal_width_cuts
from ctree.data.dataset import Column, Dataset
from ctree.data.schema import Attribute, Kind, Schema
from ctree.errors import DataError
from ctree.evaluate.comparison import Comparison
from ctree.evaluate.papers.fierens2005.figures import METHODS
from ctree.evaluate.papers.fierens2005.notes import CONTROLLED_NOTES
from ctree.evaluate.papers.fierens2005.setting import (
    TITLE,
    change,
    gap,
    learners,
    sample,
    stacked,
    with_fewer_classes,
)
from ctree.evaluate.papers.lab import Lab
from ctree.evaluate.papers.report import Difference, Finding, Report, Section, over_sets
from ctree.evaluate.papers.unknown_values import with_unknown_as_value
from ctree.evaluate.protocols import LearningCurve, StratifiedFolds
from ctree.evaluate.tables import measure_table

LEAN = ("MDLs", "MDLp", "BICs", "BICp")
CLASSES = (3, 5, 8, 12, 16, 20, 23)
"""How many classes are left, on the way to the three that the report ends with."""
DITERPENES = 1504
"""How many cases the report's set has."""
EXAMPLES = (1_000, 3_000, 9_000, 15_000, 30_000)
TEST_SHARE = 0.2
SKEWS = (0.5, 0.7, 0.8, 0.9, 0.95, 0.98)
"""The share of the more frequent of two classes."""
RATIOS = (1.0, 0.5)
"""Of many classes, how many cases one has for each one of the class before."""
TESTS = (5, 10, 20, 40, 80, 160)
FEW_TESTS = 40
"""From here on; the report leaves very small numbers out."""
TEST_DRAWS = 5
"""How often tests are left out at random."""
CASE_DRAWS = 3
"""How often the cases of a skewed sample are drawn."""
FOLDS = StratifiedFolds(10, 1)


def classes(lab: Lab) -> Report:
    """Figure 3: the two least frequent classes are taken together, again and again."""
    sets = {}
    for name, data in lab.sets(["soybean"] if lab.quick else ["soybean", "letter"]).items():
        data = with_unknown_as_value(data)
        if data.n_cases > DITERPENES:
            data = sample(data, np.ones(data.schema.n_classes).tolist(), DITERPENES, seed=1)
        assert data.classes is not None
        present = len(np.unique(data.classes))
        for n in (*(n for n in CLASSES if n < present), present):
            sets[f"{name}, {n}"] = with_fewer_classes(data, n)
    result = lab.compare(sets, learners(), FOLDS)
    report = _report(lab, result, "Number of classes, as in Figure 3", "classes")
    rows = result.rows
    for name in dict.fromkeys(row.partition(",")[0] for row in rows):
        own = [i for i, row in enumerate(rows) if row.startswith(f"{name},")]
        few, most = own[0], own[-1]
        others = [m for m in METHODS if m not in LEAN]
        fall = {m: change(result, most, few, m) for m in METHODS}
        least = max((fall[m] for m in others), key=lambda d: d.mean)
        report.findings += [
            Finding.of_differences(
                f"the more classes, the smaller the trees of MDL and BIC: {name}, leaves with few less with most",
                {m: change(result, most, few, m, "leaves") for m in LEAN},
                digits=1,
            ),
            Finding.of_differences(
                f"from few classes to most, MDL and BIC lose more AUC than C4.4, C4.5 and Chi: {name}, beyond the most "
                "that these lose",
                {m: Difference(fall[m].mean - least.mean, float(np.hypot(fall[m].error, least.error))) for m in LEAN},
                digits=1,
            ),
            Finding.of_differences(
                f"with 3 and 5 classes BIC can compete (within a point of C4.4 and C4.5): {name}",
                {
                    f"{rows[i].rpartition(' ')[2]} classes, less {m}": gap(result, i, "BICp", m)
                    for i in own[:2]
                    for m in ("C4.4", "C4.5")
                },
                mark=-1.0,
                digits=1,
            ),
            Finding.of_differences(
                f"with most classes C4.4, C4.5 and Chi rank better than BIC: {name}",
                {m: gap(result, most, m, "BICp") for m in others},
                digits=1,
            ),
        ]
    return report


def examples(lab: Lab) -> Report:
    """Figures 4 and 5: training sets of growing size."""
    sets = {}
    for name, data in lab.sets(["letter"] if lab.quick else ["letter", "adult"], whole=True).items():
        if name == "letter":
            sets["letter, H or not"] = one_against_others(data, "H")
        else:
            sets[name] = with_unknown_as_value(data)
    sizes = EXAMPLES[:2] if lab.quick else EXAMPLES
    curve = LearningCurve(sizes, test_share=TEST_SHARE, repeats=3)
    result = stacked([lab.compare({name: data}, learners(), curve) for name, data in sets.items()])
    # Training sets overlap at most as they would if all other cases were for training.
    result.test_ratios[:] = TEST_SHARE / (1 - TEST_SHARE)
    report = _report(lab, result, "Number of examples, as in Figures 4 and 5", "examples")
    for name in sets:
        own = [i for i, row in enumerate(result.rows) if row.startswith(f"{name} (")]
        most = own[-1]
        report.findings += [
            Finding.of_differences(
                f"with most examples BICp's trees are larger than those of MDL, BICs and Chi: {name}, leaves",
                {m: gap(result, most, "BICp", m, "leaves") for m in ("MDLs", "MDLp", "BICs", "Chi")},
                digits=1,
            ),
            Finding.of_differences(
                f"with most examples BICp ranks better than they do (on hiv, not on trains): {name}",
                {m: gap(result, most, "BICp", m) for m in ("MDLs", "MDLp", "BICs", "Chi")},
                digits=1,
            ),
        ]
    if "letter, H or not" in sets:
        own = [i for i, row in enumerate(result.rows) if row.startswith("letter, H")]
        report.findings.append(
            Finding.of_differences(
                "on a skewed set C4.5 ranks worse than C4.4 (on hiv): letter, H or not",
                {result.rows[i].rpartition(" ")[2]: gap(result, i, "C4.4", "C4.5") for i in own},
                digits=1,
            )
        )
    if "adult" in sets:
        own = [i for i, row in enumerate(result.rows) if row.startswith("adult (")]
        report.findings.append(
            Finding.of_differences(
                "C4.4 overfits noisy classes whatever the number of examples (on trains): adult, BICp less C4.4",
                {result.rows[i].rpartition(" ")[2]: gap(result, i, "BICp", "C4.4") for i in own},
                digits=1,
            )
        )
    return report


def skew(lab: Lab) -> Report:
    """Figure 6: two classes, one of them ever rarer; and many classes, for the advice that the report gives."""
    found = lab.sets(["adult"] if lab.quick else ["adult", "pendigits"], whole=True)
    n, draws = (600, range(2)) if lab.quick else (3_000, range(CASE_DRAWS))
    sets: dict[str, Dataset] = {}
    if "adult" in found:
        adult = with_unknown_as_value(found["adult"])
        assert adult.classes is not None
        common = int(np.argmax(np.bincount(adult.classes)))
        for share in SKEWS:
            shares = [share if c == common else 1 - share for c in (0, 1)]
            sets |= {f"adult, {share:.0%}, {draw}": sample(adult, shares, n, seed=draw) for draw in draws}
    if "pendigits" in found:
        data = found["pendigits"]
        for ratio in RATIOS:
            shares = (ratio ** np.arange(data.schema.n_classes)).tolist()
            sets |= {f"pendigits, {ratio:g}, {draw}": sample(data, shares, 2_000, seed=draw) for draw in draws}
    drawn = lab.compare(sets, learners(), FOLDS)
    result = _over_draws(drawn, len(draws))
    report = _report(lab, result, "Skew of the classes, as in Figure 6", "skew")
    auc = {
        (row, method): 100 * drawn.means("auc")[i * len(draws) : (i + 1) * len(draws), j]
        for i, row in enumerate(result.rows)
        for j, method in enumerate(METHODS)
    }
    if "adult" in found:
        report.findings += _findings_on_skew(auc)
        report.findings.append(_single_leaves(result, f"adult, {SKEWS[-1]:.0%}"))
    if "pendigits" in found:
        first, last = (f"pendigits, {ratio:g}" for ratio in (RATIOS[0], RATIOS[-1]))
        report.findings.append(
            Finding.of_differences(
                "with many classes, C4.4 is the better one if they are skewed, and C4.5 if they are not",
                {
                    "C4.5 less C4.4 without skew": over_sets(auc[first, "C4.5"] - auc[first, "C4.4"]),
                    "C4.4 less C4.5 with most": over_sets(auc[last, "C4.4"] - auc[last, "C4.5"]),
                },
                digits=2,
            )
        )
    return report


def _findings_on_skew(auc: Mapping[tuple[str, str], npt.NDArray[np.float64]]) -> list[Finding]:
    even, slight = (f"adult, {share:.0%}" for share in (0.5, 0.7))
    rare = [f"adult, {share:.0%}" for share in SKEWS[-3:]]
    others = [method for method in METHODS if method != "C4.5"]
    return [
        Finding.of_differences(
            "all approaches rank better with 70 % in one class than with 50 %",
            {m: over_sets(auc[slight, m] - auc[even, m]) for m in METHODS},
            digits=1,
        ),
        Finding.of_differences(
            f"C4.5 is the least robust to skew: with {SKEWS[-1]:.0%} in one class, others less C4.5",
            {m: over_sets(auc[rare[-1], m] - auc[rare[-1], "C4.5"]) for m in others},
            digits=1,
        ),
        Finding.of_differences(
            "C4.5 is the least robust to skew: what it loses from 70 to 95 % beyond what others lose",
            {
                m: over_sets(auc[slight, "C4.5"] - auc[rare[1], "C4.5"] - auc[slight, m] + auc[rare[1], m])
                for m in others
            },
            digits=1,
        ),
        Finding.of_differences(
            "the decrease begins earlier for C4.5: C4.4 less C4.5",
            {row.split(", ")[1]: over_sets(auc[row, "C4.4"] - auc[row, "C4.5"]) for row in rare},
            digits=1,
        ),
    ]


def _single_leaves(result: Comparison, row: str) -> Finding:
    sizes = result.scores["leaves"][result.rows.index(row), result.learners.index("C4.5")]
    single = int((sizes == 1).sum())
    text = "with the greatest skew, C4.5 builds trees of a single leaf"
    return Finding(text, single == len(sizes), f"{single} of {len(sizes)} folds, {sizes.mean():.1f} leaves on average")


def tests(lab: Lab) -> Report:
    """Figure 7: tests are left out at random, some more at each step."""
    name = "credit-g"
    data = as_tests(lab.sets([name])[name], thresholds=15)
    n_draws = 2 if lab.quick else TEST_DRAWS
    orders = [np.random.default_rng(draw).permutation(len(data.schema)) for draw in range(n_draws)]
    steps = [n for n in TESTS if n < len(data.schema)][: 4 if lab.quick else None]
    sets = {
        f"{name}, {n}, {draw}": with_attributes(data, np.sort(order[:n]).tolist())
        for n in steps
        for draw, order in enumerate(orders)
    }
    sets[f"{name}, {len(data.schema)}"] = data
    result = lab.compare(sets, learners(), FOLDS)
    report = _report(lab, _over_draws(result, n_draws), "Number of tests, as in Figure 7", "tests")
    few = range(steps.index(FEW_TESTS) * n_draws, (steps.index(FEW_TESTS) + 1) * n_draws)
    changes = {
        measure: scale * (result.means(measure)[-1] - result.means(measure)[few])
        for measure, scale in (("leaves", 1), ("auc", 100))
    }
    place = result.learners.index
    grown = np.abs(changes["leaves"])
    report.findings += [
        Finding.of_differences(
            f"the trees of C4.4 and C4.5 grow with the number of tests: leaves with all less with {FEW_TESTS}",
            {m: over_sets(changes["leaves"][:, place(m)]) for m in ("C4.4", "C4.5")},
            digits=1,
        ),
        Finding.of_differences(
            f"the AUC of C4.4 and C4.5 falls with the number of tests: with {FEW_TESTS} less with all",
            {m: over_sets(-changes["auc"][:, place(m)]) for m in ("C4.4", "C4.5")},
            digits=1,
        ),
        Finding.of_differences(
            "the trees of the others change less than those of C4.4: leaves",
            {m: over_sets(grown[:, place("C4.4")] - grown[:, place(m)]) for m in (*LEAN, "Chi")},
            digits=1,
        ),
    ]
    return report


def _over_draws(result: Comparison, n_draws: int) -> Comparison:
    """The same with a row for all draws together, which has the splits of all; the last may be a row of its own."""
    n_rows, n_runs = len(result.rows), n_draws * result.scores["auc"].shape[2]
    groups = [list(range(i, min(i + n_draws, n_rows))) for i in range(0, n_rows, n_draws)]
    scores = {}
    for measure, values in result.scores.items():
        joined = [np.concatenate(list(values[rows]), axis=1) for rows in groups]
        scores[measure] = np.stack(
            [np.pad(v, ((0, 0), (0, n_runs - v.shape[1])), constant_values=np.nan) for v in joined]
        )
    rows = [", ".join(result.rows[group[0]].split(", ")[:2]) for group in groups]
    protocol = f"{result.protocol}, {n_draws} draws"
    return Comparison(rows, result.learners, scores, result.test_ratios[[g[0] for g in groups]], protocol, False)


def one_against_others(data: Dataset, name: str) -> Dataset:
    """The cases with two classes: this one, and all others together."""
    assert data.classes is not None
    if name not in data.schema.classes:
        raise DataError(f"there is no class '{name}' among {', '.join(map(str, data.schema.classes))}")
    codes = (data.classes == data.schema.classes.index(name)).astype(np.int32)
    return Dataset(Schema(tuple(data.schema), ("other", name)), data.columns, codes, data.weights, n_cases=data.n_cases)


def as_tests(data: Dataset, thresholds: int) -> Dataset:
    """The cases with an attribute of two values for each test: a value, or a threshold of equal width.

    An unknown value has none of the values, and is below no threshold.
    """
    attributes: list[Attribute] = []
    columns: list[Column | None] = []
    for attribute, column in zip(data.schema, data.columns, strict=True):
        if column is None:
            continue
        if attribute.has_order:
            numbers = np.asarray(column, dtype=np.float64)
            cuts = equal_width_cuts(numbers, thresholds + 1)
            bins = bin_codes(numbers, cuts)
            answers = {f"{attribute.name} <= {cut:g}": (bins >= 0) & (bins <= i) for i, cut in enumerate(cuts)}
        else:
            one = attribute.values[:1] if len(attribute.values) == 2 else attribute.values
            answers = {f"{attribute.name} = {value}": column == i for i, value in enumerate(one)}
        for name, answer in answers.items():
            attributes.append(Attribute(name, Kind.DISCRETE, ("no", "yes")))
            columns.append(answer.astype(np.int32))
    schema = Schema(tuple(attributes), data.schema.classes)
    return Dataset(schema, columns, data.classes, data.weights, n_cases=data.n_cases)


def with_attributes(data: Dataset, places: list[int]) -> Dataset:
    """The cases with these attributes only."""
    schema = Schema(tuple(data.schema[a] for a in places), data.schema.classes)
    return Dataset(schema, [data.columns[a] for a in places], data.classes, data.weights, n_cases=data.n_cases)


def _report(lab: Lab, result: Comparison, what: str, experiment: str) -> Report:
    report = Report(f"{TITLE}. {what}", result.protocol, lab.found, lab.lacking)
    for title, measure, scale, digits in (("Expected AUC, %", "auc", 100, 1), ("Leaves", "leaves", 1, 1)):
        means = scale * result.means(measure)
        rows = [[row, *(f"{v:.{digits}f}" for v in values)] for row, values in zip(result.rows, means, strict=True)]
        report.sections.append(Section(title, ["set", *METHODS], rows))
    report.notes += CONTROLLED_NOTES[experiment]
    report.details += [measure_table(result, m, "C4.5", test="paired") for m in ("auc", "leaves")]
    return report


CONTROLLED: Mapping[str, Callable[[Lab], Report]] = {
    "classes": classes,
    "examples": examples,
    "skew": skew,
    "tests": tests,
}
"""The experiments by name."""
