"""Trains as of Michie's East-West challenge, as many as wanted, with noise: the report's trains are not public.

The report says that there are 25,000 of two classes, that they were generated, and that the root has 73 tests. Here a
train has one to five cars, and the class follows from them by a rule. The rule needs two conditions on the same car, a
link between two cars, and a negation. A tenth of the classes is turned round: with a tenth, a tree that has found the
rule ranks with an AUC of about 90 %, which is what the report's best trees have.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from ctree.data.relational.data import RelationalData

DIRECTIONS = ("east", "west")
MOST_CARS = 5
SHAPES = ("rectangle", "bucket", "ellipse", "hexagon", "u-shaped")
ROOFS = ("none", "flat", "arc", "jagged", "peaked")
LOADS = ("circle", "diamond", "hexagon", "rectangle", "triangle", "utriangle")
BLOCK = 4_096
"""How many trains are drawn at once."""

Table = npt.NDArray[Any]
Mask = npt.NDArray[np.bool_]


class Cars(NamedTuple):
    """The cars of some trains, each attribute a table with a row for a train and a column for a position."""

    there: Table
    long: Table
    shape: Table
    double: Table
    roof: Table
    wheels: Table
    number: Table
    load: Table


def trains(n: int, seed: int, east: float = 0.5, noise: float = 0.1) -> RelationalData:
    """So many trains with a table of their cars.

    Parameters
    ----------
    n : int
    seed : int
    east : float
        The share of trains whose class is east.
    noise : float
        How often the class is not what the rule says, among trains of all kinds.

    Returns
    -------
    RelationalData

    Examples
    --------
    >>> data = trains(100, seed=1)
    >>> data, data.schema.table_names
    (<RelationalData: 100 examples, 2 tables, 2 foreign keys, 2 classes>, ('train', 'car'))
    """
    rng = np.random.default_rng([seed, 2005])
    blocks: list[Cars] = []
    eastward: list[Mask] = []
    wanted = {True: round(n * east), False: n - round(n * east)}
    while any(wanted.values()):
        cars = _drawn(rng, BLOCK)
        truth = goes_east(cars) ^ (rng.random(BLOCK) < noise)
        kept = np.sort(np.concatenate([np.flatnonzero(truth == side)[:left] for side, left in wanted.items()]))
        blocks.append(Cars(*(table[kept] for table in cars)))
        eastward.append(truth[kept])
        for side in wanted:
            wanted[side] -= int((truth[kept] == side).sum())
    cars = Cars(*(np.concatenate(tables) for tables in zip(*blocks, strict=True)))
    classes = np.concatenate(eastward)
    order = rng.permutation(n)  # the last blocks have trains of one class only
    return _linked(Cars(*(table[order] for table in cars)), classes[order])


def _drawn(rng: np.random.Generator, n: int) -> Cars:
    """Cars at random: a long one is a plain rectangle and may have three wheels, a short one has two."""
    size = (n, MOST_CARS)
    there = np.arange(MOST_CARS) < rng.integers(1, MOST_CARS + 1, size=(n, 1))
    long = rng.random(size) < 0.4
    shape = np.where(long, 0, rng.integers(len(SHAPES), size=size))
    roof = np.where(rng.random(size) < 0.5, 0, rng.integers(1, len(ROOFS), size=size))
    wheels = np.where(long & (rng.random(size) < 0.5), 3, 2)
    number = rng.integers(4, size=size)
    double = ~long & (shape == 0) & (rng.random(size) < 0.3)
    return Cars(there, long, shape, double, roof, wheels, number, rng.integers(len(LOADS), size=size))


def goes_east(cars: Cars) -> Mask:
    """The rule: a short car with a roof, or one with three wheels and triangles; and no circles behind rectangles."""
    loaded = cars.there & (cars.number > 0)
    covered = cars.there & ~cars.long & (cars.roof > 0)
    heavy = loaded & (cars.wheels == 3) & (cars.load == LOADS.index("triangle"))
    circles, rectangles = (loaded & (cars.load == LOADS.index(name)) for name in ("circle", "rectangle"))
    behind = (rectangles[:, :-1] & circles[:, 1:]).any(axis=1)
    return np.asarray((covered | heavy).any(axis=1) & ~behind)


def _linked(cars: Cars, east: Mask) -> RelationalData:
    train, position = np.nonzero(cars.there)
    own = {name: table[train, position] for name, table in cars._asdict().items()}
    number = np.arange(len(train))
    columns: Mapping[str, Any] = {
        "car": number,
        "train": train,
        "in_front": [None if p == 0 else i - 1 for i, p in enumerate(position.tolist())],
        "position": position + 1,
        "shape": np.array(SHAPES)[own["shape"]],
        "length": np.where(own["long"], "long", "short"),
        "double_sides": np.where(own["double"], "yes", "no"),
        "roof": np.array(ROOFS)[own["roof"]],
        "wheels": own["wheels"],
        "load_number": own["number"],
        "load": [LOADS[load] if some else None for load, some in zip(own["load"], own["number"], strict=True)],
    }
    return RelationalData(
        {"train": {"train": np.arange(len(east)), "direction": np.where(east, *DIRECTIONS)}, "car": columns},
        target=("train", "direction"),
        keys={"train": "train", "car": "car"},
        foreign_keys={"car.train": "train", "car.in_front": "car"},
        kinds={"car.wheels": "discrete"},
        classes=DIRECTIONS,
        name="trains",
    )
