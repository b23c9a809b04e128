"""Learn a model from files, print it and how well it does, save it."""

from __future__ import annotations

import argparse
import inspect
import os
import sys
import warnings
from collections.abc import Iterable, Mapping, Sequence
from contextlib import ExitStack
from dataclasses import replace
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from ctree.cli.costs import costs_facts, costs_files, costs_text, take_costs
from ctree.cli.csv_options import given_kinds, given_settings
from ctree.cli.inputs import class_name_of, files_of, form_of, read_for_model, read_source
from ctree.cli.learner_options import option_name
from ctree.cli.options import OPTIONS
from ctree.cli.outputs import CHECKPOINT, MODEL, Output, check_outputs
from ctree.cli.parquet import files_scanned, is_parquet, is_scanned
from ctree.cli.report import MAX_CLASSES, Result, confusion, confusion_text, probabilities_by
from ctree.cli.streams import warn
from ctree.cli.time_limit import TimeLimit, time_limit_of
from ctree.cli.typed_messages import as_typed
from ctree.data.dataset import Dataset
from ctree.data.files.c45_files import read_c45, stem_of
from ctree.data.schema import Label, Schema
from ctree.errors import DataError, ModelError, NamingError, ParameterError
from ctree.learners.base.classifier import Classifier
from ctree.learners.base.parameters import plain_parameters
from ctree.learners.base.tree_classifier import TreeClassifier
from ctree.store.json_model import load, save
from ctree.store.json_text import json_text, with_nulls
from ctree.wording import abbreviated_path, plural

if TYPE_CHECKING:
    from ctree.data.relational.data import RelationalData
    from ctree.data.scan.parquet_cases import ParquetCases
    from ctree.scale.held_cases import HeldCases

    Cases = Dataset | RelationalData

FREE_IN_A_RUN = ("samples", "n_jobs")
"""The parameters that may change where a run goes on."""


class Material(NamedTuple):
    """What `ctree learn` learns from, with what it tells of it.

    Parameters
    ----------
    data : Dataset, RelationalData or HeldCases
        The training cases.
    test_file : str or None
    test : Dataset, RelationalData or ParquetCases, or None
        The test cases.
    text : str
        What the data are, for a person.
    facts : dict
        The same for a program.
    what : str
        What a case is called.
    """

    data: Cases | HeldCases
    test_file: str | None
    test: Cases | ParquetCases | None
    text: str
    facts: dict[str, Any]
    what: str = "case"


def learn(args: argparse.Namespace, model: Any) -> None:
    """Do what `ctree learn` was asked to."""
    limit = time_limit_of(model)
    with ExitStack() as stack:
        found = _material(args, model, stack)
        take_costs(args, model, found.data.schema.classes)
        if not args.json:
            print("\n".join([found.text, *costs_text(model)]), flush=True)
        _fit(args, model, found.data, limit)
        if args.output is not None:
            if not args.relational:
                model._data_name = _name_of(args.source)
            save(model, args.output)
            held = isinstance(model, TreeClassifier) and isinstance(found.data, Dataset)
            if held and model._count_training_errors(found.data):
                save(model, args.output)  # once more: what was learned is not to wait for this
        training = limit.within(f"the errors on the training {found.what}s", lambda: _result(model, found.data))
        testing = None
        if (test := found.test) is not None:
            testing = limit.within(f"the errors on the test {found.what}s", lambda: _result(model, test))
    if args.json:
        text = json_text(with_nulls(_facts(args, model, found, training, testing, limit)))
    else:
        text = _text(args, model, found, training, testing, limit)
    if sentence := limit.sentence():
        warn(sentence)
    print(text)


def _name_of(source: str) -> str | None:
    """The name of a data set: that of its files, or of their folder if they are given by a pattern."""
    plain = form_of(source) == "c4.5" and not is_parquet(source)
    path = stem_of(source) if plain else os.path.splitext(source)[0]
    names = [name for name in path.replace(os.altsep or os.sep, os.sep).split(os.sep) if name not in ("", ".")]
    return next((name for name in names[:-3:-1] if not set("*?[") & set(name)), None)


