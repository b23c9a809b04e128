"""Comma-separated and ARFF files, and files of any kind."""

import contextlib
import sys

import numpy as np
import pytest

from ctree import Attribute, Dataset, Kind, Schema, from_arrays, load_golf, read_arff, read_csv, write_arff, write_csv
from ctree.data.files.convert import read_any, write_any
from ctree.errors import DataError, MissingExtraError, ParameterError

SCHEMA = Schema(
    (
        Attribute("outlook", Kind.DISCRETE, ("rain", "sunny, hot", "St. Ives")),
        Attribute("heat", Kind.CONTINUOUS),
        Attribute("id", Kind.IGNORE),
        Attribute("windy day", Kind.DISCRETE, ("false", "it's so")),
    ),
    ("Don't Play", "Play"),
)
DATA = Dataset(SCHEMA, [[1, -1, 0, 2], [0.1, np.nan, -1e300, 5e-324], None, [1, 0, -1, 1]], [1, 0, 0, 1])


def cells(data: Dataset) -> list[list[object]]:
    return [[*(data.value(i, j) for j in range(len(data.schema))), data.labels[i]] for i in range(len(data))]


def expected_cells() -> list[list[object]]:
    return [[row[0], row[1], row[3], row[4]] for row in cells(DATA)]


@pytest.fixture
def file(tmp_path, monkeypatch):
    """Write a file and give its name."""
    monkeypatch.chdir(tmp_path)

    def make(text: str | bytes, name: str = "t.csv") -> str:
        (tmp_path / name).write_bytes(text if isinstance(text, bytes) else text.encode())
        return name

    return make


