"""How soon Ctrl-C is heard: signals at random moments in every learner, phase and command.

    python benchmarks/interrupts.py                      # everything, ten signals each
    python benchmarks/interrupts.py --signals 30 --only fit,predict

For each kind of work there is a process that does it over and over; a signal comes at a random moment of the first two
seconds, and then the work begins anew. The delay is from the signal to the moment when the process has left the work
with KeyboardInterrupt. A command is a process of its own for each signal, and has to end with status 130 and without a
traceback, unless Python itself has not started yet. Delays of more than a second are marked.
"""

from __future__ import annotations

import argparse
import os
import random
import signal
import subprocess
import sys
import tempfile
import time
import warnings
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
from mixed import mixed_dataset, mixed_table

import ctree

PACKAGE = str(Path(ctree.__file__).parent)
BEFORE = "in Python's own start"
"""Before the first line of `ctree.cli.start` is run; Python prints a traceback then."""
LONGEST = 30.0
"""Seconds after which a signal counts as lost."""

Work = Callable[[], Any]


def fits() -> dict[str, Callable[[], Work]]:
    """A fit of every learner on data that takes it some seconds."""

    def of(model: Any, n: int, unknown: float = 0.0) -> Callable[[], Work]:
        def prepared() -> Work:
            data = mixed_dataset(*mixed_table(n, unknown=unknown))
            return lambda: model.fit(data)

        return prepared

    return {
        "c4.5": of(ctree.C45Classifier(), 500_000),
        "c4.5, two threads": of(ctree.C45Classifier(n_jobs=2), 500_000),
        "c4.5, unknown values": of(ctree.C45Classifier(), 200_000, 0.05),
        "c4.5, groups of values": of(ctree.C45Classifier(group_values=True), 200_000),
        "c4.5, reduced error": of(ctree.C45Classifier(prune="reduced-error"), 300_000),
        "j48": of(ctree.C45Classifier(variant="j48"), 300_000),
        "j48, unknown values, two threads": of(ctree.C45Classifier(variant="j48", n_jobs=2), 300_000, 0.05),
        "c4.5rules": of(ctree.C45RulesClassifier(), 5_000),
        "probability": of(ctree.ProbabilityTreeClassifier(), 300_000),
        "bayesian": of(ctree.BayesianTreeClassifier(), 500_000),
        "bayes-optimal": of(ctree.BayesOptimalClassifier(max_depth=4), 5_000),
        "dl8": of(ctree.OptimalTreeClassifier(max_depth=5), 5_000),
        "mcmc": of(ctree.MCMCTreeClassifier(random_state=0), 2_000),
        "naive-bayes": of(ctree.NaiveBayesClassifier(), 1_000_000),
        "relational": lambda: _fit_linked(20_000, n_jobs=1),
        "relational, two threads": lambda: _fit_linked(20_000, n_jobs=2),
    }


def parts_at_random(n: int) -> ctree.RelationalData:
    """Examples with four parts each, whose classes are drawn at random, so that trees are large."""
    rng = np.random.default_rng(0)
    return ctree.RelationalData(
        {
            "e": {"id": np.arange(n), "class": rng.choice(["a", "b"], n)},
            "p": {"of": rng.integers(n, size=4 * n), "c": rng.choice(list("xyz"), 4 * n), "v": rng.random(4 * n)},
        },
        target=("e", "class"),
        keys={"e": "id"},
        foreign_keys={"p.of": "e"},
    )


def _fit_linked(n: int, **settings: Any) -> Work:
    data, model = parts_at_random(n), ctree.RelationalTreeClassifier(max_variables=3, thresholds=8, **settings)
    return lambda: model.fit(data)


def _predict_linked() -> Work:
    model = ctree.RelationalTreeClassifier(max_variables=3, thresholds=8).fit(parts_at_random(2_000))
    data = parts_at_random(200_000)
    return lambda: model.predict_proba(data)


def predictions() -> dict[str, Callable[[], Work]]:
    """`predict_proba` of every learner for many cases, as a data set and as a table."""

    def of(model: Any, learned: int, asked: int, table: bool = False) -> Callable[[], Work]:
        def prepared() -> Work:
            X, y = mixed_table(asked, unknown=0.05)
            new = mixed_dataset(X, y)
            if table:
                model.set_params(categorical_features=list(range(10, 20))).fit(X[:learned], y[:learned])
                return lambda: model.predict_proba(X)
            model.fit(mixed_dataset(*mixed_table(learned)))
            return lambda: model.predict_proba(new)

        return prepared

    return {
        "c4.5": of(ctree.C45Classifier(), 20_000, 500_000),
        "c4.5, a table": of(ctree.C45Classifier(), 20_000, 500_000, True),
        "c4.5rules": of(ctree.C45RulesClassifier(), 1_000, 200_000),
        "bayesian": of(ctree.BayesianTreeClassifier(), 20_000, 500_000),
        "bayes-optimal": of(ctree.BayesOptimalClassifier(max_depth=3), 1_000, 5_000),
        "mcmc": of(ctree.MCMCTreeClassifier(random_state=0), 500, 100_000),
        "naive-bayes": of(ctree.NaiveBayesClassifier(), 20_000, 500_000),
        "relational": _predict_linked,
    }


