"""Files and tables with wrong rows: one sentence says what is wrong in which line, or what is done about it."""

import pytest
from support.linked_files import FILES, changed, folder_with

import ctree
from ctree.errors import DataConversionWarning, DataError, DataTypeError, ParameterError

FILES_WRONG = {
    "missing column": (
        {"atom": "atom,molecule,element,charges\na1,m1,c,1\n"},
        "atom.csv: there is no column 'charge' among atom, molecule, element, charges (did you mean 'charges'?)",
    ),
    "duplicate key": (
        {"atom": "atom,molecule,element,charge\na1,m1,c,1\na2,m1,c,1\n\na3,m1,c,1\na1,m2,c,1\n"},
        "atom.csv:6: the key 'a1' of table 'atom' occurs twice, first in line 2",
    ),
    "duplicate target": (
        {"molecule": "molecule,lumo,class\nm1,1,pos\nm1,1,neg\n"},
        "molecule.csv:3: the key 'm1' of table 'molecule' occurs twice, first in line 2",
    ),
    "empty key": ({"atom": FILES["atom.csv"] + ",m2,c,1\n"}, "atom.csv:5: the key is empty"),
    "dangling": (
        {"bond": "atom1,atom2,type\na1,a2,1\na1,a9,1\n"},
        "bond.csv:3: atom2 is 'a9', and there is no such key in table 'atom'",
    ),
    "dangling, the only one": (
        {"bond": "atom1,atom2,type\na1,a9,1\n"},
        "bond.csv:2: atom2 is 'a9', and there is no such key in table 'atom'",
    ),
    "types differ": (
        {"bond": "atom1,atom2,type\na1,1.0,1\na1,2.0,1\n"},
        "bond.csv:2: none of the 2 values of atom2 is a key of table 'atom': here it is '1.0', and a key is 'a1'",
    ),
    "not a number": (
        {"atom": FILES["atom.csv"] + "a4,m1,c,?\n"},
        "atom.csv:5: charge is '?', which is not a number",
    ),
    "not a number for us": (
        {"atom": FILES["atom.csv"] + "a4,m1,c,1_000\n"},
        "atom.csv:5: charge is '1_000', which is not a number",
    ),
    "infinite": (
        {"atom": FILES["atom.csv"] + "a4,m1,c,-inf\n"},
        "atom.csv:5: charge is '-inf', and an infinite number cannot be used",
    ),
    "no examples": ({"molecule": "molecule,lumo,class\n"}, "molecule.csv: there are no examples"),
    "unknown class": (
        {"molecule": FILES["molecule.csv"] + "m3,1,\n"},
        "molecule.csv:4: the class 'class' is unknown",
    ),
    "another class": (
        {"molecule": FILES["molecule.csv"] + "m3,1,Neg\n"},
        "molecule.csv:4: the class is 'Neg', which is not one of pos, neg (did you mean 'neg'?)",
    ),
    "a short row": (
        {"bond": "atom1,atom2,type\na1,a2,1\na1,a2\n"},
        "bond.csv:3: the row has 2 fields, but the first row names 3 columns",
    ),
    "an open quote": ({"bond": 'atom1,atom2,type\na1,"a2,1\n'}, "bond.csv:2: the row cannot be read"),
    "an empty file": ({"bond": ""}, "bond.csv: the file is empty; its first row should name the columns"),
}


@pytest.mark.parametrize("case", FILES_WRONG)
def test_files_that_are_wrong(tmp_path, case):
    files, message = FILES_WRONG[case]
    with pytest.raises(DataError) as error:
        ctree.read_relational(folder_with(tmp_path, **files))
    assert str(error.value).startswith(f"{tmp_path}/{message}")


def test_files_that_are_not_there(tmp_path):
    with pytest.raises(DataError, match=r"schema.json: there is no such file"):
        ctree.read_relational(tmp_path)
    folder_with(tmp_path)
    (tmp_path / "bond.csv").unlink()
    with pytest.raises(DataError, match=r"bond.csv: there is no such file"):
        ctree.read_relational(tmp_path)