class TestCsv:
    def test_kinds_are_inferred(self, file):
        data = read_csv(file("a,b,c,class\n1,x,1,yes\n-2.5e3,?,y,no\nNA,x,?,no\nNaN,, z ,no\n"))
        assert [a.kind.value for a in data.schema] == ["continuous", "discrete", "discrete"]
        assert data.schema[2].values == ("1", "y", "z")
        assert data.schema.classes == ("no", "yes")
        assert cells(data)[3] == [None, None, "z", "no"]

    def test_layouts(self, file):
        data = read_csv(file('\ufeff"a, b";class\r\n\r\n"x; ""y"" \nz";1\r\nw; 0', "t.csv"), delimiter=";")
        assert data.schema.names == ("a, b",)
        assert cells(data) == [['x; "y" \nz', "1"], ["w", "0"]]

    def test_another_class_column_and_discrete_numbers(self, file):
        data = read_csv(file("a,b\n1,2\n3,2\n"), "a", categorical_features=["b"])
        assert data.schema == Schema((Attribute("b", Kind.DISCRETE, ("2",)),), ("1", "3"))

    def test_round_trip(self, tmp_path):
        write_csv(DATA, tmp_path / "t.csv", "play")
        assert cells(read_csv(tmp_path / "t.csv")) == expected_cells()

    def test_unknown_classes(self, file):
        name = file("a,c\n1,?\n2,y\n3,n\n")
        assert read_csv(name, unknown_class="drop").columns[0].tolist() == [2, 3]
        assert read_csv(name, unknown_class="keep").classes.tolist() == [-1, 1, 0]

    def test_for_a_known_schema(self, file):
        schema = read_csv(file("a,b,class\n1,x,yes\n2,y,no\n")).schema
        data = read_csv(file("more,b,a\n0,z,5\n0,y,\n"), schema=schema)
        assert data.schema is not None
        assert data.classes is None
        assert cells(data) == [[5.0, None, None], [None, "y", None]]
        data = read_csv(file("play,b,a\nno,z,5\n"), "play", schema=schema)
        assert data.labels == ["no"]

    @pytest.mark.parametrize(
        ("text", "message"),
        [
            ("", "t.csv: the file is empty; its first row should name the columns"),
            ("a,b\n", "t.csv: the file has no cases"),
            ("a,,b\n1,2,3\n", "t.csv:1: column 2 has no name in the first row"),
            ("a,b,a\n1,2,3\n", "t.csv:1: two columns are called 'a'"),
            ("a,b\n1,2\n\n1,2,3\n", "t.csv:4: the row has 3 fields, but the first row names 2 columns"),
            ("a,b\n1,?\n", "t.csv:2: the class 'b' is unknown; unknown_class='drop' leaves such cases out"),
            ("a,b\n1,x\ninf,y\n", "t.csv:3: attribute 'a' has an infinite value"),
            ('a,b\n"1,x\n', "t.csv:2: the row cannot be read (unexpected end of data)"),
            (b"a,b\n\xff,x\n", "t.csv:2: the byte 0xff is not UTF-8 text; save the file as UTF-8"),
        ],
    )
    def test_wrong_files(self, file, text, message):
        name = file(text)
        with pytest.raises(DataError) as caught:
            read_csv(name)
        assert str(caught.value) == message

    def test_wrong_names(self, file):
        name = file("outlook,play\nrain,yes\n")
        with pytest.raises(DataError, match=r"no column 'paly' among outlook, play \(did you mean 'play'\?\)"):
            read_csv(name, "paly")
        with pytest.raises(DataError, match="no column 'x' among outlook, play"):
            read_csv(name, categorical_features=["x"])
        with pytest.raises(DataError, match="the delimiter is ';;'"):
            read_csv(name, delimiter=";;")

    def test_wrong_for_a_known_schema(self, file):
        schema = from_arrays({"a": [1.0]}, ["yes"]).schema
        with pytest.raises(DataError, match=r"t\.csv:3: attribute 'a' has the value 'x', which is not a number"):
            read_csv(file("a\n1\nx\n"), schema=schema)
        with pytest.raises(DataError, match=r"t\.csv:2: the class is 'no', which is not one of yes"):
            read_csv(file("a,c\n1,no\n"), "c", schema=schema)

    def test_damaged_files_are_read_or_refused(self, file):
        rng = np.random.default_rng(3)
        for _ in range(500):
            text = bytearray(b'a,"b ""c""",class\n1,x,yes\n-2.5,"?,\n",no\nNA,\xc3\xbc,yes\n')
            for _ in range(rng.integers(1, 4)):
                text[rng.integers(len(text))] = rng.integers(256)
            with contextlib.suppress(DataError):
                read_csv(file(bytes(text)))

    @pytest.mark.parametrize("label", ["?", "", "NA", " a", "b\n", "c\rd", "e\0", "f\ud800g", "h" * 200_000])
    def test_values_that_cannot_be_expressed(self, tmp_path, label):
        with pytest.raises(DataError, match="which a comma-separated file cannot express"):
            write_csv(from_arrays({"a": [1.0]}, [label], class_names=[label]), tmp_path / "t.csv")

    def test_values_with_the_same_text_are_refused(self, tmp_path):
        with pytest.raises(DataError, match="a class is '1' as text and so is another"):
            write_csv(from_arrays({"a": [1.0, 2.0]}, [1, "1"]), tmp_path / "t.csv")

    def test_a_byte_order_mark_in_the_first_name_stays(self, tmp_path):
        write_csv(from_arrays({"\ufeffa": [1.0, 2.0]}, ["a", "b"]), tmp_path / "t.csv")
        assert read_csv(tmp_path / "t.csv").schema.names == ("\ufeffa",)

    def test_data_that_cannot_be_expressed(self, tmp_path):
        with pytest.raises(DataError, match="weights"):
            write_csv(DATA.with_weights([1, 1, 1, 2]), tmp_path / "t.csv")
        with pytest.raises(DataError, match="no cases"):
            write_csv(DATA.take([]), tmp_path / "t.csv")
        with pytest.raises(DataError, match="an attribute is called 'heat' too"):
            write_csv(DATA, tmp_path / "t.csv", "heat")


ARFF = """% comment
@RELATION golf
@ATTRIBUTE outlook {rain, 'sunny, hot', "St. Ives"}
@ATTRIBUTE 'the heat' REAL
@ATTRIBUTE n integer
@ATTRIBUTE play {yes, no}
@DATA
'sunny, hot', 1.5, 3, no
?, ?, ?, yes
"""


