"""A folder with linked tables in files, which tests change to be wrong."""

from __future__ import annotations

import copy
import json

SCHEMA = {
    "format": "ctree-relational",
    "version": 1,
    "target": {"table": "molecule", "column": "class", "classes": ["pos", "neg"]},
    "tables": {
        "molecule": {
            "file": "molecule.csv",
            "key": "molecule",
            "columns": {"molecule": "key", "lumo": "continuous", "class": "class"},
        },
        "atom": {
            "file": "atom.csv",
            "key": "atom",
            "columns": {"atom": "key", "molecule": "key", "element": "discrete", "charge": "continuous"},
        },
        "bond": {
            "file": "bond.csv",
            "key": None,
            "symmetric": ["atom1", "atom2"],
            "columns": {"atom1": "key", "atom2": "key", "type": "discrete"},
        },
    },
    "foreign_keys": [
        {"table": "atom", "column": "molecule", "references": "molecule"},
        {"table": "bond", "column": "atom1", "references": "atom"},
        {"table": "bond", "column": "atom2", "references": "atom"},
    ],
    "bias": {"links": {"bond.atom2": "up"}, "constants": {"atom.charge": False}},
}
FILES = {
    "molecule.csv": "molecule,lumo,class\nm1,-1.5,pos\nm2,,neg\n",
    "atom.csv": "atom,molecule,element,charge\na1,m1,c,0.5\na2,m1,o,-1\na3,m2,,\n",
    "bond.csv": "atom1,atom2,type\na1,a2,2\n",
}


def folder_with(path, schema=None, **files):
    """A folder with the files above, some of them replaced."""
    for name, text in {**FILES, **{f"{name}.csv": text for name, text in files.items()}}.items():
        (path / name).write_text(text)
    (path / "schema.json").write_text(schema if isinstance(schema, str) else json.dumps(schema or SCHEMA))
    return path


def changed(change):
    schema = copy.deepcopy(SCHEMA)
    change(schema)
    return schema


def set_at(*places):
    """A change of one field: the places that lead to it, and its value."""

    def change(schema):
        *path, last, value = places
        for place in path:
            schema = schema[place]
        schema[last] = value

    return change
