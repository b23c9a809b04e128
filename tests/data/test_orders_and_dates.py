"""Columns with an order, and of dates and times: what files and tables make of them, and what they refuse."""

import datetime

import numpy as np
import pytest
from support.orders import SIZES, orders

import ctree
from ctree import Attribute, Dataset, Kind, Schema, from_arrays, read_c45, read_csv, write_c45, write_csv
from ctree.errors import DataError, NamingError, ParameterError

NAMES = """good, bad.
number: label.
size: [ordered] small, medium, large.
since: date.
at: time.
seen: timestamp.
case weight: continuous.
"""
DATA = """C-1, small, 2024/03/01, 10:00:00, 2024-03-01 10:00:00, 1, good
C-2, large, 2023-01-01, 11:30, 2023/01/01T11:30:00.25Z, 2.5, bad
?, ?, ?, N/A, ?, 1, good.
C-4, N/A, 2022-5-1, 12:00:00.5, 2022-05-01, 1, bad
"""


@pytest.fixture
def stem(tmp_path):
    return tmp_path / "cases"


def write(stem, names=NAMES, data=DATA):
    stem.with_suffix(".names").write_text(names)
    stem.with_suffix(".data").write_text(data)
    return stem


class TestC50Files:
    def test_all_kinds_of_attributes(self, stem):
        data = read_c45(write(stem))
        assert [a.kind.value for a in data.schema] == ["ignore", "ordered", "date", "time", "timestamp", "ignore"]
        assert data.schema[1].values == ("small", "medium", "large")
        assert data.case_names == ("C-1", "C-2", None, "C-4")
        assert data.weights.tolist() == [1, 2.5, 1, 1]
        assert data[1] == {
            "size": "large",
            "since": "2023-01-01",
            "at": "11:30:00",
            "seen": "2023-01-01 11:30:00.250000",
        }
        assert set(data[2].values()) == {None}
        assert data[3]["size"] is None
        assert data[3]["since"] == "2022-05-01"

    def test_there_and_back(self, stem):
        data = read_c45(write(stem))
        copy = stem.with_name("copy")
        write_c45(data, copy)
        again = read_c45(copy)
        assert again.schema == data.schema
        assert again.case_names == data.case_names
        assert [again[i] for i in range(4)] == [data[i] for i in range(4)]
        assert again.weights.tolist() == data.weights.tolist()

    def test_scanned_as_read(self, stem):
        pytest.importorskip("pyarrow")
        data = read_c45(write(stem))
        with ctree.scan_c45(stem) as cases:
            assert cases.schema == data.schema
            assert cases.weighted
            model = ctree.ProbabilityTreeClassifier().fit(cases)
        assert model.tree_ == ctree.ProbabilityTreeClassifier().fit(data).tree_

    @pytest.mark.parametrize(
        ("names", "data", "message"),
        [
            ("size: [ordered].", "small", r"names:2: attribute 'size' is \[ordered\] but lists no values"),
            ("size: [ordered] small, medium.", "large", "data:1: .*'large', which is not in the order small, medium"),
            ("x := a + b.", "1", "names:2: attribute 'x' is defined by a formula, which is not supported: compute it"),
            ("since: date.", "2023-02-29", "data:1: .*'since' has the value '2023-02-29', which is no date such as"),
            ("since: date.", "1.2.2023", "data:1: attribute 'since' has the value '1.2.2023', which is no date"),
            ("since: date.", "2023-02-01 12:00", "data:1: .*it has a time of day, so the attribute may be a timestamp"),
            (
                "at: time.",
                "25:00:00",
                "data:1: attribute 'at' has the value '25:00:00', which is no time such as 13:45",
            ),
            ("seen: timestamp.", "noon", "data:1: .*'noon', which is no timestamp such as 2024-03-31 13:45:00"),
            ("x: continuous.\ncase weight: continuous.", "1, -2", "data: the weight of case 1 is -2, but should be"),
            (
                "x: continuous.\ncase weight: continuous.",
                "1, ?",
                "data: the weight of case 1 is unknown, but should be",
            ),
        ],
    )
    def test_what_is_wrong_is_said(self, stem, names, data, message):
        write(stem, f"good, bad.\n{names}\n", f"{data}, good\n")
        with pytest.raises(DataError, match=message):
            read_c45(stem)

    def test_marks_that_are_values(self, stem):
        attribute = Attribute("x", Kind.DISCRETE, ("[ordered] a", "=b"))
        single = Attribute("y", Kind.DISCRETE, ("date",))
        data = Dataset(Schema((attribute, single), ("good", "bad")), [[0, 1], [0, 0]], [0, 1])
        write_c45(data, stem)
        assert read_c45(stem).schema == data.schema

    def test_cases_without_classes_may_have_times(self, stem):
        schema = read_c45(write(stem, "good, bad.\nat: time.\nx: continuous.\n", "10:00:00, 1, good\n")).schema
        stem.with_suffix(".new").write_text("10:00:30, 2\n")
        data = ctree.read_cases(stem.with_suffix(".new"), schema, labels="optional")
        assert data.classes is None
        assert data[0] == {"at": "10:00:30", "x": 2.0}


