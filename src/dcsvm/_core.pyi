"""Types of the compiled core; what it computes is stated in core/predict/engine.hpp."""

from typing import Any, Generic, TypeVar

import numpy as np
from numpy.typing import NDArray

PANEL_WIDTH: int
HIGHEST_LEVEL: int
CLOSE_VALUE: float
MOST_ASIDE: int
VALUE_IN_VOTES: float

class Rows: ...

def dense_rows(values: NDArray[Any]) -> Rows: ...
def sparse_rows(
    values: NDArray[Any], indices: NDArray[Any], start: NDArray[Any], n_features: int
) -> Rows: ...
def instruction_sets() -> list[str]: ...
def distinct_support(
    *,
    start: NDArray[np.int64],
    index: NDArray[np.int32],
    n_vectors: int,
    path_start: NDArray[np.int64],
    machine: NDArray[np.int32],
    out: NDArray[np.int64],
) -> None: ...
def choose(
    *,
    instruction_set: str,
    n_classes: int,
    to_i: NDArray[np.uint64],
    to_j: NDArray[np.uint64],
    score: NDArray[np.float64],
    cost: NDArray[np.float64],
    criterion: str,
    candidates: NDArray[np.uint64],
    machine: NDArray[np.int32],
) -> None: ...

class Dag:
    def __init__(
        self,
        *,
        n_classes: int,
        machine: NDArray[np.int32],
        first_cut: NDArray[np.int64],
        first_child: NDArray[np.int64],
        cuts: NDArray[np.float64],
        child: NDArray[np.int32],
    ) -> None: ...
    def walk_signs(
        self,
        signs: NDArray[np.uint8],
        row: NDArray[np.int64],
        node: NDArray[np.int32],
        slot: NDArray[np.int64],
    ) -> None: ...

class Levels:
    def __init__(
        self,
        *,
        n_classes: int,
        origin: NDArray[np.float64],
        scale: NDArray[np.float64],
        low: NDArray[np.uint8],
        high: NDArray[np.uint8],
    ) -> None: ...

class ShortlistFloat: ...
class ShortlistDouble: ...

_Real = TypeVar("_Real", np.float32, np.float64)
_Shortlist = TypeVar("_Shortlist")

# Both engines have the methods of this class, which is not there at run time.
class _Engine(Generic[_Real, _Shortlist]):
    def __init__(
        self,
        *,
        instruction_set: str,
        form: str,
        coef0: float,
        degree: int,
        centre: NDArray[np.float64],
        scale: NDArray[np.float64],
        query_bias: float,
        query_factor: float,
        vectors: NDArray[_Real] | None,
        vector_bias: NDArray[_Real] | None,
        stored: Rows | None,
        column: NDArray[np.int32] | None,
        start: NDArray[np.int64],
        index: NDArray[np.int32],
        coef: NDArray[_Real],
        intercept: NDArray[np.float64],
        own_centre: NDArray[_Real] | None,
        own_scale: NDArray[_Real] | None,
        panel_budget: int,
    ) -> None: ...
    def values(
        self, X: Rows, row: NDArray[np.int64], machine: NDArray[np.int32], out: NDArray[np.float64]
    ) -> None: ...
    def walk(
        self,
        dag: Dag,
        X: Rows,
        row: NDArray[np.int64],
        node: NDArray[np.int32],
        slot: NDArray[np.int64],
        n_evaluated: NDArray[np.int64] | None = None,
    ) -> None: ...
    def walk_one(self, dag: Dag, x: NDArray[Any]) -> int: ...
    def all_values(self, X: Rows, begin: int, end: int, out: NDArray[np.float64]) -> None: ...
    def observe(
        self,
        X: Rows,
        begin: int,
        end: int,
        weight: NDArray[np.float64],
        edges: NDArray[np.int64],
        to_i: NDArray[np.float64],
        to_j: NDArray[np.float64],
        low: NDArray[np.float32],
        high: NDArray[np.float32],
        sum: NDArray[np.float64],
        squares: NDArray[np.float64],
        signs: NDArray[np.uint8] | None,
    ) -> None: ...
    def vote(
        self, X: Rows, begin: int, end: int, n_classes: int, winner: NDArray[np.int64]
    ) -> None: ...
    def shortlist(
        self,
        *,
        weights: NDArray[np.float64],
        intercept: NDArray[np.float64],
        landmarks: NDArray[np.int32] | None,
        quadratic: bool,
    ) -> _Shortlist: ...
    def score(
        self, shortlist: _Shortlist, X: Rows, begin: int, end: int, scores: NDArray[np.float32]
    ) -> None: ...
    def eliminate(
        self,
        levels: Levels,
        X: Rows,
        begin: int,
        end: int,
        gap: float,
        scores: NDArray[np.float32],
        leaf: NDArray[np.int64],
        n_evaluated: NDArray[np.int64] | None = None,
    ) -> None: ...
    def eliminate_one(
        self, levels: Levels, shortlist: _Shortlist, gap: float, x: NDArray[Any]
    ) -> int: ...
    @property
    def centre(self) -> list[float]: ...
    @property
    def scale(self) -> list[float]: ...
    @property
    def panel_bytes(self) -> int: ...

class EngineFloat(_Engine[np.float32, ShortlistFloat]): ...
class EngineDouble(_Engine[np.float64, ShortlistDouble]): ...

class Cancel:
    def __init__(self) -> None: ...
    def set(self) -> None: ...

class Trainer:
    def __init__(
        self,
        *,
        precision: str,
        instruction_set: str,
        form: str,
        coef0: float,
        degree: int,
        X: Rows,
        centre: NDArray[np.float64],
        scale: NDArray[np.float64],
        query_factor: float,
        bias_factor: float,
        own_centre: NDArray[np.float64] | None,
        own_scale: NDArray[np.float64] | None,
        class_start: NDArray[np.int64],
        C: NDArray[np.float64],
        tol: float,
        max_iter: int,
        norm_limit: float,
        shared_budget: int,
        pair_budget: int,
        n_pairs: int,
        n_threads: int,
    ) -> None: ...
    def train(
        self,
        first: NDArray[np.int32],
        second: NDArray[np.int32],
        machine: NDArray[np.int64],
        cancel: Cancel,
    ) -> list[tuple[NDArray[np.int64], NDArray[np.float64], float, int, int, float]]: ...
