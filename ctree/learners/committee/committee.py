"""What committees from one table and from linked tables share: how members are added, and what is told of them."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any, Protocol

import numpy as np

from ctree.errors import CtreeError, DataError, ParameterError
from ctree.learners.base.classifier import Floats
from ctree.learners.base.common_parameters import n_threads
from ctree.learners.base.one_model import of_one_model
from ctree.learners.committee.text import committee_text, size_text, summary
from ctree.progress import ProgressCallback, reporting
from ctree.wording import shortened


class Growing(Protocol):
    """Members in the making."""

    @property
    def has_more(self) -> bool:
        """Whether any was added to those that were there."""
        ...

    def grow(self, threads: int, told: ProgressCallback | None) -> None:
        """Grow those that are missing; an exception that ends it leaves those that are done."""
        ...


class Committee:
    """Parent of learners whose model is a tuple of members."""

    members_: tuple[Any, ...]
    oob_score_: float
    n_jobs: int | None
    feature_importances_: Any
    _reported: Callable[..., Any]
    _check_fitted: Callable[[], None]

    cases_word, columns_word = "cases", "attributes"
    """What is learned from, and what has importances."""

    def _column_names(self) -> Any:
        """The names of what has importances."""
        raise NotImplementedError

    def _judged(self) -> str:
        """Which cases `oob_score_` is about, in words."""
        return "out of bag"

    def _grow(self, grown: Growing, progress: ProgressCallback | bool | None, become: Callable[[], object]) -> None:
        """Grow members and be fitted by them; after Ctrl-C by those that are done, if any was added."""
        try:
            with reporting(self._reported(progress)) as told:
                grown.grow(n_threads(self.n_jobs), told)
        except KeyboardInterrupt:
            if grown.has_more:
                become()
            raise
        become()

    def _members_to_keep(
        self, wanted: int, settings: Iterable[tuple[str, Any, Any]], same_cases: bool
    ) -> tuple[Any, ...]:
        """The members that `fit` adds others to; an error if they would not belong together.

        Parameters
        ----------
        wanted : int
            How many there should be.
        settings : iterable of (str, object, object)
            Parameters: their names, with what the members were learned, and what they are now.
        same_cases : bool
            Whether the cases are those that the members were learned from.
        """
        if wanted < len(self.members_):
            raise ParameterError(
                f"members is {wanted}, but there are {len(self.members_)} already: a warm start only adds some"
            )
        for name, begun, given in settings:
            if given is not begun and given != begun:
                raise ParameterError(
                    f"the members were learned with {name}={shortened(begun)}, which cannot be changed to "
                    f"{shortened(given)} later; set warm_start=False to begin anew"
                )
        if not same_cases:
            raise DataError(
                f"these are not the {self.cases_word} that the members were learned from; set warm_start=False to "
                "begin anew"
            )
        return self.members_

    def as_tree(self) -> Any:
        """There is no such tree."""
        raise CtreeError(
            f"a {type(self).__name__} has many trees, and none that stands for all; `ctree show --member 0` shows the "
            "first, in Python `members_[0]`"
        )

    @of_one_model
    def to_text(self, member: int | None = None) -> str:
        """How large the trees are, how good they are where they were not learned from, and what they ask for.

        Parameters
        ----------
        member : int, optional
            The number of a member, from 0, which is shown after that.

        Returns
        -------
        str
        """
        self._check_fitted()
        if member is not None and not -len(self.members_) <= member < len(self.members_):
            raise ParameterError(f"there is no member {member}: they are numbered from 0 to {len(self.members_) - 1}")
        words = {"judged": self._judged(), "columns": self.columns_word, "cases": self.cases_word}
        lines = committee_text(self._leaves(), self.oob_score_, self._named_importances(), **words)
        if member is not None:
            lines += ["", f"member {member}:", "", self.members_[member].to_text()]
        return "\n".join(lines)

    @of_one_model
    def size_text(self) -> str:
        """How many trees there are, and how large on average."""
        self._check_fitted()
        return size_text(self._leaves())

    @of_one_model
    def summary(self) -> dict[str, Any]:
        """What there is to know of the model, as plain data."""
        self._check_fitted()
        committee = {**summary(self._leaves(), self.oob_score_), **self._more_figures()}
        return {"committee": committee, "importances": self._named_importances()}

    def _more_figures(self) -> dict[str, Any]:
        """What else there is to tell."""
        return {}

    def _leaves(self) -> list[int]:
        return [member.tree_.n_leaves for member in self.members_]

    def _named_importances(self) -> dict[str, float]:
        """What tests ask for, by name, with its importance, the greatest first."""
        shares: Floats = self.feature_importances_
        names = self._column_names()
        return {names[i]: float(shares[i]) for i in np.argsort(-shares, kind="stable") if shares[i] > 0}
