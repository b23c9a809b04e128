"""Whatever is wrong with linked tables is told in one sentence, with its place."""

import copy
import json
import re

import pytest
from support.linked_tables import molecules

import ctree
from ctree.data.relational.bias import check_constants, check_links
from ctree.errors import CtreeError, DataConversionWarning, DataError, DataTypeError, ParameterError

SCHEMA = {
    "format": "ctree-relational",
    "version": 1,
    "target": {"table": "molecule", "column": "class", "classes": ["pos", "neg"]},
    "tables": {
        "molecule": {
            "file": "molecule.csv",
            "key": "molecule",
            "columns": {"molecule": "key", "lumo": "continuous", "class": "class"},
        },
        "atom": {
            "file": "atom.csv",
            "key": "atom",
            "columns": {"atom": "key", "molecule": "key", "element": "discrete", "charge": "continuous"},
        },
        "bond": {
            "file": "bond.csv",
            "key": None,
            "symmetric": ["atom1", "atom2"],
            "columns": {"atom1": "key", "atom2": "key", "type": "discrete"},
        },
    },
    "foreign_keys": [
        {"table": "atom", "column": "molecule", "references": "molecule"},
        {"table": "bond", "column": "atom1", "references": "atom"},
        {"table": "bond", "column": "atom2", "references": "atom"},
    ],
    "bias": {"links": {"bond.atom2": "up"}, "constants": {"atom.charge": False}},
}
FILES = {
    "molecule.csv": "molecule,lumo,class\nm1,-1.5,pos\nm2,,neg\n",
    "atom.csv": "atom,molecule,element,charge\na1,m1,c,0.5\na2,m1,o,-1\na3,m2,,\n",
    "bond.csv": "atom1,atom2,type\na1,a2,2\n",
}


def folder_with(path, schema=None, **files):
    """A folder with the files above, some of them replaced."""
    for name, text in {**FILES, **{f"{name}.csv": text for name, text in files.items()}}.items():
        (path / name).write_text(text)
    (path / "schema.json").write_text(schema if isinstance(schema, str) else json.dumps(schema or SCHEMA))
    return path


def changed(change):
    schema = copy.deepcopy(SCHEMA)
    change(schema)
    return schema


def set_at(*places):
    """A change of one field: the places that lead to it, and its value."""

    def change(schema):
        *path, last, value = places
        for place in path:
            schema = schema[place]
        schema[last] = value

    return change


def test_the_files_are_right_before_they_are_changed(tmp_path):
    data = ctree.read_relational(folder_with(tmp_path))
    assert [table.n_rows for table in data.tables] == [2, 3, 1]
    assert data.schema.constants == (("atom.charge", False),)


SCHEMAS = {
    "not JSON": ('{"format":\n "ctree-relational",}', "schema.json:2: this is not JSON"),
    "nothing": ("", "schema.json:1: this is not JSON"),
    "a list": ("[]", 'schema.json: this is no schema of linked tables: it should be an object with "format": '),
    "another format": ('{"format": "ctree-model"}', "schema.json: this is no schema of linked tables"),
    "NaN": ('{"format": NaN}', "schema.json: this is not JSON: NaN is no value"),
    "deep": ("[" * 100_000, "schema.json"),
    "digits": ('{"version": ' + "1" * 5000 + "}", "schema.json: the file has a number of too many digits"),
    "a name twice": ('{"a": 1, "a": 2}', "schema.json: the name 'a' occurs twice in one object"),
}


@pytest.mark.parametrize("case", SCHEMAS)
def test_files_that_are_no_schema(tmp_path, case):
    text, message = SCHEMAS[case]
    with pytest.raises(DataError, match=re.escape(message)):
        ctree.read_relational(folder_with(tmp_path, text))


