"""Files that are odd in the values of their columns."""

from __future__ import annotations

from support.csv_oddity import YN, Oddity, lines, numbers, table, yn

NAMES = ["Ann", "Bob", "Cid", "Dot", "Eve", "Fay", "Gus", "Hal", "Ida", "Jo", "Kay", "Lee"]
PEOPLE = [f"{first} {last}" for first in NAMES for last in ("Ash", "Birch")]
NOTES = [f"called on day {i} and asked for more" for i in range(24)]
DATES = [f"2024-0{1 + i % 3}-1{i % 4}" for i in range(6)]

NUMBERS = [
    Oddity("exponents, signs, bare points", numbers("1e5", "+7", ".5", "5."), {"x": [1e5, 7.0, 0.5, 5.0], "y": YN}),
    Oddity(
        "infinity",
        numbers("1", "inf"),
        error="attribute 'x' has an infinite value",
        scan_error="row 2: attribute 'x' has an infinite value",
    ),
    Oddity(
        "infinity as unknown", numbers("1", "inf"), {"x": [1.0, None], "y": ["yes", "no"]}, options={"unknown": ["inf"]}
    ),
    Oddity("NaN in other letters", numbers("1", "NAN", "-nan", "2"), {"x": [1.0, None, None, 2.0], "y": YN}),
    Oddity(
        "percent signs",
        numbers("12.5%", "3 %", "0%", "-"),
        {"x": [12.5, 3.0, 0.0, None], "y": YN},
        ["x: values such as '12.5%' are taken as numbers, here 12.5; to change that: --discrete or --ignore"],
    ),
    Oddity(
        "percent signs and none",
        numbers("12.5%", "0.125", "3%", "4"),
        {"x": ["12.5%", "0.125", "3%", "4"], "y": YN},
        ["x: '0.125' and '12.5%' do not have the same sign: taken as discrete; to change that: --discrete or --ignore"],
    ),
    Oddity(
        "a currency in front",
        numbers("€ 12", "€ 1,234.50", "-€3", "N/A"),
        {"x": [12.0, 1234.5, -3.0, None], "y": YN},
        ["x: values such as '€ 12' are taken as numbers, here 12; to change that: --discrete or --ignore"],
    ),
    Oddity(
        "a currency behind",
        numbers("12,50 €", "3 €", "1.234,00 €", "7 €"),
        {"x": [12.5, 3.0, 1234.0, 7.0], "y": YN},
        ["x: values such as '12,50 €' are taken as numbers, here 12.5; to change that: --discrete or --ignore"],
    ),
    Oddity(
        "two currencies",
        numbers("$12", "€12", "$3", "$4"),
        {"x": ["$12", "€12", "$3", "$4"], "y": YN},
        ["x: '$12' and '€12' do not have the same sign: taken as discrete; to change that: --discrete or --ignore"],
    ),
    Oddity(
        "commas in thousands, decimal points",
        numbers("5,472.31", "312", "1,200", "1,234,567"),
        {"x": [5472.31, 312.0, 1200.0, 1234567.0], "y": YN},
    ),
    Oddity("decimal commas in quotes", numbers("0,5", "12", "1,234", "null"), {"x": [0.5, 12.0, 1.234, None], "y": YN}),
    Oddity(
        "1,234 and no more",
        numbers("1,234", "312", "5,678", "9"),
        {"x": ["1,234", "312", "5,678", "9"], "y": YN},
        [
            "x: '1,234' may have a decimal comma, or a comma between thousands: taken as "
            "discrete; to change that: --decimal, --discrete or --ignore"
        ],
    ),
    Oddity(
        '1,234 with `decimal="."`',
        numbers("1,234", "312", "5,678", "9"),
        {"x": [1234.0, 312.0, 5678.0, 9.0], "y": YN},
        options={"decimal": "."},
    ),
    Oddity(
        '1,234 with `decimal=","`',
        numbers("1,234", "312", "5,678", "9"),
        {"x": [1.234, 312.0, 5.678, 9.0], "y": YN},
        options={"decimal": ","},
    ),
    Oddity(
        "1,234 beside decimal points",
        numbers("1,234", "312", "5,678", "9", others=["0.5", "1", "2", "3"]),
        {"x": [1234.0, 312.0, 5678.0, 9.0], "z": [0.5, 1.0, 2.0, 3.0], "y": YN},
        [
            "x: values such as '1,234' are taken as numbers, here 1234, as other columns have a "
            "decimal point; to change that: --decimal or --discrete"
        ],
    ),
    Oddity(
        "1.234 beside decimal commas",
        numbers("1.234", "312", "5.678", "9", others=["0,5", "1", "2", "3"]),
        {"x": [1234.0, 312.0, 5678.0, 9.0], "z": [0.5, 1.0, 2.0, 3.0], "y": YN},
        [
            "x: values such as '1.234' are taken as numbers, here 1234, as other columns have a "
            "decimal comma; to change that: --decimal or --discrete"
        ],
    ),
    Oddity(
        "both decimal marks",
        numbers("0,5", "2.5", "1", "2"),
        {"x": ["0,5", "2.5", "1", "2"], "y": YN},
        [
            "x: '0,5' has a decimal comma, but '2.5' a decimal point: taken as discrete; to change that: --decimal, "
            "--discrete or --ignore"
        ],
    ),
    Oddity(
        "points where a comma is said",
        numbers("3.5", "2", "1", "0.25"),
        {"x": ["3.5", "2", "1", "0.25"], "y": YN},
        [
            "x: '3.5' is no number with a decimal comma: taken as discrete; to change that: --decimal, --discrete or "
            "--ignore"
        ],
        options={"decimal": ","},
    ),
    Oddity(
        "spaces and apostrophes in thousands",
        numbers("1 234", "1\u00a0234,5", "12'345", "7"),
        {"x": [1234.0, 1234.5, 12345.0, 7.0], "y": YN},
    ),
    Oddity(
        "the minus sign of typesetting",
        numbers("\N{MINUS SIGN}5", "\N{MINUS SIGN}0.5", "3", "-1"),
        {"x": [-5.0, -0.5, 3.0, -1.0], "y": YN},
    ),
    Oddity(
        "codes that begin with 0",
        numbers("01234", "10115", "00501", "99999"),
        {"x": [1234.0, 10115.0, 501.0, 99999.0], "y": YN},
        ["x: values such as '01234' begin with 0: taken as numbers, not as codes; to change that: --discrete"],
    ),
    Oddity(
        "codes that begin with 0, as discrete",
        numbers("01234", "10115", "00501", "99999"),
        {"x": ["01234", "10115", "00501", "99999"], "y": YN},
        options={"categorical_features": ["x"]},
    ),
    Oddity(
        "a word among numbers",
        numbers("1", "2", "few", "4", "5", "6"),
        {"x": ["1", "2", "few", "4", "5", "6"], "y": yn(6)},
        [
            "x: 1 of 6 values is no number ('few'): taken as discrete; to change that: --unknown-values, --decimal, "
            "--discrete or --ignore"
        ],
    ),
    Oddity(
        "the same word as unknown",
        numbers("1", "2", "few", "4", "5", "6"),
        {"x": [1.0, 2.0, None, 4.0, 5.0, 6.0], "y": yn(6)},
        options={"unknown": ["few"]},
    ),
    Oddity(
        "1_000 and 0x1A",
        numbers("1_000", "0x1A", "1", "2"),
        {"x": ["1_000", "0x1A", "1", "2"], "y": YN},
        [
            "x: 2 of 4 values are no numbers ('1_000', …): taken as discrete; to change that: --unknown-values, "
            "--decimal, --discrete or --ignore"
        ],
    ),
]

