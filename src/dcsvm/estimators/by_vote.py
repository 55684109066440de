"""When a DCSVC lets all machines vote: where that is faster than to eliminate classes."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from dcsvm.estimators.parameter_types import Routing, TableRows, Theta
from dcsvm.estimators.voting import VoteRoute
from dcsvm.routing.select import Rule
from dcsvm.routing.theta_by_cost import ThetasByCost


class ByVoteMixin:
    """The vote among the ways to a class that shortlist="auto" compares."""

    theta: Theta
    routing: Routing
    shortlist: Any
    table_rows: TableRows | None
    _shortlist_of_fit: tuple[Any, Any]
    _thetas: ThetasByCost | None
    _set_route: Callable[[Rule, Any], None]
    _vote_is_cheapest: bool = False

    @property
    def _may_vote(self) -> bool:
        """Whether the way to a class is left to what costs least."""
        is_open = (self.theta, self.routing) == ("cost", "margin")
        return is_open and isinstance(self.shortlist, str) and not isinstance(self.table_rows, int)

    def _vote_without_shortlist(self, rule: Rule) -> None:
        """Let all machines vote; θ is that of a structure, should one be asked for."""
        self._shortlist_of_fit = self.shortlist, None
        self._thetas = ThetasByCost(rule.theta, None)
        self._set_route(rule._replace(theta=self._thetas.of(rule.routing, False)), VoteRoute())
