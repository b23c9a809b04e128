"""Parquet files for the benchmark of fits beyond memory: two kinds of mixed data, wide ones, and hard ones."""

from __future__ import annotations

from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
from mixed import mixed_table
from rounded import rounded_table

GROUP = 250_000
"""Rows of a row group."""
FILE = 2_500_000
"""Rows of a file."""
TABLES = {"mixed": mixed_table, "rounded": rounded_table}
CONTINUOUS = 10


def files(folder: Path, kind: str, n: int) -> str:
    """A pattern for the files with so many rows of a kind, which are written if they are not there."""
    place = folder / f"{kind}-{n}"
    if not (place / "done").exists():
        place.mkdir(parents=True, exist_ok=True)
        for number, start in enumerate(range(0, n, FILE)):
            path = place / f"{number:04}.parquet"
            with pq.ParquetWriter(path, table(kind, 0, 0).schema) as writer:
                for row in range(start, min(start + FILE, n), GROUP):
                    writer.write_table(table(kind, min(GROUP, n - row), row), row_group_size=GROUP)
        (place / "done").touch()
    return str(place / "*.parquet")


def table(kind: str, n: int, first: int) -> pa.Table:
    """Some rows, those from the first on."""
    X, y = TABLES[kind](n, seed=first)
    columns: dict[str, Any] = {f"x{j}": X[:, j] for j in range(CONTINUOUS)}
    for j in range(CONTINUOUS, X.shape[1]):
        columns[f"d{j}"] = labels(X[:, j].astype(np.int8), "v", 60)
    columns["label"] = labels(y.astype(np.int8), "c", 3)
    return pa.table(columns)


def labels(codes: Any, letter: str, most: int) -> pa.DictionaryArray:
    """Text, as Parquet has it best."""
    return pa.DictionaryArray.from_arrays(pa.array(codes), [f"{letter}{i}" for i in range(most)])


def wide(folder: Path, columns: int = 10_000, n: int = 100_000) -> str:
    """Many columns, half of them of numbers; the class hangs on ten."""
    path = folder / f"wide-{columns}-{n}.parquet"
    if not path.exists():
        rng = np.random.default_rng(0)
        group = 10_000
        writer = None
        for _ in range(0, n, group):
            numbers = np.round(rng.normal(size=(columns // 2, group)), 3)
            values = rng.integers(0, 3, (columns - columns // 2, group), dtype=np.int8)
            score = numbers[:5].sum(axis=0) + (values[:5] == 1).sum(axis=0) + rng.normal(size=group)
            named = {f"x{j}": column for j, column in enumerate(numbers)}
            named |= {f"d{j}": labels(column, "v", 3) for j, column in enumerate(values)}
            named["label"] = labels((score > 1.7).astype(np.int8), "c", 2)
            some = pa.table(named)
            writer = writer or pq.ParquetWriter(path, some.schema, use_dictionary=False)
            writer.write_table(some)
        assert writer is not None
        writer.close()
    return str(path)


def many_values(folder: Path, n: int = 2_000_000, values: int = 1_000_000) -> str:
    """A discrete column of a million values."""
    path = folder / f"values-{n}-{values}.parquet"
    if not path.exists():
        rng = np.random.default_rng(1)
        some = table("mixed", n, 7)
        codes = np.concatenate([rng.permutation(values), rng.integers(0, values, n - values)])
        some = some.append_column("id", pa.array([f"u{i}" for i in range(values)]).take(pa.array(codes)))
        pq.write_table(some, path, row_group_size=GROUP)
    return str(path)


def uneven(folder: Path, n: int = 2_000_000) -> str:
    """Files of which one has 99 % of the rows, in one row group; some have none."""
    place = folder / f"uneven-{n}"
    if not place.exists():
        place.mkdir(parents=True)
        some = table("mixed", n, 11)
        bounds = [0, 0, n // 200, n - n // 200, n - n // 200, n]
        for number, (start, end) in enumerate(pairwise(bounds)):
            pq.write_table(some.slice(start, end - start), place / f"{number}.parquet", row_group_size=max(1, n))
    return str(place / "*.parquet")
