"""Types of the compiled core; what it computes is stated in core/predict/engine.hpp."""

from typing import Any, Generic, TypeVar

import numpy as np
from numpy.typing import NDArray

Bools = NDArray[np.bool_]
UInt8s = NDArray[np.uint8]
UInt16s = NDArray[np.uint16]
UInt64s = NDArray[np.uint64]
Int32s = NDArray[np.int32]
Int64s = NDArray[np.int64]
Floats = NDArray[np.float32]
Doubles = NDArray[np.float64]

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
    start: Int64s,
    index: Int32s,
    n_vectors: int,
    path_start: Int64s,
    machine: Int32s,
    out: Int64s,
) -> None: ...
def reaches(
    *,
    values: Doubles,
    edges: Int64s,
    pairs: Int32s,
    variance: Doubles,
    freedom: Doubles,
    reached: Doubles,
    pooled_rows: float,
    begin: int,
    end: int,
) -> Doubles: ...
def pooled_variance(
    *, instruction_set: str, spread: UInt16s, weight: Floats, pooled: Floats
) -> None: ...
def margin_levels(
    *,
    instruction_set: str,
    ranges: Ranges,
    begin: int,
    end: int,
    origin: Doubles,
    scale: Doubles,
    low: UInt8s,
    high: UInt8s,
) -> None: ...
def choose(
    *,
    instruction_set: str,
    n_classes: int,
    to_i: UInt64s,
    to_j: UInt64s,
    score: Doubles,
    cost: Doubles,
    criterion: str,
    candidates: UInt64s,
    machine: Int32s,
) -> None: ...

class Dag:
    def __init__(
        self,
        *,
        n_classes: int,
        machine: Int32s,
        first_cut: Int64s,
        first_child: Int64s,
        cuts: Doubles,
        child: Int32s,
    ) -> None: ...
    def walk_signs(self, signs: UInt8s, row: Int64s, node: Int32s, slot: Int64s) -> None: ...

class Levels:
    def __init__(
        self, *, n_classes: int, origin: Doubles, scale: Doubles, low: UInt8s, high: UInt8s
    ) -> None: ...
    @staticmethod
    def of_pairs(*, n_classes: int, start: Int64s, partner: Int32s) -> Levels: ...

class Ranges:
    def __init__(
        self,
        *,
        low: UInt16s,
        high: UInt16s,
        spread: UInt16s,
        pooled: Floats,
        freedom: Floats,
        widening: Floats,
        pooled_rows: float,
    ) -> None: ...

class ShortlistFloat: ...
class ShortlistDouble: ...

_Real = TypeVar("_Real", np.float32, np.float64)
_Shortlist = TypeVar("_Shortlist")

# Both engines have the methods of this class, which is not there at run time.
class RowTooLongError(OverflowError): ...

class _Engine(Generic[_Real, _Shortlist]):
    def __init__(
        self,
        *,
        instruction_set: str,
        form: str,
        coef0: float,
        degree: int,
        centre: Doubles,
        scale: Doubles,
        query_bias: float,
        query_factor: float,
        vectors: NDArray[_Real] | None,
        vector_bias: NDArray[_Real] | None,
        stored: Rows | None,
        column: Int32s | None,
        start: Int64s,
        index: Int32s,
        coef: NDArray[_Real],
        intercept: Doubles,
        own_centre: NDArray[_Real] | None,
        own_scale: NDArray[_Real] | None,
        panel_budget: int,
        norm_limit: float = ...,
    ) -> None: ...
    def mark_longer(self, X: Rows, norm_limit: float, out: Bools) -> None: ...
    def values(self, X: Rows, row: Int64s, machine: Int32s, out: Doubles) -> None: ...
    def walk(
        self,
        dag: Dag,
        X: Rows,
        row: Int64s,
        node: Int32s,
        slot: Int64s,
        n_evaluated: Int64s | None = None,
    ) -> None: ...
    def walk_one(self, dag: Dag, x: NDArray[Any]) -> int: ...
    def all_values(self, X: Rows, begin: int, end: int, out: Doubles) -> None: ...
    def observe(
        self,
        X: Rows,
        begin: int,
        end: int,
        weight: Doubles,
        edges: Int64s,
        to_i: Doubles,
        to_j: Doubles,
        low: Floats,
        high: Floats,
        sum: Doubles,
        squares: Doubles,
        signs: UInt8s | None,
        kept_column: Int32s | None = None,
        kept_place: Int64s | None = None,
        kept_values: Doubles | None = None,
    ) -> None: ...
    def observe_classes(
        self,
        X: Rows,
        begin: int,
        end: int,
        weight: Doubles,
        edges: Int64s,
        counts: NDArray[Any],
        low: UInt16s,
        high: UInt16s,
        spread: UInt16s,
        signs: UInt8s | None,
        kept_column: Int32s | None = None,
        kept_place: Int64s | None = None,
        kept_values: Doubles | None = None,
    ) -> None: ...
    def vote(self, X: Rows, begin: int, end: int, n_classes: int, winner: Int64s) -> None: ...
    def shortlist(
        self, *, weights: Doubles, intercept: Doubles, landmarks: Int32s | None, quadratic: bool
    ) -> _Shortlist: ...
    def score(
        self, shortlist: _Shortlist, X: Rows, begin: int, end: int, scores: Floats
    ) -> None: ...
    def eliminate(
        self,
        levels: Levels,
        X: Rows,
        begin: int,
        end: int,
        gap: float,
        scores: Floats,
        leaf: Int64s,
        n_evaluated: Int64s | None = None,
    ) -> None: ...
    def eliminate_one(
        self, levels: Levels, shortlist: _Shortlist, gap: float, x: NDArray[Any]
    ) -> int: ...
    def try_out(
        self, ranges: Ranges, X: Rows, begin: int, end: int, gap: float, scores: Floats
    ) -> tuple[Int64s, Int32s]: ...
    @property
    def centre(self) -> list[float]: ...
    @property
    def scale(self) -> list[float]: ...
    @property
    def norm_limit(self) -> float: ...
    @property
    def panel_bytes(self) -> int: ...

class EngineFloat(_Engine[np.float32, ShortlistFloat]): ...
class EngineDouble(_Engine[np.float64, ShortlistDouble]): ...

class Ridge:
    n_parts: int
    def __init__(
        self,
        *,
        instruction_set: str,
        Z: Doubles,
        codes: Int64s,
        weight: Doubles,
        n_classes: int,
    ) -> None: ...
    def add_products(self, part: int) -> None: ...
    def finish_products(self) -> None: ...
    def solve(self, penalty: float) -> None: ...
    def leave_out(self, rows: Int64s, left_out: Doubles) -> float: ...
    def write(self, weights: Doubles, intercept: Doubles) -> None: ...

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
        centre: Doubles,
        scale: Doubles,
        query_factor: float,
        bias_factor: float,
        own_centre: Doubles | None,
        own_scale: Doubles | None,
        class_start: Int64s,
        C: Doubles,
        start: Int64s,
        place: Int64s | None,
        values: Doubles | None,
        tol: float,
        max_iter: int,
        norm_limit: float,
        shared_budget: int,
        pair_budget: int,
        n_pairs: int,
        n_threads: int,
    ) -> None: ...
    def train(
        self, first: Int32s, second: Int32s, machine: Int64s, cancel: Cancel
    ) -> tuple[Int64s, Int64s, Doubles, Doubles, Int64s, NDArray[np.int8], Doubles]: ...
