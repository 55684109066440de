"""`to_wasm`: a fitted classifier as a WebAssembly module, made without a compiler.

The module is the engine that is shipped (`engine.py`) with one more segment of data: the
description of the model, followed by its tables.
"""

from __future__ import annotations

import json
import struct
from collections.abc import Iterator
from typing import Any

import numpy as np
from numpy.typing import NDArray

from dcsvm.export.engine import (
    DOUBLES,
    INTEGERS,
    MODEL_ADDRESS,
    POINTERS,
    STACK,
    STAGE_FIELDS,
    engine,
)
from dcsvm.export.errors import ExportError
from dcsvm.export.exporting import REALS, Exported, entry_tables, export
from dcsvm.export.preprocessing import Projection
from dcsvm.export.rules import MAX_NODES

PAGE = 2**16
MEMORY_SECTION, DATA_SECTION = 5, 11
PRODUCTS = ("dot", "distance", "weighted", "own_weighted", "own_dot")
FUNCTIONS = ("none", "exp2", "power", "tanh")
RULES = ("elimination", "structure", "vote")
SCORES = ("linear", "quadratic", "landmarks")
CODES = {"f": 0, "int8": 1, "int16": 2}
# The engine takes these as 32-bit numbers.
PLACES = ("support_of", "landmark", "node_machine", "node_child", "machine_pair")


def to_wasm(
    model: Any, *, precision: str = "auto", support: str = "exact", max_nodes: int = MAX_NODES
) -> bytes:
    r"""Export a fitted classifier to WebAssembly.

    The module imports nothing. It exports its `memory` and functions without arguments: `row()` is
    the address of the row to predict, `n_features()` numbers of the chosen precision; `predict()`
    returns the index of its class among `n_classes()`; `names()` is the address of
    `names_length()` bytes of JSON with the classes, the names of the features, and the precision.
    `predict_with_path()` also leaves `n_decisions()` decisions of 16 bytes at `decisions()`, and
    a number for each class at `dropped_at()` and at `scores()`, as the header of exported C
    explains them.

    Parameters
    ----------
    model, precision, support, max_nodes
        As in `to_c`.

    Returns
    -------
    module : bytes
        A binary module, for a file that ends in .wasm.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from dcsvm import DCSVC
    >>> from dcsvm.export import to_wasm
    >>> X, y = load_iris(return_X_y=True)
    >>> to_wasm(DCSVC().fit(X, y))[:4]
    b'\x00asm'
    """
    exported = export(model, precision=precision, support=support, max_nodes=max_nodes)
    return wasm_module(exported)


def wasm_module(exported: Exported) -> bytes:
    """The module of an exported model."""
    return with_data(engine(exported.real), description(exported))


class _Memory:
    """Tables one after the other, each with its address."""

    def __init__(self, begin: int) -> None:
        self.begin = begin
        self.content = bytearray()

    def add(self, content: bytes) -> int:
        self.content += bytes(-len(self.content) % 8)
        address = self.begin + len(self.content)
        self.content += content
        return address

    def add_table(self, values: NDArray[Any] | None) -> int:
        return 0 if values is None else self.add(np.ascontiguousarray(values).tobytes())


