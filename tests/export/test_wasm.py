"""Exported WebAssembly predicts as Python does, and shows the same path."""

import numpy as np
import pytest
from tests.export.problems import KERNELS, RULES, SCALINGS, by_rule, expected, fitted, rows

from dcsvm.export import to_wasm
from dcsvm.export.wasm import with_data
from dcsvm.inspection import explanations

pytest.importorskip("wasmtime", reason="no wasmtime: pip install '.[test]'")
from tests.export.modules import Module

PAIRS = [
    (kernel, RULES[(2 * k + s) % len(RULES)], scaling)
    for k, kernel in enumerate(KERNELS)
    for s, scaling in enumerate(SCALINGS)
]


@pytest.mark.parametrize(("kernel", "rule", "scaling"), PAIRS)
def test_labels_are_those_of_python(kernel, rule, scaling):
    clf, X = by_rule(fitted(kernel, scaling), rule), rows()[2]
    module = Module(to_wasm(clf))
    assert module.predict(X).tolist() == expected(clf, X).tolist()
    assert module.names["classes"] == [str(c) for c in clf.classes_]


@pytest.mark.parametrize("support", ["float", "int16", "int8"])
@pytest.mark.parametrize("precision", ["float", "double"])
def test_all_precisions(support, precision):
    from dcsvm.export import export

    for rule in ("default", "vote"):
        clf, X = by_rule(fitted(), rule), rows()[2]
        options = {"support": support, "precision": precision}
        stored = export(clf, **options).as_stored
        assert Module(to_wasm(clf, **options)).predict(X).tolist() == expected(stored, X).tolist()


@pytest.mark.parametrize("rule", ["default", "paper", "margin structure"])
def test_paths_are_those_of_explanations(rule):
    clf, X = by_rule(fitted(), rule), rows()[2][:60]
    module = Module(to_wasm(clf))
    n_set_aside = 0
    for x, told in zip(X, explanations(clf, X.astype(np.float64)), strict=True):
        label, decisions, dropped_at = module.path(x)
        assert clf.classes_[label] == told.label
        machines = [r for r in told.rounds if r.kind == "machine"]
        assert [d[:2] for d in decisions] == [r.machine for r in machines]
        values = [r.value for r in machines]
        np.testing.assert_allclose([d[2] for d in decisions], values, rtol=1e-3, atol=1e-4)
        n_rounds = module.call("n_rounds")
        assert n_rounds == sum(not r.for_vote for r in machines)
        for t, round_ in enumerate(machines[:n_rounds], 1):
            left = {c for c in range(7) if dropped_at[c] < 0 or dropped_at[c] > t}
            assert left == set(round_.left), (t, round_)
        n_set_aside += told.rounds[-1].kind == "vote"
    assert rule != "default" or n_set_aside > 0


def test_data_are_added_to_a_module_that_has_none():
    wasmtime = pytest.importorskip("wasmtime")
    empty = wasmtime.wat2wasm('(module (memory (export "memory") 1))')
    store = wasmtime.Store()
    module = wasmtime.Module(store.engine, with_data(bytes(empty), b"\x01\x02\x03" * 50_000))
    memory = wasmtime.Instance(store, module, []).exports(store)["memory"]
    assert bytes(memory.read(store, 2**22, 2**22 + 5)) == b"\x01\x02\x03\x01\x02"
    assert memory.size(store) == 64 + 3