CHANGES = {
    "later version": (set_at("version", 2), "version 2 is later than 1, which this ctree reads"),
    "no version": (lambda s: s.pop("version"), "the field 'version' is missing"),
    "version 0": (set_at("version", 0), "'version' should be 1, not 0"),
    "tables as a list": (set_at("tables", []), "'tables' should be an object in braces, not a list"),
    "table without file": (lambda s: s["tables"]["atom"].pop("file"), "table 'atom' names no file"),
    "file is a number": (set_at("tables", "atom", "file", 3), "'tables.atom.file' should be text, not 3"),
    "no columns": (lambda s: s["tables"]["atom"].pop("columns"), "the field 'tables.atom.columns' is missing"),
    "unknown kind": (
        set_at("tables", "atom", "columns", "charge", "numeric"),
        "column 'charge' of table 'atom' is of kind 'numeric'; the kinds are key, discrete, continuous, class, ignore",
    ),
    "two class columns": (
        set_at("tables", "molecule", "columns", "lumo", "class"),
        "column 'lumo' of table 'molecule' is of kind 'class', but the class is column 'class' of table 'molecule', "
        "and there is only one",
    ),
    "class in another table": (
        set_at("tables", "atom", "columns", "element", "class"),
        "column 'element' of table 'atom' is of kind 'class', but the class is column 'class' of table 'molecule'",
    ),
    "class of another kind": (
        set_at("tables", "molecule", "columns", "class", "discrete"),
        "column 'class' of table 'molecule' is named as the class of the examples, but is of kind 'discrete'; it should "
        "be of kind 'class'",
    ),
    "no such class column": (
        set_at("target", "column", "clas"),
        "table 'molecule' has no column 'clas', which is named as the class (columns: molecule, lumo, class) "
        "(did you mean 'class'?)",
    ),
    "no class column": (
        lambda s: (s["target"].pop("column"), s["tables"]["molecule"]["columns"].pop("class")),
        "the target names no class column, which should hold the class of each example",
    ),
    "class without target": (lambda s: s["target"].pop("column"), "is of kind 'class', but the target names no class"),
    "no such target": (
        set_at("target", "table", "molecul"),
        "the target is a table: there is no table 'molecul' (tables: molecule, atom, bond) (did you mean 'molecule'?)",
    ),
    "class that is none": (set_at("target", "classes", ["pos", None]), "'target.classes' has null, which is no class"),
    "class twice": (set_at("target", "classes", ["pos", "pos"]), "the class 'pos' is listed twice"),
    "target without key": (
        set_at("tables", "molecule", "key", None),
        "the target table 'molecule' needs a key, by which other tables refer to its rows: the foreign key "
        "'atom.molecule' does",
    ),
    "table without key": (
        set_at("tables", "atom", "key", None),
        "the foreign key 'bond.atom1' refers to table 'atom', which has no key",
    ),
    "no such key": (
        set_at("tables", "atom", "key", "atm"),
        "table 'atom' has no column 'atm', which is named as the key",
    ),
    "key of another kind": (
        set_at("tables", "atom", "key", "element"),
        "column 'element' of table 'atom' is named as the key of its table, but is of kind 'discrete'; it should be of "
        "kind 'key'",
    ),
    "composite key": (
        set_at("tables", "atom", "key", ["molecule", "atom"]),
        "the key of table 'atom' is ['molecule', 'atom'], but keys are single columns; join the columns into one",
    ),
    "key is a number": (
        set_at("tables", "atom", "key", 1),
        "the key of table 'atom' is 1, but should be the name of a",
    ),
    "composite foreign key": (
        set_at("foreign_keys", 1, "column", ["atom1", "atom2"]),
        "a foreign key of table 'bond' is ['atom1', 'atom2'], but keys are single columns; join the columns into one",
    ),
    "foreign key to no table": (
        set_at("foreign_keys", 1, "references", "atoms"),
        "the foreign key 'bond.atom1' refers to no table: there is no table 'atoms' (tables: molecule, atom, bond) "
        "(did you mean 'atom'?)",
    ),
    "foreign key of no table": (
        set_at("foreign_keys", 1, "table", "bonds"),
        "the foreign key 'bonds.atom1' has no table: there is no table 'bonds'",
    ),
    "foreign key of no column": (
        set_at("foreign_keys", 1, "column", "atom3"),
        "table 'bond' has no column 'atom3', which is named as a foreign key",
    ),
    "foreign key of another kind": (
        set_at("foreign_keys", 1, "column", "type"),
        "column 'type' of table 'bond' is named as a foreign key, but is of kind 'discrete'",
    ),
    "foreign key twice": (
        lambda s: s["foreign_keys"].append({"table": "bond", "column": "atom1", "references": "molecule"}),
        "the foreign key 'bond.atom1' is listed twice; a column refers to one table",
    ),
    "foreign keys as text": (set_at("foreign_keys", "all"), "'foreign_keys' should be a list, not 'all'"),
    "foreign key as text": (set_at("foreign_keys", ["x"]), "'foreign_keys' should be an object in braces, not 'x'"),
    "symmetric of one": (set_at("tables", "bond", "symmetric", ["atom1"]), "bond.symmetric' should list two columns"),
    "symmetric, twice the same": (
        set_at("tables", "bond", "symmetric", ["atom1", "atom1"]),
        "the symmetric table 'bond' names 'atom1' as both of its ends",
    ),
    "symmetric, no column": (
        set_at("tables", "bond", "symmetric", ["atom1", "atom3"]),
        "table 'bond' has no column 'atom3', which is named as an end of a symmetric table",
    ),
    "symmetric, no foreign key": (
        set_at("tables", "bond", "symmetric", ["atom1", "type"]),
        "the symmetric table 'bond' names 'type' as one of its ends, but that is no foreign key",
    ),
    "symmetric, two tables": (
        lambda s: s["foreign_keys"][2].update(references="molecule"),
        "the symmetric table 'bond' has the ends 'atom1' and 'atom2', which refer to 'atom' and 'molecule'; they should "
        "refer to one table",
    ),
    "symmetric is referred to": (
        lambda s: (
            s["tables"]["bond"].update(key="bond", columns={**s["tables"]["bond"]["columns"], "bond": "key"}),
            s["tables"]["atom"]["columns"].update(best="key"),
            s["foreign_keys"].append({"table": "atom", "column": "best", "references": "bond"}),
        ),
        "the foreign key 'atom.best' refers to table 'bond', which is symmetric; no foreign key may",
    ),
}