def _material(args: argparse.Namespace, model: Any, stack: ExitStack) -> Material:
    """What to learn from; what is scanned is closed with the stack."""
    if args.relational:
        from ctree.cli.relational_learn import linked_material

        return linked_material(args)
    if is_scanned(args):
        return scanned_material(args, model, stack)
    given = {"--checkpoint": args.checkpoint, "--weights": args.weights}
    for option in (option for option, value in given.items() if value):
        raise ParameterError(f"{option} is for cases that are read in passes: give --memory as well")
    return plain_material(args)


def scanned_material(args: argparse.Namespace, model: Any, stack: ExitStack) -> Material:
    """The cases of one table, which no memory needs to hold."""
    from ctree.cli.scanned import check_learner, scan  # with all that goes through cases pass by pass

    if getattr(args, "resume", None) is not None:
        raise ParameterError("--resume needs the cases in memory: leave out --memory, and give .csv or C4.5 files")
    takes = "checkpoint" in inspect.signature(model.fit).parameters and not getattr(model, "resumable", False)
    if args.checkpoint is not None and not takes:
        raise ParameterError(f"--checkpoint is not for --method {args.method}, which learns in few passes or in memory")
    check_results(args, _files_read(args))
    cases = stack.enter_context(scan(args, model.get_params().get("n_jobs")))
    check_learner(args, model, cases)
    file = args.source if is_parquet(args.source) else _file_of(args.source)
    test_file, test = _test_cases(args, cases.schema)
    facts = {"file": file, **_counts(cases), "classes": list(cases.schema.classes)}
    return Material(cases, test_file, test, _data_text(file, cases), facts)


def plain_material(args: argparse.Namespace) -> Material:
    """The cases of one table."""
    check_results(args, _files_read(args))
    data = read_source(
        args.source,
        args.class_name,
        given_kinds(args),
        args.unknown_class,
        settings=given_settings(args),
    )
    file = _file_of(args.source)
    if len(data.schema) == 0:
        sentence = (
            "the cases have a class but no attributes; --delimiter says what separates the columns of a .csv file"
        )
        raise DataError(sentence, file)
    test_file, test = _test_cases(args, data.schema)
    facts = {"file": file, **_counts(data), "classes": list(data.schema.classes)}
    return Material(data, test_file, test, _data_text(file, data), facts)


def _result(model: Any, data: Cases | HeldCases | ParquetCases) -> Result:
    """How well a model does on cases with classes, and what its errors cost."""
    return replace(_counted(model, data), costs=getattr(model, "costs_", None))


def _counted(model: Any, data: Cases | HeldCases | ParquetCases) -> Result:
    if isinstance(data, Dataset):
        assert data.classes is not None
        return confusion(data.schema.classes, data.classes, _codes(model, data))
    from ctree.data.relational.data import RelationalData  # which small tables need not load

    if isinstance(data, RelationalData):
        classes: Sequence[Label] = model.schema_.classes
        actual = data.classes_among(classes)
        assert actual is not None
        return confusion(classes, actual, model.predict_codes(data))
    from ctree.cli.scanned import result_in_passes

    return result_in_passes(model, data)


def _codes(model: Any, data: Dataset) -> Any:
    """The classes that a model gives to cases."""
    if "progress" in inspect.signature(model.predict_proba).parameters:
        return model._chosen(probabilities_by(model, data))
    return model.predict_codes(data)


def resumed_model(file: str, given: Mapping[str, Any]) -> Classifier:
    """The model to go on with, which knows its own parameters but for how many samples it is to draw."""
    model = load(file)
    if not getattr(model, "resumable", False):
        raise ModelError(f"{abbreviated_path(file)}: a {type(model).__name__} has no chains to continue")
    declared, now = model._parameters, model.get_params()
    for name in (name for name in given if name not in FREE_IN_A_RUN):
        domain = declared[name].domain
        if domain.to_plain(given[name]) != domain.to_plain(now[name]):
            raise ParameterError(
                f"{option_name(name)} is {domain.spelled(given[name])}, but the run in {abbreviated_path(file)} was "
                f"begun with {domain.spelled(now[name])}, which it keeps; leave the option out, or begin another run"
            )
    resumed: Classifier = model.set_params(warm_start=True, **given)
    return resumed


