"""Tables and pictures of how good probabilities are, for benchmarks/probabilities.py.

A probability of 0 for the true class counts as 2.2e-16 in the log-loss, as in scikit-learn's; `zeros` counts them.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

import ctree
from ctree.evaluate.calibration import calibration_error, calibration_groups, overconfidence
from ctree.evaluate.measures import accuracy, brier, expected_auc, log_likelihood
from ctree.evaluate.significance import friedman
from ctree.render.plots.comparison import draw_critical_differences
from ctree.render.plots.figures import new_figure, saved

Floats = npt.NDArray[np.float64]
Results = dict[tuple[str, str, str], dict[str, Any]]
"""By condition, set and learner: probabilities given, leaves and seconds."""
MEASURES = {  # title, sign, digits
    "log-loss": ("log-loss", -1, 3),
    "zeros": ("true classes given 0", -1, 0),
    "brier": ("Brier score", -1, 3),
    "calibration": ("calibration error, points", -1, 2),
    "auc": ("AUC, %", 1, 2),
    "accuracy": ("accuracy, %", 1, 2),
    "leaves": ("leaves", -1, 1),
    "milliseconds": ("ms a fit", -1, 1),
}
SURE = 0.9
SHOWN = ("bayesian", "mcmc", "c4.5", "random forest", "hist gradient boosting", "sklearn tree")
"""In the reliability diagrams."""
KINDS: dict[str, Callable[[ctree.Dataset], bool]] = {
    "fewer than 300 cases": lambda data: data.n_cases < 300,
    "6 classes and more": lambda data: occurring(data) >= 6,
    "one class has 80 % and more": lambda data: np.bincount(data.classes).max() >= 0.8 * data.n_cases,
    "1 % and more unknown values": lambda data: unknown_share(data) >= 0.01,
    "only discrete attributes": lambda data: all(a.is_discrete for a in used(data)),
    "only continuous attributes": lambda data: not any(a.is_discrete for a in used(data)),
}
CONDITION_TITLES = {
    "few": "50 training cases",
    "noise": "20 % of the training classes wrong",
    "unknown": "20 % of the values unknown",
}


def used(data: ctree.Dataset) -> list[Any]:
    return [a for a, column in zip(data.schema, data.columns, strict=True) if column is not None]


def occurring(data: ctree.Dataset) -> int:
    return len(np.unique(data.classes))


def unknown_share(data: ctree.Dataset) -> float:
    shares = [
        np.mean(np.asarray(c) < 0 if a.is_discrete else np.isnan(c))
        for a, c in zip(data.schema, data.columns, strict=True)
        if c is not None
    ]
    return float(np.mean(shares)) if shares else 0.0


def scores(data: ctree.Dataset, result: dict[str, Any]) -> dict[str, float]:
    """All measures of one learner on one set."""
    given = result["given"]
    likelihood = log_likelihood(data.classes, given)
    return {
        "log-loss": -likelihood.mean,
        "zeros": likelihood.zeros,
        "brier": brier(data.classes, given),
        "calibration": 100 * calibration_error(data.classes, given),
        "auc": 100 * expected_auc(data.classes, given).value,
        "accuracy": 100 * accuracy(data.classes, given.argmax(axis=1)),
        "leaves": float(np.mean(result["leaves"])),
        "milliseconds": 1000 * float(np.mean(result["seconds"])),
        "z": overconfidence(data.classes, given),
    }


def tables_of(sets: dict[str, ctree.Dataset], learners: list[str], results: Results, condition: str) -> dict[str, Any]:
    """By measure: sets in rows, learners in columns."""
    own = [name for name in sets if (condition, name, learners[0]) in results]
    rows = [[scores(sets[name], results[condition, name, learner]) for learner in learners] for name in own]
    measures = [*MEASURES, "z"]
    return {"sets": own} | {m: np.array([[cell[m] for cell in row] for row in rows]) for m in measures}


def markdown(head: list[str], rows: list[list[str]]) -> str:
    lines = [head, ["---", *["---:"] * (len(head) - 1)], *rows]
    return "\n".join("| " + " | ".join(line) + " |" for line in lines)


def averages(table: dict[str, Any], learners: list[str], own: list[str]) -> str:
    """Means over the sets of every measure, in the order of the ranks by log-loss."""
    ranks = friedman(-table["log-loss"]).ranks
    rows = []
    for i in np.argsort(ranks, kind="stable"):
        cells = []
        for name, (_, _, digits) in MEASURES.items():
            value = table[name][:, i].sum() if name == "zeros" else np.mean(table[name][:, i])
            cells.append("" if np.isnan(value) else f"{value:.{digits}f}")
        rows.append([titled(learners[i], own), f"{ranks[i]:.2f}", *cells])
    return markdown(["learner", "rank by log-loss", *(title for title, _, _ in MEASURES.values())], rows)


def titled(learner: str, own: list[str]) -> str:
    """Our learners in bold."""
    return f"**{learner}**" if learner in own else learner


def trust(
    sets: dict[str, ctree.Dataset], table: dict[str, Any], learners: list[str], results: Results, own: list[str]
) -> str:
    """Whether cases that are given a high probability have the class, and on how many sets a learner is too sure."""
    rows = []
    for j, learner in enumerate(learners):
        shares, said, right = [], 0.0, 0.0
        for name in table["sets"]:
            given, data = results["", name, learner]["given"], sets[name]
            sure = given.max(axis=1) >= SURE
            shares.append(sure.mean())
            said += given.max(axis=1)[sure].sum() / data.n_cases
            right += (given.argmax(axis=1) == data.classes)[sure].sum() / data.n_cases
        total, z = sum(shares), table["z"][:, j]
        over, under = int((z > 2).sum()), int((z < -2).sum())
        gap = 100 * (said - right) / total if total else np.nan
        row = [titled(learner, own), f"{100 * np.mean(shares):.1f}", f"{100 * said / total:.1f}"]
        rows.append((gap, [*row, f"{100 * right / total:.1f}", f"{gap:+.1f}", str(over), str(under)]))
    rows.sort(key=lambda row: abs(row[0]))
    head = ["learner", "cases given 90 % and more, %", "given on average, %", "right, %", "too much by, points"]
    head += [f"too sure on sets (of {len(table['sets'])})", "not sure enough on"]
    return markdown(head, [row for _, row in rows])


def kinds(sets: dict[str, ctree.Dataset], table: dict[str, Any], learners: list[str], own: list[str]) -> str:
    """Mean ranks by log-loss among the sets of a kind."""
    columns, heads = [], []
    for kind, holds in KINDS.items():
        places = [i for i, name in enumerate(table["sets"]) if holds(sets[name])]
        if len(places) > 1:
            columns.append(friedman(-table["log-loss"][places]).ranks)
            heads.append(f"{kind} ({len(places)})")
    return ranked(["all", *heads], [friedman(-table["log-loss"]).ranks, *columns], learners, own)


def conditions(
    sets: dict[str, ctree.Dataset], plain: dict[str, Any], learners: list[str], results: Results, own: list[str]
) -> str:
    """Log-loss and mean rank by it on the small sets, as they are and under each condition."""
    small = [i for i, name in enumerate(plain["sets"]) if ("few", name, learners[0]) in results]
    if len(small) < 2:
        return ""
    columns, heads = [plain["log-loss"][small]], [f"as they are ({len(small)} sets)"]
    for condition, title in CONDITION_TITLES.items():
        columns.append(tables_of(sets, learners, results, condition)["log-loss"])
        heads.append(title)
    ranks = [friedman(-c).ranks for c in columns]
    rows = []
    for i in np.argsort(sum(ranks), kind="stable"):
        cells = [f"{r[i]:.1f} ({c[:, i].mean():.3f})" for r, c in zip(ranks, columns, strict=True)]
        rows.append([titled(learners[i], own), *cells])
    return markdown(["rank (log-loss)", *heads], rows)


def ranked(heads: list[str], columns: list[Floats], learners: list[str], own: list[str]) -> str:
    """Ranks, the best three of a column in bold."""
    best = [np.sort(c)[min(2, len(c) - 1)] for c in columns]
    rows = []
    for i in np.argsort(columns[0], kind="stable"):
        cells = [f"**{c[i]:.1f}**" if c[i] <= b else f"{c[i]:.1f}" for c, b in zip(columns, best, strict=True)]
        rows.append([titled(learners[i], own), *cells])
    return markdown(["learner", *heads], rows)


def by_set(table: dict[str, Any], measure: str, learners: list[str]) -> str:
    title, sign, digits = MEASURES[measure]
    rows = []
    for name, row in zip(table["sets"], table[measure], strict=True):
        best = np.nanmax(sign * row)
        cells = [f"**{v:.{digits}f}**" if sign * v >= best - 10**-digits / 2 else f"{v:.{digits}f}" for v in row]
        rows.append([name, *cells])
    return markdown([title, *learners], rows)


def text_blocks(
    sets: dict[str, ctree.Dataset], table: dict[str, Any], learners: list[str], results: Results, own: list[str]
) -> dict[str, str]:
    """The tables of the page by name; `table` is that of the sets as they are."""
    cases = [sets[name].n_cases for name in table["sets"]]
    return {
        "sets": f"{len(cases)} sets ({min(cases)} to {max(cases)} cases): {', '.join(table['sets'])}.",
        "averages": averages(table, learners, own),
        "trust": trust(sets, table, learners, results, own),
        "kinds": kinds(sets, table, learners, own),
        "conditions": conditions(sets, table, learners, results, own),
        "log-loss": by_set(table, "log-loss", learners),
        "accuracy": by_set(table, "accuracy", learners),
    }


def write_page(
    page: Path, sets: dict[str, ctree.Dataset], learners: list[str], results: Results, own: list[str]
) -> None:
    """Replace what stands between the marks of each table, and the pictures in the page's `static` folder."""
    text = page.read_text(encoding="utf-8")
    table = tables_of(sets, learners, results, "")
    for name, block in text_blocks(sets, table, learners, results, own).items():
        parts = re.split(f"(<!-- (?:begin|end) {name} -->)", text)
        if len(parts) != 5:
            raise SystemExit(f"{page}: there is not one place for the table {name}")
        before, begin, _, end, after = parts
        text = f"{before}{begin}\n{block}\n{end}{after}"
    page.write_text(text, encoding="utf-8")
    for measure in ("log-loss", "brier", "calibration", "auc"):
        title, sign, _ = MEASURES[measure]
        figure = new_figure(10.5, 1.2 + 0.3 * ((len(learners) + 1) // 2))
        draw_critical_differences(figure.subplots(), friedman(sign * table[measure]), learners, title.split(",")[0])
        saved(figure, page.parent / "static" / f"ranks-{measure}.png")
    reliability(page.parent / "static" / "reliability.png", sets, table["sets"], results, learners)


def reliability(
    file: Path, sets: dict[str, ctree.Dataset], names: list[str], results: Results, learners: list[str]
) -> None:
    """For some learners: of all cases of all sets, each class in turn, the share observed against that given."""
    shown = [n for n in SHOWN if n in learners]
    figure = new_figure(9.6, 3.3 * ((len(shown) + 2) // 3))
    panels = figure.subplots((len(shown) + 2) // 3, min(3, len(shown)), sharex=True, sharey=True, squeeze=False)
    for axes, learner in zip(panels.ravel(), shown, strict=False):
        own, given, weights = [], [], []
        for name in names:
            table = results["", name, learner]["given"]
            truth = np.eye(table.shape[1], dtype=bool)[sets[name].classes]
            own.append(truth.ravel())
            given.append(table.ravel())
            weights.append(np.full(truth.size, 1 / truth.size))  # every set counts the same
        groups = calibration_groups(np.concatenate(own), np.concatenate(given), 25, np.concatenate(weights))
        axes.plot([0, 1], [0, 1], color="grey", linewidth=0.8)
        axes.plot([g.given for g in groups], [g.observed for g in groups], "o-", markersize=3.5)
        axes.set_title(learner, fontsize=10)
        axes.set_aspect("equal")
    for axes in panels[-1]:
        axes.set_xlabel("probability given")
    for axes in panels[:, 0]:
        axes.set_ylabel("share observed")
    saved(figure, file)
