"""What classifiers predict on a GPU: answers are of the kind of X, and where X is."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from dcsvm.estimators.devices import has_gpu
from dcsvm.routing.dag.route import DagRoute
from dcsvm.routing.elimination.rounds import Elimination

if TYPE_CHECKING:
    from dcsvm.cuda.device import Device

# With fewer rows to predict, device="auto" is the CPU.
FEWEST_ROWS = 20_000


def device_of_prediction(estimator: Any, X: Any) -> Device | None:
    """The GPU on which a fitted classifier predicts the rows of X, or None."""
    wanted = getattr(estimator, "device", "cpu")
    route = getattr(estimator, "_route", None)
    if wanted == "cpu":
        return None
    from dcsvm.cuda.arrays import is_on_gpu

    # The vote that small fits predict by costs less than the way to the GPU.
    is_small = not (route is None or isinstance(route, Elimination | DagRoute))
    if is_small and not is_on_gpu(X):
        return None
    if wanted == "auto":
        machines = estimator.machines_
        suits = machines.kernel.is_built_in and machines.pair_scaling is None
        is_large = hasattr(X, "shape") and X.shape[0] >= FEWEST_ROWS
        if not (suits and is_large and has_gpu()):
            return None
    from dcsvm.cuda.device import gpu

    return gpu()


def labels_there(device: Device, now: Any, X: Any) -> Any:
    """The label of each row, by the route of a classifier."""
    return _labels(device, now, X, leaves_there(device, now, X)[0])


def leaves_there(device: Device, now: Any, X: Any, with_counts: bool = False) -> tuple[Any, Any]:
    """The number of the class of each row, and how many machines were evaluated."""
    from dcsvm.cuda.prediction import route_answers

    rows = now._check_rows(X)
    leaf, counts, _ = route_answers(device, now.machines_, now._route, rows, with_counts)
    return leaf, counts


def labels_and_counts_there(device: Device, now: Any, X: Any) -> tuple[Any, Any]:
    """The label of each row, and how many machines were evaluated."""
    leaf, counts = leaves_there(device, now, X, with_counts=True)
    return _labels(device, now, X, leaf), of_kind(device, X, counts.astype(np.int64))


def decisions_there(device: Device, now: Any, X: Any) -> Any:
    """`decision_function` along a route."""
    from dcsvm.cuda.prediction import route_answers

    if len(now.classes_) == 2 or now.decision_function_shape == "ovo":
        return values_there(device, now, X)
    rows = now._check_rows(X)
    decisions = route_answers(device, now.machines_, now._route, rows, with_decisions=True)[2]
    return of_kind(device, X, decisions.astype(np.float64))


def values_there(device: Device, now: Any, X: Any) -> Any:
    """The values of all machines, as `decision_values.pairwise_decision`."""
    from dcsvm.cuda.prediction import all_values_there

    if now.machines_.some_pairs is not None:
        raise ValueError(
            "decision_function_shape='ovo' needs the machines of all pairs of classes, but only "
            "those needed are trained: fit with machines='all'."
        )
    rows = now._check_rows(X)
    found = [values for _, values in all_values_there(device, now.machines_, rows)]
    values = device.xp.concatenate(found).astype(np.float64)
    if now.machines_.n_classes == 2:
        only = values[:, 0]
        second = device.xp.where(only < 0, -only, np.finfo(np.float64).tiny)
        values = device.xp.where(only > 0, -only, second)
    return of_kind(device, X, values)


def votes_of_classes_there(device: Device, now: Any, X: Any) -> Any:
    """`OneVsOneSVC.decision_function`, on the GPU."""
    from dcsvm.cuda.prediction import votes_there
    from dcsvm.cuda.voting import class_values

    winner_first = not now.break_ties
    found = [
        class_values(device.xp, votes, confidence, winner_first)
        for _, votes, confidence in votes_there(device, now.machines_, now._check_rows(X))
    ]
    return device.xp.concatenate(found)


def winners_there(device: Device, now: Any, X: Any) -> Any:
    """The labels with most votes, of equals the first."""
    from dcsvm.cuda.prediction import votes_there

    rows = now._check_rows(X)
    if now.break_ties and len(now.classes_) > 2:
        leaf = votes_of_classes_there(device, now, X).argmax(axis=1)
    else:
        found = votes_there(device, now.machines_, rows)
        leaf = device.xp.concatenate([votes.argmax(axis=1) for _, votes, _ in found])
    return _labels(device, now, X, leaf)


def of_kind(device: Device, X: Any, answer: Any) -> Any:
    """An answer as an array of the kind of X, and where X is."""
    from dcsvm.cuda.arrays import like

    return like(X, answer, device)


def _labels(device: Device, now: Any, X: Any, leaf: Any) -> Any:
    from dcsvm.cuda.arrays import labels_like

    return labels_like(X, now.classes_, leaf, device)
