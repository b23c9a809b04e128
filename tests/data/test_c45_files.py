"""Reading and writing `.data` and `.test` files."""

import math
from pathlib import Path

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from ctree import Attribute, Dataset, Kind, Schema, read_c45, read_cases, read_names, write_c45
from ctree.data.dates import LIMITS
from ctree.errors import DataError

GOLF = """Play, Don't Play.

outlook: sunny, overcast, rain.
temperature: continuous.
windy: true, false.
"""


@pytest.fixture
def stem(tmp_path):
    return tmp_path / "t"


def write(stem: Path, names: str, data: str | bytes, test: str | None = None) -> None:
    stem.with_suffix(".names").write_text(names)
    stem.with_suffix(".data").write_bytes(data if isinstance(data, bytes) else data.encode())
    if test is not None:
        stem.with_suffix(".test").write_text(test)


def cells(data: Dataset) -> list[list[object]]:
    """All values as the person wrote them, the class last."""
    return [[*(data.value(i, j) for j in range(len(data.schema))), data.labels[i]] for i in range(len(data))]


def assert_equal(a: Dataset, b: Dataset) -> None:
    """Equal schemas, and equal bits in every column."""
    assert a.schema == b.schema
    for x, y in zip((*a.columns, a.classes), (*b.columns, b.classes), strict=True):
        assert (x is None) == (y is None)
        if x is not None and y is not None:
            assert x.dtype == y.dtype
            assert x.tobytes() == y.tobytes()


def test_values_and_classes_are_coded_in_their_order(stem):
    write(stem, GOLF, "rain,71,true,Don't Play\nsunny,-8.5e1,false,Play\n")
    data = read_c45(stem)
    assert [c.tolist() for c in data.columns] == [[2, 0], [71.0, -85.0], [0, 1]]
    assert data.classes.tolist() == [1, 0]
    assert [c.dtype for c in data.columns] == [np.int32, np.float64, np.int32]
    assert data.weights is None


def test_unknown_values(stem):
    write(stem, GOLF, "?,?,?,Play\n ? , ?, ?,Play\n")
    assert cells(read_c45(stem)) == [[None, None, None, "Play"]] * 2


@pytest.mark.parametrize(
    "text",
    [
        "sunny,85,false,Don't Play\nrain,71,true,Play\n",
        "sunny,85,false,Don't Play\nrain,71,true,Play",
        "sunny,85,false,Don't Play\r\nrain,71,true,Play\r\n",
        "sunny,85,false,Don't Play.\nrain,71,true,Play.",
        "sunny,85,false,Don't Play.\r\nrain,71,true,Play. \r\n\r\n",
        "\ufeffsunny,85,false,Don't Play\nrain,71,true,Play\n",
        "  sunny ,\t85 , false , Don't   Play \n\n\n rain,71,true,Play\n",
        "| cases\nsunny,85,false,Don't Play | no\n   | yes\nrain,71,true,Play|",
        "sunny,\n85,\nfalse, | more\n\nDon't Play\nrain,71,\ntrue,Play",
        "sunny,85,false,Don't Play,\nrain,71,true,Play,\n",
        "sunny:85:false:Don't Play\nrain,71.,true,Play",
        "sunny. 85. false. Don't Play.\nrain,+7.1e1,true,Play",
        "\\sunny,8\\5,fal\\se,Don't\\ Play\nrain,71,true,Play",
    ],
)
def test_the_layout_does_not_matter(stem, text):
    write(stem, GOLF, text)
    assert cells(read_c45(stem)) == [["sunny", 85.0, "false", "Don't Play"], ["rain", 71.0, "true", "Play"]]


def test_minus_999_is_a_number(stem):
    write(stem, GOLF, "rain,-999,true,Play\n")
    assert read_c45(stem).columns[1].tolist() == [-999.0]


def test_ignored_fields_may_hold_anything(stem):
    write(stem, "yes, no.\na: ignore.\nb: continuous.\n", "x y z,1,yes\n,2,no\n?,3,no\n")
    data = read_c45(stem)
    assert data.columns[0] is None
    assert data.columns[1].tolist() == [1, 2, 3]


def test_the_files_of_a_stem_stand_for_it(stem):
    write(stem, GOLF, "rain,71,true,Play\n", "sunny,1,true,Play\n")
    for name in (str(stem), f"{stem}.names", f"{stem}.data", f"{stem}.test"):
        assert len(read_c45(name)) == 1
        assert read_c45(name, "test").columns[0].tolist() == [0]


