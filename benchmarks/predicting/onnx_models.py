"""Prediction by onnxruntime: `make bench-onnx`.

SVC converted by skl2onnx, the classifiers of dcsvm converted by dcsvm.onnx, and DCSVC itself, each
with one thread. Times are processor time per row: of a batch of all test rows, and of rows
predicted one by one. `other labels` counts the rows on which a converted model differs from what it
was converted from.
"""

from __future__ import annotations

import argparse
import time

import numpy as np

from benchmarks.shared.output import FOLDER, about_machine, heading, log, table, write_json
from benchmarks.shared.peers import Onnx
from benchmarks.shared.problems import load
from benchmarks.shared.timing import best_seconds
from dcsvm import DAGSVC, DCSVC, OneVsOneSVC

PROBLEMS = ("letter", "usps", "clinc150_lsa128")
SINGLE_ROWS = 200
COLUMNS = [
    ("data set", "problem", "{}"),
    ("classes", "classes", "{}"),
    ("method", "method", "{}"),
    ("µs/row", "batch", "{:.2f}"),
    ("µs, one row", "one", "{:.1f}"),
    ("accuracy %", "accuracy", "{:.2f}"),
    ("other labels", "different", "{}"),
    ("MB", "size", "{:.1f}"),
    ("conversion s", "conversion", "{:.1f}"),
]


class ByOnnxruntime:
    """A classifier of dcsvm, converted."""

    def __init__(self, model):
        import onnxruntime

        from dcsvm.onnx import to_onnx

        start = time.perf_counter()
        self.source, content = model, to_onnx(model).SerializeToString()
        self.conversion, self.size = time.perf_counter() - start, len(content) / 1e6
        options = onnxruntime.SessionOptions()
        options.intra_op_num_threads = options.inter_op_num_threads = 1
        self.session = onnxruntime.InferenceSession(
            content, options, providers=["CPUExecutionProvider"]
        )

    def predict(self, X):
        return self.session.run(None, {"X": X})[0]


def measure(problem, method, predict, source, X, details, one=None):
    """One line of the table."""
    labels, one = predict(X), one or predict
    rows = [X[t : t + 1] for t in range(min(SINGLE_ROWS, len(X)))]
    of_batch, of_rows = (
        1e6 * best_seconds(call, clock=time.thread_time) / n
        for call, n in ((lambda: predict(X), len(X)), (lambda: list(map(one, rows)), len(rows)))
    )
    return {
        "problem": problem.name,
        "classes": problem.n_classes,
        "method": method,
        "batch": of_batch,
        "one": of_rows,
        "accuracy": 100 * np.mean(labels == problem.y_test),
        "different": int((labels != source.predict(X)).sum()),
        **details,
    }


def lines_of(name, most_rows):
    """All methods on one data set."""
    problem = load(name, most_rows)
    X_train, X = (X.astype(np.float32) for X in (problem.X_train, problem.X_test))
    y = problem.y_train
    try:
        peer = Onnx(**problem.parameters).fit(X_train, y)
        yield measure(problem, "SVC, onnxruntime", peer.predict, peer.source, X, {})
    except ValueError as error:
        yield {"problem": name, "classes": problem.n_classes, "method": "SVC, onnxruntime"} | {
            "failed": str(error)
        }
    model = DCSVC(**problem.parameters, n_jobs=1).fit(X_train, y)
    single = model.predictor_
    yield measure(
        problem, "DCSVC itself", model.predict, model, X, {}, lambda row: single.predict(row[0])
    )
    others = {
        "DCSVC": model,
        "paper's rule": model.rethreshold(
            theta=0.001, routing="sign", criterion="purity", shortlist=None
        ),
        "OneVsOneSVC": OneVsOneSVC(**problem.parameters, n_jobs=1).fit(X_train, y),
        "DAGSVC": DAGSVC(**problem.parameters, n_jobs=1).fit(X_train, y),
    }
    for method, source in others.items():
        method = f"{method}, onnxruntime"
        try:
            converted = ByOnnxruntime(source)
        except ValueError as error:
            yield {"problem": name, "classes": problem.n_classes, "method": method} | {
                "failed": str(error)
            }
            continue
        details = {"size": converted.size, "conversion": converted.conversion}
        yield measure(problem, method, converted.predict, source, X, details)


def main():
    """Measure, print a table, and keep the numbers."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--problems", nargs="*", default=PROBLEMS)
    parser.add_argument("--rows", type=int, default=4000, help="test rows at most")
    arguments = parser.parse_args()
    lines = []
    for name in arguments.problems:
        for line in lines_of(name, arguments.rows):
            log(f"{name}: {line['method']}")
            lines.append(line)
    about = about_machine()
    write_json(FOLDER / "onnx.json", {"about": about, "lines": lines})
    print(heading(about))
    print(table(COLUMNS, lines))


if __name__ == "__main__":
    main()
