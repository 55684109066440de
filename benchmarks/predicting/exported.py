"""Exported C and WebAssembly beside other ways out of Python: `make bench-export`.

C is compiled by gcc -O2 and runs one row at a time in one thread; WebAssembly runs in headless
Chromium. Times are the shortest of several runs: of C and Python processor time, in the browser the
time that it measures itself.
"""

from __future__ import annotations

import argparse
import base64
import ctypes
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path
from time import perf_counter, process_time

import numpy as np
from sklearn.model_selection import train_test_split

import dcsvm
from benchmarks.routing.problems import gaussian_classes
from benchmarks.shared.output import about_machine, heading, log, table
from benchmarks.shared.peers import PEERS
from benchmarks.shared.problems import Problem, load
from dcsvm.export import to_c, to_wasm

COLUMNS = [
    ("data set", "data", "{}"),
    ("method", "method", "{}"),
    ("µs/row", "time", "{:.2f}"),
    ("accuracy %", "accuracy", "{:.2f}"),
    ("labels changed", "changed", "{}"),
    ("source kB", "source", "{:.0f}"),
    ("compiled kB", "compiled", "{:.0f}"),
    ("compile s", "compile", "{:.1f}"),
]
RUNS = 7
# The browser measures real time: the shortest of many short times is that of an idle processor.
BROWSER_RUNS, ROWS_OF_A_BLOCK = 15, 250
MOST_ROWS = 4000
# m2cgen writes an expression for each support vector.
COMPILE_TIMEOUT = 300
CALLS = """
#include "model.h"
void predict_rows(const model_real *X, long n, int *out);
void predict_rows(const model_real *X, long n, int *out) {
  long t;
  for (t = 0; t < n; ++t) out[t] = model_predict(X + t * MODEL_N_FEATURES);
}
"""
M2CGEN_CALLS = """
void score(double *input, double *output);
void predict_rows(double *X, long n, int *out);
void predict_rows(double *X, long n, int *out) {
  static double votes[%(k)d];
  long t;
  for (t = 0; t < n; ++t) {
    int c, best = 0;
    score(X + t * %(d)d, votes);
    for (c = 1; c < %(k)d; ++c) if (votes[c] > votes[best]) best = c;
    out[t] = best;
  }
}
"""
PAGE = """<!doctype html><script>
const bytesOf = (text) => Uint8Array.from(atob(text), (letter) => letter.charCodeAt(0));
const bytes = bytesOf("%(module)s"), X = new %(kind)s(bytesOf("%(rows)s").buffer);
async function measure(runs) {
  const { instance } = await WebAssembly.instantiate(bytes);
  const e = instance.exports, d = e.n_features(), n = X.length / d;
  const row = new %(kind)s(e.memory.buffer, e.row(), d);
  const labels = [];
  let total = 0;
  for (let first = 0; first < n; first += %(block)d) {
    const last = Math.min(first + %(block)d, n);
    let best = Infinity;
    for (let r = 0; r < runs; ++r) {
      labels.length = first;
      const begin = performance.now();
      for (let t = first; t < last; ++t) {
        row.set(X.subarray(t * d, (t + 1) * d));
        labels.push(e.predict());
      }
      best = Math.min(best, performance.now() - begin);
    }
    total += best;
  }
  return { time: (1000 * total) / n, labels };
}
</script>"""


def gaussian(k):
    """Classes that a vote tells apart well, of which the paper's rule loses some."""
    X, X_test, y, y_test = train_test_split(*gaussian_classes(k), test_size=0.5, random_state=0)
    return Problem(f"gaussian{k}", X, y, X_test[:MOST_ROWS], y_test[:MOST_ROWS], 10.0, 1 / 16)


def best_time(call):
    """Processor time of the fastest run."""
    times = []
    for _ in range(RUNS):
        begin = process_time()
        call()
        times.append(process_time() - begin)
    return min(times)


def compiled(folder, files):
    """A shared library of C files: how long the compiler took, and the size of tables and code."""
    library = folder / "model.so"
    command = ["gcc", "-O2", "-shared", "-fPIC", *map(str, files), "-o", str(library)]
    begin = perf_counter()
    subprocess.run(command, check=True, timeout=COMPILE_TIMEOUT)
    seconds = perf_counter() - begin
    said = subprocess.run(["size", str(library)], check=True, capture_output=True, text=True).stdout
    return ctypes.CDLL(str(library)), seconds, sum(map(int, said.splitlines()[1].split()[:2]))


def rows_through(library, X):
    """Labels of rows by a library, and the time of one."""
    out = np.empty(len(X), dtype=np.intc)
    pointers = X.ctypes.data_as(ctypes.c_void_p), out.ctypes.data_as(ctypes.c_void_p)

    def call():
        library.predict_rows(pointers[0], ctypes.c_long(len(X)), pointers[1])

    return out, 1e6 * best_time(call) / len(X)