class TestArff:
    @pytest.fixture(autouse=True)
    def _needs_liac_arff(self):
        pytest.importorskip("arff")

    def test_nominal_and_numeric_attributes(self, file):
        data = read_arff(file(ARFF, "t.arff"))
        assert data.schema.names == ("outlook", "the heat", "n")
        assert data.schema[0].values == ("rain", "sunny, hot", "St. Ives")
        assert data.schema.classes == ("yes", "no")
        assert cells(data) == [["sunny, hot", 1.5, 3.0, "no"], [None, None, None, "yes"]]

    def test_another_class(self, file):
        data = read_arff(file(ARFF.replace("?, ?, ?, yes", "rain, 1, 1, ?"), "t.arff"), "outlook")
        assert data.schema.classes == ("rain", "sunny, hot", "St. Ives")
        assert data.columns[2].tolist() == [1, -1]

    def test_unknown_classes(self, file):
        name = file(ARFF, "t.arff")
        with pytest.raises(DataError, match="the class 'outlook' of case 2 is unknown"):
            read_arff(name, "outlook")
        assert len(read_arff(name, "outlook", unknown_class="drop")) == 1

    def test_a_percent_sign_in_a_wrong_value(self, file):
        with pytest.raises(DataError, match=r"t\.arff:8: the file is not ARFF \(Data value y%s not found"):
            read_arff(file(ARFF.replace("3, no", "3, y%s"), "t.arff"))

    def test_percent_signs_are_written_and_read(self, tmp_path):
        data = from_arrays({"100%s": ["%d", "y%s"]}, ["%", "a%%b"])
        write_arff(data, tmp_path / "t.arff")
        assert cells(read_arff(tmp_path / "t.arff")) == cells(data)

    @pytest.mark.parametrize("end", ["a b}", "a", "'a}", "a}}", "{a}"])
    def test_a_long_list_that_is_none_is_refused_at_once(self, file, end):
        text = ARFF.replace("{yes, no}", "{" + "v, " * 200 + end)
        with pytest.raises(DataError, match=r"t\.arff:6: the values of an attribute should stand in braces"):
            read_arff(file(text, "t.arff"))

    @pytest.mark.parametrize("values", ["{yes,no}", "{ yes , no }", "{'yes', \"no\"}", "{yes,no, 'it\\'s, {so}'}"])
    def test_lists_of_values(self, file, values):
        assert read_arff(file(ARFF.replace("{yes, no}", values), "t.arff")).schema.classes[:2] == ("yes", "no")

    @pytest.mark.parametrize("name", ["a\rb", "a\nb", "a\ud800"])
    def test_names_that_cannot_be_expressed(self, tmp_path, name):
        for data in (from_arrays({name: [1.0, 2.0]}, ["a", "b"]), from_arrays({"a": [1.0, 2.0]}, [name, "b"])):
            with pytest.raises(DataError, match="cannot be written as ARFF"):
                write_arff(data, tmp_path / "t.arff")
        assert not (tmp_path / "t.arff").exists()

    def test_round_trip(self, tmp_path):
        write_arff(DATA, tmp_path / "t.arff", "play")
        data = read_arff(tmp_path / "t.arff")
        assert cells(data) == expected_cells()
        assert data.schema[0].values == SCHEMA[0].values
        assert data.schema.classes == SCHEMA.classes

    @pytest.mark.parametrize(
        ("old", "new", "message"),
        [
            (
                "REAL",
                "string",
                "t.arff: attribute 'the heat' is of type string; it should be numeric or list its values",
            ),
            ("{yes, no}", "real", r"t.arff(:\d+)?: (the class 'play' is numeric|the file is not ARFF)"),
            ("REAL", "colour", "t.arff:4: the file is not ARFF"),
            ("1.5", "warm", "t.arff:.*the file is not ARFF"),
            ("3, no", "3, maybe", "t.arff:8: the file is not ARFF"),
            ("3, no", "no", "t.arff:8: the file is not ARFF"),
            ("outlook", "play", "t.arff:.*the file is not ARFF"),
            ("'sunny, hot', 1.5, 3, no\n?, ?, ?, yes\n", "", "t.arff: the file has no cases"),
            (ARFF, "", "t.arff: "),
            (ARFF, "nonsense\n", "t.arff:1: the file is not ARFF"),
        ],
    )
    def test_wrong_files(self, file, old, new, message):
        with pytest.raises(DataError, match=message):
            read_arff(file(ARFF.replace(old, new), "t.arff"))

    def test_a_numeric_class(self, file):
        with pytest.raises(DataError, match="the class 'n' is numeric; it should list its values"):
            read_arff(file(ARFF, "t.arff"), "n")
        with pytest.raises(DataError, match="there is no attribute 'x' among outlook, the heat, n, play"):
            read_arff(file(ARFF, "t.arff"), "x")

    def test_damaged_files_are_read_or_refused(self, file):
        rng = np.random.default_rng(3)
        for _ in range(300):
            text = bytearray(ARFF.encode())
            for _ in range(rng.integers(1, 4)):
                text[rng.integers(len(text))] = rng.integers(128)
            with contextlib.suppress(DataError):
                read_arff(file(bytes(text), "t.arff"))

    def test_data_that_cannot_be_expressed(self, tmp_path):
        with pytest.raises(DataError, match="weights"):
            write_arff(DATA.with_weights([1, 1, 1, 2]), tmp_path / "t.arff")
        with pytest.raises(DataError, match="no classes"):
            write_arff(Dataset(SCHEMA, DATA.columns), tmp_path / "t.arff")
        with pytest.raises(DataError, match="has no values"):
            write_arff(from_arrays({"a": [None]}, ["yes"], categorical_features=["a"]), tmp_path / "t.arff")

    @pytest.mark.parametrize("label", ["?", "{", "b}", 'quo"te', "back\\", "", " a ", "%", "tab\t", "new\nline", "'"])
    def test_a_label_is_read_back_or_refused(self, tmp_path, label):
        schema = Schema((Attribute("x", Kind.DISCRETE, ("plain", label)),), ("yes", label))
        data = Dataset(schema, [[0, 1]], [1, 0])
        try:
            write_arff(data, tmp_path / "t.arff")
        except DataError:
            return
        assert cells(read_arff(tmp_path / "t.arff")) == cells(data)


