"""The two data sets that come with the package, for examples and first steps."""

from __future__ import annotations

from pathlib import Path

from ctree.data.dataset import Dataset
from ctree.data.files.c45_files import read_c45

FOLDER = Path(__file__).parent


def load_golf() -> Dataset:
    """Load Quinlan's golf data: whether to play, by the weather of 14 days.

    Two attributes are discrete (`outlook`, `windy`), two continuous (`temperature`, `humidity`), and there are two
    classes. It is the same data set as `examples/golf` in the sources.

    Returns
    -------
    Dataset

    Examples
    --------
    >>> import ctree
    >>> golf = ctree.load_golf()
    >>> golf
    <Dataset: 14 cases, 4 attributes, 2 classes>
    >>> golf.schema.classes
    ('Play', "Don't Play")
    """
    return read_c45(FOLDER / "golf")


def load_iris() -> Dataset:
    """Load Fisher's iris data: three kinds of iris, 50 flowers of each, by four measurements in centimetres.

    The values are those of Fisher's paper, as in R and scikit-learn; UCI's file differs in two cases.

    Returns
    -------
    Dataset

    Examples
    --------
    >>> import ctree
    >>> iris = ctree.load_iris()
    >>> iris
    <Dataset: 150 cases, 4 attributes, 3 classes>
    >>> [attribute.name for attribute in iris.schema.attributes]
    ['sepal_length', 'sepal_width', 'petal_length', 'petal_width']
    """
    return read_c45(FOLDER / "iris")
