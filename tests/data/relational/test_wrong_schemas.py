"""Schemas of linked tables that are wrong: one sentence says what, with the file."""

import json
import re

import pytest
from hypothesis import given
from hypothesis import strategies as st
from support.linked_files import FILES, changed, folder_with, set_at
from support.linked_tables import molecules

import ctree
from ctree.data.relational.bias import check_constants, check_links
from ctree.data.relational.json_lines import EntryLines
from ctree.errors import CtreeError, DataError, ParameterError


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
        "column 'class' of table 'molecule' is named as the class of the examples, but is of kind 'discrete'; it "
        "should be of kind 'class'",
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
        "the target should be a table, but there is no table 'molecul' (tables: molecule, atom, bond) "
        "(did you mean 'molecule'?)",
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
        "the symmetric table 'bond' has the ends 'atom1' and 'atom2', which refer to 'atom' and 'molecule'; they "
        "should refer to one table",
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
    assert re.match(f"{re.escape(str(tmp_path))}/schema.json:(1:)? ", str(error.value))


LINES = {
    "later version": '"version": 2',
    "tables as a list": '"tables": []',
    "file is a number": '"file": 3',
    "no columns": '"atom": {',
    "unknown kind": '"charge": "numeric"',
    "two class columns": '"lumo": "class"',
    "class in another table": '"element": "class"',
    "no such class column": '"column": "clas"',
    "class twice": '"classes": [',
    "no such key": '"key": "atm"',
    "key is a number": '"key": 1',
    "foreign key to no table": '{\n   "table": "bond",\n   "column": "atom1"',
    "foreign key of another kind": '{\n   "table": "bond",\n   "column": "type"',
    "foreign keys as text": '"foreign_keys": "all"',
    "symmetric, no column": '"symmetric": [',
    "symmetric of one": '"symmetric": [',
}


@pytest.mark.parametrize("case", LINES)
def test_the_line_of_what_is_wrong(tmp_path, case):
    change, message = CHANGES[case]
    text = json.dumps(changed(change), indent=1)
    assert text.count(LINES[case]) == 1
    line = text[: text.index(LINES[case])].count("\n") + 1
    with pytest.raises(DataError, match=re.escape(message)) as error:
        ctree.read_relational(folder_with(tmp_path, text))
    assert error.value.line == line
    assert str(error.value).startswith(f"{tmp_path}/schema.json:{line}: ")


def entries(value, path=()):
    """All entries of a value, in the order of its JSON."""
    if isinstance(value, dict | list):
        for name, inner in value.items() if isinstance(value, dict) else enumerate(value):
            yield (*path, name)
            yield from entries(inner, (*path, name))


@given(
    st.recursive(
        st.text(max_size=5) | st.integers() | st.none(),
        lambda inner: st.dictionaries(st.text(max_size=4), inner, max_size=4) | st.lists(inner, max_size=4),
        max_leaves=12,
    )
)
def test_lines_of_entries(value):
    # With an indent, an entry is on a line of its own: they stand there in this order, and so do the ends of others.
    text = json.dumps(value, indent=1, ensure_ascii=False)
    lines = EntryLines(text)
    expected = [number for number, line in enumerate(text.split("\n"), 1) if line.strip(" ,") not in ("]", "}")]
    found = [lines.line(entry) for entry in entries(value)]
    assert found == (expected[1:] if isinstance(value, dict | list) else [])


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
    with pytest.raises(DataError, match=re.escape(f"{tmp_path}/schema.json:1: {message}")):
        ctree.read_relational(folder_with(tmp_path, changed(set_at("bias", bias))))
    data = ctree.read_relational(folder_with(tmp_path))
    check = check_links if "links" in bias else check_constants
    with pytest.raises(ParameterError, match=re.escape(message)):
        check(data.schema, *bias.values())
    with pytest.raises(ParameterError, match=r"must be a mapping from names of .*, not \['a'\]"):
        check(data.schema, ["a"])


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
