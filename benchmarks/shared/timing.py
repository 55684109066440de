"""The shortest time of several calls, and the peak of the processor."""

from __future__ import annotations

from time import perf_counter

import numpy as np


def best_seconds(call, at_least=3, budget=1.0, at_most=50, clock=perf_counter):
    """The shortest of as many calls as take `budget` seconds, by a clock."""
    times = []
    while len(times) < at_least or (sum(times) < budget and len(times) < at_most):
        start = clock()
        call()
        times.append(clock() - start)
        if times[0] > 10 * budget:
            break
    return min(times)


def peak_flops():
    """Single-precision operations per second of one thread, by a large matrix product."""
    size = 2048
    A = np.random.default_rng(0).random((size, size), dtype=np.float32)
    return 2 * size**3 / best_seconds(lambda: A @ A, at_least=5)


# Operations of one exponential and of adding its product with a coefficient, counted as the
# vector instructions of core/simd/lanes.hpp at two operations each.
OPERATIONS_PER_EXPONENTIAL = 26


def evaluation_flops(n_features):
    """Single-precision operations of one rbf kernel evaluation."""
    return 2 * n_features + OPERATIONS_PER_EXPONENTIAL