@pytest.mark.parametrize("case", CHANGES)
def test_schemas_that_are_wrong(tmp_path, case):
    change, message = CHANGES[case]
    with pytest.raises(DataError, match=re.escape(message)) as error:
        ctree.read_relational(folder_with(tmp_path, changed(change)))
    assert str(error.value).startswith(f"{tmp_path}/schema.json: ")


BIASES = {
    "no foreign key": (
        {"links": {"bond.atm1": "up"}},
        "links names 'bond.atm1', but the foreign keys are atom.molecule, bond.atom1, bond.atom2 "
        "(did you mean 'bond.atom1'?)",
    ),
    "no direction": (
        {"links": {"bond.atom1": "left"}},
        "links['bond.atom1'] must be 'both', 'down', 'up' or 'none', not 'left'",
    ),
    "no column": (
        {"constants": {"atom.chrge": True}},
        "constants names 'atom.chrge', but the columns are molecule.lumo, atom.element, atom.charge, bond.type "
        "(did you mean 'atom.charge'?)",
    ),
    "a key": (
        {"constants": {"atom.molecule": True}},
        "constants names 'atom.molecule', a column of kind 'key'; only discrete and continuous ones are compared",
    ),
    "no flag": ({"constants": {"atom.charge": "yes"}}, "constants['atom.charge'] must be True or False, not 'yes'"),
}


@pytest.mark.parametrize("case", BIASES)
def test_links_and_constants_that_are_none(tmp_path, case):
    bias, message = BIASES[case]
    with pytest.raises(ParameterError, match=re.escape(f"{tmp_path}/schema.json: {message}")):
        ctree.read_relational(folder_with(tmp_path, changed(set_at("bias", bias))))
    data = ctree.read_relational(folder_with(tmp_path))
    check = check_links if "links" in bias else check_constants
    with pytest.raises(ParameterError, match=re.escape(message)):
        check(data.schema, *bias.values())
    with pytest.raises(ParameterError, match=r"must be a mapping from names of .*, not \['a'\]"):
        check(data.schema, ["a"])


FILES_WRONG = {
    "missing column": (
        {"atom": "atom,molecule,element,charges\na1,m1,c,1\n"},
        "atom.csv: there is no column 'charge' (columns: atom, molecule, element, charges); did you mean 'charges'?",
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


HOSTILE = {"long": "n" * 10_000, "lines": "first\nsecond", "terminal": "\x1b[2J\x07", "wide": "\U0010ffff" * 300}


@pytest.mark.parametrize("kind", HOSTILE)
def test_messages_stay_readable_whatever_names_there_are(tmp_path, kind):
    bad = HOSTILE[kind]
    plain = bad.replace("\n", " ")
    found = []

    def message_of(call, *arguments, **options):
        with pytest.raises(CtreeError) as error:
            call(*arguments, **options)
        found.append(str(error.value))

    for change, _ in CHANGES.values():
        text = json.dumps(changed(change))
        for word in ("atom", "charge", "numeric", "clas", "molecul"):
            worse = text.replace(f'"{word}"', json.dumps(bad))
            try:
                ctree.read_relational(folder_with(tmp_path, worse))
            except CtreeError as error:
                found.append(str(error).removeprefix(str(tmp_path)))
    for name, cell in (
        ("atom", f"{plain},m1,c,1\n" * 2),
        ("atom", f"a9,{plain},c,1\n"),
        ("atom", f"a9,m1,c,{plain}\n"),
    ):
        message_of(ctree.read_relational, folder_with(tmp_path, **{name: FILES[f"{name}.csv"] + cell}))
    message_of(ctree.read_relational, folder_with(tmp_path, molecule=FILES["molecule.csv"] + f"m7,1,{plain}\n"))
    problem = molecules()
    for options in (
        {"target": bad},
        {"target": ("molecule", bad)},
        {"keys": {bad: "id"}},
        {"keys": {"molecule": bad}},
        {"foreign_keys": {bad: "atom"}},
        {"foreign_keys": {"atom.molecule": bad}},
        {"symmetric": {"bond": (bad, bad)}},
        {"symmetric": {bad: ("a", "b")}},
        {"kinds": {bad: "key"}},
        {"kinds": {"atom.element": bad}},
        {"links": {bad: "up"}},
        {"constants": {bad: True}},
        {"classes": [bad]},
        {"dangling": bad},
        {"unknown_class": bad},
    ):
        message_of(ctree.RelationalData, problem.tables, **{**problem.options(), **options})
    assert len(found) > 60
    assert [m for m in found if not (m.isprintable() and 10 < len(m) <= 500)] == []


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
