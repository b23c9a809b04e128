"""Every wrong file is refused with one sentence: where, what stands there, what would be right."""

import os
import sys
from pathlib import Path

import pytest

from ctree import read_arff, read_c45, read_cases, read_csv, read_names
from ctree.errors import DataError, ParameterError

GOLF = """Play, Don't Play.

outlook: sunny, overcast, rain.
temperature: continuous.
windy: true, false.
"""
GOOD = "sunny,85,false,Don't Play\nrain,71,true,Play\n"
COLOURS = "yes, no.\ncolour: discrete 2.\nx: continuous.\n"

# name: (the .names file, the .data file, the message)
WRONG_NAMES = {
    "empty": ("", GOOD, "t.names: the file is empty; it should list the classes and the attributes"),
    "comments only": ("| nothing\n", GOOD, "t.names: the file is empty; it should list the classes and the attributes"),
    "no attributes": ("yes, no.\n", GOOD, "t.names:1: there are no attributes after the classes"),
    "no classes": (
        "outlook: sunny, rain.\n",
        GOOD,
        "t.names:1: the classes should come first, but 'outlook' is followed by a colon",
    ),
    "classes not ended": (
        "yes, no\n, maybe\na: b, c.\n",
        GOOD,
        "t.names:2: an attribute has no name before its colon",
    ),
    "missing colon": (
        "yes, no.\noutlook sunny, rain.\n",
        GOOD,
        "t.names:2: a colon is expected after the attribute name 'outlook sunny'",
    ),
    "missing colon at the end": (
        "yes, no.\na: b.\nc",
        GOOD,
        "t.names:3: a colon is expected after the attribute name 'c'",
    ),
    "two colons": (
        "yes, no.\na: b: c.\n",
        GOOD,
        "t.names:2: the values of attribute 'a' do not end before the colon after 'b'",
    ),
    "missing period": (
        "yes, no.\na: b, c,\nd: e, f.\n",
        GOOD,
        "t.names:3: the values of attribute 'a' do not end before the colon after 'd'",
    ),
    "end after a name": (
        "yes, no.\na: b, c.\nd:",
        GOOD,
        "t.names:3: the file ends after the name of attribute 'd'; its values are missing",
    ),
    "end after a comma": (
        "yes, no.\na: b,\n\n",
        GOOD,
        "t.names:2: the file ends after the comma behind 'b'; attribute 'a' should go on",
    ),
    "classes end after a comma": (
        "yes, no,",
        GOOD,
        "t.names:1: the file ends after the comma behind 'no'; the list of classes should go on",
    ),
    "attribute twice": ("yes, no.\na: b, c.\nd: e.\na: f, g.\n", GOOD, "t.names:4: two attributes are called 'a'"),
    "value twice": ("yes, no.\na: b, c,\n   b.\n", GOOD, "t.names:3: attribute 'a' has 'b' twice"),
    "class twice": ("yes, no, yes.\na: b.\n", GOOD, "t.names:1: the list of classes has 'yes' twice"),
    "empty value": ("yes, no.\na: b,, c.\n", GOOD, "t.names:2: attribute 'a' has an empty name between its commas"),
    "no value at all": ("yes, no.\na: .\n", GOOD, "t.names:2: attribute 'a' has an empty name between its commas"),
    "empty class": (",yes.\na: b.\n", GOOD, "t.names:1: the list of classes has an empty name between its commas"),
    "empty name": ("yes, no.\n: b, c.\n", GOOD, "t.names:2: an attribute has no name before its colon"),
    "discrete without a number": (
        "yes, no.\na: discrete.\n",
        GOOD,
        "t.names:2: attribute 'a' is declared 'discrete', "
        "but 'discrete' needs the greatest number of values, as in 'discrete 10'",
    ),
    "discrete none": (
        "yes, no.\na: discrete 0.\n",
        GOOD,
        "t.names:2: attribute 'a' is declared 'discrete 0', "
        "but 'discrete' needs the greatest number of values, as in 'discrete 10'",
    ),
    "discrete with a word": (
        "yes, no.\na: discrete ten.\n",
        GOOD,
        "t.names:2: attribute 'a' is declared 'discrete ten', "
        "but 'discrete' needs the greatest number of values, as in 'discrete 10'",
    ),
    "not UTF-8": (
        b"yes, no.\n\na: caf\xe9, b.\n",
        GOOD,
        "t.names:3: the byte 0xe9 is not UTF-8 text; save the file as UTF-8",
    ),
}
WRONG_DATA = {
    "illegal value": (
        GOLF,
        "sunny,85,false,Play\nfoggy,85,false,Play\n",
        "t.data:2: attribute 'outlook' has the value 'foggy', which is not one of sunny, overcast, rain",
    ),
    "nearly a value": (
        GOLF,
        "sunny,85,false,Play\n| a comment\n\novercats,85,false,Play\n",
        "t.data:4: attribute 'outlook' has the value 'overcats', which is not one of sunny, overcast, rain "
        "(did you mean 'overcast'?)",
    ),
    "wrong case": (
        GOLF,
        "Sunny,85,false,Play\n",
        "t.data:1: attribute 'outlook' has the value 'Sunny', which is not one of sunny, overcast, rain "
        "(did you mean 'sunny'?)",
    ),
    "many values": (
        "c.\na: " + ", ".join(f"v{i}" for i in range(20)) + ".\n",
        "w,c\n",
        "t.data:1: attribute 'a' has the value 'w', which is not one of v0, v1, v2, v3, v4, v5, v6, v7, …",
    ),
    "empty value": (
        GOLF,
        ",85,false,Play\n",
        "t.data:1: attribute 'outlook' has no value before its comma; write ? if it is unknown",
    ),
    "empty number": (
        GOLF,
        "sunny,,false,Play\n",
        "t.data:1: attribute 'temperature' has no value before its comma; write ? if it is unknown",
    ),
    "short": (
        GOLF,
        GOOD + "sunny,85,false\nrain,71,true,Play\n",
        "t.data:3: the case ends after 3 of its 4 fields (3 attributes and the class); the class has no value",
    ),
    "very short": (
        GOLF,
        "sunny\nrain,71,true,Play\n",
        "t.data:1: the case ends after 1 of its 4 fields (3 attributes and the class); "
        "attribute 'temperature' has no value",
    ),
    "short at the end of the file": (
        GOLF,
        "sunny,85,",
        "t.data:1: the case ends after 2 of its 4 fields (3 attributes and the class); attribute 'windy' has no value",
    ),
    "short with a comment": (
        GOLF,
        "sunny,85|,true,Play\n",
        "t.data:1: the case ends after 2 of its 4 fields (3 attributes and the class); attribute 'windy' has no value",
    ),
    "long": (
        GOLF,
        "sunny,85,false,Play,more\n",
        "t.data:1: the case has more than 4 fields (3 attributes and the class); the first extra one is 'more'",
    ),
    "two cases on a line": (
        GOLF,
        "sunny,85,false,Play. rain,71,true,Play.\n",
        "t.data:1: the case has more than 4 fields (3 attributes and the class); the first extra one is 'rain'",
    ),
    "long after a continued line": (
        GOLF,
        "sunny,85,\nfalse,Play:x\n",
        "t.data:2: the case has more than 4 fields (3 attributes and the class); the first extra one is 'x'",
    ),
    "no such class": (
        GOLF,
        "sunny,85,false,Rest\n",
        "t.data:1: the class is 'Rest', which is not one of Play, Don't Play",
    ),
    "nearly a class": (
        GOLF,
        "sunny,85,false,Dont Play\n",
        "t.data:1: the class is 'Dont Play', which is not one of Play, Don't Play (did you mean 'Don't Play'?)",
    ),
    "unknown class": (
        GOLF,
        GOOD + "sunny,85,false,?\n",
        "t.data:3: the class is unknown (?), but should be one of Play, Don't Play",
    ),
    "not a number": (
        GOLF,
        "sunny,hot,false,Play\n",
        "t.data:1: attribute 'temperature' has the value 'hot', which is not a number",
    ),
    "number and more": (
        GOLF,
        "sunny,85 F,false,Play\n",
        "t.data:1: attribute 'temperature' has the value '85 F', which is not a number",
    ),
    "nan": (
        GOLF,
        "sunny,nan,false,Play\n",
        "t.data:1: attribute 'temperature' has the value 'nan', which is not a number; write ? if it is unknown",
    ),
    "infinity": (
        GOLF,
        "sunny,-inf,false,Play\n",
        "t.data:1: attribute 'temperature' has the value '-inf', which is not a finite number",
    ),
    "too large": (
        GOLF,
        "sunny,1e999,false,Play\n",
        "t.data:1: attribute 'temperature' has the value '1e999', which is too large for a number",
    ),
    "underscore": (
        GOLF,
        "sunny,1_000,false,Play\n",
        "t.data:1: attribute 'temperature' has the value '1_000', which is not a number",
    ),
    "hexadecimal": (
        GOLF,
        "sunny,0x1F,false,Play\n",
        "t.data:1: attribute 'temperature' has the value '0x1F', which is not a number",
    ),
    "too many values": (
        COLOURS,
        "red,1,yes\n?,1,yes\nblue,1,no\nred,1,no\ngreen,1,no\n",
        "t.data:5: attribute 'colour' has the value 'green', "
        "which is one more than the 2 values it may have, red, blue",
    ),
    "no cases": (GOLF, "", "t.data: the file has no cases"),
    "blank lines only": (GOLF, "\n  \n|\n", "t.data: the file has no cases"),
    "not UTF-8": (
        GOLF,
        b"sunny,85,false,Play\n\xff,1,false,Play\n",
        "t.data:2: the byte 0xff is not UTF-8 text; save the file as UTF-8",
    ),
    "zero byte": (
        GOLF,
        b"sun\0ny,85,false,Play\n",
        "t.data:1: attribute 'outlook' has the value 'sun\\x00ny', which is not one of sunny, overcast, rain "
        "(did you mean 'sunny'?)",
    ),
    "long value": (
        GOLF,
        "s" * 100 + ",85,false,Play\n",
        f"t.data:1: attribute 'outlook' has the value '{'s' * 59}…', which is not one of sunny, overcast, rain",
    ),
}


