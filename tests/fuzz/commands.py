"""Command lines: every subcommand with options as its parser declares them, and files in order or damaged."""

from __future__ import annotations

import argparse
import contextlib
import io
import json
import os
import random
import subprocess
import sys
import tempfile
from functools import cache
from pathlib import Path
from typing import Any

import ctree
from ctree.cli.learner_options import PREFIX
from ctree.cli.main import MODULES, SUMMARIES, _parser, main
from ctree.cli.reproduce import PAPERS
from ctree.errors import CtreeError
from ctree.learners.registry import Method, methods_for

from . import arff_files, case_files, csv_files, models
from .judging import LONGEST_MESSAGE, FindingError
from .learners import fresh_models, model_texts
from .mutations import damaged_bytes
from .odd import TEXTS
from .parameters import COSTLY, drawn_value
from .usage import cases_for, schema_of

MEMORY_MAY_RUN_OUT = True

GOLF = Path(ctree.__file__).parent / "data" / "samples"
SHOP = Path(__file__).parents[2] / "examples" / "shop"
LETTERS = {
    "c4.5": (("-u", "-s", "-p", "-g", "-b"), ("-m", "-c", "-t", "-w", "-i", "-v")),
    "c4.5rules": (("-u", "-s", "-g"), ("-m", "-c", "-r", "-F", "-v")),
    "j48": (("-u", "-U", "-O", "-R", "-S", "-B", "-A", "-J"), ("-C", "-M", "-N", "-Q")),
}
"""The options of the original programs, without and with a value."""
COMMANDS = [*SUMMARIES, "learn", "learn", "predict", "predict", "export", "convert"]
NUMBERS = (
    "1",
    "2",
    "3",
    "5",
    "10",
    "0.5",
    "0.1",
    "25",
    "0",
    "-1",
    "1e3",
    "nan",
    "inf",
    "1e999",
    "9" * 400,
    "x",
    "",
    "2.5",
    "10%",
)
WORKING = ("1", "2", "3", "5", "0.5", "0.25", "10%", "10")
OUTPUTS = (
    "out.json",
    "out.csv",
    "out",
    "out.png",
    "out.svg",
    "no/such/out.csv",
    ".",
    "",
    "out.html",
    "cases.csv",
    "model.json",
)
FOR_TABLES = {"class_name": ("cases.csv", "cases.arff"), "discrete": ("cases.csv",), "safe_csv": ("cases.csv",)}
"""Options that only some files allow."""
USUAL = {
    "class_name": ("class", "play", "class", "outlook"),
    "discrete": ("humidity", "outlook", "x0"),
    "measure": ("accuracy", "auc,log-likelihood", "brier"),
    "reference": ("c4.5", "naive-bayes"),
    "curve": ("2,4", "5"),
    "holdout": ("0.3", "0.5"),
    "experiment": ("skew", "tests"),
    "target": ("class", "y"),
    "name": ("model", "golf"),
    "table": ("cases", "t"),
    "key": ("day", "id"),
    "form": ("walk", "case", "tree", "shares"),
    "gamma0": ("0.99", "0.5", "1"),
    "significance": ("0.05", "0.1"),
    "min_support": ("1", "3", "10%", "50%"),
    "kinds": ("customer.age=discrete", "order.channel=ignore"),
    "keys": ("customer=customer", "order=order"),
    "foreign_keys": ("order.customer=customer",),
    PREFIX + "links": ("order.customer=none", "order.product=both", "none", "order.x=up", "="),
    PREFIX + "constants": ("customer.age=no", "order.channel=yes, customer.age=no", "customer.left=yes", "x"),
    PREFIX + "aggregates": ("count", "count,mean", "share,mode,nunique", "none", "sum"),
}
"""What options usually are, by the names of what they set."""
TOKENS = (b'"', b"null", b"{}", b"[]", b"customer", b"key", b"class", b"c1", b"\n", b",", b"1e999", b"\xff", b"-")
FOREIGN = ("--no-such", "-Z", "--", "extra", "--help", "-h", "--json=x", "@args", "--method")
STATUSES = (0, 1, 2)
PROCESSES = float(os.environ.get("CTREE_FUZZ_PROCESSES", "0.002"))
"""The share of command lines that are run as processes of their own."""


def prepare() -> None:
    """Make once what inputs are made from."""
    models_with_cases()


def draw(rng: random.Random) -> Any:
    """A command line with the files that it names."""
    command = rng.choice(COMMANDS)
    files: dict[str, str] = {}
    arguments = _letters(rng, command, files) if command in LETTERS else _declared(rng, command, files)
    if rng.random() < 0.05:
        arguments.insert(rng.randint(0, len(arguments)), rng.choice(FOREIGN))
    if rng.random() < 0.02 and arguments:
        del arguments[rng.randrange(len(arguments))]
    answers = [
        rng.choice(("sunny", "?", "75", "70 - 80", "true", "sunny: 0.7, rain: 0.2", "help", "r", "n", "q", "", "x\0"))
        for _ in range(9)
    ]
    return {
        "arguments": [command, *arguments],
        "files": files,
        "input": "\n".join(answers) if command == "consult" else "",
        "process": rng.random() < PROCESSES,
    }