class TestCsv:
    TEXT = "size,since,at,play\nsmall,2024-03-01,10:00,yes\nlarge,2024/4/1,?,no\n?,,23:59:59.5,no\n"

    def read(self, tmp_path, text=TEXT, **options):
        path = tmp_path / "cases.csv"
        path.write_text(text)
        return read_csv(path, **options)

    def test_orders_and_dates(self, tmp_path):
        data = self.read(tmp_path, ordered={"size": ["small", "medium", "large"]}, dates=["since", "at"])
        assert [a.kind.value for a in data.schema] == ["ordered", "date", "time"]
        assert [data[i]["size"] for i in range(3)] == ["small", "large", None]
        assert [data[i]["since"] for i in range(3)] == ["2024-03-01", "2024-04-01", None]

    def test_dates_of_which_some_have_a_time_are_timestamps(self, tmp_path):
        data = self.read(tmp_path, "t,y\n2024-03-01,a\n2024-03-02 12:00,b\n", dates=["t"])
        assert data.schema[0].kind is Kind.TIMESTAMP
        assert data.value(0, 0) == "2024-03-01 00:00:00"

    def test_there_and_back(self, tmp_path):
        data = orders(50)
        write_csv(data, tmp_path / "o.csv")
        again = read_csv(tmp_path / "o.csv", ordered={"size": SIZES}, dates=["day", "at", "time"])
        assert again.schema.attributes[0] == data.schema[0]
        assert [again[i] for i in range(50)] == [{**data[i], "number": float(data[i]["number"])} for i in range(50)]

    @pytest.mark.parametrize(
        ("options", "error", "message"),
        [
            (
                {"ordered": {"size": ["small", "medium"]}},
                DataError,
                "csv:3: .*'large', which is not in the order small",
            ),
            ({"dates": ["size"]}, DataError, "csv:2: attribute 'size' has the value 'small', which is no date"),
            ({"dates": ["since"], "ordered": {"since": ["a"]}}, NamingError, "'since' is said to be of two kinds"),
            ({"dates": ["play"]}, NamingError, "column 'play' is the class, which cannot be a date"),
            ({"ordered": {"play": ["no", "yes"]}}, NamingError, "'play' is the class, which cannot be in an order"),
            ({"dates": ["sinse"]}, NamingError, "there is no column 'sinse'"),
            ({"ordered": ["size"]}, ParameterError, "ordered is .*, but should map columns to lists of their values"),
            ({"ordered": {"size": "small"}}, ParameterError, "the order of 'size' is 'small', but should be a list"),
            ({"ordered": {"size": ["small", "small"]}}, DataError, "attribute 'size' lists the value 'small' twice"),
        ],
    )
    def test_what_is_wrong_is_said(self, tmp_path, options, error, message):
        with pytest.raises(error, match=message):
            self.read(tmp_path, **options)

    def test_a_file_for_a_model(self, tmp_path):
        schema = self.read(tmp_path, ordered={"size": ["small", "medium", "large"]}, dates=["since", "at"]).schema
        data = self.read(tmp_path, self.TEXT.replace("large", "huge"), schema=schema)
        assert data[1] == {"size": None, "since": "2024-04-01", "at": None}
        with pytest.raises(DataError, match="csv:2: attribute 'since' has the value 'soon', which is no date"):
            self.read(tmp_path, self.TEXT.replace("2024-03-01", "soon"), schema=schema)

    def test_scanned_as_read(self, tmp_path):
        pytest.importorskip("pyarrow")
        told = {"ordered": {"size": SIZES}, "dates": ["day", "at", "time"]}
        data = orders(3000)
        write_csv(data, tmp_path / "o.csv")
        with ctree.scan_csv(tmp_path / "o.csv", memory="1MB", **told) as cases:
            assert cases.schema == read_csv(tmp_path / "o.csv", **told).schema
            model = ctree.ProbabilityTreeClassifier().fit(cases)
        assert model.tree_.to_text() == ctree.ProbabilityTreeClassifier().fit(data).tree_.to_text()
        wrong = (tmp_path / "o.csv").read_text().replace("huge", "giant", 1)
        (tmp_path / "o.csv").write_text(wrong)
        with pytest.raises(DataError, match="'giant', which is not in the order tiny, small, medium, large, huge"):
            ctree.scan_csv(tmp_path / "o.csv", **told)

    def test_a_time_of_day_that_comes_late_makes_timestamps_of_all(self, tmp_path):
        pytest.importorskip("pyarrow")
        days = [f"2024-01-{1 + i % 28:02}" for i in range(30_000)]
        lines = [f"{day},{i % 2}" for i, day in enumerate([*days, "2024-02-01 12:00"])]
        (tmp_path / "late.csv").write_text("\n".join(["t,y", *lines]) + "\n")
        with ctree.scan_csv(tmp_path / "late.csv", dates=["t"]) as cases:
            assert cases.schema == read_csv(tmp_path / "late.csv", dates=["t"]).schema
            assert cases.schema[0].kind is Kind.TIMESTAMP