def write(folder: Path, names: str | bytes, data: str | bytes) -> None:
    for suffix, text in ((".names", names), (".data", data)):
        (folder / ("t" + suffix)).write_bytes(text if isinstance(text, bytes) else text.encode())


@pytest.mark.parametrize(("names", "data", "message"), WRONG_NAMES.values(), ids=WRONG_NAMES.keys())
def test_wrong_names_file(names, data, message, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    write(tmp_path, names, data)
    with pytest.raises(DataError) as caught:
        read_c45("t")
    assert str(caught.value) == message
    with pytest.raises(DataError) as caught:
        read_names("t.names")
    assert str(caught.value) == message


@pytest.mark.parametrize(("names", "data", "message"), WRONG_DATA.values(), ids=WRONG_DATA.keys())
def test_wrong_data_file(names, data, message, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    write(tmp_path, names, data)
    with pytest.raises(DataError) as caught:
        read_c45("t")
    assert str(caught.value) == message
    assert caught.value.file == "t.data"


def test_the_message_names_the_file_as_it_was_given(tmp_path):
    write(tmp_path, GOLF, "x")
    with pytest.raises(DataError) as caught:
        read_c45(tmp_path / "t")
    assert caught.value.file == str(tmp_path / "t.data")
    assert caught.value.line == 1


def test_missing_files(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    with pytest.raises(DataError, match=r"^t\.names: there is no such file$"):
        read_c45("t")
    Path("t.names").write_text(GOLF)
    with pytest.raises(DataError, match=r"^t\.data: there is no such file$"):
        read_c45("t")
    with pytest.raises(DataError, match=r"^t\.test: there is no such file$"):
        read_c45("t", "test")


def test_a_directory_is_not_a_file(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    Path("t.names").write_text(GOLF)
    Path("t.data").mkdir()
    with pytest.raises(DataError, match=r"^t\.data: this is a directory, not a file$"):
        read_c45("t")


@pytest.mark.skipif(sys.platform == "win32" or os.geteuid() == 0, reason="root may read everything")
def test_a_file_that_may_not_be_read(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    Path("t.names").write_text(GOLF)
    Path("t.names").chmod(0)
    with pytest.raises(DataError, match=r"^t\.names: the file cannot be read \(Permission denied\)$"):
        read_c45("t")


def test_a_path_that_no_system_takes():
    with pytest.raises(DataError, match="cannot be read"):
        read_c45("a\0b")


def test_the_wrong_test_file_is_named(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    write(tmp_path, GOLF, GOOD)
    Path("t.test").write_text("sunny,1,true,Play\nhail,1,true,Play\n")
    with pytest.raises(DataError, match=r"^t\.test:2: attribute 'outlook' has the value 'hail'"):
        read_c45("t", "test")


def test_unlabelled_and_labelled_cases_do_not_mix(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    write(tmp_path, GOLF, "sunny,85,false\nrain,71,true,Play\n")
    schema = read_names("t.names")
    with pytest.raises(DataError) as caught:
        read_cases("t.data", schema, labels="optional")
    message = "t.data:2: the case has more than 3 fields (3 attributes); the first extra one is 'Play'"
    assert str(caught.value) == message


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"part": "train"}, "part is 'train', but should be one of 'data', 'test'"),
        ({"unknown_class": "skip"}, "unknown_class is 'skip', but should be one of 'error', 'drop', 'keep'"),
        ({"labels": "no"}, "labels is 'no', but should be one of 'required', 'optional'"),
    ],
)
def test_options_out_of_range(options, message, tmp_path):
    write(tmp_path, GOLF, GOOD)
    with pytest.raises(ParameterError) as caught:
        read_c45(tmp_path / "t", **options)
    assert str(caught.value) == message


@pytest.mark.parametrize(
    "junk", [b"\0" * 5000, bytes(range(256)) * 20, b"|" * 999, b"\\" * 999, b"," * 999, b". " * 999]
)
def test_junk_is_refused(junk, tmp_path):
    for names, data in ((GOLF.encode(), junk), (junk, GOOD.encode())):
        (tmp_path / "t.names").write_bytes(names)
        (tmp_path / "t.data").write_bytes(data)
        with pytest.raises(DataError):
            read_c45(tmp_path / "t")


@pytest.mark.parametrize("values", ["{a, ?, b}", "{a, , b}"])
def test_unknown_is_no_value_of_an_arff_attribute(values, tmp_path):
    pytest.importorskip("arff")
    path = tmp_path / "t.arff"
    path.write_text(f"@relation r\n@attribute x {values}\n@attribute y {{n, p}}\n@data\na,n\n?,p\n")
    with pytest.raises(DataError, match=r"t.arff: attribute 'x' lists \? or nothing, which is no value"):
        read_arff(path)


@pytest.mark.parametrize("delimiter", ["", "::", '"', "\n", "\r", 5])
def test_a_delimiter_is_one_character_that_divides_the_cells_of_a_line(delimiter, tmp_path):
    (tmp_path / "t.csv").write_text('"a","b"\n1,2\n')
    with pytest.raises(DataError, match="should be one character") as caught:
        read_csv(tmp_path / "t.csv", delimiter=delimiter)
    assert "\n" not in str(caught.value)