def test_dangling_keys_can_be_unknown(tmp_path):
    bonds = "atom1,atom2,type\na1,a2,1\na1,a9,1\na8,a7,1\n"
    with pytest.warns(DataConversionWarning) as warned:
        data = ctree.read_relational(folder_with(tmp_path, bond=bonds), dangling="unknown")
    assert [str(warning.message).removeprefix(f"{tmp_path}/") for warning in warned] == [
        "bond.csv: 1 value of atom1, such as 'a8', is no key of table 'atom'; it is taken for unknown",
        "bond.csv: 2 values of atom2, such as 'a9', are no keys of table 'atom'; these 2 are taken for unknown",
    ]
    assert data.table("bond").column("atom2").tolist() == [1, -1, -1]
    with pytest.warns(DataConversionWarning, match="none of the 2 values of atom2 is a key of table 'atom'"):
        ctree.read_relational(folder_with(tmp_path, bond="atom1,atom2,type\na1,8,1\na1,9,1\n"), dangling="unknown")
    with pytest.raises(ParameterError, match="dangling must be 'error' or 'unknown', not 'drop'"):
        ctree.read_relational(tmp_path, dangling="drop")


def test_unknown_classes_can_be_dropped(tmp_path):
    molecules = FILES["molecule.csv"] + "m3,1,\n"
    data = ctree.read_relational(folder_with(tmp_path, molecule=molecules), unknown_class="drop")
    assert data.keys == ["m1", "m2"]
    assert data.table("molecule").n_rows == 3
    assert not data.closure()["molecule"][2]
    folder_with(tmp_path, molecule="molecule,lumo,class\nm1,1,\nm2,1,\n")
    with pytest.raises(DataError, match=r"molecule.csv: there are no examples: the class of every one is unknown"):
        ctree.read_relational(tmp_path, unknown_class="drop")
    with pytest.raises(ParameterError, match="unknown_class is 'x', but should be one of 'error', 'drop', 'keep'"):
        ctree.read_relational(tmp_path, unknown_class="x")
    with pytest.raises(ParameterError, match="labels is 'x', but should be one of 'required', 'optional'"):
        ctree.read_relational(tmp_path, labels="x")


def test_what_is_allowed(tmp_path):
    """One class, empty linked tables, examples without linked rows, cycles, and a target to which nothing refers."""
    schema = changed(lambda s: s["target"].pop("classes"))
    schema["tables"]["atom"]["columns"]["next"] = "key"
    schema["foreign_keys"].append({"table": "atom", "column": "next", "references": "atom"})
    data = ctree.read_relational(
        folder_with(
            tmp_path,
            schema,
            molecule="molecule,lumo,class\nm1,,pos\n",
            atom="atom,molecule,element,charge,next\n",
            bond="atom1,atom2,type\n",
        )
    )
    assert data.schema.classes == ("pos",)
    assert data.describe().without_linked_rows == 1
    assert [table.n_rows for table in data.seen] == [1, 0, 0]
    assert data.down(3)[0].tolist() == [0]
    alone = ctree.RelationalData({"t": {"x": [1.5], "y": ["a"]}}, target=("t", "y"))
    assert alone.keys is None
    assert [mask.tolist() for mask in alone.closure().values()] == [[True]]


def test_tables_in_memory_that_are_none():
    with pytest.raises(DataTypeError, match="the tables are a list, but should be a mapping from the names of tables"):
        ctree.RelationalData([], target="a")
    with pytest.raises(DataTypeError, match="a table is called 1, but names of tables should be text"):
        ctree.RelationalData({1: {"a": [1]}}, target="a")
    with pytest.raises(DataTypeError, match="table 'a' is a list without names of columns; give a DataFrame or a dict"):
        ctree.RelationalData({"a": [[1, 2], [3, 4]]}, target="a")
    with pytest.raises(DataError, match="table 'a': the columns differ in length"):
        ctree.RelationalData({"a": {"x": [1], "y": [1, 2]}}, target="a")
    with pytest.raises(ParameterError, match="target must be the names of a table and of its class column, or only of"):
        ctree.RelationalData({"a": {"x": [1]}}, target=("a", "x", "y"))
