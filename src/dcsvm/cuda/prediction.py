"""Prediction on the GPU with fitted machines, which stay there until nobody needs them."""

from __future__ import annotations

from collections.abc import Iterator
from copy import copy
from typing import Any
from weakref import WeakKeyDictionary

import numpy as np
from scipy import sparse

from dcsvm.cuda.answers import DeviceRoute
from dcsvm.cuda.arrays import is_on_gpu
from dcsvm.cuda.device import Device
from dcsvm.cuda.evaluation import DeviceMachines
from dcsvm.cuda.routes import route_on
from dcsvm.cuda.voting import count_votes
from dcsvm.machines.pairwise import PairwiseMachines

_machines: WeakKeyDictionary[PairwiseMachines, DeviceMachines] = WeakKeyDictionary()
_routes: WeakKeyDictionary[Any, DeviceRoute] = WeakKeyDictionary()


def machines_on(device: Device, machines: PairwiseMachines) -> DeviceMachines:
    """The machines on the GPU."""
    known = _machines.get(machines)
    if known is None or known.device is not device:
        # A copy, so that what is kept does not keep the machines themselves.
        known = _machines[machines] = DeviceMachines(device, copy(machines))
    return known


def _route_on(machines: DeviceMachines, route: Any) -> DeviceRoute:
    known = _routes.get(route)
    if known is None or known.machines is not machines:
        known = _routes[route] = route_on(machines, copy(route))
    return known


def forget(machines: PairwiseMachines, route: Any) -> None:
    """Free the memory that a classifier has on the GPU."""
    _machines.pop(machines, None)
    if route is not None:
        _routes.pop(route, None)


def blocks_there(device: Device, X: Any, at_once: int) -> Iterator[tuple[slice, Any, Any]]:
    """Rows on the GPU, some at a time, and the same on the host, or None where X is not there."""
    for begin in range(0, X.shape[0], at_once):
        rows = slice(begin, min(begin + at_once, X.shape[0]))
        part = X[rows]
        if is_on_gpu(X):
            yield rows, part, None
        else:
            dense = part.toarray() if sparse.issparse(part) else part
            yield rows, device.array(dense), part


def route_answers(
    device: Device,
    machines: PairwiseMachines,
    route: Any,
    X: Any,
    with_counts: bool = False,
    with_decisions: bool = False,
) -> tuple[Any, Any, Any]:
    """The class of each row of X, how many machines were evaluated, and the decision function.

    Where X is on the GPU they are too.
    """
    there = _route_on(machines_on(device, machines), route)
    parts: list[tuple[Any, ...]] = []
    bring = (lambda a: a) if is_on_gpu(X) else device.to_host
    for _, rows, of_host in blocks_there(device, X, there.rows_at_once(X.shape[1])):
        found = there.answers(rows, of_host, with_decisions)
        parts.append(
            (
                bring(found.leaf),
                bring(found.n_evaluated) if with_counts else None,
                bring(found.decisions) if with_decisions else None,
            )
        )
    xp = device.xp if is_on_gpu(X) else np
    leaf, counts, decisions = (
        None if numbers[0] is None else xp.concatenate(numbers)
        for numbers in zip(*parts, strict=True)
    )
    return leaf, counts, decisions


def all_values_there(
    device: Device, machines: PairwiseMachines, X: Any
) -> Iterator[tuple[slice, Any]]:
    """The values of all machines at each row, some rows at a time; on the GPU."""
    known = machines_on(device, machines)
    i, j = (device.array(c) for c in machines.pairs.T)
    for rows, part, _ in blocks_there(device, X, known.rows_at_once()):
        products = known.products(known.queries(part))
        yield rows, (products[i, :, j] + products[j, :, i]).T + known.intercept


def votes_there(
    device: Device, machines: PairwiseMachines, X: Any
) -> Iterator[tuple[slice, Any, Any]]:
    """Votes of each class, and the sums of the values for it, some rows at a time; on the GPU."""
    known = machines_on(device, machines)
    for rows, part, _ in blocks_there(device, X, known.rows_at_once()):
        yield rows, *count_votes(known, part)