UNKNOWNS = [
    Oddity(
        "`?`, `NA`, `NaN`, `nan` and nothing",
        lines("x,z,y", "1,a,yes", "?,?,no", "NA,NA,yes", "NaN,NaN,no", ",,yes", "nan,nan,no"),
        {"x": [1.0, *[None] * 5], "z": ["a", *[None] * 5], "y": yn(6)},
    ),
    *(
        Oddity(f"`{mark}` among numbers", numbers("1", mark, "2.5", "3"), {"x": [1.0, None, 2.5, 3.0], "y": YN})
        for mark in (
            "null",
            "NULL",
            "None",
            "N/A",
            "n/a",
            "#N/A",
            "n.a.",
            "-",
            "--",
            ".",
            "NaT",
            "<NA>",
            "#DIV/0!",
            "\\N",
        )
    ),
    Oddity(
        "`null` among words",
        numbers("red", "null", "blue", "red"),
        {"x": ["red", "null", "blue", "red"], "y": YN},
        ["x: 'null' is taken for a value like others; to change that: --unknown-values or --discrete"],
    ),
    Oddity(
        "`null` among words, as unknown",
        numbers("red", "null", "blue", "red"),
        {"x": ["red", None, "blue", "red"], "y": YN},
        options={"unknown": ["null"]},
    ),
    Oddity(
        "-999 as unknown",
        numbers("1", "-999", "2.5", "3"),
        {"x": [1.0, None, 2.5, 3.0], "y": YN},
        options={"unknown": ["-999"]},
    ),
    Oddity("nothing but unknown values", numbers("?", "", "NA", "?"), {"x": [float("nan")] * 4, "y": YN}),
]

