"""Databases on the command line, against the same tables in files."""

from __future__ import annotations

import json
import pathlib
import random
import sqlite3

import pytest

import ctree

TABLES = """
CREATE TABLE customer (id INTEGER PRIMARY KEY, postcode INTEGER, age DOUBLE, "left" TEXT);
CREATE TABLE product (name TEXT PRIMARY KEY, price DOUBLE);
CREATE TABLE orders (id INTEGER, customer INTEGER REFERENCES customer(id), product TEXT, late DOUBLE);
"""
KINDS = "customer.postcode=discrete,orders.id=ignore"
KEYS = ["--kinds", KINDS, "--foreign-keys", "orders.product=product"]
CONNECT = {"shop.db": sqlite3.connect, "shop.duckdb": "duckdb", "shop": sqlite3.connect}


def rows(seed):
    rng = random.Random(seed)
    products = [("desk", 200.0), ("lamp", 20.0), ("shelf", 90.0)]
    orders = [(j, rng.randrange(40), rng.choice(products)[0], float(rng.randrange(9))) for j in range(120)]
    unhappy = {customer for _, customer, product, late in orders if product == "desk" and late > 4}
    customers = [
        (i, rng.choice([1000, 2000, 10]), rng.choice([None, 30.0, 50.0]), "yes" if i in unhappy else "no")
        for i in range(40)
    ]
    return {"customer": customers, "product": products, "orders": orders}


def filled(path, seed=1, without_class=False):
    connect = CONNECT[path.split("/")[-1]]
    if connect == "duckdb":
        connect = pytest.importorskip("duckdb", reason="duckdb is not installed").connect
    base = connect(path)
    for statement in TABLES.strip().split("\n"):
        base.execute(statement.rstrip(";").replace(', "left" TEXT', "" if without_class else ', "left" TEXT'))
    for name, content in rows(seed).items():
        if without_class and name == "customer":
            content = [row[:-1] for row in content]
        marks = ", ".join("?" * len(content[0]))
        base.executemany(f"INSERT INTO {name} VALUES ({marks})", content)
    base.commit()
    base.close()
    return path


def as_files(folder, seed=1):
    """The same tables in files, whose schema says what the command is told of the database."""
    names = {"customer": ("id", "postcode", "age", "left"), "product": ("name", "price")}
    names["orders"] = ("id", "customer", "product", "late")
    tables = {
        name: dict(zip(names[name], map(list, zip(*content, strict=True)), strict=True))
        for name, content in rows(seed).items()
    }
    data = ctree.RelationalData(
        {name: tables[name] for name in ("customer", "product", "orders")},
        target=("customer", "left"),
        keys={"customer": "id", "product": "name"},
        foreign_keys={"orders.customer": "customer", "orders.product": "product"},
        kinds={"customer.postcode": "discrete", "orders.id": "ignore"},
    )
    ctree.write_relational(data, folder)


@pytest.mark.parametrize("path", CONNECT)
def test_as_from_files(path, ctree_command):
    filled(path)
    as_files("files")
    words = ["--target", "customer.left", *KEYS, "--test", path]
    answer = ctree_command("learn", "--relational", path, *words, "-o", "base.json")
    assert answer.status == 0, answer.err
    assert answer.out.startswith(f"{path}: 40 examples, 2 linked tables with 123 rows, 2 foreign keys, 2 classes, ")
    same = ctree_command("learn", "--relational", "files", "--test", "files", "-o", "files.json")
    found = sorted(ctree.load("base.json").to_text("logic").split("\n"))
    assert found == sorted(ctree.load("files.json").to_text("logic").split("\n"))
    assert answer.out.split("\nSize:")[1].split("Saved")[0] == same.out.split("\nSize:")[1].split("Saved")[0]


@pytest.mark.parametrize("path", CONNECT)
def test_models_know_how_to_read_new_databases(path, ctree_command):
    """What was said of the columns and keys holds again: the predictions are those from files."""
    pathlib.Path("new").mkdir()
    filled(path)
    filled(f"new/{path}", seed=2)
    as_files("files", seed=2)
    words = ["--target", "customer.left", *KEYS, "--method", "bic-prune", "-o", "model.json"]
    assert ctree_command("learn", "--relational", path, *words).status == 0
    answer = ctree_command("predict", "model.json", "--relational", f"new/{path}")
    assert answer.status == 0, answer.err
    expected = ctree_command("predict", "model.json", "--relational", "files")
    assert answer.out == expected.out
    assert answer.err.split(": ")[-1] == expected.err.split(": ")[-1]
    pathlib.Path("bare").mkdir()
    answer = ctree_command("predict", "model.json", "--relational", filled(f"bare/{path}", 2, without_class=True))
    assert [line.rsplit(",", 1)[0] for line in expected.out.splitlines()] == answer.out.splitlines()
    answer = ctree_command("learn", "--relational", path, *words[:-2], "--test", f"bare/{path}")
    assert answer.err == f"ctree: bare/{path}: there is no column 'left' with the classes of the examples\n"


def test_comparison(ctree_command):
    filled("shop.db")
    words = ["--target", "customer.left", *KEYS, "--method", "c4.4", "--folds", "2", "--repeats", "1", "--no-cache"]
    answer = ctree_command("compare", "--relational", "shop.db", *words, "--format", "json")
    assert json.loads(answer.out)["sets"] == ["shop"]


WRONG = {
    "shop.db: a database needs --target TABLE.COLUMN, the table of the examples and the column of their class": [],
    "shop.db: a database needs --target TABLE.COLUMN, the table of the examples and the column ": ["--target=customer"],
    "shop.db: the database has no table 'custmer' (tables: ": ["--target", "custmer.left"],
    "shop.db: table 'customer' has no column 'gone', which is named as the class": ["--target", "customer.gone"],
    "shop.db: column 'age' of table 'customer' is of kind 'number'; the kinds are ": [
        "--target=customer.left",
        "--kinds=customer.age=number",
    ],
    "--kinds names 'customer.ag', which is no column": ["--target=customer.left", "--kinds=customer.ag=discrete"],
}


@pytest.mark.parametrize("sentence", WRONG)
def test_wrong_databases(sentence, ctree_command):
    filled("shop.db")
    answer = ctree_command("learn", "--relational", "shop.db", *WRONG[sentence])
    assert (answer.status, answer.out) == (2, "")
    assert answer.err.startswith(f"ctree: {sentence}")
    assert len(answer.err.splitlines()) == 1


def test_files_that_are_no_databases(ctree_command):
    answer = ctree_command("learn", "--relational", "no.db", "--target", "a.b")
    assert answer.err == "ctree: no.db: there is no such file\n"
    pathlib.Path("bad.db").write_bytes(b"SQLite format 3\0" + bytes(5000))
    answer = ctree_command("learn", "--relational", "bad.db", "--target", "a.b")
    assert answer.status == 1
    assert answer.err.startswith("ctree: bad.db: the database ")


def test_a_database_is_not_overwritten(ctree_command):
    filled("shop.db")
    before = pathlib.Path("shop.db").read_bytes()
    words = ["learn", "--relational", "shop.db", "--target", "customer.left", *KEYS]
    answer = ctree_command(*words, "-o", "shop.db")
    assert answer.err == "ctree: shop.db: this file is read by the same command; write to another one\n"
    assert ctree_command(*words, "-o", "model.json").status == 0
    assert ctree_command("predict", "model.json", "--relational", "shop.db", "-o", "shop.db").status == 2
    assert pathlib.Path("shop.db").read_bytes() == before
