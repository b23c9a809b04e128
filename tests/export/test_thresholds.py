"""Thresholds in SQL are the model's to the last bit: a case that lies on one goes the same way."""

import sqlite3
import sys

import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st
from support import exported

import ctree
from ctree.export.dialects import bound

WRONGLY_READ = 2.5077545372218286e-06
"""By SQLite 3.40, if it stands there in decimal."""


@settings(max_examples=500)
@given(st.floats(allow_nan=False, allow_infinity=False))
@example(WRONGLY_READ)
@example(5e-324)
@example(-sys.float_info.max)
@example(float(2**53 + 2))
@example(6.27032428078629e-06)
def test_sqlite_reads_every_threshold_exactly(value):
    with sqlite3.connect(":memory:") as base:
        assert base.execute(f"SELECT {bound(value, 'sqlite')}").fetchone()[0] == value


def wrongly_read(rng):
    """Numbers of 17 digits that this SQLite reads wrongly in decimal, if there are any."""
    values = rng.uniform(0, 1e-5, size=20_000)
    with sqlite3.connect(":memory:") as base:
        return [x for x in values.tolist() if base.execute(f"SELECT {x!r}").fetchone()[0] != x]


@pytest.mark.parametrize("form", ["walk", "case"])
def test_a_case_on_a_threshold_goes_the_way_of_the_tree(form):
    rng = np.random.default_rng(0)
    for cut in [*wrongly_read(rng)[:5], WRONGLY_READ, 0.1 + 0.2]:
        x = np.array([cut, np.nextafter(cut, 1)])
        X = np.repeat(x, 5)[:, None]
        model = ctree.ProbabilityTreeClassifier(min_cases=1).fit(X, np.repeat(["no", "yes"], 5))
        assert model.tree_.threshold[0] == cut
        cases = ctree.Dataset(model.schema_, [x])
        assert exported.by_sqlite(model, cases, form).tolist() == pytest.approx(model.predict_proba(cases))


def test_a_short_decimal_stays_as_it_is_and_is_read_exactly():
    """Three places at the most; SQLite divides in 64 bits and rounds the quotient again."""
    with sqlite3.connect(":memory:") as base:
        for places in range(4):
            values = [round(n / 10**places, places) for n in range(0, 20_000 * 10**places, 4999)]
            assert all(bound(x, "sqlite") == f"{x!r}e0" for x in values)
            for start in range(0, len(values), 400):
                some = values[start : start + 400]
                assert base.execute(f"SELECT {', '.join(bound(x, 'sqlite') for x in some)}").fetchone() == tuple(some)


def test_a_discrete_value_that_is_a_number_is_found():
    values = [6.27032428078629e-06, WRONGLY_READ, 0.5]
    X = {"size": [values[i % 3] for i in range(30)]}
    y = np.array(["small", "middle", "large"])[np.arange(30) % 3]
    model = ctree.ProbabilityTreeClassifier(categorical_features=[0]).fit(X, y)
    expected = dict(zip(values, model.predict_proba({"size": values}).tolist(), strict=True))
    for declared in ("DOUBLE", "VARCHAR"):
        with sqlite3.connect(":memory:") as base:
            base.execute(f"CREATE TABLE cases (size {declared})")
            base.executemany(
                "INSERT INTO cases VALUES (?)", [(x if declared == "DOUBLE" else repr(x),) for x in values]
            )
            found = [list(row[2:]) for row in base.execute(ctree.to_sql(model, "sqlite") + " ORDER BY 1")]
        assert found == [pytest.approx(expected[x]) for x in values]
