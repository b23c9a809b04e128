"""WithLimits: the parameters that say how large trees may grow, and which attributes they may test where."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from ctree.data.schema import Schema
from ctree.domains.domain import AnyOf, Domain, Nothing
from ctree.domains.numeric import Integer, Number
from ctree.domains.plain import is_list, plain
from ctree.errors import NamingError, ParameterError
from ctree.learners.base.estimator import SklearnEstimator
from ctree.learners.base.first_tests import FirstTests, first_tests_of
from ctree.learners.base.limits import Limits
from ctree.learners.base.parameters import parameter
from ctree.wording import either, no_such, plural, unquoted


class NotBelow(Domain):
    """Attributes with those below whose tests they are not tested; whether there are such is seen in `fit`.

    Examples
    --------
    >>> NotBelow().read("not_below", "income:age,region; tenure:age")
    {'income': ['age', 'region'], 'tenure': ['age']}
    """

    names_attributes = True
    metavar = "A:B,C;..."

    def accepts(self, value: Any) -> bool:
        return isinstance(value, Mapping) and all(
            is_name(attribute) and is_list(above) and all(is_name(name) for name in above)
            for attribute, above in value.items()
        )

    def words(self) -> list[str]:
        return ["a dict of attributes to lists of attributes"]

    def typed(self) -> list[str]:
        return ["attributes with those below which they are not tested, as in income:age,region;tenure:age"]

    def type_text(self) -> str:
        return "dict"

    def parse(self, text: str) -> dict[str, list[str]]:
        result: dict[str, list[str]] = {}
        for entry in filter(None, (part.strip() for part in text.strip("{} ").split(";"))):
            attribute, colon, above = entry.partition(":")
            names = [unquoted(name.strip()) for name in above.strip("[] ").split(",") if name.strip()]
            if not colon or not attribute.strip() or not names:
                raise ValueError
            result.setdefault(unquoted(attribute.strip()), []).extend(names)
        return result

    def spelled(self, value: Any) -> str:
        return ";".join(f"{attribute}:{','.join(map(str, above))}" for attribute, above in value.items())

    def to_plain(self, value: Any) -> Any:
        # pairs, as a key in JSON is always text
        return [[plain(attribute), [plain(name) for name in above]] for attribute, above in value.items()]

    def from_plain(self, value: Any) -> Any:
        pairs = isinstance(value, list) and all(isinstance(pair, list) and len(pair) == 2 for pair in value)
        return dict(value) if pairs and all(is_name(attribute) for attribute, _ in value) else value


def is_name(value: Any) -> bool:
    """Whether a value may name an attribute."""
    return isinstance(value, str)


class WithLimits(SklearnEstimator):
    """For learners that grow trees test by test."""

    max_depth: int | None = parameter(
        None,
        AnyOf(Integer(least=0), Nothing()),
        "Greatest number of tests on the way to a leaf; the root is at depth 0. None: no limit.",
    )
    max_leaves: int | None = parameter(
        None,
        AnyOf(Integer(least=1), Nothing()),
        "Greatest number of leaves, also of those that no case comes to. None: no limit. The tree is grown best "
        "first: of the leaves that have a test, the one whose test saves most bits of class information, summed over "
        "its cases, is divided next, the first of equals in the order of levels; a test with more branches than there "
        "are leaves left is passed over. Pruning comes after it.",
    )
    min_gain: float | None = parameter(
        None,
        AnyOf(Number(least=0), Nothing()),
        "Least gain of a test, in bits per case of its node: where the test that is chosen gains less, by more than a "
        "millionth, the node is a leaf. None: no limit.",
    )
    not_below: Any = parameter(
        None,
        AnyOf(Nothing(), NotBelow()),
        "Which attributes are not tested below tests of which others. None: all may be tested everywhere. A dict of "
        "attributes to lists of attributes; one that is in its own list is tested at most once on the way to a leaf.",
    )

    first_tests: Any = parameter(
        None,
        AnyOf(Nothing(), FirstTests()),
        "Which attributes are tested first: the first at the root, the next below it in every branch, and so on. None: "
        "as the learner chooses. A list of names, or of pairs of a name and a threshold, or of a name and lists of "
        "values, one for each branch. Without these, a discrete attribute has a branch for each value, and a "
        "continuous one the best threshold of the learner. They are made however little they gain, and pruning leaves "
        "them; where all cases of a node have the same outcome, or the learner finds no threshold, the next is taken.",
    )

    def _limits_text(self) -> str:
        """The limits in words; empty without any."""
        words = [] if self.max_depth is None else [f"depth at most {self.max_depth}"]
        words += [] if self.max_leaves is None else [f"at most {plural(int(self.max_leaves), 'leaf')}"]
        words += [] if self.min_gain is None else [f"gain at least {self.min_gain:g}"]
        words += [f"{a} not below {either(list(above))}" for a, above in (self.not_below or {}).items() if len(above)]
        names = [entry if isinstance(entry, str) else entry[0] for entry in self.first_tests or ()]
        words += [f"{', then '.join(names)} tested first"] if names else []
        return ", ".join(words)

    def _limits(self, schema: Schema, single: bool = False) -> Limits:
        """The limits, for cases with these attributes, in 32 bits if they are so."""
        pairs = [(a, above) for a, names in (self.not_below or {}).items() for above in names]
        limits = Limits(
            None if self.max_depth is None else int(self.max_depth),
            None if self.max_leaves is None else int(self.max_leaves),
            None if self.min_gain is None else float(self.min_gain),
            tuple((_place(schema, a, "not_below"), _place(schema, above, "not_below")) for a, above in pairs),
            first_tests_of(schema, self.first_tests, single),
        )
        _check_first(schema, limits)
        return limits


def _check_first(schema: Schema, limits: Limits) -> None:
    """Refuse tests that come first where others of the limits do not allow them."""
    places = [test.attribute for test in limits.first_tests]
    if limits.max_depth is not None and len(places) > limits.max_depth:
        raise ParameterError(
            f"first_tests has {plural(len(places), 'test')}, one below the other, but max_depth is {limits.max_depth}"
        )
    for place, attribute in enumerate(places):
        above = [a for a in places[:place] if (attribute, a) in limits.not_below]
        if above:
            raise ParameterError(
                f"first_tests has '{schema.names[attribute]}' below '{schema.names[above[0]]}', where not_below says "
                "that it is not tested: change one of the two"
            )


def _place(schema: Schema, name: str, where: str) -> int:
    """Where an attribute is among all."""
    names = schema.names
    if name not in names:
        raise NamingError(f"{where} names '{name}', but {no_such('attribute', name, names)}")
    return names.index(name)
