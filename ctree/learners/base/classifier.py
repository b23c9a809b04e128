"""What all learners share: parameters in scikit-learn's spelling, data in any form, predictions."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any, ClassVar, Self

import numpy as np
import numpy.typing as npt

from ctree.data.dataset import Dataset
from ctree.data.fields import Fields
from ctree.data.files.text_file import abbreviated_list, near_match
from ctree.data.recode import recoded
from ctree.data.schema import Kind, Label, Schema
from ctree.data.tables.arrays import dataset_from_arrays
from ctree.data.tables.frames import lies_with
from ctree.data.tables.named_columns import by_name
from ctree.data.tables.raw_columns import RawTable, column_names, raw_table, read_once
from ctree.data.tables.single_case import as_table
from ctree.errors import CtreeError, DataError, ModelError, ParameterError
from ctree.learners.base.common_parameters import InAnyTable
from ctree.learners.base.decisions import Decides, asked_weights, decided_by, saved_decisions, weighed_cases
from ctree.learners.base.estimator import not_fitted, warn
from ctree.learners.base.fit_facts import facts_to_fields, restore_facts
from ctree.learners.base.lazy_frames import lazy_labels, lazy_probabilities, no_score, scanned_frame
from ctree.learners.base.parameters import check_parameters, fitted, parameters_from_fields, plain_parameters
from ctree.learners.base.training import class_labels, training_cases, weight_array
from ctree.progress import ProgressCallback
from ctree.scale.source_kind import fits_memory, is_source
from ctree.tree.fields import schema_from_dict, schema_to_dict

if TYPE_CHECKING:
    from ctree.learners.base.case_consultation import CaseConsultation
    from ctree.scale.source import CaseSource
    from ctree.tree.consultation import Consultation
    from ctree.tree.explain.explanation import Explanation

Floats = npt.NDArray[np.float64]


class Classifier(Decides, InAnyTable):
    """Parent of the learners: predictions from class probabilities.

    A learner takes its cases by ``_training_cases``, says ``_become(schema, ...)`` when it is fitted, and answers
    ``_probabilities(dataset)`` and ``_explanations(dataset)``. Every learner has the parameters of `InAnyTable`. For
    saved models it gives its `_fitted_fields` and takes them back by `_restore`; for the command it has `to_text`,
    `size_text` and `summary`.
    """

    resumable: ClassVar[bool] = False
    """Whether a fit can be stopped, saved and continued."""
    any_size: ClassVar[bool] = False
    """Whether it learns from a source whose cases do not fit into memory, however many they are."""
    counts_cases: ClassVar[bool] = False
    """Whether weights have to be whole numbers, as a case of weight 2 is two cases."""
    reduces_cases: ClassVar[bool] = False
    """Whether it learns from such a source if answers to tests are all that it needs of its cases, and those fit."""

    _data_name: str | None = None
    """What the cases of the fit are called, for headings; `ctree learn` knows it."""
    _training_errors: list[float] | None = None
    """The errors of a tree and of its nested prunings on the cases of the fit; `ctree learn` counts them."""

    classes_: npt.NDArray[Any] = fitted("array", "The classes, in the order of the columns of `predict_proba`.")
    schema_: Schema = fitted("Schema", "The attributes and classes.")
    n_features_in_: int = fitted("int", "The number of attributes.")
    feature_names_in_: npt.NDArray[Any] = fitted(
        "array of str", "The names of the attributes; not there if the cases came without names."
    )

    def predict_proba(self, X: Any) -> Floats:
        """Class probabilities, one row a case, the columns in the order of ``classes_``.

        Of a frame of Dask they are another one, which is not computed yet; of one of Spark the frame with a column
        ``probability_<class>`` more for each class.
        """
        model = self._as_it_is()
        if lies_with(X):
            return lazy_probabilities(model, X)  # type: ignore[no-any-return]  # a frame, as X is
        return model._probabilities(model._cases(X))

    def predict(self, X: Any) -> npt.NDArray[Any]:
        """The most probable class of each case, the first of equals; with `costs` that of least expected cost.

        Of a frame of Dask they are a series of Dask, which is not computed yet; of one of Spark the frame with a column
        ``prediction`` more, and those of `predict_proba`.
        """
        model = self._as_it_is()
        if lies_with(X):
            return lazy_labels(model, X)  # type: ignore[no-any-return]  # of the library that X is of
        codes = model.predict_codes(X)
        return np.asarray(model.classes_[codes])

    def predict_codes(self, X: Any) -> npt.NDArray[np.intp]:
        """The places in ``classes_`` of the classes that `predict` gives."""
        model = self._as_it_is()
        return model._chosen(model.predict_proba(X))

    def score(self, X: Any, y: Any = None, sample_weight: npt.ArrayLike | None = None) -> float:
        """The share of cases whose class is predicted right. With a `Dataset`, `y` is not needed.

        As in `fit`, `y` and `sample_weight` may be names of columns of `X`.
        """
        if lies_with(X):
            raise no_score(X)
        X, y, sample_weight = by_name(X, y, sample_weight)
        if y is None:
            if not isinstance(X, Dataset) or X.classes is None:
                raise DataError("score needs the true classes: a Dataset that has them, or y")
            labels = np.array(X.labels, dtype=object)
        else:
            column = class_labels(y)
            labels = np.array(column, dtype=object) if isinstance(column, list) else column
        predicted = self.predict(X)
        if len(labels) != len(predicted):
            raise DataError(f"there are {len(predicted)} cases but {len(labels)} classes")
        right = predicted == labels
        return float(np.average(right, weights=None if sample_weight is None else weight_array(sample_weight)))

    def fit(self, X: Any, y: Any = None, sample_weight: npt.ArrayLike | None = None) -> Self:
        """Learn from a `Dataset`, or from a table `X` and classes `y`: a column, or the name of one of `X`."""
        raise NotImplementedError

    def to_text(self) -> str:
        """The model as text."""
        raise NotImplementedError

    def size_text(self) -> str:
        """How large the model is, in words."""
        raise NotImplementedError

    def summary(self) -> dict[str, Any]:
        """What there is to know of the model, as plain data."""
        raise NotImplementedError

    def as_tree(self) -> Any:
        """What shows this model as one tree: itself, if its model is one."""
        raise CtreeError(f"a {type(self).__name__} has no tree that could be drawn, only a text")

    def consultation(self) -> Consultation | CaseConsultation:
        """A case to be described attribute by attribute; see `Consultation`."""
        model = self._as_it_is()
        model._check_fitted()
        return model._consultation()

    def _consultation(self) -> Consultation | CaseConsultation:
        """A consultation that asks for all attributes of `_questions`."""
        from ctree.learners.base.case_consultation import CaseConsultation

        return CaseConsultation(self.schema_, self._probabilities, self._questions(), self._reason, decide=self._chosen)

    def _questions(self) -> dict[int, Sequence[float]]:
        """The attributes that a consultation asks for, in this order, each with the thresholds of its numbers."""
        raise NotImplementedError

    def _reason(self, data: Dataset) -> str:
        """Why a case is given its class."""
        return str(self._with_costs(self._explanations(data))[0])

    def explain(self, X: Any) -> Any:
        """Why cases are given their classes.

        Parameters
        ----------
        X : one case, or several
            One case is a dict of values by name, a list or array of values in the order of the attributes, a pandas
            Series, or a table or `Dataset` of one row; several are anything that `predict` takes.

        Returns
        -------
        Explanation, or list of Explanation
            For one case its explanation: text by ``str``, plain data by ``to_dict``, and HTML in a notebook. For
            several cases a list with one for each.
        """
        model = self._as_it_is()
        return model._explained(X, model._explanations)

    def _explained(self, X: Any, explanations: Callable[[Dataset], Sequence[Explanation]]) -> Any:
        """One explanation for a single case, else a list of them."""
        from ctree.tree.explain.explanation import one_or_list

        self._check_fitted()
        data = self._cases(as_table(X, self.schema_.names))
        return one_or_list(self._with_costs(explanations(data)), data.case_names)

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = True
        return tags

    def _probabilities(self, data: Dataset) -> Floats:
        raise NotImplementedError

    def _fitted_fields(self) -> dict[str, Any]:
        """What `fit` has set, as plain fields: dicts, lists, text, finite numbers, booleans, None."""
        raise NotImplementedError

    def _restore(self, fields: Fields, schema: Schema) -> None:
        """Set what the fields describe; whatever is wrong with them is a `ModelError`."""
        raise NotImplementedError

    def _to_fields(self) -> dict[str, Any]:
        """The fitted model as plain fields."""
        model = self._as_it_is()
        if not hasattr(model, "schema_"):
            raise not_fitted(f"this {type(self).__name__} is not fitted yet: fit it before it is saved")
        parameters = model._fitted_parameters()
        check_parameters(self._parameters, parameters)
        return {
            "parameters": plain_parameters(self._parameters, parameters),
            "schema": schema_to_dict(model.schema_),
            **facts_to_fields(model),
            **model._fitted_fields(),
        }

    def _fitted_parameters(self) -> dict[str, Any]:
        """The parameters that the model was fitted with."""
        return self.get_params()

    @classmethod
    def _from_fields(cls, fields: Fields) -> Self:
        """The fitted model that plain fields describe."""
        model = cls(**parameters_from_fields(cls._parameters, fields.object("parameters"), cls.__name__))
        try:
            model._check_together()
        except ParameterError as error:
            raise ModelError(f"the parameters are incompatible: {error}") from None
        schema = schema_from_dict(fields.object("schema"))
        model._restore(fields, schema)
        saved_decisions(model, schema.classes)  # which refuses costs that do not fit the classes
        model._become(schema)
        restore_facts(model, fields)
        return model

    def _explanations(self, data: Dataset) -> Sequence[Explanation]:
        """Why each of these cases, in the codes of `schema_`, is given its class."""
        raise NotImplementedError

    def _check_fitted(self) -> None:
        if not hasattr(self, "schema_"):
            raise not_fitted(f"this {type(self).__name__} is not fitted yet: call fit first")

    def _twin(self) -> Self:
        """A copy of this learner, for a `fit` that goes step by step; see `_take_over`."""
        model = type(self).__new__(type(self))
        model.__dict__ = dict(self.__dict__)
        return model

    def _take_over(self, model: Self) -> None:
        """Be fitted as a twin is, in one step."""
        parameters = {name: value for name, value in dict(self.__dict__).items() if name in self._parameters}
        self.__dict__ = {**model.__dict__, **parameters}

    def _become(self, schema: Schema, **results: Any) -> None:
        """Be fitted, to cases with this schema, by these results.

        All in one step, so that a `fit` that fails or is interrupted leaves the learner as it was, and another thread
        that predicts has the old model or the new one, and nothing between.
        """
        # A copy of the dict, as another thread that reads the old model may add to it what is computed only once.
        of_other_cases = ("feature_names_in_", "_data_name", "_training_errors", "winnowing_")
        kept = {name: value for name, value in dict(self.__dict__).items() if name not in of_other_cases}
        decided = decided_by(self.costs, self.class_weight, schema.classes)
        self.__dict__ = {**kept, **results, **fitted_attributes(schema), **decided}

    def _training_cases(
        self, X: Any, y: Any, sample_weight: npt.ArrayLike | None, unknown_class: bool = False
    ) -> Dataset:
        """The cases to learn from, each with its weight times that of its class."""
        return weighed_cases(self, self._given_cases(X, y, sample_weight, unknown_class))

    def _given_cases(self, X: Any, y: Any, sample_weight: npt.ArrayLike | None, unknown_class: bool = False) -> Dataset:
        """The cases to learn from, without weights of classes."""
        if lies_with(X):
            with self._scanned_frame(X, y, sample_weight) as cases:
                return self._given_cases(cases, None, None, unknown_class)
        if is_source(X):
            self._check_source(X, y, sample_weight)
            if not fits_memory(X):
                raise self._needs_memory()
            X = X.collect()
        if y is None and not isinstance(X, Dataset):
            raise DataError(
                f"{type(self).__name__} requires y to be passed, but the target y is None: fit needs the classes of "
                "the cases, or a Dataset that has them"
            )
        X, y, sample_weight = by_name(X, y, sample_weight)
        return training_cases(X, y, sample_weight, self.categorical_features, unknown_class)

    def _needs_memory(self) -> DataError:
        return DataError(
            f"{type(self).__name__} needs all cases in memory, and those of the source do not fit: scan them with more "
            "memory, give it some of the cases, or take a learner for a source of any size, such as "
            "ProbabilityTreeClassifier"
        )

    def _training_cases_or_source(
        self, X: Any, y: Any, sample_weight: npt.ArrayLike | None, unknown_class: bool = False
    ) -> Dataset | CaseSource:
        """The cases to learn from: in memory if they fit, else as they are asked pass by pass."""
        if not is_source(X) or fits_memory(X):
            return self._training_cases(X, y, sample_weight, unknown_class)
        self._check_source(X, y, sample_weight)
        class_weight = asked_weights(self.costs, self.class_weight, X.schema.classes)
        if class_weight is None:
            return X
        from ctree.learners.base.source_weights import source_by_class

        return source_by_class(X, class_weight, self.counts_cases)

    def _scanned_frame(
        self, X: Any, y: Any, sample_weight: npt.ArrayLike | None, progress: ProgressCallback | None = None
    ) -> Any:
        """The cases of a frame, where its workers are: a source, and a context that lets them go."""
        return scanned_frame(X, y, sample_weight, self.categorical_features, progress)

    def _check_source(self, X: CaseSource, y: Any, sample_weight: npt.ArrayLike | None) -> None:
        if y is not None:
            raise DataError("a source has its own classes: leave out y")
        if sample_weight is not None:
            raise DataError("a source has its own weights: leave out sample_weight")
        if X.n_cases == 0:
            raise DataError("there are no cases to learn from: the source is empty")

    def _cases(self, X: Any) -> Dataset:
        """Cases to predict, in the codes of the schema that the learner was fitted with."""
        self._check_fitted()
        if isinstance(X, Dataset):
            return recoded(X, self.schema_, self.unseen)
        X = read_once(X)
        ignored: list[str] = []
        if self._goes_by_name(column_names(X)):
            # before anything is read, as what is not known may hold anything
            self._check_names(column_names(X) or [])
            ignored = [a.name for a in self.schema_ if a.kind is Kind.IGNORE]
        table = raw_table(X, ignored if len(ignored) < len(self.schema_) else ())
        return dataset_from_arrays(self._matched(table), schema=self.schema_, unseen=self.unseen)

    def _goes_by_name(self, names: Sequence[str] | None) -> bool:
        """Whether columns of these names are matched by them."""
        return names is not None and (hasattr(self, "feature_names_in_") or set(names) == set(self.schema_.names))

    def _check_names(self, names: Sequence[str]) -> None:
        """Refuse columns that the learner does not know, and that there are not all that it needs."""
        learner, given, wanted = type(self).__name__, set(names), set(self.schema_.names)
        extra = [name for name in names if name not in wanted]
        missing = [a.name for a in self.schema_ if a.kind is not Kind.IGNORE and a.name not in given]
        if missing:
            hint = near_match(missing[0], extra) if len(missing) == 1 else ""
            raise DataError(f"X lacks {_columns(missing)}, which {learner} was fitted with{hint}")
        if extra:
            raise DataError(f"X has {_columns(extra)}, which {learner} was not fitted with: leave them out")

    def _matched(self, table: RawTable) -> RawTable:
        """The table with its columns as the learner knows them: by name where both have names, else in order."""
        learner, known, width = type(self).__name__, self.schema_.names, len(table.columns)
        named = hasattr(self, "feature_names_in_")
        if self._goes_by_name(table.names):
            self._check_names(table.names or [])
            return table
        if width != len(known):
            raise DataError(f"X has {width} features, but {learner} is expecting {len(known)} features as input")
        if named:
            warn(f"X does not have valid feature names, but {learner} was fitted with feature names")
        elif table.names is not None:
            warn(f"X has feature names, but {learner} was fitted without feature names")
        return RawTable(None, table.columns, table.told)


def fitted_attributes(schema: Schema) -> dict[str, Any]:
    """What a fitted learner says of its attributes and classes, by the names of the attributes that say it."""
    known = {"schema_": schema, "classes_": label_array(schema.classes), "n_features_in_": len(schema)}
    if schema.names != default_names(len(schema)):
        known["feature_names_in_"] = np.array(schema.names, dtype=object)
    return known


def default_names(n: int) -> tuple[str, ...]:
    """What attributes are called that have no names."""
    return tuple(f"x{j}" for j in range(n))


def label_array(labels: Sequence[Label]) -> npt.NDArray[Any]:
    """Labels as an array; as objects where an array of text or numbers would not have them as they are.

    Of text and numbers together numpy makes text, and it drops NULs at the end of a text.

    Examples
    --------
    >>> label_array(["no", "yes"]).dtype.kind, label_array(["no", "no\\0"]).tolist()
    ('U', ['no', 'no\\x00'])
    """
    array = np.array(labels, dtype=object if len({isinstance(label, str) for label in labels}) > 1 else None)
    return array if array.tolist() == list(labels) else np.array(labels, dtype=object)


def _columns(names: Sequence[str]) -> str:
    quoted = abbreviated_list([f"'{name}'" for name in names])
    return f"the column{'s' * (len(names) > 1)} {quoted}"
