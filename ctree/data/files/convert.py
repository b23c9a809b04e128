"""Files of any kind, told by their suffix."""

from __future__ import annotations

import os

from ctree.data.dataset import Dataset
from ctree.data.files.arff_files import read_arff, write_arff
from ctree.data.files.c45_files import read_c45, write_c45
from ctree.data.files.csv_files import read_csv, write_csv
from ctree.data.files.text_file import path_text
from ctree.errors import ParameterError


def read_any(path: str | os.PathLike[str], class_name: str | None = None) -> Dataset:
    """Read a `.csv`, `.tsv` or `.arff` file, or else a stem (or one of the files) of C4.5.

    Parameters
    ----------
    path : str or path
    class_name : str, optional
        The column of the class in a `.csv` or `.arff` file; the last one if None.

    Returns
    -------
    Dataset

    Examples
    --------
    >>> import ctree, tempfile, pathlib
    >>> path = pathlib.Path(tempfile.mkdtemp(), "golf.csv")
    >>> _ = path.write_text("humidity,play\\n85,no\\n71,yes\\n")
    >>> read_any(path)
    <Dataset: 2 cases, 1 attributes, 2 classes>
    """
    suffix = _suffix(path)
    if suffix in (".csv", ".tsv"):
        return read_csv(path, class_name)
    if suffix == ".arff":
        return read_arff(path, class_name)
    if class_name is not None:
        raise ParameterError("class_name is only for .csv and .arff files; C4.5's files define the class themselves")
    return read_c45(path, "test" if suffix == ".test" else "data")


def write_any(dataset: Dataset, path: str | os.PathLike[str], class_name: str | None = None) -> None:
    """Write a `.csv`, `.tsv` or `.arff` file, or else the files of C4.5 with this stem.

    Parameters
    ----------
    dataset : Dataset
    path : str or path
    class_name : str, optional
        The name of the class in a `.csv` or `.arff` file; "class" if None.

    Examples
    --------
    >>> import ctree, tempfile, pathlib
    >>> path = pathlib.Path(tempfile.mkdtemp(), "golf")
    >>> write_any(ctree.from_arrays({"humidity": [85, 71]}, ["no", "yes"]), path)
    >>> sorted(p.name for p in path.parent.iterdir())
    ['golf.data', 'golf.names']
    """
    suffix = _suffix(path)
    if suffix in (".csv", ".tsv"):
        write_csv(dataset, path, class_name or "class")
    elif suffix == ".arff":
        write_arff(dataset, path, class_name or "class")
    elif class_name is not None:
        raise ParameterError("class_name is only for .csv and .arff files; C4.5's files do not name the class")
    else:
        write_c45(dataset, path, "test" if suffix == ".test" else "data")


def _suffix(path: str | os.PathLike[str]) -> str:
    return os.path.splitext(path_text(path))[1].lower()