def _fit(args: argparse.Namespace, model: Any, data: Cases | HeldCases, limit: TimeLimit) -> None:
    """Fit the model; learners that take long show on a terminal how far they are. Warnings come at the end."""
    options: dict[str, Any] = {}
    if "progress" in inspect.signature(model.fit).parameters:
        options["progress"] = sys.stderr.isatty()
    if hasattr(model, "search_share"):
        options["search_time"] = limit.search_time(model.search_share)
    resumable = getattr(model, "resumable", False) and args.output is not None
    if resumable:
        options |= {"checkpoint": lambda part: save(part, args.output), "checkpoint_every": args.save_every}
    checkpoint = getattr(args, "checkpoint", None)
    if checkpoint is not None:
        options["checkpoint"] = checkpoint
    try:
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            model.fit(data, **options)
    except KeyboardInterrupt:
        if resumable and hasattr(model, "schema_"):
            save(model, args.output)
            warn(f"interrupted; what was drawn so far is in {args.output}, and the same command with --resume goes on")
        if args.output is not None and (done := len(getattr(model, "members_", ()))):
            save(model, args.output)
            warn(f"interrupted; the {plural(done, 'member')} that there were are in {abbreviated_path(args.output)}")
        if checkpoint is not None and os.path.exists(checkpoint):
            warn(f"interrupted; the same command goes on from {abbreviated_path(checkpoint)}")
        raise
    for warning in caught:
        warn(as_typed(str(warning.message), getattr(args, OPTIONS)))


def _test_cases(args: argparse.Namespace, schema: Schema) -> tuple[str | None, Dataset | ParquetCases | None]:
    """The test cases in the codes of the training cases, and the file they are from."""
    settings = given_settings(args)
    if args.test is not None:
        class_name = None
        if form_of(args.test) != "c4.5" or is_parquet(args.test):
            class_name = args.class_name or class_name_of(args.source, settings)
        try:
            return args.test, _read_test_cases(args, schema, class_name)
        except NamingError as error:
            if args.class_name is not None:
                raise
            raise DataError(str(error)) from None  # nobody has named the column for this file
    if is_parquet(args.source):
        return None, None
    if form_of(args.source) == "c4.5":
        stem = stem_of(args.source)
        if os.path.exists(stem + ".test"):
            return stem + ".test", read_c45(stem, "test", unknown_class=args.unknown_class)
    return None, None


def _read_test_cases(args: argparse.Namespace, schema: Schema, class_name: str | None) -> Dataset | ParquetCases:
    """The cases of --test."""
    if not is_parquet(args.test):
        settings = given_settings(args)
        return read_for_model(args.test, schema, class_name, args.unknown_class, needed=True, settings=settings)
    from ctree.cli.scanned import parquet_for_model

    cases = parquet_for_model(args.test, schema, class_name)
    if cases.class_name is None:
        raise DataError("no column besides the attributes has the classes of the model", args.test)
    return cases


def _file_of(source: str) -> str:
    return stem_of(source) + ".data" if form_of(source) == "c4.5" else source


def _files_read(args: argparse.Namespace) -> list[str]:
    """The files with cases, of training and of testing."""
    files = files_scanned(args.source) if is_parquet(args.source) else files_of(args.source)
    if args.test is not None:
        files = [*files, *(files_scanned(args.test) if is_parquet(args.test) else [args.test])]
    return [*files, stem_of(args.source) + ".test", *costs_files(args)]


def check_results(args: argparse.Namespace, inputs: Iterable[str]) -> None:
    """Refuse places for the model and a checkpoint where they cannot be, before any time is spent on learning."""
    resumed, checkpoint = getattr(args, "resume", None), getattr(args, "checkpoint", None)
    outputs = [Output(args.output, MODEL), Output(checkpoint, CHECKPOINT)]
    check_outputs(outputs, inputs, args.force, also=[resumed, checkpoint])
    if checkpoint is not None and os.path.exists(checkpoint) and not CHECKPOINT.is_in(checkpoint):
        raise DataError("this is no checkpoint; name another file, or one that is not there yet", checkpoint)