COLUMNS = [
    Oddity(
        "names of people",
        table(24, "who", PEOPLE.__getitem__),
        {"who": PEOPLE, "y": yn(24)},
        ["who: 24 different values in 24 cases: taken as discrete; to change that: --ignore or --discrete"],
    ),
    Oddity(
        "free text",
        table(24, "note", NOTES.__getitem__),
        {"note": NOTES, "y": yn(24)},
        ["note: free text, 24 different values in 24 cases: taken as discrete; to change that: --ignore or --discrete"],
    ),
    Oddity(
        "numbers of cases",
        table(24, "id", lambda i: i + 1),
        {"id": [i + 1.0 for i in range(24)], "y": yn(24)},
        ["id: the values count the cases, from 1 on: taken as numbers; to change that: --ignore"],
    ),
    Oddity(
        "names of people, ignored",
        lines(
            "who,x,y", *(f"{name},{i % 5},{label}" for i, (name, label) in enumerate(zip(PEOPLE, yn(24), strict=True)))
        ),
        {"x": [float(i % 5) for i in range(24)], "y": yn(24)},
        options={"ignore": ["who"]},
    ),
    Oddity(
        "dates",
        table(6, "when", DATES.__getitem__),
        {"when": DATES, "y": yn(6)},
        [
            "when: values such as '2024-01-10' are dates: taken as discrete; to change that: --dates, --ignore or "
            "--discrete"
        ],
    ),
    Oddity(
        "true and false", numbers("true", "false", "true", "true"), {"x": ["true", "false", "true", "true"], "y": YN}
    ),
    Oddity("one value", numbers("7", "7", "7", "7"), {"x": [7.0] * 4, "y": YN}),
]

CLASSES = [
    Oddity(
        "a class of measurements",
        lines("x,y", *(f"{i % 3},{i / 8 + 1}" for i in range(40))),
        error=(
            "the class 'y' has the value 1.125, a number that is measured and not a class; name "
            "another column, put the numbers into classes, or name the column among the discrete "
            "ones if they are labels"
        ),
    ),
    Oddity(
        "a class of measurements, as labels",
        lines("x,y", "1,0.5", "2,1.5", "3,0.5"),
        {"x": [1.0, 2.0, 3.0], "y": ["0.5", "1.5", "0.5"]},
        options={"categorical_features": ["y"]},
    ),
    Oddity(
        "a class of 40 whole numbers",
        lines("x,y", *(f"{i % 3},{i % 40}" for i in range(80))),
        {"x": [float(i % 3) for i in range(80)], "y": [str(i % 40) for i in range(80)]},
        ["y: 40 different numbers are taken for as many classes; to change that: --class or --discrete"],
    ),
    Oddity(
        "a class for every case",
        table(24, "x", lambda i: i % 2).replace("yes", "@").replace("no", "@").replace("@", "{}").format(*PEOPLE),
        {"x": [float(i % 2) for i in range(24)], "y": PEOPLE},
        ["y: 24 different classes in 24 cases; to change that: --class or --discrete"],
    ),
    Oddity("the classes + and -", lines("x,y", "1,+", "2,-", "3,+"), {"x": [1.0, 2.0, 3.0], "y": ["+", "-", "+"]}),
    Oddity(
        "`null` in the class",
        lines("x,y", "1,a", "2,null", "3,a"),
        {"x": [1.0, 2.0, 3.0], "y": ["a", "null", "a"]},
        ["y: 'null' is taken for a class like others; to change that: --unknown-values"],
    ),
    Oddity(
        "an unknown class",
        lines("x,y", "1,a", "2,?", "3,a"),
        error="the class 'y' is unknown; unknown_class='drop' leaves such cases out",
        scan_error="row 2: the class 'y' is unknown; unknown_class='drop' leaves such cases out",
    ),
]
