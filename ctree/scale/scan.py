"""Scanning: files of any size become cases in codes, in one pass."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any, Literal

from ctree.data.files.c45_cases import check_choice
from ctree.data.files.csv_kinds import Kinds, orders_of
from ctree.data.files.csv_remarks import tell
from ctree.data.files.csv_settings import csv_settings
from ctree.data.scan.arrow_batches import ArrowReader, file_batches, record_batches, spooled
from ctree.data.scan.arrow_types import load_arrow
from ctree.data.scan.c45_blocks import BLOCK, C45Reader
from ctree.data.scan.csv_blocks import CsvReader
from ctree.data.scan.parquet_files import ParquetReader
from ctree.data.scan.paths import Paths, find_files, stamp
from ctree.data.scan.reader import MOST_ROWS, CaseReader
from ctree.data.schema import Label
from ctree.errors import DataError, ParameterError
from ctree.progress import ProgressCallback, reporting
from ctree.scale.batch_codes import SAMPLE
from ctree.scale.code_folder import coded_in_folder
from ctree.scale.coding_pass import BLOCK as COLUMNS
from ctree.scale.coding_pass import CELL, code_all
from ctree.scale.frame_names import chosen_names
from ctree.scale.memory import n_bytes
from ctree.scale.scanned_cases import ScannedCases
from ctree.scale.temporary_folder import TemporaryFolder
from ctree.scale.threads import n_threads
from ctree.wording import shortened

UnknownClass = Literal["error", "drop"]
Told = ProgressCallback | bool | None


def scan_parquet(
    paths: Paths,
    classes: str,
    *,
    weights: str | None = None,
    memory: int | str = "2GB",
    cache: str | os.PathLike[str] | None = None,
    categorical_features: Sequence[bool] | Sequence[int] | Sequence[str] | None = None,
    ordered: Mapping[str, Sequence[Label]] | None = None,
    ignore: Sequence[str] = (),
    unknown_class: UnknownClass = "error",
    n_jobs: int | None = None,
    progress: Told = None,
) -> ScannedCases:
    """Scan Parquet files, however many cases they have.

    Parameters
    ----------
    paths : path, pattern such as ``"sales/*.parquet"``, folder, or several of these
        All files have the same columns, in any order. A column of whole numbers in one file may have fractions in
        another.
    classes : str
        The column of the class.
    weights : str, optional
        The column of what each case counts, which is then no attribute: finite numbers of at least 0. Cases of weight 0
        are left out; their values are among those of the schema none the less. If None, every case counts one.
    memory : int or str
        About how many bytes may be used, as in ``"500MB"``.
    cache : path, optional
        A folder in which the codes of the cases are kept, to be found again as long as the files and the settings are
        the same; nothing in it is removed. If None, they are in a temporary folder, which goes when the cases are
        closed.
    categorical_features : bool mask, indices or names, optional
        The discrete attributes, as in `from_arrays`; places and masks are those of the columns without the class and
        the weights. If None, columns of text, booleans and categories are discrete,
        numbers continuous, and dates, times and timestamps what they are.
    ordered : mapping of str to sequences of labels, optional
        Columns whose values have an order, each with all its values from the least to the greatest; types of Arrow do
        not say which order it is.
    ignore : sequence of str
        Columns to leave out. A column ``__index_level_0__``, in which pandas keeps the numbers of rows, is left out
        anyway.
    unknown_class : {"error", "drop"}
        What to do with a case whose class is unknown: refuse the files, or skip the case. Its discrete values are among
        those of the schema none the less, as in `read_csv`.
    n_jobs : int or None
        Number of threads; None is 1, -1 all cores. The result does not depend on it.
    progress : callable or bool, optional
        A function that is called with a `Progress` now and then, or True to show it.

    Returns
    -------
    ScannedCases
        With the schema that `from_arrays` gives to the same table in memory. Use it in a ``with`` block, or close it.

    Notes
    -----
    It needs pyarrow, the extra ``arrow``. The codes take 1 to 4 bytes for a discrete value and 1, 2 or 10 for a number.
    An attribute may have 1,048,576 discrete values.

    Examples
    --------
    >>> import ctree, tempfile, pathlib
    >>> import pyarrow, pyarrow.parquet
    >>> path = pathlib.Path(tempfile.mkdtemp(), "golf.parquet")
    >>> table = pyarrow.table({"outlook": ["sunny", "rain"], "humidity": [85, None], "play": [False, True]})
    >>> pyarrow.parquet.write_table(table, path)
    >>> with ctree.scan_parquet(path, "play") as cases:
    ...     cases.schema.names, cases.schema.classes, cases.class_counts.tolist(), cases.complete
    (('outlook', 'humidity'), (False, True), [1, 1], False)
    """
    _check_names(classes, weights)
    settings = _Settings(memory, cache, n_jobs, unknown_class, progress)
    ignored = chosen_names(ignore, "ignore")
    reader = ParquetReader(paths, classes, categorical_features, ignored, weights, ordered)
    return settings.scan(reader, [classes, weights, _plain(categorical_features), ignored, _listed(ordered)])


def scan_csv(
    paths: Paths,
    classes: str | None = None,
    *,
    delimiter: str | None = None,
    decimal: str | None = None,
    header: bool | None = None,
    unknown: Sequence[str] = (),
    weights: str | None = None,
    memory: int | str = "2GB",
    cache: str | os.PathLike[str] | None = None,
    categorical_features: Sequence[str] = (),
    ordered: Mapping[str, Sequence[str]] | None = None,
    dates: Sequence[str] = (),
    ignore: Sequence[str] = (),
    unknown_class: UnknownClass = "error",
    n_jobs: int | None = None,
    progress: Told = None,
) -> ScannedCases:
    """Scan comma-separated files, however many cases they have.

    Parameters
    ----------
    paths : path, pattern such as ``"sales/*.csv"``, folder, or several of these
        The names of the columns are the same in all files, in any order. Each file is understood by itself, as by
        `read_csv`.
    classes : str, optional
        The column of the class; the last one of the first file if None.
    delimiter, decimal, header, unknown
        How the files are written, as in `read_csv`; what is not given is found out.
    weights, memory, cache, ignore, unknown_class, n_jobs, progress
        As in `scan_parquet`.
    categorical_features : sequence of str
        Numeric columns to treat as discrete, as in `read_csv`.
    ordered, dates
        Columns whose values have an order, and those that have dates or times, as in `read_csv`.

    Returns
    -------
    ScannedCases
        With the schema that `read_csv` gives to the same rows.

    Notes
    -----
    It needs pyarrow, the extra ``arrow``. If a column has nothing but numbers for long and then has not, the files are
    read once more, and so they are if its numbers turn out to be written otherwise. Warnings are those of `read_csv`.

    Examples
    --------
    >>> import ctree, tempfile, pathlib
    >>> path = pathlib.Path(tempfile.mkdtemp(), "golf.csv")
    >>> _ = path.write_text("outlook,humidity,play\\nsunny,85,no\\nrain,?,yes\\n")
    >>> with ctree.scan_csv(path) as cases:
    ...     cases.schema.names, cases.schema.classes
    (('outlook', 'humidity'), ('no', 'yes'))
    """
    _check_names("" if classes is None else classes, weights)
    settings = _Settings(memory, cache, n_jobs, unknown_class, progress)
    discrete = chosen_names(categorical_features, "categorical_features")
    ignored, moments = chosen_names(ignore, "ignore"), chosen_names(dates, "dates")
    reading = csv_settings(delimiter, decimal, header, unknown)
    kinds = Kinds(tuple(discrete), orders_of(ordered), tuple(moments), tuple(ignored))
    reader = CsvReader(paths, classes, reading, kinds, weights)
    reader.limit_rows(settings.rows(len(reader.fields) + 1))
    cases = settings.scan(reader, [classes, weights, discrete, ignored, _listed(kinds.ordered), moments])
    try:
        tell(reader.remarks(cases.schema, cases.n_cases))
    except BaseException:
        cases.close()
        raise
    return cases


def scan_c45(
    stem: str | os.PathLike[str],
    *,
    memory: int | str = "2GB",
    cache: str | os.PathLike[str] | None = None,
    unknown_class: UnknownClass = "error",
    n_jobs: int | None = None,
    progress: Told = None,
) -> ScannedCases:
    """Scan `stem.names` and `stem.data`, however many cases there are.

    Parameters
    ----------
    stem : str or path
        The path without its suffix; one of the files is taken for its stem.
    memory, cache, unknown_class, n_jobs, progress
        As in `scan_parquet`.

    Returns
    -------
    ScannedCases
        With the schema that `read_c45` gives to the same files.

    Examples
    --------
    >>> import ctree, tempfile, pathlib
    >>> stem = pathlib.Path(tempfile.mkdtemp(), "golf")
    >>> ctree.write_c45(ctree.load_golf(), stem)
    >>> with ctree.scan_c45(stem) as cases:
    ...     cases
    <ScannedCases: 14 cases, 4 attributes, 2 classes, 1 part>
    """
    settings = _Settings(memory, cache, n_jobs, unknown_class, progress)
    block = max(1 << 16, min(BLOCK, settings.memory // 64))
    return settings.scan(C45Reader(stem, unknown_class, block), [])


def scan_arrow(
    batches: Any,
    classes: str,
    *,
    weights: str | None = None,
    memory: int | str = "2GB",
    cache: str | os.PathLike[str] | None = None,
    categorical_features: Sequence[bool] | Sequence[int] | Sequence[str] | None = None,
    ordered: Mapping[str, Sequence[Label]] | None = None,
    ignore: Sequence[str] = (),
    unknown_class: UnknownClass = "error",
    n_jobs: int | None = None,
    progress: Told = None,
) -> ScannedCases:
    """Scan batches of Arrow, from files or from anywhere.

    Parameters
    ----------
    batches : path or paths, callable, table, or batches
        Files in Arrow's own format (``.arrow``, ``.arrows``, ``.feather``; a pattern or a folder will do); a function
        without arguments that gives the batches anew each time; a table, or a list of batches or tables. An iterator,
        which gives its batches only once, is copied to a temporary folder first.
    classes : str
        The column of the class.
    weights, memory, cache, categorical_features, ordered, ignore, unknown_class, n_jobs, progress
        As in `scan_parquet`; `cache` is for files only.

    Returns
    -------
    ScannedCases

    Examples
    --------
    >>> import ctree, pyarrow
    >>> def batches():
    ...     for start in range(0, 1000, 100):
    ...         x = list(range(start, start + 100))
    ...         yield pyarrow.record_batch({"x": x, "even": [number % 2 == 0 for number in x]})
    >>> with ctree.scan_arrow(batches, "even") as cases:
    ...     cases.n_cases, cases.schema.classes
    (1000, (False, True))
    """
    _check_names(classes, weights)
    settings = _Settings(memory, cache, n_jobs, unknown_class, progress)
    load_arrow()
    ignored = chosen_names(ignore, "ignore")
    told = [classes, weights, _plain(categorical_features), ignored, _listed(ordered)]

    def scan(make: Callable[[], Any], **known: Any) -> ScannedCases:
        reader = ArrowReader(
            make, classes, categorical_features, ignored, weight_name=weights, ordered=ordered, **known
        )
        reader.limit_rows(settings.rows(len(reader.fields) + 1))
        return settings.scan(reader, told)

    if isinstance(batches, list | tuple) and not batches:
        raise DataError("batches is empty")
    if isinstance(batches, str | os.PathLike) or _all_paths(batches):
        files = find_files(batches, (".arrow", ".arrows", ".feather", ".ipc"))
        stamps = [stamp(file) for file in files]
        return scan(lambda: file_batches(files), stamps=stamps, told=files[0])
    if cache is not None:
        raise ParameterError("cache can be given for files only, as nothing tells whether other cases have changed")
    if callable(batches):
        return scan(lambda: record_batches(batches()))
    if not isinstance(batches, Iterator) and not isinstance(batches, load_arrow().RecordBatchReader):
        return scan(lambda: record_batches(batches))
    folder = TemporaryFolder("ctree-batches-")
    try:
        files = spooled(record_batches(batches), folder.path)
        return scan(lambda: ((batch, None) for batch, _ in file_batches(files)))
    finally:
        folder.remove()


class _Settings:
    """What all scans have in common."""

    def __init__(
        self,
        memory: int | str,
        cache: str | os.PathLike[str] | None,
        n_jobs: int | None,
        unknown_class: UnknownClass,
        progress: Told,
    ) -> None:
        self.memory = n_bytes(memory)
        if not (cache is None or isinstance(cache, str | os.PathLike)):
            raise ParameterError(f"cache is {shortened(cache)}, but should be the path of a folder")
        check_choice("unknown_class", unknown_class, ("error", "drop"))
        self._n_threads = n_threads(n_jobs)
        self._cache = cache
        self._unknown_class = unknown_class
        self._progress = progress

    def rows(self, columns: int) -> int:
        """How many rows of so many columns can be held at a time."""
        return max(1, min(MOST_ROWS, self.memory // (4 * CELL * columns * self._n_threads)))

    def scan(self, reader: CaseReader, told: list[Any]) -> ScannedCases:
        """Code the cases of a reader, or find their codes."""
        known = reader.fingerprint()
        if known is not None:
            limits = [self._unknown_class, self.memory, SAMPLE, COLUMNS]
            known = {**known, "reader": type(reader).__name__, "settings": told, "limits": limits}
        with reporting(self._progress) as progress:
            coding, folder = coded_in_folder(
                lambda path: code_all(
                    reader,
                    path,
                    memory=self.memory,
                    n_threads=self._n_threads,
                    drop_unknown_class=self._unknown_class == "drop",
                    progress=progress,
                ),
                self._cache,
                known,
            )
        return ScannedCases(coding, folder, self.memory, self._n_threads)


def _check_names(classes: Any, weights: Any) -> None:
    if not isinstance(classes, str):
        raise ParameterError(f"classes is {shortened(classes)}, but should be the name of the column of the class")
    if weights is not None and not isinstance(weights, str):
        raise ParameterError(f"weights is {shortened(weights)}, but should be the name of the column of the weights")


def _plain(chosen: Any) -> Any:
    """A choice of columns as JSON has it."""
    if chosen is None or isinstance(chosen, str):
        return chosen
    return [pick if isinstance(pick, str) else [type(pick).__name__, repr(pick)] for pick in chosen]


def _listed(ordered: Any) -> Any:
    """Orders as JSON has them."""
    return [[name, list(map(repr, values))] for name, values in ordered.items()] if ordered else []


def _all_paths(given: Any) -> bool:
    return isinstance(given, list | tuple) and all(isinstance(one, str | os.PathLike) for one in given)