def other_phases() -> dict[str, Callable[[], Work]]:
    """Reading, saving, loading, pruning, explaining, exporting, comparing."""

    def large() -> Any:
        return ctree.C45Classifier(prune=False, min_cases=1).fit(mixed_dataset(*mixed_table(50_000)))

    def file_of(suffix: str, write: Callable[[Any, Path], Any]) -> Path:
        path = Path(tempfile.mkdtemp(prefix="interrupts"), "cases" + suffix)
        write(mixed_dataset(*mixed_table(200_000)), path)
        return path

    def reading_csv() -> Work:
        path = file_of(".csv", ctree.write_csv)
        return lambda: ctree.read_csv(path)

    def reading_c45() -> Work:
        path = file_of("", ctree.write_c45)
        return lambda: ctree.read_c45(path)

    def reading_linked() -> Work:
        folder = Path(tempfile.mkdtemp(prefix="interrupts"))
        ctree.write_relational(parts_at_random(100_000), folder)
        return lambda: ctree.read_relational(folder)

    def writing_linked() -> Work:
        data, folder = parts_at_random(100_000), Path(tempfile.mkdtemp(prefix="interrupts"))
        return lambda: ctree.write_relational(data, folder)

    def explaining_linked() -> Work:
        data = parts_at_random(5_000)
        model = ctree.RelationalTreeClassifier(max_variables=3, thresholds=8).fit(data)
        return lambda: model.explain(data)

    def saving() -> Work:
        model, path = large(), Path(tempfile.mkdtemp(prefix="interrupts"), "model.json")
        return lambda: ctree.save(model, path)

    def loading() -> Work:
        path = Path(tempfile.mkdtemp(prefix="interrupts"), "model.json")
        ctree.save(large(), path)
        return lambda: ctree.load(path)

    def pruning() -> Work:
        model, data = large(), mixed_dataset(*mixed_table(50_000))
        return lambda: model.pruned("reduced-error", data)

    def explaining() -> Work:
        model, data = large(), mixed_dataset(*mixed_table(20_000))
        return lambda: model.explain(data)

    def comparing() -> Work:
        data = {"mixed": mixed_dataset(*mixed_table(20_000))}
        learners = {"c4.5": ctree.C45Classifier(), "bayesian": ctree.BayesianTreeClassifier()}
        return lambda: ctree.compare(data, learners)

    def writing(method: str) -> Callable[[], Work]:
        def prepared() -> Work:
            model = large()
            return lambda: getattr(model, method)()

        return prepared

    phases = {"read_csv": reading_csv, "read_c45": reading_c45, "save": saving, "load": loading, "pruned": pruning}
    methods = ("to_text", "to_sql", "to_pmml", "to_python", "to_c", "to_html", "to_rules")
    phases |= {"read_relational": reading_linked, "write_relational": writing_linked}
    phases |= {"explain, relational": explaining_linked, "explain": explaining, "compare": comparing} | {
        name: writing(name) for name in methods
    }
    return phases


def linked_tables() -> dict[str, Callable[[], Work]]:
    """Linked tables of a million rows: coding, reading, fitting, predicting; and a row to which very many refer."""
    from relational_tables import hub, shop, shop_tables

    def reading() -> Work:
        folder = tempfile.mkdtemp(prefix="interrupts")
        ctree.write_relational(shop(100_000, 1_000_000), folder)
        return lambda: ctree.read_relational(folder)

    def coding() -> Work:
        tables, options = shop_tables(100_000, 1_000_000)
        return lambda: ctree.RelationalData(tables, **options)

    def fitting(**parameters: Any) -> Callable[[], Work]:
        def prepared() -> Work:
            data = shop(100_000, 1_000_000)
            return lambda: ctree.RelationalTreeClassifier(**parameters).fit(data)

        return prepared

    def predicting() -> Work:
        data = shop(100_000, 1_000_000)
        model = ctree.RelationalTreeClassifier().fit(data)
        return lambda: model.predict_proba(data)

    def many() -> Work:
        data = hub(160, 500_000)
        return lambda: ctree.RelationalTreeClassifier().fit(data)

    aggregates = ("count", "min", "max", "mean", "mode", "share", "nunique")
    return {
        "read_relational": reading,
        "coding": coding,
        "c4.4": fitting(),
        "c4.4, lookahead": fitting(lookahead=1, closing=True, max_depth=2),
        "aggregates": fitting(aggregates=aggregates, max_depth=1),
        "prediction": predicting,
        "40 million rows at a node": many,
    }


WORK = {"fit": fits, "predict": predictions, "phase": other_phases, "linked": linked_tables}


