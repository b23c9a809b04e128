"""Random small problems of linked tables, as columns and a schema, and as folders of files."""

from __future__ import annotations

import csv
import json
import random
from dataclasses import dataclass, field
from pathlib import Path

from naive.relational_tests import AGGREGATES
from naive.relational_tree import METHODS

# Texts, numerals whose order as text is another one, and numerals beside text.
VALUES = (["u", "v", "w"], ["no", "yes"], ["2", "10", "9"], ["1", "-1"], ["10", "9", "a", "B"], ["only"])
MOST_ROWS = 120


@dataclass
class RelationalProblem:
    """The columns of each table, None where a value is unknown, and what schema.json says of them."""

    schema: dict
    columns: dict[str, dict[str, list]]

    @property
    def n_examples(self) -> int:
        return len(self.columns["example"]["id"])

    def write(self, folder: Path) -> Path:
        """Make a folder with schema.json and a CSV file for each table; the path of schema.json."""
        folder.mkdir(parents=True, exist_ok=True)
        for name, columns in self.columns.items():
            with (folder / f"{name}.csv").open("w", encoding="utf-8", newline="") as file:
                writer = csv.writer(file, lineterminator="\n")
                writer.writerow(columns)
                cells = [["" if value is None else value for value in column] for column in columns.values()]
                writer.writerows(zip(*cells, strict=True))
        path = folder / "schema.json"
        path.write_text(json.dumps(self.schema, indent=1), "utf-8")
        return path


@dataclass
class Draft:
    """A table in the making. `owners`: the class of the example that a row belongs to; None if it belongs to none."""

    name: str
    owners: list[int | None]
    kinds: dict[str, str] = field(default_factory=dict)
    columns: dict[str, list] = field(default_factory=dict)
    key: str | None = None
    symmetric: list[str] | None = None


def random_relational_problem(seed: int, most_examples: int = 40) -> RelationalProblem:
    """One to four linked tables in chains and stars, some of them shared, some of links; any value may be unknown."""
    return Maker(seed, most_examples).problem()


def random_settings(seed: int, *, closing: bool | None = None, aggregates: bool | None = None) -> dict:
    """Parameters of a learner. Few variables, so that lists of all answers stay short.

    Conditions that two rows are the same, and aggregates, are tried in some cases, if they are not asked for or not
    wanted.
    """
    rng = random.Random(f"settings {seed}")
    settings = {
        "method": rng.choice([*METHODS, *["c4.4"] * 12, "c4.5", "bic-stop"]),  # more of those with larger trees
        "lookahead": rng.randrange(2),
        "forward": rng.choice([0, 1, 1, 1, 2, 2, 2]),
        "max_variables": rng.choice([1, 2, 2, 3, 3, 3, 3, 4, 4, 4]),
        "thresholds": rng.choice([None, None, 1, 3, 8]),
        "min_cases": rng.choice([1, 1, 2, 3]),
        "max_depth": rng.choice([*[None] * 12, 0, 1, 1, 2, 4]),
        "closing": rng.random() < 0.9 if closing is None else closing,
    }
    if rng.random() < 0.65 if aggregates is None else aggregates:
        settings["aggregates"] = tuple(name for name in AGGREGATES if rng.random() < 0.6) or ("count",)
    return settings


def random_weights(seed: int, n_examples: int) -> list[float]:
    """Weights whose sums are exact in any order; some are 0, but not all."""
    rng = random.Random(f"weights {seed}")
    return [1.0, *(rng.choice([0.0, 0.25, 0.5, 1.0, 1.0, 2.0, 3.0]) for _ in range(n_examples - 1))]