class TestParquet:
    def test_scanned_as_read(self, tmp_path):
        pd = pytest.importorskip("pandas")
        pytest.importorskip("pyarrow")
        data = orders(3000)
        frame = data.to_pandas("play")
        frame["size"] = frame["size"].astype(object)
        frame.to_parquet(tmp_path / "o.parquet")
        with ctree.scan_parquet(tmp_path / "o.parquet", "play", memory="1MB", ordered={"size": SIZES}) as cases:
            assert [a.kind for a in cases.schema] == [a.kind for a in data.schema]
            model = ctree.ProbabilityTreeClassifier().fit(cases)
        expected = ctree.ProbabilityTreeClassifier().fit(data)
        assert model.tree_.to_text() == expected.tree_.to_text()
        assert isinstance(frame, pd.DataFrame)
        path = str(tmp_path / "o.parquet")
        from ctree.data.scan.parquet_cases import ParquetCases

        found = np.concatenate([model.predict_proba(part) for part in ParquetCases(path, model.schema_, "play")])
        assert np.array_equal(found, expected.predict_proba(data))

    def test_what_is_wrong_is_said(self, tmp_path):
        pa = pytest.importorskip("pyarrow")
        from pyarrow import parquet

        parquet.write_table(pa.table({"size": ["s", "x"], "y": [0, 1]}), tmp_path / "w.parquet")
        with pytest.raises(
            DataError, match="row 2: attribute 'size' has the value 'x', which is not in the order s, m"
        ):
            ctree.scan_parquet(tmp_path / "w.parquet", "y", ordered={"size": ["s", "m"]})
        with pytest.raises(NamingError, match="ordered names 'sise', but there is no column 'sise'"):
            ctree.scan_parquet(tmp_path / "w.parquet", "y", ordered={"sise": ["s", "m"]})


