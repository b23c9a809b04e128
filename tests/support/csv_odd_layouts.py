"""Files that are odd in their text, names, rows or delimiters."""

from __future__ import annotations

from support.csv_oddity import PLAIN, SEMICOLON, YN, Oddity, X, lines, yn

TEXT = [
    Oddity("a byte order mark", b"\xef\xbb\xbf" + PLAIN.encode(), {"x": X, "y": YN}),
    Oddity("lines that end in CR LF", PLAIN.replace("\n", "\r\n"), {"x": X, "y": YN}),
    Oddity("lines that end in CR", PLAIN.replace("\n", "\r"), {"x": X, "y": YN}),
    Oddity(
        "no end of the last line, and empty lines",
        "\n\n" + PLAIN.replace("2,no\n", "2,no\n\n").rstrip("\n"),
        {"x": X, "y": YN},
    ),
    Oddity(
        "UTF-16",
        b"\xff\xfe" + PLAIN.encode("utf-16-le"),
        error="the file is UTF-16 text, not UTF-8; save it as UTF-8 (in a spreadsheet: CSV UTF-8)",
    ),
    Oddity(
        "UTF-16 without a byte order mark",
        PLAIN.encode("utf-16-be"),
        error="the file is UTF-16 text, not UTF-8; save it as UTF-8 (in a spreadsheet: CSV UTF-8)",
    ),
    Oddity(
        "Latin-1",
        lines("x,y", "café,yes", "thé,no").encode("latin-1"),
        error="the byte 0xe9 is not UTF-8 text; save the file as UTF-8",
        scan_error="the file is not UTF-8 text; save it as UTF-8",
    ),
    Oddity(
        "Latin-1 in a name",
        lines("é,y", "1,yes", "2,no").encode("latin-1"),
        error="the byte 0xe9 is not UTF-8 text; save the file as UTF-8",
        scan_error="the names of the columns are not UTF-8 text; save the file as UTF-8",
    ),
    Oddity("nothing", "", error="the file is empty; its first row should name the columns"),
    Oddity("names only", "x,y\n", error="the file has no cases", scan_error="there are no cases"),
    Oddity("`sep=;` of a spreadsheet", "sep=;\n" + SEMICOLON, {"x": X, "y": YN}),
    Oddity(
        "comments before the names",
        "# made, by hand\n# in 2024\n" + PLAIN,
        {"x": X, "y": YN},
        ["the first 2 lines begin with # and are left out"],
    ),
    Oddity("names that begin with #", "#" + PLAIN, {"#x": X, "y": YN}),
]

NAMING = [
    Oddity("the same name twice", lines("x,x,y", "1,2,yes", "3,4,no"), error="two columns are called 'x'"),
    Oddity("no name in the middle", lines("x,,y", "1,2,yes", "3,4,no"), error="column 2 has no name in the first row"),
    Oddity(
        "no name of the numbers of rows",
        lines(",x,y", *(f"{i},{i % 3},{label}" for i, label in enumerate(yn(24)))),
        {"column 1": list(map(float, range(24))), "x": [float(i % 3) for i in range(24)], "y": yn(24)},
        ["column 1: it has no name; the numbers of rows?; to change that: --ignore"],
    ),
    Oddity(
        "a delimiter at the end of every line",
        PLAIN.replace("\n", ",\n"),
        {"x": X, "y": YN},
        ["column 3: it has no name and no values, and is left out"],
    ),
    Oddity(
        "spaces around names and cells",
        lines(" x , y", " 1.5 ,yes", "2 , no ", "3.25,\tyes", "4,no"),
        {"x": X, "y": YN},
    ),
    Oddity(
        "no names, numbers and a class",
        lines("5.1,3.5,a", "4.9,3.0,b", "4.7,3.2,a", "4.6,3.1,b", "5.0,3.6,a"),
        {"x1": [5.1, 4.9, 4.7, 4.6, 5.0], "x2": [3.5, 3.0, 3.2, 3.1, 3.6], "x3": ["a", "b", "a", "b", "a"]},
        [
            "the first row (5.1, 3.5, a) is taken for a case, as it looks like those below; the "
            "columns are called x1 to x3; to change that: --header"
        ],
    ),
    Oddity(
        "no names, only numbers",
        lines("6,148,1", "1,85,0", "8,183,1", "1,89,0", "0,137,1"),
        {"x1": [6.0, 1.0, 8.0, 1.0, 0.0], "x2": [148.0, 85.0, 183.0, 89.0, 137.0], "x3": ["1", "0", "1", "0", "1"]},
        [
            "the first row (6, 148, 1) is taken for a case, as it looks like those below; the "
            "columns are called x1 to x3; to change that: --header"
        ],
    ),
    Oddity(
        "no names, only words",
        lines("high,low,bad", "high,low,bad", "low,low,good", "low,high,good", "high,high,bad"),
        {
            "x1": ["high", "high", "low", "low", "high"],
            "x2": ["low", "low", "low", "high", "high"],
            "x3": ["bad", "bad", "good", "good", "bad"],
        },
        [
            "the first row (high, low, bad) is taken for a case, as it looks like those below; "
            "the columns are called x1 to x3; to change that: --header"
        ],
    ),
    Oddity(
        "no names, cells twice in the first row, one of them rare",
        lines("no,no,rare,bad", "no,yes,few,bad", "no,no,few,good", "yes,yes,few,good", "yes,no,few,bad"),
        {
            "x1": ["no", "no", "no", "yes", "yes"],
            "x2": ["no", "yes", "no", "yes", "no"],
            "x3": ["rare", "few", "few", "few", "few"],
            "x4": ["bad", "bad", "good", "good", "bad"],
        },
        [
            "the first row (no, no, rare, …) is taken for a case, as it looks like those below; the columns are called "
            "x1 to x4; to change that: --header"
        ],
    ),
    Oddity(
        "no names, and this is said",
        lines("6,148,1", "1,85,0", "8,183,1"),
        {"x1": [6.0, 1.0, 8.0], "x2": [148.0, 85.0, 183.0], "x3": ["1", "0", "1"]},
        options={"header": False},
    ),
    Oddity(
        "names that are numbers from 0 on",
        lines("0,1,2", "5,7,1", "6,8,0", "5,8,1"),
        {"0": [5.0, 6.0, 5.0], "1": [7.0, 8.0, 8.0], "2": ["1", "0", "1"]},
    ),
    Oddity(
        "names that are years",
        lines("2021,2022,y", "5,7,yes", "6,8,no", "5,8,yes", "5,9,no"),
        {"2021": [5.0, 6.0, 5.0, 5.0], "2022": [7.0, 8.0, 8.0, 9.0], "y": YN},
    ),
    Oddity(
        "names that are other numbers",
        lines("10,25,y", "5,7,yes", "6,8,no", "5,8,yes", "5,9,no"),
        {"10": [5.0, 6.0, 5.0, 5.0], "25": [7.0, 8.0, 8.0, 9.0], "y": YN},
        [
            "the first row (10, 25, y) is taken for the names of the columns, though it looks like a case; to change "
            "that: --header"
        ],
    ),
]