def measure_c(problem, method, model, **options):
    """A line for a model as C."""
    with tempfile.TemporaryDirectory() as temporary:
        folder = Path(temporary)
        source = to_c(model, **options)
        source.write(folder / "model.c")
        (folder / "calls.c").write_text(CALLS)
        library, seconds, size = compiled(folder, [folder / "model.c", folder / "calls.c"])
        real = np.float32 if "typedef float" in source.header else np.float64
        labels, time = rows_through(library, np.ascontiguousarray(problem.X_test, dtype=real))
    sizes = {"source": len(source.source) / 1000, "compiled": size / 1000, "compile": seconds}
    return line_of(problem, method, time, labels, model) | sizes


def line_of(problem, method, time, labels, model=None):
    """A line of the table."""
    changed = ""
    if model is not None:
        changed = f"{np.sum(model.apply(problem.X_test) != labels)} of {len(labels)}"
    accuracy = 100 * np.mean(labels == problem.y_test)
    return {
        "data": problem.name,
        "method": method,
        "time": time,
        "accuracy": accuracy,
        "changed": changed,
    }


def measure_m2cgen(problem):
    """A line for scikit-learn's SVC as m2cgen writes it."""
    import m2cgen
    from sklearn.svm import SVC

    sys.setrecursionlimit(100_000)
    line = {"data": problem.name, "method": "m2cgen, SVC"}
    svc = SVC(**problem.parameters).fit(problem.X_train, problem.y_train)
    with tempfile.TemporaryDirectory() as temporary:
        folder = Path(temporary)
        try:
            source = m2cgen.export_to_c(svc)
            k, d = len(svc.classes_), problem.X_test.shape[1]
            (folder / "m.c").write_text(source + M2CGEN_CALLS % {"k": k, "d": d})
            library, seconds, size = compiled(folder, [folder / "m.c", "-lm"])
        except (subprocess.SubprocessError, RecursionError) as error:
            return line | {"failed": type(error).__name__}
        labels, time = rows_through(library, problem.X_test[:500].copy())
    accuracy = 100 * np.mean(labels == problem.y_test[:500])
    sizes = {"source": len(source) / 1000, "compiled": size / 1000, "compile": seconds}
    return line | {"time": time, "accuracy": accuracy, "changed": ""} | sizes


def measure_python(problem, method, model):
    """A line for something called from Python, with all rows at once."""
    labels = model.predict(problem.X_test)
    time = best_time(lambda: model.predict(problem.X_test)) / len(problem.X_test)
    return line_of(problem, method, 1e6 * time, labels)


def measure_browser(problem, model):
    """A line for a model as WebAssembly."""
    from selenium import webdriver

    module = to_wasm(model)
    real, kind = np.float32, "Float32Array"
    parts = {
        "module": base64.b64encode(module).decode(),
        "rows": base64.b64encode(problem.X_test.astype(real).tobytes()).decode(),
        "kind": kind,
        "block": ROWS_OF_A_BLOCK,
    }
    options = webdriver.ChromeOptions()
    options.binary_location = shutil.which("chromium")
    for flag in ("--headless=new", "--no-sandbox", "--disable-gpu"):
        options.add_argument(flag)
    service = webdriver.ChromeService(shutil.which("chromedriver"))
    with tempfile.TemporaryDirectory() as temporary:
        page = Path(temporary) / "page.html"
        page.write_text(PAGE % parts)
        browser = webdriver.Chrome(options=options, service=service)
        try:
            browser.get(page.as_uri())
            browser.set_script_timeout(300)
            found = browser.execute_async_script(
                "const done = arguments[1]; measure(arguments[0]).then(done)", BROWSER_RUNS
            )
        finally:
            browser.quit()
    line = line_of(
        problem, "WebAssembly, Chromium", found["time"], np.array(found["labels"]), model
    )
    return line | {"source": len(module) / 1000}


PROBLEMS = {"letter": lambda: load("letter", MOST_ROWS), "gaussian100": lambda: gaussian(100)}


def main():
    """Measure everything and print the table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("problems", nargs="*", default=list(PROBLEMS), metavar="DATA")
    parser.add_argument("--quick", action="store_true", help="without the peers")
    given = parser.parse_args()
    lines = []

    def add(line):
        log(line)
        lines.append(line)

    for problem in (PROBLEMS[name]() for name in given.problems):
        clf = dcsvm.DCSVC(**problem.parameters, n_jobs=1).fit(problem.X_train, problem.y_train)
        add(measure_python(problem, "DCSVC in Python", clf))
        add(measure_c(problem, "C", clf))
        for support in ("float", "int16", "int8"):
            add(measure_c(problem, f'C, support="{support}"', clf, support=support))
        if problem.name == "letter":
            by_paper = {"theta": 0.001, "routing": "sign", "criterion": "purity"}
            paper = clf.rethreshold(shortlist=None, **by_paper)
            add(measure_c(problem, "C, paper's rule", paper))
        if shutil.which("chromedriver"):
            add(measure_browser(problem, clf))
        if given.quick:
            continue
        for peer in ("SVC", "onnxruntime"):
            try:
                model = PEERS[peer](**problem.parameters)
                model.fit(problem.X_train, problem.y_train)
                add(measure_python(problem, peer, model))
            except Exception as error:  # the conversion fails with many classes
                add({"data": problem.name, "method": peer, "failed": type(error).__name__})
        add(measure_m2cgen(problem))
    print(heading(about_machine()), table(COLUMNS, lines), sep="\n\n")


if __name__ == "__main__":
    main()