def description(exported: Exported) -> bytes:
    """What lies at `MODEL_ADDRESS`, little-endian, with absolute addresses."""
    n_query = len(exported.stages.last.source)
    tables = _for_engine(exported)
    size = 8 * len(DOUBLES) + 4 * len(INTEGERS) + 4 * len(POINTERS)
    memory = _Memory(MODEL_ADDRESS + size + 8)
    address = {name: memory.add_table(tables.get(name)) for name in POINTERS}
    names = json.dumps(
        {
            "classes": [str(label) for label in exported.classes],
            "features": exported.feature_names,
            "real": exported.real,
        }
    ).encode()
    address["names"] = memory.add(names)
    address["stages"], n_stages, n_widest = _add_stages(exported, memory)
    real = np.dtype(REALS[exported.real])
    address["row"] = memory.add(bytes(real.itemsize * exported.n_features))
    k = len(exported.classes)
    decisions = memory.add(bytes(16 * exported.most_decisions))
    dropped_at, scores = memory.add(bytes(4 * k)), memory.add(bytes(4 * k))
    address["path"] = memory.add(struct.pack("<5I", 0, 0, decisions, dropped_at, scores))
    support = exported.tables["support"]
    integers = {
        "n_features": exported.n_features,
        "n_classes": k,
        "n_query": n_query,
        "n_widest": n_widest,
        "n_scores": len(tables.get("score_intercept", ())),
        "n_landmarks": int(exported.constants.get("N_LANDMARKS", 0)),
        "n_support": len(support),
        "n_words": -(-k // 32),
        "degree": exported.machines.degree,
        "product": PRODUCTS.index(exported.machines.product),
        "function": FUNCTIONS.index(exported.machines.function),
        "rule": RULES.index(exported.rule),
        "score_kind": SCORES.index(exported.score_kind) if exported.score_kind else 0,
        "code": CODES["f" if support.dtype.kind == "f" else support.dtype.name],
        "has_bias": int(exported.machines.has_bias),
        "n_stages": n_stages,
        "names_length": len(names),
    }
    if 4 * real.itemsize * (n_widest + k) + real.itemsize * len(support) > STACK // 2:
        raise ExportError(
            "This model is too large for WebAssembly, whose stack holds a number for each support "
            "vector: export it to C."
        )
    gap = min(exported.constants.get("SCORE_GAP", 0.0), float(np.finfo(np.float32).max))
    head = struct.pack("<2d", exported.machines.coef0, gap)
    head += struct.pack(f"<{len(INTEGERS)}i", *(integers[name] for name in INTEGERS))
    head += struct.pack(f"<{len(POINTERS)}I", *(address[name] for name in POINTERS))
    assert len(head) == size
    return head + bytes(8) + bytes(memory.content)


def _for_engine(exported: Exported) -> dict[str, NDArray[Any]]:
    """The tables in the types that the engine takes."""
    tables = dict(exported.tables)
    for name in PLACES:
        if name in tables:
            tables[name] = tables[name].astype(np.uint32)
    if "coef_scale" in tables:
        n_entries = np.diff(tables["start"].astype(np.int64)).astype(np.int64)
        scale = np.repeat(tables.pop("coef_scale"), n_entries)
        tables["coef"] = (tables["coef"] * scale).astype(REALS[exported.real])
    return tables


def _add_stages(exported: Exported, memory: _Memory) -> tuple[int, int, int]:
    """The address of the stages, their number, and the longest row between them."""
    records, n_in, widest = b"", exported.n_features, 1
    stages = (*exported.stages.before, exported.stages.last)
    for stage in stages:
        if isinstance(stage, Projection):
            matrix = stage.matrix.astype(REALS[exported.real])
            n_out, tables = len(matrix), {"mean": stage.mean, "matrix": matrix}
        else:
            n_out, tables = len(stage.source), entry_tables(stage)
        addresses = [memory.add_table(tables.get(name)) for name in STAGE_FIELDS[3:]]
        kind = int(isinstance(stage, Projection))
        records += struct.pack("<3i9I", kind, n_in, n_out, *addresses)
        n_in, widest = n_out, max(widest, n_out)
    return memory.add(records), len(stages), widest


def with_data(module: bytes, content: bytes) -> bytes:
    """A module with more data at `MODEL_ADDRESS`, and the memory to hold it."""
    pages = -(-(MODEL_ADDRESS + len(content)) // PAGE)
    segment = b"\x00\x41" + _signed(MODEL_ADDRESS) + b"\x0b" + _unsigned(len(content)) + content
    parts, has_data = [module[:8]], False
    for kind, body in _sections(module):
        if kind == MEMORY_SECTION:
            assert body[:2] == b"\x01\x00"  # one memory that may grow
            body = b"\x01\x00" + _unsigned(pages)
        elif kind == DATA_SECTION:
            n, begin = _read_unsigned(body, 0)
            body, has_data = _unsigned(n + 1) + body[begin:] + segment, True
        parts.append(_section(kind, body))
    if not has_data:
        parts.append(_section(DATA_SECTION, b"\x01" + segment))
    return b"".join(parts)


def _sections(module: bytes) -> Iterator[tuple[int, bytes]]:
    at = 8
    while at < len(module):
        kind = module[at]
        length, begin = _read_unsigned(module, at + 1)
        yield kind, module[begin : begin + length]
        at = begin + length


def _section(kind: int, body: bytes) -> bytes:
    return bytes([kind]) + _unsigned(len(body)) + body


def _unsigned(value: int) -> bytes:
    """LEB128, as the binary format writes numbers."""
    out = bytearray()
    while True:
        value, low = value >> 7, value & 0x7F
        out.append(low | (0x80 if value else 0))
        if not value:
            return bytes(out)


def _signed(value: int) -> bytes:
    out = bytearray()
    while True:
        value, low = value >> 7, value & 0x7F
        done = (value == 0 and not low & 0x40) or (value == -1 and bool(low & 0x40))
        out.append(low if done else low | 0x80)
        if done:
            return bytes(out)


def _read_unsigned(content: bytes, at: int) -> tuple[int, int]:
    """A number in LEB128, and where it ends."""
    value = shift = 0
    while True:
        byte = content[at]
        at, value, shift = at + 1, value | (byte & 0x7F) << shift, shift + 7
        if not byte & 0x80:
            return value, at