def test_a_stem_that_looks_like_a_file(tmp_path):
    write(tmp_path / "t", GOLF, "rain,71,true,Play\n")
    (tmp_path / "t.data.names").write_text("yes.\nx: continuous.\n")
    (tmp_path / "t.data.data").write_text("1,yes\n")
    assert read_c45(tmp_path / "t.data").schema.names == ("x",)


class TestCollectedValues:
    NAMES = "yes, no.\ncolour: discrete 3.\nx: continuous.\n"

    def test_values_are_those_of_the_data_in_order_of_appearance(self, stem):
        write(stem, self.NAMES, "red,1,yes\n?,1,no\nblue,2,no\nred,3,no\n", "blue,1,yes\ngreen,2,no\nred,3,no\n")
        data, test = read_c45(stem), read_c45(stem, "test")
        assert data.schema[0].values == ("red", "blue")
        assert data.columns[0].tolist() == [0, -1, 1, 0]
        assert test.schema == data.schema
        assert test.columns[0].tolist() == [1, -1, 0]

    def test_an_attribute_that_is_never_known_has_no_values(self, stem):
        write(stem, self.NAMES, "?,1,yes\n")
        assert read_c45(stem).schema[0].values == ()

    def test_many_values(self, stem):
        values = [f"v{i % 5000}" for i in range(20_000)]
        write(stem, self.NAMES.replace("3", "5000"), "".join(f"{v},1,yes\n" for v in values))
        data = read_c45(stem)
        assert data.schema[0].values == tuple(f"v{i}" for i in range(5000))
        assert data.columns[0].tolist() == [i % 5000 for i in range(20_000)]

    def test_values_of_every_length(self, stem):
        values = ["x" * n + end for n in range(40) for end in "ab"]
        write(stem, self.NAMES.replace("3", "80"), "".join(f"{v},1,yes\n" for v in values * 2))
        data = read_c45(stem)
        assert data.schema[0].values == tuple(values)
        assert data.columns[0].tolist() == list(range(80)) * 2
        listed = f"yes, no.\ncolour: {', '.join(values)}.\nx: continuous.\n"
        write(stem, listed, "".join(f"{v} ,1,yes.\n{v},1,yes\n" for v in values))
        assert read_c45(stem).columns[0].tolist() == [i // 2 for i in range(160)]

    def test_not_applicable_does_not_count(self, stem):
        write(stem, self.NAMES, "a,1,yes\nN/A,1,yes\nb,1,yes\nc,1,yes\n")
        assert read_c45(stem).schema[0].values == ("a", "N/A", "b", "c")

    def test_the_data_file_is_needed_for_the_test_file(self, stem):
        write(stem, self.NAMES, "a,1,yes\n", "a,1,yes\n")
        stem.with_suffix(".data").unlink()
        with pytest.raises(DataError, match="no such file"):
            read_c45(stem, "test")


class TestNotApplicable:
    def test_it_is_one_more_discrete_value_and_unknown_as_a_number(self, stem):
        write(stem, GOLF, "rain,N/A,N/A,Play\nrain,1,true,Play\n")
        data = read_c45(stem)
        assert data.schema[2].values == ("true", "false", "N/A")
        assert data.schema[0].values == ("sunny", "overcast", "rain")
        assert data.columns[2].tolist() == [2, 0]
        assert math.isnan(data.columns[1][0])

    def test_the_test_file_has_the_schema_of_the_data_file(self, stem):
        write(stem, GOLF, "rain,1,N/A,Play\n", "N/A,1,N/A,Play\n")
        test = read_c45(stem, "test")
        assert test.schema == read_c45(stem).schema
        assert [test.columns[0].tolist(), test.columns[2].tolist()] == [[-1], [2]]

    def test_first_seen_in_the_test_file_it_is_unknown(self, stem):
        write(stem, GOLF, "rain,1,true,Play\n", "N/A,1,N/A,Play\n")
        assert read_c45(stem, "test").columns[2].tolist() == [-1]

    def test_declared_it_is_a_value_like_others(self, stem):
        write(stem, "yes.\na: N/A, b.\n", "b,yes\nN/A,yes\n")
        assert read_c45(stem).columns[0].tolist() == [1, 0]

    def test_the_data_file_is_not_needed_for_the_test_file(self, stem):
        write(stem, GOLF, "", "rain,1,true,Play\n")
        stem.with_suffix(".data").unlink()
        assert len(read_c45(stem, "test")) == 1


class TestUnknownClasses:
    DATA = "rain,1,true,?\nrain,2,true,Play\nsunny,3,true,?\n"

    def test_kept(self, stem):
        write(stem, GOLF, self.DATA)
        assert read_c45(stem, unknown_class="keep").classes.tolist() == [-1, 0, -1]

    def test_dropped(self, stem):
        write(stem, GOLF, self.DATA)
        data = read_c45(stem, unknown_class="drop")
        assert data.classes.tolist() == [0]
        assert data.columns[1].tolist() == [2]

    def test_all_dropped(self, stem):
        write(stem, GOLF, "rain,1,true,?\n")
        with pytest.raises(DataError, match="the class of every case is unknown"):
            read_c45(stem, unknown_class="drop")


class TestCasesOfAKnownSchema:
    def test_without_classes(self, stem):
        write(stem, GOLF, "rain,1,true\nsunny,2,false.\n")
        data = read_cases(stem.with_suffix(".data"), read_names(stem.with_suffix(".names")), labels="optional")
        assert data.classes is None
        assert data.columns[0].tolist() == [2, 0]

    def test_with_classes_after_all(self, stem):
        write(stem, GOLF, "rain,1,true,Play\n")
        schema = read_names(stem.with_suffix(".names"))
        assert read_cases(stem.with_suffix(".data"), schema, labels="optional").classes.tolist() == [0]

    def test_new_values_may_be_unknown(self, stem):
        write(stem, GOLF, "hail,1,true,Play\n")
        schema = read_names(stem.with_suffix(".names"))
        data = read_cases(stem.with_suffix(".data"), schema, new_values="unknown")
        assert data.columns[0].tolist() == [-1]

    def test_labels_that_are_not_text(self, stem):
        schema = Schema((Attribute("a", Kind.DISCRETE, (3, 2.5)),), (0, 1))
        write(stem, GOLF, "2.5,1\n3,0\n")
        data = read_cases(stem.with_suffix(".data"), schema)
        assert data.schema is schema
        assert data.columns[0].tolist() == [1, 0]
        assert data.labels == [1, 0]


LABELS = st.one_of(
    st.text(min_size=1, max_size=8),
    st.text(alphabet=" .,:|\\?\t\r\nab\ufeff", min_size=1, max_size=6),
    st.sampled_from(["continuous", "ignore", "discrete 4", "N/A", "?", "...", "a.", "1e5", "discrete"]),
).filter(lambda label: label[-1] not in " \t\r\n")


def moments(kind):
    """Dates, times or timestamps, all that doubles tell apart, and unknown ones."""
    low, high = LIMITS[kind]
    return st.integers(max(low, -(2**53)), min(high - 1, 2**53)).map(float) | st.just(np.nan)


@st.composite
def datasets(draw):
    """Any data set that a C4.5 file can express."""
    n = draw(st.integers(1, 6))
    names = draw(st.lists(LABELS, min_size=1, max_size=4, unique=True))
    attributes, columns = [], []
    for name in names:
        kind = draw(st.sampled_from(Kind))
        least = {Kind.DISCRETE: 0, Kind.ORDERED: 1}.get(kind)
        values = () if least is None else tuple(draw(st.lists(LABELS, min_size=least, max_size=4, unique=True)))
        attributes.append(Attribute(name, kind, values))
        if kind in LIMITS:
            columns.append(draw(st.lists(moments(kind), min_size=n, max_size=n)))
        elif kind is Kind.CONTINUOUS:
            column = draw(st.lists(st.floats(allow_infinity=False), min_size=n, max_size=n))
            columns.append(np.where(np.isnan(column), np.nan, column))
        elif least is not None:
            columns.append(draw(st.lists(st.integers(-1, len(values) - 1), min_size=n, max_size=n)))
        else:
            columns.append(None)
    classes = tuple(draw(st.lists(LABELS, min_size=1, max_size=3, unique=True)))
    codes = draw(st.lists(st.integers(-1, len(classes) - 1), min_size=n, max_size=n))
    return Dataset(Schema(tuple(attributes), classes), columns, codes, n_cases=n)


class TestWriting:
    @settings(max_examples=300, deadline=None, suppress_health_check=[HealthCheck.too_slow])
    @given(data=datasets())
    @pytest.mark.slow
    def test_what_is_written_is_read_back_bit_for_bit(self, data, tmp_path_factory):
        stem = tmp_path_factory.getbasetemp() / "written"
        write_c45(data, stem)
        assert_equal(read_c45(stem, unknown_class="keep"), data)
        write_c45(data, stem, "test")
        assert_equal(read_c45(stem, "test", unknown_class="keep"), data)

    def test_the_text_is_plain(self, stem):
        write(stem, GOLF, "rain,71,true,Don't Play.\n ?,0.1,false,Play\n")
        write_c45(read_c45(stem), stem.with_name("copy"))
        assert stem.with_name("copy.names").read_text() == GOLF
        assert stem.with_name("copy.data").read_text() == "rain,71.0,true,Don't Play\n?,0.1,false,Play\n"

    def test_the_test_part_has_no_names_file(self, stem):
        write(stem, GOLF, "rain,71,true,Play\n")
        write_c45(read_c45(stem), stem.with_name("copy"), "test")
        assert not stem.with_name("copy.names").exists()
        assert stem.with_name("copy.test").exists()

    def test_labels_that_are_not_text_become_text(self, stem):
        schema = Schema((Attribute("a", Kind.DISCRETE, (0, 1.5, 7)),), (False, True))
        write_c45(Dataset(schema, [[1, 2]], [1, 0]), stem)
        assert cells(read_c45(stem)) == [["1.5", "True"], ["7", "False"]]

    def test_cases_without_classes(self, stem):
        schema = Schema((Attribute("a", Kind.CONTINUOUS),), ("yes", "no"))
        write_c45(Dataset(schema, [[1.0, math.nan]]), stem)
        data = read_c45(stem, labels="optional")
        assert data.classes is None
        assert cells(data) == [[1.0, None], [None, None]]

    @pytest.mark.parametrize(
        ("schema", "message"),
        [
            (Schema((Attribute("", Kind.CONTINUOUS),), ("a",)), "an attribute name is empty"),
            (Schema((Attribute("x ", Kind.CONTINUOUS),), ("a",)), "an attribute name is 'x ' with white space"),
            (Schema((Attribute("x", Kind.CONTINUOUS),), ("a", "")), "a class is empty"),
            (Schema((Attribute("x", Kind.CONTINUOUS),), ("a\t",)), "white space at its end"),
            (Schema((Attribute("x", Kind.CONTINUOUS),), ("\ud800",)), "not Unicode text"),
            (Schema((Attribute("x", Kind.CONTINUOUS),), (1, "1")), "cannot tell apart"),
            (Schema((Attribute("x", Kind.CONTINUOUS),), ()), "without classes"),
            (Schema((), ("a",)), "without attributes"),
        ],
    )
    def test_what_cannot_be_expressed_is_refused(self, stem, schema, message):
        data = Dataset(schema, [[1.0]] * len(schema), n_cases=1)
        with pytest.raises(DataError, match=message):
            write_c45(data, stem)
        assert not stem.with_suffix(".names").exists()

    @pytest.mark.parametrize("value", ["", "two ", "line\n"])
    def test_values_that_cannot_be_expressed_are_refused(self, stem, value):
        schema = Schema((Attribute("x", Kind.DISCRETE, ("a", value)),), ("yes",))
        with pytest.raises(DataError, match="a value of attribute 'x' is"):
            write_c45(Dataset(schema, [[0]], [0]), stem)

    def test_weights_are_refused(self, stem):
        schema = Schema((Attribute("x", Kind.CONTINUOUS),), ("yes",))
        with pytest.raises(DataError, match="weights"):
            write_c45(Dataset(schema, [[1.0]], [0], [2.0]), stem)

    def test_no_cases_are_refused(self, stem):
        schema = Schema((Attribute("x", Kind.CONTINUOUS),), ("yes",))
        with pytest.raises(DataError, match="no cases"):
            write_c45(Dataset(schema, [[]], []), stem)

    def test_a_folder_that_is_not_there(self, tmp_path):
        schema = Schema((Attribute("x", Kind.CONTINUOUS),), ("yes",))
        with pytest.raises(DataError, match="cannot be written"):
            write_c45(Dataset(schema, [[1.0]], [0]), tmp_path / "no" / "t")
