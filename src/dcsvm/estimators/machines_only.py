"""The base of classifiers that need no table: the vote of all machines, and Platt's DAG."""

from __future__ import annotations

from typing import Any, Self

from dcsvm.estimators.base import BasePairwiseSVC
from dcsvm.estimators.fit_context import fit_context
from dcsvm.estimators.state import Refit


class MachinesOnlySVC(BasePairwiseSVC):
    """An estimator that needs nothing but the machines."""

    @fit_context(skip_nested_validation=True)
    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> Self:
        """Train one machine per pair of classes; parameters as in `DCSVC.fit`."""
        with Refit(self) as refit:
            new = refit.fitted
            data = new._training_data(X, y, sample_weight, owner=self)
            new._set_machines(new._train(data), data.classes)
            new._calibrate_by_left_out()
            refit.take_over()
            data.progress.end()
        return self

    @classmethod
    def from_machines(cls, fitted: BasePairwiseSVC) -> Self:
        """A fitted estimator over the machines of another one, which it shares."""
        if not isinstance(fitted, BasePairwiseSVC):
            raise TypeError(
                f"{cls.__name__}.from_machines takes a fitted DCSVC, OneVsOneSVC or DAGSVC, "
                f"not {type(fitted).__name__}."
            )
        parameters = {name: getattr(fitted, name) for name in cls._get_param_names()}
        return cls(**parameters)._share_machines_of(fitted)
