"""The parameter `theta`: a number, or how to choose one."""

from __future__ import annotations

import numpy as np

from dcsvm.estimators.base import TrainingData
from dcsvm.estimators.parameter_types import Routing, Theta
from dcsvm.estimators.theta_search import held_out_theta
from dcsvm.routing.elimination.calibration import Fitted
from dcsvm.routing.elimination.measuring import Trials
from dcsvm.routing.select import Rule
from dcsvm.routing.theta_by_cost import ThetasByCost, largest_theta, theta_by_cost


class ThetaMixin:
    """θ of a classifier, as its parameter `theta` says."""

    theta: Theta
    theta_: float
    routing: Routing
    _thetas: ThetasByCost | None = None

    def _theta(self, data: TrainingData) -> float:
        if self.theta == "cost":
            return largest_theta(np.diff(data.rows.class_start))
        if not isinstance(self.theta, str):
            return float(self.theta)
        return held_out_theta(self, data._replace(rows=data.stages.in_memory(data.rows)))

    def _affordable(self, rule: Rule, fitted: Fitted | None, trials: Trials) -> Rule:
        """The rule with the θ that theta="cost" takes."""
        if self.theta != "cost":
            return rule
        measured = None
        if fitted is not None and len(fitted.rows) and self.routing == "margin":
            measured = theta_by_cost(fitted, trials, rule.theta)
        self._thetas = ThetasByCost(rule.theta, measured)
        return rule._replace(theta=self._thetas.of(self.routing, fitted is not None))

    def _known_theta(self, has_shortlist: bool) -> float:
        """θ by another rule, without training rows to measure it on."""
        if self.theta == "cost" and self._thetas is not None:
            return self._thetas.of(self.routing, has_shortlist)
        return self.theta_ if isinstance(self.theta, str) else float(self.theta)
