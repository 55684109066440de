"""`DAGSVC`: Platt's DAG over the same machines."""

from __future__ import annotations

from typing import Any

from numpy.typing import NDArray

from dcsvm.estimators.machines_only import MachinesOnlySVC
from dcsvm.estimators.prediction import RoutedPredictionMixin
from dcsvm.estimators.probabilities import RoutedProbabilityMixin
from dcsvm.machines.pairwise import PairwiseMachines
from dcsvm.routing.dag.growing import Grower
from dcsvm.routing.dag.route import DagRoute
from dcsvm.routing.dag.splitting import PlattSplitter


class DAGSVC(RoutedPredictionMixin, RoutedProbabilityMixin, MachinesOnlySVC):
    """DAGSVM: the first and the last candidate meet, the loser leaves, k − 1 times.

    Parameters and attributes are those of :class:`DCSVC`, without the table.

    References
    ----------
    J. C. Platt, N. Cristianini and J. Shawe-Taylor, "Large Margin DAGs for Multiclass
    Classification", NIPS 1999.
    """

    def _set_machines(self, machines: PairwiseMachines, classes: NDArray[Any]) -> None:
        super()._set_machines(machines, classes)
        self._route = DagRoute(Grower(PlattSplitter(len(classes))))
