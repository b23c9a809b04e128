"""The cases of ARFF files in the codes of a model."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial

import numpy as np
import numpy.typing as npt

from ctree.cli.streams import warn_of_value
from ctree.data.dataset import Dataset
from ctree.data.files.arff_files import read_arff
from ctree.data.files.c45_cases import UnknownClass
from ctree.data.files.text_file import BOM, read_utf8
from ctree.data.recode import recoded_columns, translated
from ctree.data.schema import Label, Schema
from ctree.errors import DataError
from ctree.wording import abbreviated, abbreviated_list


def arff_names(path: str) -> list[str]:
    """The attributes of a file, from its head."""
    import arff  # which read_arff has found, or will miss with a better message

    head = []
    for line in read_utf8(path).removeprefix(BOM).decode("utf-8").splitlines():
        head.append(line)
        if line.strip().lower().startswith("@data"):
            break
    return [name for name, _ in arff.loads("\n".join(head))["attributes"]]


def read_arff_for_model(path: str, schema: Schema, class_name: str | None, unknown_class: UnknownClass) -> Dataset:
    """Cases in the codes of a model's schema; a value that it does not know is unknown, with a warning."""
    data = read_arff(path, class_name, unknown_class=unknown_class)
    name = class_name or arff_names(path)[-1]
    if name in schema.names:
        others = [n for n in arff_names(path) if n not in schema.names]
        if not others:
            message = (
                f"the last attribute is '{abbreviated(name)}', an attribute of the model; add a class, if only of ?"
            )
            raise DataError(message, path)
        data = read_arff(path, others[-1], unknown_class=unknown_class)
    try:
        columns = recoded_columns(data, schema, partial(warn_of_value, path))
    except DataError as error:
        raise DataError(str(error), path) from None
    return Dataset(schema, columns, _recode_classes(path, data, schema.classes), n_cases=data.n_cases)


def _recode_classes(path: str, data: Dataset, classes: Sequence[Label]) -> npt.NDArray[np.int32]:
    assert data.classes is not None
    codes = translated(data.classes, data.schema.classes, classes)
    odd = np.flatnonzero((codes < 0) & (data.classes >= 0))
    if odd.size:
        label = data.schema.classes[int(data.classes[odd[0]])]
        raise DataError(
            f"case {odd[0] + 1} has the class '{abbreviated(label)}', not one of {abbreviated_list(classes)}", path
        )
    return codes
