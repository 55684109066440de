"""Exported WebAssembly, run by wasmtime."""

import json
import struct

import numpy as np

REALS = {"float": np.float32, "double": np.float64}


class Module:
    """An instance of an exported module."""

    def __init__(self, module):
        import wasmtime

        self.store = wasmtime.Store()
        compiled = wasmtime.Module(self.store.engine, module)
        assert compiled.imports == []
        exports = wasmtime.Instance(self.store, compiled, []).exports(self.store)
        self.memory = exports["memory"]
        self.call = lambda name: exports[name](self.store)
        begin = self.call("names")
        self.names = json.loads(bytes(self.read(begin, self.call("names_length"))))
        self.real = REALS[self.names["real"]]

    def read(self, address, length):
        return self.memory.read(self.store, address, address + length)

    def numbers(self, name, n, kind):
        dtype = np.dtype(kind)
        return np.frombuffer(self.read(self.call(name), n * dtype.itemsize), dtype=dtype)

    def predict(self, X, function="predict"):
        X = np.ascontiguousarray(X, dtype=self.real)
        address = self.call("row")
        out = []
        for x in X:
            self.memory.write(self.store, x.tobytes(), address)
            out.append(self.call(function))
        return np.array(out)

    def path(self, x):
        """Class, decisions as (first, second, value), and when each class was dropped."""
        (label,) = self.predict(x[np.newaxis], "predict_with_path")
        n, k = self.call("n_decisions"), self.call("n_classes")
        content = bytes(self.read(self.call("decisions"), 16 * n))
        decisions = list(struct.iter_unpack("<iid", content))
        return label, decisions, self.numbers("dropped_at", k, "<i4")
