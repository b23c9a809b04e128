"""The grammar of `.names` files."""

import pytest

from ctree import Attribute, Kind, Schema, read_names
from ctree.data.files.c45_names import parse_names


def names(tmp_path, text: str | bytes) -> Schema:
    path = tmp_path / "t.names"
    path.write_bytes(text if isinstance(text, bytes) else text.encode())
    return read_names(path)


def discrete(name: str, *values: str) -> Attribute:
    return Attribute(name, Kind.DISCRETE, values)


def test_classes_and_each_kind_of_attribute(tmp_path):
    schema = names(tmp_path, "Play, Don't Play.\n\noutlook: sunny, rain.\nheat: continuous.\nid: ignore.\n")
    assert schema == Schema(
        (discrete("outlook", "sunny", "rain"), Attribute("heat", Kind.CONTINUOUS), Attribute("id", Kind.IGNORE)),
        ("Play", "Don't Play"),
    )


def test_a_period_ends_a_token_only_before_white_space(tmp_path):
    schema = names(tmp_path, "yes,no.way. a.b: c.d,e.")
    assert schema == Schema((discrete("a.b", "c.d", "e"),), ("yes", "no.way"))


@pytest.mark.parametrize(
    "text",
    [
        "yes, no. a: b, c. d: e, f.",
        "yes, no\na: b, c\nd: e, f",
        "yes,\nno.\na:\n\tb,\n\n  c\nd: e,f.",
        "\ufeffyes , no .\r\na : b , c .\r\nd:e,f.\r\n",
        "| title\nyes, no. | the classes\na: b, | more\n   c. d: e, f. | the end",
        "yes, no.|x\na: b, c.| y: z\nd: e, f.|",
        "\t\n yes,no.\n a\t:\tb\t,\tc\t.\n d: e, f",
        "yes, no.\na: \\b, \\c.\n\\d: e, f",
    ],
)
def test_the_layout_does_not_matter(tmp_path, text):
    assert names(tmp_path, text) == Schema((discrete("a", "b", "c"), discrete("d", "e", "f")), ("yes", "no"))


@pytest.mark.parametrize(
    ("written", "meant"),
    [
        ("two   words", "two words"),
        ("St\\. Ives", "St. Ives"),
        ("a.b", "a.b"),
        ("a..b", "a..b"),
        ("1\\,5", "1,5"),
        ("10\\:30", "10:30"),
        ("either\\|or", "either|or"),
        ("back\\\\slash", "back\\slash"),
        ("\\ leading", " leading"),
        ("a \\ b", "a  b"),
        ("tab\tinside", "tab\tinside"),
        ("trailing\\ ", "trailing"),
        ("line\\\nbreak", "line\nbreak"),
        ("naïve", "naïve"),
        ("x.", "x."),
        ("?", "?"),
        ("N/A", "N/A"),
        ("continuous", "continuous"),
    ],
)
def test_how_a_value_is_written(tmp_path, written, meant):
    assert names(tmp_path, f"yes, no.\na: {written}, z.\n")[0].values == (meant, "z")


def test_a_single_value_is_a_value_of_its_own(tmp_path):
    assert names(tmp_path, "yes.\na: x.\n")[0] == discrete("a", "x")


@pytest.mark.parametrize("word", ["continuous", "ignore", "discrete 3"])
def test_an_escaped_keyword_is_a_value(tmp_path, word):
    assert names(tmp_path, f"yes.\na: \\{word}.\n")[0] == discrete("a", word)


@pytest.mark.parametrize("word", ["Continuous", "continuously", "ignored", "discretely"])
def test_what_is_not_quite_a_keyword_is_a_value(tmp_path, word):
    assert names(tmp_path, f"yes.\na: {word}.\n")[0] == discrete("a", word)


def test_discrete_n_leaves_the_values_to_the_data(tmp_path):
    path = tmp_path / "t.names"
    path.write_text("yes, no.\na: discrete 12.\nb: discrete3.\nc: x, y.\n")
    parsed = parse_names(path)
    assert parsed.limits == (12, 3, 0)
    assert parsed.schema[0] == discrete("a")


def test_attribute_names_may_hold_spaces_and_capitals(tmp_path):
    schema = names(tmp_path, "yes, no.\non  thyroxine: f, t.\nT4U measured: f, t.\n")
    assert schema.names == ("on thyroxine", "T4U measured")


def test_many_values_are_read_quickly(tmp_path):
    values = [f"value {i}" for i in range(20_000)]
    assert names(tmp_path, "yes, no.\na: " + ", ".join(values) + ".\n")[0].values == tuple(values)