def do(kind: str, name: str) -> None:
    """What a process of its own does."""
    warnings.simplefilter("ignore")
    work = WORK[kind]()[name]()
    while True:
        try:
            print("begins", flush=True)
            while True:
                work()
        except KeyboardInterrupt:
            print("interrupted", flush=True)


def delays_of(kind: str, name: str, moments: list[float]) -> list[float]:
    """Seconds from each signal to the end of the work; infinite, and the last, if it was lost."""
    command = [sys.executable, __file__, "--do", kind, name]
    delays: list[float] = []
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, bufsize=0) as process:
        assert process.stdout is not None
        try:
            for after in moments:
                if process.stdout.readline() != b"begins\n":
                    raise SystemExit(process.communicate()[1].decode())
                time.sleep(after)
                process.send_signal(signal.SIGINT)
                start = time.perf_counter()
                said = process.stdout.readline() if _ready(process.stdout, LONGEST) else b""
                delays.append(time.perf_counter() - start if said == b"interrupted\n" else float("inf"))
                if said != b"interrupted\n":
                    if process.poll() is not None:
                        raise SystemExit(process.communicate()[1].decode())
                    break
        finally:
            process.kill()
    return delays


def _ready(stream: Any, seconds: float) -> bool:
    import select

    return bool(select.select([stream], [], [], seconds)[0])


def commands(folder: Path) -> dict[str, list[str]]:
    """Every command on a set large enough for a second of work."""
    data = mixed_dataset(*mixed_table(100_000))
    ctree.write_c45(data, folder / "mixed")
    ctree.write_csv(data, folder / "mixed.csv")
    ctree.save(ctree.C45Classifier(prune=False).fit(data), folder / "model.json")
    return {
        "learn": ["learn", "mixed", "-o", "new.json"],
        "learn, csv": ["learn", "mixed.csv"],
        "predict": ["predict", "model.json", "mixed.csv", "-o", "new.csv"],
        "show --html": ["show", "model.json", "--html", "new.html"],
        "export --to pmml": ["export", "model.json", "--to", "pmml", "-o", "new.pmml", "--force"],
        "convert": ["convert", "mixed", "new.csv", "--force"],
        "compare": ["compare", "mixed", "--method", "c4.5,bayesian"],
        "c4.5": ["c4.5", "-f", "mixed"],
        "j48": ["j48", "-f", "mixed"],
        "help": ["--help"],
    }


def command_delay(arguments: list[str], folder: Path, after: float) -> tuple[float, str]:
    """Seconds from a signal to the end of a command, and what is wrong with that end."""
    command = [sys.executable, "-m", "ctree", *arguments]
    with subprocess.Popen(command, cwd=folder, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True) as process:
        time.sleep(after)
        process.send_signal(signal.SIGINT)
        start = time.perf_counter()
        try:
            error = process.communicate(timeout=LONGEST)[1]
        except subprocess.TimeoutExpired:
            process.kill()
            return float("inf"), "lost"
        seconds = time.perf_counter() - start
    if "Traceback" in error and f"{PACKAGE}{os.sep}cli{os.sep}" not in error:
        return seconds, BEFORE
    wrong = "traceback" if "Traceback" in error else ""
    if process.returncode not in (0, 130, -signal.SIGINT):
        wrong = wrong or f"status {process.returncode}"
    return seconds, wrong


def line(name: str, delays: list[float], wrong: list[str]) -> None:
    """One row of the table."""
    late = sum(delay > 1 for delay in delays)
    marks = f"  {late} LATE" * (late > 0)
    marks += "".join(f"  {n} {what}" for what, n in sorted(Counter(wrong).items()))
    delays = sorted(delays)
    print(f"  {name:<34}{delays[len(delays) // 2]:8.3f}{delays[-1]:8.3f}{marks}", flush=True)


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--signals", type=int, default=10)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--only", default="fit,predict,phase,command")
    parser.add_argument("--do", nargs=2, help=argparse.SUPPRESS)
    args = parser.parse_args()
    if args.do:
        do(*args.do)
        return
    signal.signal(signal.SIGINT, signal.default_int_handler)  # a shell's background has them ignored, also by children
    rng = random.Random(args.seed)
    print(f"{args.signals} signals each; seconds until the work was left: {'median':>12}{'most':>8}")
    for kind in args.only.split(","):
        if kind == "command":
            with tempfile.TemporaryDirectory() as folder:
                for name, words in commands(Path(folder)).items():
                    ends = [command_delay(words, Path(folder), 1.5 * rng.random()) for _ in range(args.signals)]
                    line(f"ctree {name}", [seconds for seconds, _ in ends], [wrong for _, wrong in ends if wrong])
                    left = [path for path in os.listdir(folder) if path.endswith(".tmp")]
                    if left:
                        print(f"    left behind: {', '.join(left)}")
            continue
        for name in WORK[kind]():
            line(f"{kind}: {name}", delays_of(kind, name, [2 * rng.random() for _ in range(args.signals)]), [])


if __name__ == "__main__":
    main()