class Maker:
    """What is known of a problem while it is made."""

    def __init__(self, seed: int, most_examples: int):
        self.rng = random.Random(f"problem {seed}")
        self.unknown = self.rng.choice([0.0, 0.1, 0.3])
        self.unknown_link = self.rng.choice([0.0, 0.0, 0.2])
        self.signal = self.rng.choice([0.0, 0.5, 0.8])
        self.n_classes = self.rng.choice([2, 2, 3, 4])
        # What tells the classes apart, besides columns: that two rows are the same, or how many rows there are.
        self.planted = self.rng.choice([*["same"] * 5, "number", "number", None])
        if self.planted == "same":
            self.signal, self.unknown_link = 0.0, min(self.unknown_link, 0.1)
        n_examples = self.rng.randint(min(12 if self.planted == "same" else 6, most_examples), most_examples)
        # Two classes occur at least.
        classes = [0, 1, *(self.rng.randrange(self.n_classes) for _ in range(n_examples - 2))]
        self.rng.shuffle(classes)
        self.drafts: list[Draft] = []
        self.foreign_keys: list[dict] = []
        self.example = self.new_table("example", classes, keyed=True)
        self.add_attributes(self.example, self.rng.choice([0, 0, 1, 2]))

    def problem(self) -> RelationalProblem:
        kinds = (self.add_parts, self.add_parts, self.add_lookup, self.add_links)
        for number in range(self.rng.randint(0, 1) if self.planted == "same" else self.rng.randint(1, 4)):
            # The first belongs to the examples, so that there is something to find.
            make = (
                self.rng.choice(kinds) if number else self.rng.choice([self.add_parts, self.add_parts, self.add_lookup])
            )
            make(number)
        if self.planted == "same":
            self.add_meetings()
        if self.rng.random() < 0.4:
            self.add_self_reference(self.rng.choice([draft for draft in self.drafts if draft.key]))
        return RelationalProblem(self.schema(), {draft.name: draft.columns for draft in self.drafts})

    def new_table(self, name: str, owners: list, keyed: bool) -> Draft:
        draft = Draft(name, owners)
        if keyed:
            draft.key = "id"
            draft.kinds["id"] = "key"
            draft.columns["id"] = [f"{name[0]}{number}" for number in range(len(owners))]
        self.drafts.append(draft)
        return draft

    def add_attributes(self, draft: Draft, how_many: int) -> None:
        """Columns of values. Those of the examples tell nothing of their classes: this is left to linked rows."""
        owners = [None] * len(draft.owners) if draft.name == "example" else draft.owners
        for number in range(how_many):
            if self.rng.random() < 0.5:
                self.add_column(draft, f"d{number}", "discrete", self.random_values(owners))
            else:
                self.add_column(draft, f"n{number}", "continuous", self.random_numbers(owners))

    def add_column(self, draft: Draft, name: str, kind: str, values: list) -> None:
        draft.kinds[name] = kind
        draft.columns[name] = [None if self.rng.random() < self.unknown else value for value in values]

    def add_foreign_key(self, draft: Draft, column: str, there: Draft, rows: list[int | None]) -> None:
        keys = there.columns[there.key]
        draft.kinds[column] = "key"
        draft.columns[column] = [
            None if row is None or self.rng.random() < self.unknown_link else keys[row] for row in rows
        ]
        self.foreign_keys.append({"table": draft.name, "column": column, "references": there.name})

    def random_values(self, owners: list) -> list[str]:
        """Values of which one is the more frequent with each class, if there is any signal."""
        values = self.rng.choice(VALUES)
        favourites = [self.rng.choice(values) for _ in range(self.n_classes)]
        return [
            favourites[owner] if owner is not None and self.rng.random() < self.signal else self.rng.choice(values)
            for owner in owners
        ]

    def random_numbers(self, owners: list) -> list[float]:
        """Numbers with ties, the greater the later the class, if there is any signal."""
        step, spread = self.rng.choice([(1.0, 4), (0.5, 6), (0.1, 30), (1e-3, 2000)])
        return [
            step * (self.rng.randrange(-spread // 2, spread) + (round(self.signal * spread / 2) * (owner or 0)))
            for owner in owners
        ]

    def add_parts(self, number: int) -> None:
        """Rows that belong to those of another table, any number to each; at times to those of a second one as well."""
        whole = self.example if number == 0 else self.rng.choice([draft for draft in self.drafts if draft.key])
        most = self.rng.choice([1, 3, 4])
        rows = [
            row
            for row, owner in enumerate(whole.owners)
            for _ in range(self.rng.randint(0, most) + (owner or 0) * (self.planted == "number"))
        ]
        self.rng.shuffle(rows)
        del rows[MOST_ROWS:]
        part = self.new_table(f"part{number}", [whole.owners[row] for row in rows], keyed=self.rng.random() < 0.7)
        self.add_foreign_key(part, "of", whole, rows)
        self.add_attributes(part, self.rng.randint(0 if number else 1, 3))
        if self.rng.random() < 0.2:
            other = self.rng.choice([draft for draft in self.drafts[:-1] if draft.key])
            self.add_foreign_key(part, "beside", other, self.random_rows(other, len(rows)))

    def random_rows(self, draft: Draft, how_many: int) -> list[int | None]:
        n_rows = len(draft.owners)
        return [self.rng.randrange(n_rows) if n_rows else None for _ in range(how_many)]

    def add_lookup(self, number: int) -> None:
        """A table to whose rows those of another refer: many rows to one."""
        user = self.example if number == 0 else self.rng.choice(self.drafts)
        if user.symmetric:
            user = self.example
        place = self.new_table(f"lookup{number}", [None] * self.rng.randint(5, 9), keyed=True)
        self.add_attributes(place, self.rng.randint(1, 2))
        self.add_foreign_key(user, f"to{number}", place, self.random_rows(place, len(user.owners)))

    def add_links(self, number: int) -> None:
        """A table whose rows link two of another table, without direction or with one; seldom two examples."""
        keyed = [draft for draft in self.drafts if draft.key]
        ends = self.rng.choice(keyed[1:] if keyed[1:] and self.rng.random() < 0.9 else keyed)
        n_links = min(self.rng.randint(0, 2 * len(ends.owners)), MOST_ROWS // 2) if ends.owners else 0
        links = self.new_table(f"links{number}", [None] * n_links, keyed=False)
        self.add_foreign_key(links, "one", ends, self.random_rows(ends, n_links))
        self.add_foreign_key(links, "other", ends, self.random_rows(ends, n_links))
        self.add_attributes(links, self.rng.randint(0, 2))
        if self.rng.random() < 0.6:
            links.symmetric = ["one", "other"]

    def add_meetings(self) -> None:
        """Rows of the examples in one or two tables, all with places; those of the first class have one in common.

        The examples have a place of their own, or the rows of the two tables meet. A step is between where the rows
        belong to other rows of an example.
        """
        place = self.new_table("place", [None] * self.rng.randint(6, 12), keyed=True)
        self.add_attributes(place, self.rng.randint(0, 1))
        n_places = len(place.owners)
        homes = self.random_rows(place, len(self.example.owners))
        at_home, often = self.rng.random() < 0.7, self.rng.choice([[1, 2, 3], [0, 1, 2], [1]])
        if at_home:
            self.add_foreign_key(self.example, "home", place, homes)
        for number in range(1 if at_home else 2):
            owners, rows = self.example.owners, list(range(len(self.example.owners)))
            whole, own_homes = self.example, homes
            if self.rng.random() < 0.2:
                trip_rows = [row for row in rows for _ in range(self.rng.randint(0, 2))]
                whole = self.new_table(f"trip{number}", [owners[row] for row in trip_rows], keyed=True)
                self.add_foreign_key(whole, "of", self.example, trip_rows)
                own_homes = [homes[row] for row in trip_rows]
            belongs = [row for row in range(len(whole.owners)) for _ in range(self.rng.choice(often))][:MOST_ROWS]
            visit = self.new_table(f"visit{number}", [whole.owners[row] for row in belongs], keyed=False)
            self.add_foreign_key(visit, "of", whole, belongs)
            elsewhere = [(own_homes[row] + self.rng.randrange(1, n_places)) % n_places for row in belongs]
            meets = [whole.owners[row] == 0 and self.rng.random() < 0.9 for row in belongs]
            pairs = zip(belongs, elsewhere, meets, strict=True)
            self.add_foreign_key(visit, "at", place, [own_homes[row] if met else other for row, other, met in pairs])

    def add_self_reference(self, draft: Draft) -> None:
        """Rows refer to rows of their own table; those that belong to the first class often to themselves."""
        rows = [
            row if owner == 0 and self.rng.random() < self.signal else other
            for row, (owner, other) in enumerate(
                zip(draft.owners, self.random_rows(draft, len(draft.owners)), strict=True)
            )
        ]
        self.add_foreign_key(draft, "next", draft, rows)

    def schema(self) -> dict:
        """Orders are shuffled, since they break ties. At times the classes are not told, or one more is."""
        example = self.example
        names = [f"c{cls}" for cls in range(self.n_classes)]
        example.kinds["class"] = "class"
        example.columns["class"] = [names[owner] for owner in example.owners]
        self.rng.shuffle(self.drafts)
        self.rng.shuffle(self.foreign_keys)
        target = {"table": "example", "column": "class"}
        told = self.rng.random()
        if told < 0.8:
            target["classes"] = self.shuffled(names if told < 0.7 else [*names, "never"])
        schema = {
            "format": "ctree-relational",
            "version": 1,
            "name": "random",
            "target": target,
            "tables": {draft.name: self.told_of(draft) for draft in self.drafts},
            "foreign_keys": self.foreign_keys,
        }
        if self.rng.random() < (0.1 if self.planted == "same" else 0.2):
            schema["bias"] = self.random_bias()
        return schema

    def told_of(self, draft: Draft) -> dict:
        kinds = dict(self.shuffled(draft.kinds.items()))
        told = {"file": f"{draft.name}.csv", "key": draft.key, "columns": kinds}
        return told | ({"symmetric": draft.symmetric} if draft.symmetric else {})

    def random_bias(self) -> dict:
        links = {
            f"{key['table']}.{key['column']}": self.rng.choice(["both", "down", "up", "none"])
            for key in self.foreign_keys
        }
        constants = {
            f"{draft.name}.{column}": self.rng.random() < 0.5
            for draft in self.drafts
            for column, kind in draft.kinds.items()
            if kind in ("discrete", "continuous")
        }
        return {"links": self.some_of(links), "constants": self.some_of(constants)}

    def some_of(self, things: dict) -> dict:
        return {name: thing for name, thing in things.items() if self.rng.random() < 0.5}

    def shuffled(self, things) -> list:
        things = list(things)
        return self.rng.sample(things, len(things))
