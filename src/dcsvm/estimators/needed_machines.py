"""machines="needed": which pairs of classes get a machine, and what follows where some do not."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from dcsvm.data.pairs import class_pairs
from dcsvm.data.some_pairs import SomePairs
from dcsvm.estimators.base import TrainingData
from dcsvm.estimators.parameter_types import Machines, Routing, Theta
from dcsvm.machines.pairwise import PairwiseMachines
from dcsvm.routing.elimination.needed import needed_pairs
from dcsvm.routing.elimination.own_classes import OwnClasses
from dcsvm.routing.elimination.prototypes import PrototypeShortlist
from dcsvm.routing.elimination.rounds import Elimination
from dcsvm.routing.select import Rule

# With more classes, machines="auto" trains only the machines that are needed: all of them would
# take gigabytes and minutes.
MOST_CLASSES_FOR_ALL = 1000


class NeededMachinesMixin:
    """The parameter `machines` of a classifier."""

    machines: Machines
    kernel: Any
    theta: Theta
    routing: Routing
    shortlist: Any
    machines_: PairwiseMachines
    missed_: float
    _shortlist_of_fit: tuple[Any, Any]
    _theta: Callable[[TrainingData], float]
    _rule: Callable[[float], Rule]
    _check_memory: Callable[[int], None]
    _train: Callable[..., PairwiseMachines]
    _set_machines: Callable[..., None]
    _set_route: Callable[[Rule, Any], None]

    def _trains_all_pairs(self, n_classes: int) -> bool:
        if n_classes == 2 or self.machines == "all":
            return True
        obstacle = self._obstacle_to_choosing()
        if self.machines == "auto":
            return n_classes <= MOST_CLASSES_FOR_ALL or obstacle is not None
        if obstacle is not None:
            raise ValueError(f"machines='needed' cannot be used with {obstacle}.")
        return False

    def _obstacle_to_choosing(self) -> str | None:
        """What rules out that only the machines needed are trained."""
        if self.kernel == "precomputed":
            return "a precomputed kernel: the scores that tell most classes apart need features"
        if self.shortlist is None:
            return "shortlist=None: where there is no machine, the scores of a shortlist decide"
        if self.shortlist != "auto":
            return "a shortlist of your own: the pairs are chosen by scores made for it"
        if self.theta == "auto":
            return "theta='auto', which compares with the vote of all machines: set a number"
        if self.routing == "sign":
            return "routing='sign', the rule of a table of all machines"
        return None

    def _fit_needed(self, data: TrainingData) -> None:
        """Train the machines that are needed, and let the scores decide where there is none."""
        theta = self._theta(data)
        if data.rows.n_rows < 2 * len(data.classes):  # rows that are alone say nothing of scores
            self._check_memory(len(data.classes))
        needed = needed_pairs(data.stages.in_memory(data.rows), theta)
        pairs = needed.pairs
        if pairs is None:
            self._check_memory(len(data.classes))
            pairs = SomePairs(len(data.classes), class_pairs(len(data.classes)))
        data.progress.begin(pairs.of_machine)
        self._set_machines(self._train(data, pairs), data.classes)
        self.__dict__.pop("table_", None)
        self.missed_ = needed.missed
        self._shortlist_of_fit = self.shortlist, needed.shortlist
        self._set_route(self._rule(theta), self._needed_route(needed.shortlist))

    def _needed_route(self, shortlist: PrototypeShortlist) -> Elimination:
        assert self.machines_.some_pairs is not None
        return Elimination(OwnClasses(self.machines_.some_pairs), shortlist)

    def _with_fewer_candidates(self, theta: float) -> PrototypeShortlist:
        """The shortlist of `fit` with another θ, where only the machines needed are trained."""
        known = self._shortlist_of_fit[1]
        assert isinstance(known, PrototypeShortlist)
        obstacle = self._obstacle_to_choosing()
        if obstacle is not None:
            raise ValueError(f"Fit again with machines='all' for {obstacle}.")
        if theta < known.theta:
            raise ValueError(
                f"Only the machines needed for theta={known.theta:g} are trained. Fit again with "
                f"theta={theta:g}, which needs more, or with machines='all'."
            )
        return known.at(theta)