def test_arff_without_its_library(file, monkeypatch):
    monkeypatch.setitem(sys.modules, "arff", None)
    with pytest.raises(MissingExtraError, match=r"to install it: pip install liac-arff$"):
        read_arff(file(ARFF, "t.arff"))


@pytest.mark.parametrize("name", ["t.csv", "t.CSV", "t.arff", "t", "t.data", "t.names", "t.test"])
def test_files_of_any_kind(tmp_path, name):
    if name.endswith("arff"):
        pytest.importorskip("arff")
    if name == "t.test":
        write_any(DATA, tmp_path / "t")
    write_any(DATA, tmp_path / name)
    data = read_any(tmp_path / name)
    wanted = cells(DATA) if len(data.schema) == 4 else expected_cells()
    assert cells(data) == wanted


def test_the_files_of_c45_do_not_name_the_class(tmp_path):
    with pytest.raises(ParameterError):
        write_any(DATA, tmp_path / "t", "play")
    with pytest.raises(ParameterError):
        read_any(tmp_path / "t", "play")


def test_a_lack_of_memory_is_not_taken_for_a_damaged_arff_file(tmp_path, monkeypatch):
    arff = pytest.importorskip("arff")
    file = tmp_path / "golf.arff"
    write_arff(load_golf(), file)

    def fail(*arguments):
        raise MemoryError

    monkeypatch.setattr(arff, "load", fail)
    with pytest.raises(MemoryError):
        read_arff(file)
    with pytest.raises(MemoryError):
        write_arff(load_golf(), file)
