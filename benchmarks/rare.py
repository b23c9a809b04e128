"""What one rare value costs: a fit with it, beside the fit without, in turns.

python benchmarks/rare.py [--data rounded] [--cases 100000] [--variant release8] [--repeats 5]

Each line is the least processor time of a fit, and its ratio to that of the data as they are.
"""

from __future__ import annotations

import argparse
import time
from collections.abc import Callable
from typing import Any

import numpy as np
from generators import GENERATORS

import ctree

Changed = Callable[[ctree.Dataset], ctree.Dataset]


def with_numbers(*numbers: float, column: int = 0) -> Changed:
    """With these numbers in the first cells of a continuous column."""

    def change(data: ctree.Dataset) -> ctree.Dataset:
        values = np.array(data.columns[column])
        values[: len(numbers)] = numbers
        return replaced(data, column, values)

    return change


def with_unknown_value(data: ctree.Dataset) -> ctree.Dataset:
    """With one discrete value unknown."""
    codes = np.array(data.columns[-1])
    codes[0] = -1
    return replaced(data, len(data.columns) - 1, codes)


def with_constant(data: ctree.Dataset) -> ctree.Dataset:
    """With a column more that has one value."""
    schema = ctree.Schema((*tuple(data.schema), ctree.Attribute("same", ctree.Kind.CONTINUOUS)), data.schema.classes)
    return ctree.Dataset(schema, [*data.columns, np.zeros(data.n_cases)], data.classes, n_cases=data.n_cases)


def with_lone_value(data: ctree.Dataset) -> ctree.Dataset:
    """With a value more that one case has."""
    place = len(data.columns) - 1
    old = data.schema[place]
    schema = ctree.Schema(
        (*tuple(data.schema)[:place], ctree.Attribute(old.name, old.kind, (*old.values, "lone"))), data.schema.classes
    )
    codes = np.array(data.columns[place])
    codes[0] = len(old.values)
    return ctree.Dataset(schema, [*data.columns[:place], codes], data.classes, n_cases=data.n_cases)


def with_lone_class(data: ctree.Dataset) -> ctree.Dataset:
    """With a class more that one case has."""
    classes = np.array(data.classes)
    classes[0] = data.schema.n_classes
    schema = ctree.Schema(tuple(data.schema), (*data.schema.classes, "lone"))
    return ctree.Dataset(schema, data.columns, classes, n_cases=data.n_cases)


def with_weight(weight: float) -> Changed:
    """With another weight than one for one case."""

    def change(data: ctree.Dataset) -> ctree.Dataset:
        weights = np.ones(data.n_cases)
        weights[0] = weight
        return ctree.Dataset(data.schema, data.columns, data.classes, weights, n_cases=data.n_cases)

    return change


def replaced(data: ctree.Dataset, place: int, column: Any) -> ctree.Dataset:
    """The data with another column."""
    columns = [column if i == place else old for i, old in enumerate(data.columns)]
    return ctree.Dataset(data.schema, columns, data.classes, n_cases=data.n_cases)


CHANGES: dict[str, Changed] = {
    "as they are": lambda data: data,
    "-0.0 beside 0.0": with_numbers(-0.0, 0.0),
    "a number of 1e300": with_numbers(1e300),
    "a number of 1e-300": with_numbers(1e-300),
    "numbers nearer than 1e-5": with_numbers(0.5, 0.500001, 0.500002),
    "the same in whole numbers": with_numbers(0.5, 0.500001, 0.500002, column=9),
    "a column more, of one value": with_constant,
    "a value of one case": with_lone_value,
    "a class of one case": with_lone_class,
    "weights, all of them one": with_weight(1.0),
    "one weight of two": with_weight(2.0),
    "one weight of a half": with_weight(0.5),
    "one number unknown": with_numbers(float("nan")),
    "one discrete value unknown": with_unknown_value,
}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data", choices=GENERATORS, default="rounded", help="kind of data")
    parser.add_argument("--cases", type=int, default=100_000)
    parser.add_argument("--variant", choices=("release8", "j48"), default="release8")
    parser.add_argument("--repeats", type=int, default=5)
    arguments = parser.parse_args()
    data = GENERATORS[arguments.data].data(arguments.cases)
    changed = {name: change(data) for name, change in CHANGES.items()}
    least = dict.fromkeys(changed, float("inf"))
    for _ in range(arguments.repeats):  # in turn, so that all meet the same machine
        for name, cases in changed.items():
            start = time.process_time()
            ctree.C45Classifier(variant=arguments.variant).fit(cases)
            least[name] = min(least[name], time.process_time() - start)
    print(f"{arguments.cases:,} cases of {arguments.data} data, {arguments.variant}, one thread")
    for name, seconds in least.items():
        print(f"  {name:<28}{seconds:9.4f} s{seconds / least['as they are']:8.2f} times")


if __name__ == "__main__":
    main()