def _letters(rng: random.Random, command: str, files: dict[str, str]) -> list[str]:
    flags, valued = LETTERS[command]
    arguments = ["-f", _stem(rng, files)]
    for flag in rng.sample(flags, rng.choice((0, 1, 1, 2))):
        arguments.append(flag)
    for option in rng.sample(valued, rng.choice((0, 0, 1, 2))):
        value = rng.choice(WORKING if rng.random() < 0.8 else NUMBERS)
        arguments += [option + value] if rng.random() < 0.3 else [option, value]
    return arguments


def _declared(rng: random.Random, command: str, files: dict[str, str]) -> list[str]:
    """Arguments of a command that declares its options to argparse."""
    relational = command in ("learn", "compare", "predict") and rng.random() < 0.15
    methods = methods_for(relational)
    method = rng.choice(list(methods))
    start = (["--relational"] if relational else []) + (["--method", method] if command == "learn" else [])
    subparser = parser_of(command, tuple(start))
    arguments = _linked_operands(rng, command, files) if relational else _operands(rng, command, files)
    options = [a for a in subparser._actions if a.option_strings and a.dest not in ("help", "method")]
    if rng.random() < 0.8:  # what is only for some files
        options = [a for a in options if a.dest not in FOR_TABLES or any(name in files for name in FOR_TABLES[a.dest])]
    required = [a for a in options if a.required]
    chosen = required + rng.sample(options, min(rng.choice((0, 0, 1, 1, 2, 3)), len(options)))
    if command == "learn" and method == "mcmc":
        start += ["--burn-in", "20", "--samples", "5", "--seed", "1"]
    elif command == "learn" and method in ("bayes-optimal", "map", "dl8"):
        start += ["--max-depth", "2"]
    elif command == "compare":
        start += [
            "--repeats",
            "1",
            "--folds",
            "2",
            "--method",
            rng.choice(("c4.5", "c4.4(lookahead=1)" if relational else "naive-bayes", "c4.4(min_cases=2)", method)),
        ]
        chosen = [a for a in chosen if a.dest not in ("repeats", "folds", "method", "jobs")]
    for action in chosen:
        arguments += _option(rng, action, methods[method], files)
    return [*start, *arguments] if rng.random() < 0.7 else [*arguments, *start]


@cache
def parser_of(command: str, start: tuple[str, ...]) -> argparse.ArgumentParser:
    """The parser of a subcommand."""
    assert command in MODULES
    whole = _parser(command, [command, *start])
    subparsers = next(a for a in whole._actions if isinstance(a, argparse._SubParsersAction))
    found: argparse.ArgumentParser = subparsers.choices[command]
    return found


def _linked_operands(rng: random.Random, command: str, files: dict[str, str]) -> list[str]:
    """Linked tables, and a model of them for those who need one."""
    files.update({path.name: path.read_bytes().decode("latin-1") for path in sorted(SHOP.iterdir())})
    if rng.random() < 0.3:
        name = rng.choice(list(files))
        files[name] = damaged_bytes(rng, files[name].encode("latin-1"), TOKENS).decode("latin-1")
    if command == "predict":
        files["model.json"] = rng.choice(models_with_cases())[0] if rng.random() < 0.1 else shop_model()
    source = rng.choice(("schema.json", "schema.json", ".", "customer.csv" if rng.random() < 0.1 else "."))
    return ["model.json", source] if command == "predict" else [source]


@cache
def shop_model() -> str:
    """A saved model of linked tables."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "model.json"
        ctree.save(ctree.RelationalTreeClassifier().fit(ctree.read_relational(SHOP)), path)
        return path.read_text("utf-8")


def _operands(rng: random.Random, command: str, files: dict[str, str]) -> list[str]:
    if command in ("learn", "mine", "compare"):
        return [_source(rng, files)]
    if command == "convert":
        return [
            _source(rng, files),
            rng.choice(("new.csv", "new.arff", "new", "new.test", "cases.csv", "no/such/x.csv")),
        ]
    if command == "reproduce":
        return [rng.choice((*PAPERS, "all", "x")), "--data", rng.choice((".", "no such"))]
    model, cases = rng.choice(models_with_cases())
    if rng.random() < 0.15:
        drawn = models.draw(rng)
        model = drawn["text"] if "text" in drawn else json.dumps(drawn["content"])
    files["model.json"] = model
    if command in ("show", "consult", "export"):
        return ["model.json"]
    if rng.random() < 0.1:
        return ["model.json", _source(rng, files)]
    files["cases.csv"] = cases
    return ["model.json", "cases.csv"]


@cache
def models_with_cases() -> list[tuple[str, str]]:
    """Models, each with a CSV file of cases for it."""
    rng = random.Random(1)
    pairs = []
    for model, text in zip(fresh_models(), model_texts()[-len(fresh_models()) :], strict=True):
        table = cases_for(schema_of(model), rng, 8)
        rows = [list(table), *(["" if v is None else str(v) for v in row] for row in zip(*table.values(), strict=True))]
        cases = "\n".join(",".join(row) for row in rows) + "\n"
        pairs.append((text, cases.encode().decode("latin-1")))
    return pairs


def _source(rng: random.Random, files: dict[str, str]) -> str:
    """Cases to learn from, in one of the forms."""
    form = rng.randrange(4)
    if form < 2:
        return _stem(rng, files)
    kind, name = ((csv_files, "cases.csv"), (arff_files, "cases.arff"))[form - 2]
    files[name] = kind.draw(rng)["text"] if rng.random() < 0.35 else golf_as(name)
    return name


@cache
def golf_as(name: str) -> str:
    """The cases of golf in another form of file."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / name
        (ctree.write_csv if name.endswith("csv") else ctree.write_arff)(ctree.load_golf(), path, "play")
        return path.read_bytes().decode("latin-1")