def _counts(data: Dataset | HeldCases) -> dict[str, int]:
    """What the data are, in numbers."""
    unknown = 0
    if not isinstance(data, Dataset):
        unknown = int(data.unknown.sum())
    else:
        for column in data.columns:
            if column is not None:
                unknown += int(np.count_nonzero(column < 0 if column.dtype.kind == "i" else np.isnan(column)))
    used = sum(a.is_discrete or a.has_order for a in data.schema)
    return {
        "cases": data.n_cases,
        "attributes": used,
        "discrete": sum(a.is_discrete for a in data.schema),
        "ordered": sum(a.is_ordered for a in data.schema),
        "continuous": sum(a.is_continuous for a in data.schema),
        "dates": sum(a.is_moment for a in data.schema),
        "ignored": len(data.schema) - used,
        "unknown_values": unknown,
    }


def _data_text(file: str, data: Dataset | HeldCases) -> str:
    n = _counts(data)
    dates = "date" if n["dates"] == 1 else "dates"
    words = {"discrete": "discrete", "ordered": "ordered", "continuous": "continuous", "dates": dates}
    kinds = [f"{n[kind]} {word}" for kind, word in words.items() if n[kind]]
    attributes = f"{plural(n['attributes'], 'attribute')} ({', '.join(kinds)}" if kinds else "(none"
    attributes += f"; {n['ignored']} ignored)" if n["ignored"] else ")"
    unknown = plural(n["unknown_values"], "unknown value")
    if n["unknown_values"]:
        unknown += f" ({100 * n['unknown_values'] / (n['cases'] * n['attributes']):.1f}%)"
    return f"{file}: {plural(n['cases'], 'case')}, {attributes}, {plural(data.schema.n_classes, 'class')}, {unknown}"


def _text(
    args: argparse.Namespace,
    model: Any,
    found: Material,
    training: Result | None,
    testing: Result | None,
    limit: TimeLimit,
) -> str:
    """The model and the facts about it, for a person, but for what the limit of time leaves no time for."""
    what = found.what
    size = limit.within("the size of the trees", model.size_text)
    text = limit.within("what the model looks like", model.to_text)
    lines = [] if text is None else ["", text]
    lines += ["", f"Size:      {model.search_text() if size is None else size}"]
    if hasattr(model, "winnowing_"):
        lines.append(f"Winnowed:  {model.winnowing_.left_out_text()}")
    if limits := getattr(model, "_limits_text", str)():
        lines.append(f"Limits:    {limits}")
    if hasattr(model, "proof_"):
        lines.append(f"Proof:     {model.proof_}")
    info = getattr(model, "fit_info_", None)
    if info:
        from ctree.cli.scanned import learned_text

        lines.append(f"Learned:   {learned_text(model)}")
    if training is not None:
        lines.append(f"Training:  {training.sentence(what)}")
    if testing is not None:
        lines.append(f"Test:      {testing.sentence(what)}")
    if args.output is not None:
        lines.append(f"Saved:     {args.output}")
    if testing is not None and testing.errors:
        heading = f"Test {what}s by true class (row) and predicted class (column):"
        if len(testing.classes) > MAX_CLASSES:
            heading = f"The most frequent errors on the test {what}s:"
        lines += ["", heading, "", confusion_text(testing)]
    return "\n".join(lines)


def _facts(
    args: argparse.Namespace,
    model: Any,
    found: Material,
    training: Result | None,
    testing: Result | None,
    limit: TimeLimit,
) -> dict[str, Any]:
    """The same for a program."""
    summary = limit.within("what the model looks like", model.summary)
    return {
        "data": found.facts,
        "method": args.method,
        "parameters": plain_parameters(model._parameters, model.get_params()),
        **(model.search_summary() if summary is None else summary),
        **({} if getattr(model, "costs_", None) is None else {"costs": costs_facts(model)}),
        **({"winnowing": model.winnowing_.to_dict()} if hasattr(model, "winnowing_") else {}),
        **({"fit_info": model.fit_info_} if getattr(model, "fit_info_", None) else {}),
        "training": None if training is None else training.to_dict(),
        "test": None if testing is None else {"file": found.test_file, **testing.to_dict()},
        "model": args.output,
        **({"left_out": limit.left_out} if limit.left_out else {}),
    }
