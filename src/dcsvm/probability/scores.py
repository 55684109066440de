"""Routes and scores for machines other than those a shortlist was fitted with."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from dcsvm.routing.elimination.rounds import Elimination, Shortlist
from dcsvm.routing.route import Route


@dataclass(eq=False)
class ScoresOf:
    """The scores of a shortlist by the machines it was fitted with, whichever are given."""

    shortlist: Shortlist
    machines: Any
    gap: float

    @property
    def cost(self) -> float:
        """As in Shortlist."""
        return self.shortlist.cost

    def scores(self, X: Any, machines: Any) -> NDArray[np.float32]:
        """As in Shortlist, but by its own machines."""
        return self.shortlist.scores(X, self.machines)

    def compiled(self, machines: Any) -> None:
        """There is nothing compiled for other machines."""
        return


def route_with_scores_of(route: Route, machines: Any) -> Route:
    """The route for any machines, with scores by these."""
    if not isinstance(route, Elimination):
        return route
    return replace(route, shortlist=ScoresOf(route.shortlist, machines, route.shortlist.gap))


def scores_of_all(route: Any, machines: Any, X: Any) -> NDArray[np.float32] | None:
    """The scores of all classes at the rows of X, where the route has a shortlist."""
    if not isinstance(route, Elimination):
        return None
    return np.asarray(route.shortlist.scores(X, machines)[:, : route.levels.n_classes])
