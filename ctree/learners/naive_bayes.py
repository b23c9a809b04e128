"""Naive Bayes by Cestnik's formula, with a choice of estimates."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Self

import numpy as np
import numpy.typing as npt

from ctree.data.bins import bin_codes, equal_frequency_cuts
from ctree.data.dataset import Dataset
from ctree.data.fields import Fields
from ctree.data.files.text_file import abbreviated_list
from ctree.data.schema import Attribute, Schema
from ctree.data.tables.levels import find_levels
from ctree.data.tables.named_columns import by_name
from ctree.data.tables.raw_columns import raw_column
from ctree.domains.domain import Choice
from ctree.domains.numeric import Integer
from ctree.errors import DataError, ModelError, ParameterError
from ctree.learners.base.classifier import Classifier, Floats
from ctree.learners.base.common_parameters import PRIOR_WEIGHTS
from ctree.learners.base.estimator import UNCHANGED
from ctree.learners.base.fields import by_attribute, cuts_from_fields
from ctree.learners.base.one_model import of_one_model
from ctree.learners.base.parameters import fitted, parameter
from ctree.learners.base.training import check_total, class_labels, training_cases, weight_array, weights_by_class
from ctree.learners.base.winnowed import WithWinnowing, winnowed
from ctree.learners.levels.fitting import Fitting
from ctree.scale.binned_source import class_counts_of
from ctree.scale.quantiles import frequency_cuts
from ctree.tree.explain.evidence import Evidence
from ctree.tree.fields import weights_of
from ctree.tree.leaves import leaf_probabilities
from ctree.tree.outputs import Exported
from ctree.wording import plural, shortened
from ctree_ext.base.elementary import exp, log


class NaiveBayesClassifier(Exported, WithWinnowing, Classifier):
    """Naive Bayes: every attribute speaks for itself.

    A class is as probable as its prior, times P(class | value) / P(class) for each attribute (Cestnik's formula 2), all
    normalised. Unknown values are skipped, in learning and in classifying.

    Notes
    -----
    ``"laplace"`` is known to favour rare classes, the more so the more attributes there are: each multiplies the chance
    of a class that has hardly any cases, or is only declared, by what its Laplace estimate grants it. Cestnik's own
    results show it; use ``"m"``.

    A value that no case had says nothing under ``"frequency"``; where by frequency no class is possible, the priors are
    given.

    Examples
    --------
    >>> import ctree
    >>> model = ctree.NaiveBayesClassifier().fit(ctree.load_golf())
    >>> day = {"outlook": ["overcast"], "temperature": [None], "humidity": [None], "windy": ["true"]}
    >>> model.predict(day)
    array(['Play'], dtype='<U10')
    >>> print(model.explain(day))
    class Play [82.6%], 62.5% before
          1.400 times by outlook = overcast
          0.850 times by windy = true
    """

    estimate: str = parameter(
        "m",
        Choice("m", "laplace", "frequency"),
        'How P(class | value) is estimated from class counts. ``"m"``: with `m` cases more, of the classes of all '
        'training cases. ``"laplace"``: with one case more of each class. ``"frequency"``: as they are. With '
        "frequencies the priors are frequencies as well, else they are Laplace's; see `ctree.tree.leaves`.",
    )
    m: float = parameter(
        2.0, PRIOR_WEIGHTS, "Weight of the class priors in the m-estimate.", only_if={"estimate": ("m",)}
    )
    bins: int = parameter(5, Integer(least=1), "Number of bins of about equal frequency for a continuous attribute.")

    class_counts_: Floats = fitted("array (classes,)", "The weight of the cases of each class.")
    counts_: list[Floats | None] = fitted(
        "list of array (values, classes)",
        "For each attribute, the class weights of the cases with each value or in each bin; None for an ignored one.",
    )
    any_size = True

    fit_info_: dict[str, Any] = fitted(
        "dict", "How the model was learned from a source of cases, by name; empty otherwise."
    )
    cuts_: list[Floats | None] = fitted(
        "list of array",
        "For each continuous attribute, the upper bounds of its bins but the last, of ordered values their places; "
        "None for others.",
    )

    @winnowed
    def fit(self, X: Any, y: Any = None, sample_weight: npt.ArrayLike | None = None) -> Self:
        """Learn from a `Dataset` or a source of cases, or from a table `X` and classes `y`."""
        self._check_parameters()
        with Fitting(self, X, y, sample_weight) as fitting:
            data = fitting.cases
            if not isinstance(data, Dataset):
                cuts = frequency_cuts(data, int(self.bins))
                cuts = [place_cuts(a) if a.is_ordered else b for a, b in zip(data.schema, cuts, strict=True)]
                class_counts, counts = class_counts_of(data, cuts)
        info = fitting.info()
        if isinstance(data, Dataset):
            self._learn(data, info)
        else:
            self._become(data.schema, cuts_=cuts, class_counts_=class_counts, counts_=counts, fit_info_=info)
        return self

    def partial_fit(
        self, X: Any, y: Any = None, classes: Any = None, sample_weight: npt.ArrayLike | None = None
    ) -> Self:
        """Learn from further cases.

        The first call settles the attributes, their values and bins, and the classes. `classes` lists, in that call and
        for a table, all classes that there may be; to know values that only later cases have, begin with a `Dataset`
        whose schema lists them.
        """
        self._check_parameters()
        if isinstance(self.class_weight, str):
            wanted = f"class_weight='{self.class_weight}'"
            raise ParameterError(f"{wanted} needs all cases at once: give partial_fit a dict of weights")
        if self.winnow:
            raise ParameterError("winnow=True needs all cases at once: fit has them, partial_fit not")
        if not hasattr(self, "schema_"):
            return self._begin(X, y, classes, sample_weight)
        X, y, sample_weight = by_name(X, y, sample_weight)
        if isinstance(X, Dataset):
            data = training_cases(X, y, sample_weight, None)
            labels = data.labels
            data = self._cases(data).with_weights(data.weights)
        else:
            if y is None:
                raise DataError("fit needs the classes y of the cases, or a Dataset that has them")
            data, labels = self._cases(X), list(class_labels(y))
            if len(labels) != data.n_cases:
                raise DataError(f"there are {data.n_cases} cases but {len(labels)} classes")
            if sample_weight is not None:
                data = data.with_weights(weight_array(sample_weight))
        codes: dict[Any, int] = {label: code for code, label in enumerate(self.schema_.classes)}
        unknown = next((label for label in labels if label not in codes), None)
        if unknown is not None:
            raise DataError(f"the class {shortened(unknown)} was not among those of the first cases")
        places = np.array([codes[label] for label in labels], dtype=np.int32)
        data = Dataset(self.schema_, data.columns, places, data.weights, n_cases=data.n_cases)
        weights = weights_by_class(data, self.class_weight)
        data = data if weights is None else data.with_weights(weights)
        self._become(self.schema_, **counted(data, self.class_counts_, self.counts_, self.cuts_))
        return self

    def set_partial_fit_request(self, *, sample_weight: bool | str | None = UNCHANGED) -> Self:
        """Ask scikit-learn's meta-estimators to pass `sample_weight` on to `partial_fit`, or not."""
        return self._request("partial_fit", sample_weight)

    def _begin(self, X: Any, y: Any, classes: Any, sample_weight: npt.ArrayLike | None) -> Self:
        """Learn from the first cases of several parts."""
        if classes is None or isinstance(X, Dataset):
            return self.fit(X, y, sample_weight)
        data = self._training_cases(X, y, sample_weight)
        names = find_levels(raw_column(classes, "classes"), "classes")[0]
        strange = next((label for label in data.schema.classes if label not in names), None)
        if strange is not None:
            raise DataError(f"y has the class {shortened(strange)}, which is not one of {abbreviated_list(names)}")
        places = np.array([names.index(label) for label in data.schema.classes], dtype=np.int32)
        assert data.classes is not None
        schema = Schema(data.schema.attributes, names)
        data = Dataset(schema, data.columns, places[data.classes], data.weights, n_cases=data.n_cases)
        self._learn(data)
        return self

    @of_one_model
    def to_text(self) -> str:
        """The class counts of every value and bin, as a table."""
        self._check_fitted()
        labels = [str(label) for label in self.schema_.classes]
        rows = [("", labels), ("all cases", [f"{n:.6g}" for n in self.class_counts_])]
        for k, (attribute, counts) in enumerate(zip(self.schema_, self.counts_, strict=True)):
            for code in range(0 if counts is None else len(counts)):
                assert counts is not None
                cells = [f"{n:.6g}" for n in counts[code]]
                rows.append((f"{attribute.name} {self._value_text(k, code)}", cells))
        width = max(len(name) for name, _ in rows)
        columns = [max(len(cells[c]) for _, cells in rows) for c in range(len(labels))]
        return "\n".join(
            "  ".join([name.ljust(width), *(cell.rjust(columns[c]) for c, cell in enumerate(cells))]).rstrip()
            for name, cells in rows
        )

    @of_one_model
    def size_text(self) -> str:
        """How large the model is, in words."""
        self._check_fitted()
        tables = [table for table in self.counts_ if table is not None]
        return f"{plural(len(tables), 'attribute')}, {plural(sum(map(len, tables)), 'value')}"

    @of_one_model
    def summary(self) -> dict[str, Any]:
        """What there is to know of the model, as plain data."""
        return {"counts": {"text": self.to_text()}}

    def _fitted_fields(self) -> dict[str, Any]:
        return {
            "class_counts": self.class_counts_.tolist(),
            "counts": by_attribute(self.schema_, self.counts_),
            "cuts": by_attribute(self.schema_, self.cuts_),
        }

    def _restore(self, fields: Fields, schema: Schema) -> None:
        place = fields.place_of("class_counts")
        self.class_counts_ = weights_of([fields.get("class_counts", list)], schema.n_classes, place)[0]
        if not self.class_counts_.sum() > 0:
            raise ModelError(f"'{fields.place_of('class_counts')}' counts no cases")
        counts, cuts = fields.object("counts"), fields.object("cuts")
        self.cuts_ = [cuts_from_fields(cuts, a) if a.has_order else None for a in schema]
        self.counts_ = []
        for attribute, bounds in zip(schema, self.cuts_, strict=True):
            if attribute.is_ordered and not np.array_equal(bounds, place_cuts(attribute)):  # type: ignore[arg-type]
                raise ModelError(f"'{cuts.place_of(attribute.name)}' should have the places of the ordered values")
            if not attribute.has_order and not attribute.is_discrete:
                self.counts_.append(None)
                continue
            place = counts.place_of(attribute.name)
            rows = weights_of(counts.get(attribute.name, list), schema.n_classes, place)
            expected = len(attribute.values) if bounds is None else len(bounds) + 1
            if len(rows) != expected:
                raise ModelError(f"'{place}' should have {expected} rows, not {len(rows)}")
            self.counts_.append(rows)

    def _learn(self, data: Dataset, told: dict[str, Any] | None = None) -> None:
        """Bins by the values of these cases, and their counts."""
        n_classes = data.schema.n_classes
        all_cuts: list[Floats | None] = []
        counts: list[Floats | None] = []
        for attribute, column in zip(data.schema, data.columns, strict=True):
            cuts = None
            if column is not None and attribute.is_ordered:
                cuts = place_cuts(attribute)
            elif column is not None and attribute.has_order:
                cuts = equal_frequency_cuts(np.asarray(column, dtype=np.float64), self.bins, data.weights)
            n_codes = len(attribute.values) if cuts is None else len(cuts) + 1
            all_cuts.append(cuts)
            counts.append(None if column is None else np.zeros((n_codes, n_classes)))
        counts_of_data = counted(data, np.zeros(n_classes), counts, all_cuts)
        self._become(data.schema, cuts_=all_cuts, fit_info_=told or {}, **counts_of_data)

    def _value_text(self, attribute: int, code: int) -> str:
        cuts, entry = self.cuts_[attribute], self.schema_[attribute]
        if cuts is None or entry.values:
            return f"= {entry.values[code]}"
        low = "" if code == 0 else f"> {entry.bound(cuts[code - 1]):g}"
        high = "" if code == len(cuts) else f"<= {entry.bound(cuts[code]):g}"
        return " and ".join(text for text in (low, high) if text) or "of any value"

    def _questions(self) -> dict[int, Sequence[float]]:
        cuts = [() if bounds is None else bounds.tolist() for bounds in self.cuts_]
        return {a: cuts[a] for a, counts in enumerate(self.counts_) if counts is not None}

    def _priors(self) -> Floats:
        estimate = "frequency" if self.estimate == "frequency" else "laplace"
        return np.asarray(self._estimates(self.class_counts_[None, :], estimate)[0])

    def _estimates(self, counts: Floats, estimate: str) -> Floats:
        """P(class) for each row of counts; a first row with all cases is put before them, for the priors."""
        rows = np.concatenate([self.class_counts_[None, :], counts])
        return leaf_probabilities(rows, rows.argmax(axis=1).astype(np.int32), estimate, self.m)[1:]

    def _tells(self, counts: Floats) -> npt.NDArray[np.bool_]:
        """Which values say anything."""
        return np.asarray(counts.sum(axis=1) > 0) if self.estimate == "frequency" else np.full(len(counts), True)

    def _factors(self, counts: Floats) -> Floats:
        """P(class | value) / P(class), a row a value; ones where a value says nothing."""
        priors = self._priors()
        factors = np.divide(
            self._estimates(counts, self.estimate), priors, out=np.zeros_like(counts), where=np.asarray(priors > 0)
        )
        factors[~self._tells(counts)] = 1.0
        return factors

    def _explanations(self, data: Dataset) -> Sequence[Evidence]:
        labels, codes = self.schema_.classes, coded(data, self.cuts_)
        prior = dict(zip(labels, self._priors().tolist(), strict=True))
        factors = [None if counts is None else self._factors(counts) for counts in self.counts_]
        told = [None if counts is None else self._tells(counts) for counts in self.counts_]
        result = []
        probabilities = self._probabilities(data)
        chosen = self._chosen(probabilities)
        for case, p in enumerate(probabilities):
            by_attribute, values = {}, {}
            for k, attribute in enumerate(self.schema_):
                column, factor, tells = codes[k], factors[k], told[k]
                if column is None or factor is None or tells is None or column[case] < 0 or not tells[column[case]]:
                    continue
                by_attribute[attribute.name] = dict(zip(labels, factor[column[case]].tolist(), strict=True))
                values[attribute.name] = self._value_text(k, int(column[case]))
            by_class = dict(zip(labels, p.tolist(), strict=True))
            result.append(Evidence(labels[int(chosen[case])], by_class, prior, by_attribute, values))
        return result

    def _probabilities(self, data: Dataset) -> Floats:
        logs = np.tile(log(self._priors()), (data.n_cases, 1))
        for codes, counts in zip(coded(data, self.cuts_), self.counts_, strict=True):
            if codes is not None and counts is not None:
                # the last row is for unknown values, whose code is -1
                logs += np.vstack([log(self._factors(counts)), np.zeros(counts.shape[1])])[codes]
        most = logs.max(axis=1, keepdims=True)
        impossible = np.isneginf(most[:, 0])
        result = exp(logs - np.where(np.isneginf(most), 0.0, most))
        result[impossible] = self._priors()
        return np.asarray(result / result.sum(axis=1, keepdims=True))


def place_cuts(attribute: Attribute) -> Floats:
    """The bins of an ordered attribute: one for each value, as if it had no order."""
    return np.arange(max(len(attribute.values) - 1, 0), dtype=np.float64)


def counted(
    data: Dataset, class_counts: Floats, counts: Sequence[Floats | None], cuts: Sequence[Floats | None]
) -> dict[str, Any]:
    """The counts with those of further cases added, by the names of the attributes that hold them."""
    assert data.classes is not None
    weights = np.ones(data.n_cases) if data.weights is None else data.weights
    check_total(weights)
    n_classes = len(class_counts)
    sums: list[Floats | None] = []
    for codes, before in zip(coded(data, cuts), counts, strict=True):
        if codes is None or before is None:
            sums.append(before)
            continue
        known = codes >= 0
        cells = codes[known].astype(np.int64) * n_classes + data.classes[known]
        sums.append(before + np.bincount(cells, weights[known], before.size).reshape(before.shape))
    return {"class_counts_": class_counts + np.bincount(data.classes, weights, n_classes), "counts_": sums}


def coded(data: Dataset, all_cuts: Sequence[Floats | None]) -> list[npt.NDArray[np.int32] | None]:
    """Per attribute the value or bin of each case, -1 where it is unknown."""
    result: list[npt.NDArray[np.int32] | None] = []
    for column, cuts in zip(data.columns, all_cuts, strict=True):
        if column is None:
            result.append(None)
        elif cuts is None:
            result.append(np.asarray(column, dtype=np.int32))
        else:
            result.append(bin_codes(np.asarray(column, dtype=np.float64), cuts))
    return result