ROWS = [
    Oddity(
        "a row that is too short",
        lines("x,z,y", "1,2,yes", "3,no"),
        error="the row has 2 fields, but the first row names 3 columns",
        scan_error="row 2 has 2 fields, but the first row names 3 columns",
    ),
    Oddity(
        "a row that is too long",
        lines("x,y", "1,yes", "3,4,no"),
        error="the row has 3 fields, but the first row names 2 columns",
        scan_error="row 2 has 3 fields, but the first row names 2 columns",
    ),
    Oddity("delimiters in quotes", lines("x,y", '"a, b",yes', '"c",no'), {"x": ["a, b", "c"], "y": ["yes", "no"]}),
    Oddity(
        "quotes within quotes",
        lines("x,y", '"say ""a""",yes', "it's 5\" long,no"),
        {"x": ['say "a"', "it's 5\" long"], "y": ["yes", "no"]},
    ),
    Oddity("line breaks in quotes", lines("x,y", '"a\nb",yes', "c,no"), {"x": ["a\nb", "c"], "y": ["yes", "no"]}),
    Oddity(
        "spaces before quotes",
        lines('"x", "z", "y"', '1, "a b", "yes"', '"2",  "say ""c""", "no"', '3, "4", yes'),
        {"x": [1.0, 2.0, 3.0], "z": ["a b", 'say "c"', "4"], "y": ["yes", "no", "yes"]},
    ),
    Oddity("numbers in quotes", PLAIN.replace("3.25", '"3.25"').replace("2,no", '"2","no"'), {"x": X, "y": YN}),
    Oddity(
        "text after the closing quote",
        lines("x,y", '"a"b,yes', "c,no"),
        error="the row cannot be read (',' expected after '\"')",
    ),
    Oddity(
        "a quote that does not close",
        lines("x,y", '"a,yes', "c,no"),
        error="the row cannot be read (unexpected end of data)",
        scan_error="row 1 has 1 fields, but the first row names 2 columns",
    ),
]

DELIMITERS = [
    Oddity("semicolons", SEMICOLON, {"x": X, "y": YN}),
    Oddity("semicolons and decimal commas", SEMICOLON.replace(".", ","), {"x": X, "y": YN}),
    Oddity(
        "semicolons, decimal commas, points in thousands",
        lines("x;y", "1.234,5;yes", "12;no", "0,5;yes", "1.234.567;no"),
        {"x": [1234.5, 12.0, 0.5, 1234567.0], "y": YN},
    ),
    Oddity("tabs", PLAIN.replace(",", "\t"), {"x": X, "y": YN}),
    Oddity(
        "tabs in a `.tsv` file, commas in its cells",
        lines("x, cm\ty", "1,5\tyes", "2,25\tno"),
        {"x, cm": [1.5, 2.25], "y": ["yes", "no"]},
        suffix=".tsv",
    ),
    Oddity("vertical bars", PLAIN.replace(",", "|"), {"x": X, "y": YN}),
    Oddity("another delimiter, which is said", PLAIN.replace(",", "~"), {"x": X, "y": YN}, options={"delimiter": "~"}),
    Oddity(
        "commas and semicolons, by which the rows are even",
        lines("a,x;b,y", "1,2;3,yes", "2,4;5,no"),
        {"a": [1.0, 2.0], "x;b": ["2;3", "4;5"], "y": ["yes", "no"]},
    ),
    Oddity(
        "commas or semicolons",
        lines("a,b;y", "1,2;yes", "2,4;no"),
        {"a": [1.0, 2.0], "b;y": ["2;yes", "4;no"]},
        ["commas are taken for what separates the columns, though it could be semicolons; to change that: --delimiter"],
    ),
]
