"""A tree as an ONNX model: numbers in 64 bits, values by their branches, and a regressor of leaves."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import numpy as np

from ctree.data.schema import Attribute, Label
from ctree.errors import ModelError, ParameterError, missing
from ctree.export.plan import Plan, Question
from ctree.export.plans import planned
from ctree.export.texts import NO_TEXT, check_distinct, check_texts

OPSET, ML_OPSET, IR_VERSION = 17, 3, 8
"""Of 2022: any runtime that knows trees in 64 bits has them."""

NO_LABEL = -(2**63)
"""The class of a case that has none, where classes are whole numbers; otherwise it is an empty text."""


def to_onnx(model: Any) -> bytes:
    """A tree as an ONNX model, for runtimes of that standard.

    Parameters
    ----------
    model : a fitted learner of one tree, or a `Tree`

    Returns
    -------
    bytes
        The model, to be written to a file or given to a runtime. Its inputs are called as the attributes that the tree
        asks for, and have a row for each case and one column: numbers of 64 bits for a continuous attribute, whole
        numbers for a discrete one whose values are such, texts for another. NaN, and values that the model does not
        have, are unknown. The outputs are ``label`` and ``probabilities``, which are those of the model in 32 bits.

    Notes
    -----
    ONNX has no parts of cases. Where the tree asks for a value that is unknown, and the learner imputes none, all
    probabilities are 0 and the label is an empty text, or -2^63 if classes are whole numbers. It needs the package
    onnx (``pip install 'ctree-learn[onnx]'``).

    Examples
    --------
    >>> import ctree
    >>> data = ctree.to_onnx(ctree.C45Classifier().fit(ctree.load_golf()))
    >>> import onnxruntime
    >>> run = onnxruntime.InferenceSession(data).run
    >>> day = {"outlook": [["rain"]], "humidity": [[70.0]], "windy": [["true"]]}
    >>> run(["label"], day)[0].tolist()
    ["Don't Play"]
    """
    try:
        import onnx
    except ImportError:
        raise missing("ONNX models need", "onnx", "onnx") from None
    plan = planned(model)
    if not isinstance(plan, Plan):
        raise ParameterError(f"ONNX has no form for a {type(model).__name__}; export it as SQL, PMML, Python or C")
    plan.check_single("ONNX")
    _check(plan)
    graph = _Graph(plan, onnx)
    made = onnx.helper.make_model(
        graph.made(),
        opset_imports=[onnx.helper.make_opsetid("", OPSET), onnx.helper.make_opsetid("ai.onnx.ml", ML_OPSET)],
        producer_name="ctree",
        ir_version=IR_VERSION,
    )
    result: bytes = made.SerializeToString()
    return result


def _check(plan: Plan) -> None:
    asked = [plan.schema[a] for a in plan.attributes]
    if not asked:
        raise ModelError("an ONNX model needs an input, but the tree asks for nothing")
    check_texts(plan.schema, asked, NO_TEXT, "ONNX")
    if plan.tie_tolerance is None:
        raise ModelError(
            "the ONNX of J48's variant with another estimate than 'frequency' would have no class, as it does not "
            "follow from the probabilities"
        )
    taken = [attribute.name for attribute in asked if attribute.name in ("label", "probabilities")]
    if taken:
        raise ModelError(f"ONNX cannot distinguish attribute '{taken[0]}' from the output of that name")
    for attribute in asked:
        if not attribute.name:
            raise ModelError("ONNX does not allow empty names, but an attribute has one")
        if attribute.is_discrete and not _is_whole(attribute.values):
            check_distinct(attribute.values, f"attribute '{attribute.name}'", "ONNX")
    if not _is_whole(plan.schema.classes):
        check_distinct(plan.schema.classes, "the class", "ONNX")


def _is_whole(values: tuple[Label, ...]) -> bool:
    """Whether all are whole numbers of 64 bits; booleans are 0 and 1."""
    return bool(values) and all(isinstance(v, int) and -(2**63) < v < 2**63 for v in values)


@dataclass
class _Nodes:
    """The nodes of the regressor: a test with two ways each, or a leaf."""

    features: list[int] = field(default_factory=list)
    values: list[float] = field(default_factory=list)
    modes: list[str] = field(default_factory=list)
    trues: list[int] = field(default_factory=list)
    falses: list[int] = field(default_factory=list)
    leaves: list[tuple[int, list[float]]] = field(default_factory=list)

    def add(self, feature: int = 0, value: float = 0.0, mode: str = "BRANCH_LEQ") -> int:
        """A node, whose ways are set later."""
        self.features.append(feature)
        self.values.append(value)
        self.modes.append(mode)
        self.trues.append(0)
        self.falses.append(0)
        return len(self.features) - 1

    def add_leaf(self, weights: list[float]) -> int:
        """A leaf with what it adds to each target."""
        node = self.add(mode="LEAF")
        self.leaves.append((node, weights))
        return node

    def attributes(self, helper: Any, types: Any) -> dict[str, Any]:
        """What the operation of ONNX is told."""
        n = len(self.features)
        told = [(node, target, weight) for node, weights in self.leaves for target, weight in enumerate(weights)]
        return {
            "nodes_treeids": [0] * n,
            "nodes_nodeids": list(range(n)),
            "nodes_featureids": self.features,
            "nodes_values_as_tensor": helper.make_tensor("values", types.DOUBLE, [n], self.values),
            "nodes_modes": self.modes,
            "nodes_truenodeids": self.trues,
            "nodes_falsenodeids": self.falses,
            "nodes_missing_value_tracks_true": [0] * n,
            "target_treeids": [0] * len(told),
            "target_nodeids": [node for node, _, _ in told],
            "target_ids": [target for _, target, _ in told],
            "target_weights_as_tensor": helper.make_tensor(
                "weights", types.DOUBLE, [len(told)], [weight for _, _, weight in told]
            ),
        }


class _Graph:
    """The graph in the making: inputs become features of the regressor, whose answer becomes the outputs."""

    def __init__(self, plan: Plan, onnx: Any) -> None:
        self.plan = plan
        self.helper, self.types = onnx.helper, onnx.TensorProto
        self.steps: list[Any] = []
        self.constants: list[Any] = []
        self.features: list[str] = []
        self.places: dict[tuple[int, tuple[int, ...]], int] = {}
        self.prefix = "ctree"
        while any(name.startswith(self.prefix) for name in (*plan.schema.names, "label", "probabilities")):
            self.prefix += "_"
        self.n_names = 0

    def made(self) -> Any:
        """The graph."""
        plan, make = self.plan, self.helper.make_tensor_value_info
        inputs = [make(plan.schema[a].name, self._input_type(plan.schema[a]), [None, 1]) for a in plan.attributes]
        nodes = self._nodes()
        features = self._step("Concat", self.features, axis=1)
        n_classes, last = plan.schema.n_classes, len(nodes.leaves[0][1])
        answers = self._step(
            "TreeEnsembleRegressor",
            [features],
            "ai.onnx.ml",
            n_targets=last,
            **nodes.attributes(self.helper, self.types),
        )
        sizes = self._constant(self.types.INT64, [n_classes, 1])
        best = self._name()
        self.steps.append(self.helper.make_node("Split", [answers, sizes], ["probabilities", best], axis=1))
        whole = self._step("Cast", [best], to=self.types.INT64)
        flat = self._step("Reshape", [whole, self._constant(self.types.INT64, [-1])])
        keys = list(range(n_classes + 1))
        labels: dict[str, Any]
        if _is_whole(plan.schema.classes):
            kind, labels = self.types.INT64, {"values_int64s": [*map(int, plan.schema.classes), NO_LABEL]}
        else:
            kind, labels = self.types.STRING, {"values_strings": [*map(str, plan.schema.classes), ""]}
        self.steps.append(
            self.helper.make_node("LabelEncoder", [flat], ["label"], domain="ai.onnx.ml", keys_int64s=keys, **labels)
        )
        outputs = [make("label", kind, [None]), make("probabilities", self.types.FLOAT, [None, n_classes])]
        return self.helper.make_graph(self.steps, "ctree", inputs, outputs, self.constants)

    def _input_type(self, attribute: Attribute) -> Any:
        if attribute.has_order:
            return self.types.DOUBLE
        return self.types.INT64 if _is_whole(attribute.values) else self.types.STRING

    def _name(self) -> str:
        self.n_names += 1
        return f"{self.prefix}{self.n_names}"

    def _step(self, kind: str, inputs: list[str], domain: str = "", **attributes: Any) -> str:
        """An operation, and what its result is called."""
        result = self._name()
        self.steps.append(self.helper.make_node(kind, inputs, [result], domain=domain, **attributes))
        return result

    def _constant(self, kind: Any, values: list[Any]) -> str:
        name = self._name()
        self.constants.append(self.helper.make_tensor(name, kind, [len(values)], values))
        return name

    def _feature(self, question: Question) -> int:
        """The column that a question is about: a number, or the branch of a value, -1 for none."""
        key = (question.attribute, question.branch_of)
        if key not in self.places:
            self.places[key] = len(self.features)
            self.features.append(self._read(question))
        return self.places[key]

    def _read(self, question: Question) -> str:
        entry, filler = self.plan.schema[question.attribute], self.plan.fillers[question.attribute]
        if entry.has_order:
            if filler is None:
                return self._step("Identity", [entry.name])
            unknown = self._step("IsNaN", [entry.name])
            return self._step("Where", [unknown, self._constant(self.types.DOUBLE, [float(filler)]), entry.name])
        branches = [float(branch) for branch in question.branch_of]
        default = -1.0 if filler is None else branches[int(filler)]
        whole = _is_whole(entry.values)
        keys = (
            {"keys_int64s": list(map(int, entry.values))} if whole else {"keys_strings": list(map(str, entry.values))}
        )
        code = self._step(
            "LabelEncoder", [entry.name], "ai.onnx.ml", values_floats=branches, default_float=default, **keys
        )
        return self._step("Cast", [code], to=self.types.DOUBLE)

    def _nodes(self) -> _Nodes:
        """The tree with two ways at each node, one question after the other where there were more."""
        plan, nodes = self.plan, _Nodes()
        nothing = [*([0.0] * plan.schema.n_classes), float(plan.schema.n_classes)]
        waiting: list[tuple[int, list[int] | None, int]] = [(0, None, 0)]  # of a node, what refers to it
        while waiting:
            node, ways, place = waiting.pop()
            question = plan.questions[node]
            if question is None:
                number = nodes.add_leaf([*plan.probabilities[node], float(plan.best(node) or 0)])
                if ways is not None:
                    ways[place] = number
                continue
            feature, cuts = self._feature(question), list(question.cuts)
            discrete = plan.schema[question.attribute].is_discrete
            if discrete:
                cuts = [branch + 0.5 for branch in range(plan.n_branches[node] - 1)]
            if self._may_be_unknown(question):
                # NaN is not even up to infinity; a value without a branch has -1
                guard = nodes.add(feature, -0.5 if discrete else np.inf)
                if ways is not None:
                    ways[place] = guard
                leaf = nodes.add_leaf(nothing)
                (nodes.trues if discrete else nodes.falses)[guard] = leaf
                ways, place = (nodes.falses if discrete else nodes.trues), guard
            for cut, branch in zip(cuts, plan.branches(node), strict=False):
                test = nodes.add(feature, cut)
                if ways is not None:
                    ways[place] = test
                waiting.append((branch, nodes.trues, test))
                ways, place = nodes.falses, test
            waiting.append((plan.branches(node)[-1], ways, place))
        return nodes

    def _may_be_unknown(self, question: Question) -> bool:
        return self.plan.fillers[question.attribute] is None or -1 in question.branch_of