def _stem(rng: random.Random, files: dict[str, str]) -> str:
    way = rng.random()
    if way < 0.03:
        return rng.choice(("no-such", ".", "", "cases.csv", "t.data"))
    if way < 0.6:
        for suffix in (".names", ".data", ".test"):
            files["t" + suffix] = (
                (GOLF / f"golf{suffix if suffix != '.test' else '.data'}").read_bytes().decode("latin-1")
            )
    else:
        drawn = case_files.draw(rng)
        files.update({"t.names": drawn["names"], "t.data": drawn["data"]})
        if rng.random() < 0.8:
            files["t.test"] = drawn["data"]
    return "t"


def _option(rng: random.Random, action: argparse.Action, method: Method, files: dict[str, str]) -> list[str]:
    """An option with its value, if it takes one."""
    option = rng.choice(action.option_strings)
    if action.nargs == 0 or isinstance(action, argparse.BooleanOptionalAction):
        return [option]
    if action.choices is not None and rng.random() < 0.95:
        return [option, str(rng.choice(list(action.choices)))]
    if action.dest.startswith(PREFIX) and action.dest not in USUAL:
        value = _parameter_text(rng, action.dest.removeprefix(PREFIX), method)
    elif action.dest in ("output", "plot", "html", "cache"):
        value = rng.choice(OUTPUTS)
    elif action.dest in ("resume", "test"):
        value = rng.choice(("model.json", *files, "no such"))
    elif rng.random() < 0.92:
        value = rng.choice(USUAL.get(action.dest, WORKING[:4] if action.metavar == "N" else WORKING))
    else:
        value = rng.choice((*NUMBERS, *TEXTS))
    value = value.replace("\0", "")  # no process can be given one
    return [f"{option}={value}"] if option.startswith("--") and rng.random() < 0.3 else [option, value]


def _parameter_text(rng: random.Random, name: str, method: Method) -> str:
    """A parameter as it is typed."""
    if rng.random() < 0.1:
        return rng.choice(("1", "2", "x", "", "nan", "0") if name in COSTLY else (*NUMBERS, *TEXTS))
    declared = method.parameters()[name]
    value = drawn_value(rng, declared)
    if isinstance(value, dict):
        return rng.choice(("yes:2, no:0.5", "Play:2", "x:1", ":"))
    return str(declared.domain.spelled(value))


def run(given: Any, folder: Path) -> bool:
    """Run the command, within this process or in one of its own. Valid: its exit status is 0."""
    for name, text in given["files"].items():
        (folder / name).write_bytes(text.encode("latin-1", "replace"))
    if given["process"]:
        arguments = [argument.encode("utf-8", "surrogatepass") for argument in given["arguments"]]
        done = subprocess.run(
            [sys.executable, "-m", "ctree", *arguments], input=given["input"].encode(), capture_output=True, cwd=folder
        )
        status, errors = done.returncode, done.stderr.decode(errors="replace")
    else:
        status, errors = _within(given)
    if "Traceback (most recent call last)" in errors:
        raise FindingError("a traceback on standard error\n" + errors[-1500:])
    if "RuntimeWarning" in errors:
        raise FindingError("a RuntimeWarning on standard error\n" + errors[-1500:])
    if status not in STATUSES:
        raise FindingError(f"the exit status {status}")
    lines = errors.splitlines()
    if status == 1 and not lines:
        raise FindingError("a failure without a word")
    if status == 1 and len(lines[-1]) > LONGEST_MESSAGE:
        raise FindingError(f"a message of over {LONGEST_MESSAGE} characters\n" + errors[-1500:])
    if status:
        raise CtreeError(lines[-1][:LONGEST_MESSAGE] if lines else "")
    return True


def _within(given: Any) -> tuple[int, str]:
    """The exit status and what went to standard error."""
    out, errors = io.StringIO(), io.StringIO()
    before = sys.stdin
    sys.stdin = io.StringIO(given["input"])
    try:
        with contextlib.redirect_stdout(out), contextlib.redirect_stderr(errors):
            status = main(given["arguments"])
    except SystemExit as end:
        status = end.code if isinstance(end.code, int) else 1
    finally:
        sys.stdin = before
    return status, errors.getvalue()