class TestTables:
    def test_categories_with_an_order(self):
        pd = pytest.importorskip("pandas")
        column = pd.Categorical(["m", None, "s"], categories=["s", "m", "l"], ordered=True)
        data = from_arrays(pd.DataFrame({"size": column}))
        assert data.schema[0] == Attribute("size", Kind.ORDERED, ("s", "m", "l"))
        assert [data.value(i, 0) for i in range(3)] == ["m", None, "s"]
        assert from_arrays(pd.DataFrame({"size": column.as_unordered()})).schema[0].is_discrete
        told = from_arrays(pd.DataFrame({"size": column.as_unordered()}), ordered=["size"])
        assert told.schema == data.schema

    def test_an_enum_has_an_order_if_a_person_says_so(self):
        pl = pytest.importorskip("polars")
        pytest.importorskip("narwhals")
        frame = pl.DataFrame({"size": pl.Series(["m", "s"], dtype=pl.Enum(["s", "m", "l"]))})
        assert from_arrays(frame).schema[0].kind is Kind.DISCRETE
        assert from_arrays(frame, ordered=["size"]).schema[0] == Attribute("size", Kind.ORDERED, ("s", "m", "l"))

    @pytest.mark.parametrize(
        ("ordered", "message"),
        [
            ({"size": ["s"]}, "attribute 'size' has the value 'm', which is not in the order s"),
            ({"sise": ["s"]}, "ordered names 'sise', but there is no column 'sise'"),
            ({"size": []}, r"the order of 'size' is \[\], but should be a list of its values"),
            (["size"], "ordered names 'size', whose type does not list its values: give them in their order"),
            ("size", "ordered is 'size', but should map columns"),
            ({"size": ["s", None]}, "attribute 'size' has the value None in its order, which is not text"),
        ],
    )
    def test_what_is_wrong_is_said(self, ordered, message):
        with pytest.raises((DataError, ParameterError), match=message):
            from_arrays({"size": ["s", "m"]}, ordered=ordered)

    def test_columns_of_several_kinds_are_refused_by_name(self):
        mixed = [datetime.date(2020, 1, 1), datetime.time(1)]
        with pytest.raises(
            DataError, match=r"attribute 'when' has the value datetime\.date\(2020, 1, 1\), which is not"
        ):
            from_arrays({"when": mixed})

    def test_zones_become_utc(self):
        zone = datetime.timezone(datetime.timedelta(hours=2))
        moments = [datetime.datetime(2024, 3, 1, 12, tzinfo=zone), datetime.datetime(2024, 3, 1, 12)]
        data = from_arrays({"at": moments})
        assert [data.value(i, 0) for i in range(2)] == ["2024-03-01 10:00:00", "2024-03-01 12:00:00"]

    def test_parts_of_a_microsecond_are_cut_off(self):
        moments = np.array(["1969-12-31T23:59:59.999999999", "2024-01-01T00:00:00.000000999"], dtype="datetime64[ns]")
        data = from_arrays({"at": moments})
        assert [data.value(i, 0) for i in range(2)] == ["1969-12-31 23:59:59.999999", "2024-01-01 00:00:00"]

    def test_years_that_no_text_has_are_refused(self):
        with pytest.raises(DataError, match="column 'at' has a date outside of the years 1 to 9999, in row 2"):
            from_arrays({"at": np.array(["2024-01-01", "12024-01-01"], dtype="datetime64[D]")})


class TestDatasets:
    def test_places_may_be_codes_or_numbers(self):
        schema = Schema((Attribute("size", Kind.ORDERED, ("s", "m")),), ("a",))
        assert Dataset(schema, [[0, 1, -1]]).columns[0].tolist()[:2] == [0.0, 1.0]
        assert Dataset(schema, [[0.0, np.nan]]).value(1, 0) is None
        with pytest.raises(DataError, match="attribute 'size' has the code 2, but codes go from 0 to 1"):
            Dataset(schema, [[2]])
        with pytest.raises(DataError, match=r"attribute 'size' has the place 0\.5, but places go from 0 to 1"):
            Dataset(schema, [[0.5]])

    @pytest.mark.parametrize(("kind", "number"), [(Kind.DATE, 0.5), (Kind.TIME, -1.0), (Kind.TIMESTAMP, 1e18)])
    def test_numbers_that_are_no_dates_are_refused(self, kind, number):
        with pytest.raises(DataError, match=f"but a {kind.value} is a whole number of"):
            Dataset(Schema((Attribute("when", kind),), ("a",)), [[number]])

    def test_cases_keep_their_names(self):
        data = ctree.load_golf()
        named = Dataset(data.schema, data.columns, data.classes, case_names=[f"day {i}" for i in range(14)])
        assert named[[3, 5]].case_names == ("day 3", "day 5")
        model = ctree.C45Classifier().fit(data)
        why = model.explain(named[3:4])
        assert str(why).startswith("day 3: class ")
        assert why.to_dict()["case"] == "day 3"


class TestDask:
    def test_a_frame_is_that_of_memory(self):
        frames = pytest.importorskip("dask.dataframe")
        data = orders(500)
        frame = data.to_pandas("play").drop(columns=["day", "time"])  # objects, of which Dask makes text
        spread = frames.from_pandas(frame, npartitions=3)
        with ctree.scan_dask(spread, "play") as cases:
            assert cases.schema[0] == data.schema[0]
            assert cases.schema[3].kind is Kind.TIMESTAMP
            model = ctree.ProbabilityTreeClassifier().fit(cases)
        expected = ctree.ProbabilityTreeClassifier().fit(from_arrays(frame, "play"))
        assert model.tree_.to_text() == expected.tree_.to_text()
        told = spread.assign(size=spread["size"].astype(str))
        with ctree.scan_dask(told, "play", ordered={"size": [*SIZES, "nan"]}) as cases:
            assert cases.schema[0].kind is Kind.ORDERED
