"""Accuracy against the time of a prediction, for the classifiers a user would choose from.

`make bench-peers` fits each of them on five sets, with its own defaults where it has no parameters
in common with a support vector machine, and with one thread. Fitted classifiers and measurements
are kept in benchmarks/out/peers, so that it goes on where it was stopped. `--fit` and `--measure`
do one half alone: only the second needs a computer without other work.
"""

from __future__ import annotations

import argparse
import json
import pickle
import tempfile
from pathlib import Path
from time import perf_counter

import numpy as np
from threadpoolctl import threadpool_limits

from benchmarks.predicting.usual_picture import draw
from benchmarks.shared.output import FOLDER, about_machine, heading, log, table, write_json
from benchmarks.shared.peers import OpenCV
from benchmarks.shared.problems import load
from benchmarks.shared.timing import best_seconds
from dcsvm import DCSVC

KEPT = FOLDER / "peers"
DATA = ["letter", "usps", "ucr_fiftywords", "sensorless_2200", "covertype"]
MOST_ROWS = 4000
# Without them a prediction of some methods would be repeated for minutes.
SECONDS = 0.5

COLUMNS = [
    ("data set", "data", "{}"),
    ("method", "method", "{}"),
    ("µs/row", "batch", "{:.2f}"),
    ("× DCSVC's", "ratio", "{:.1f}"),
    ("accuracy %", "accuracy", "{:.2f}"),
]


class StoredOpenCV(OpenCV):
    """OpenCV's machine, which it writes to a file of its own."""

    def __getstate__(self):
        with tempfile.TemporaryDirectory() as folder:
            file = Path(folder) / "svm.xml"
            self.model.save(str(file))
            return {"text": file.read_text(), "row_sample": self.row_sample}

    def __setstate__(self, state):
        import cv2

        cv2.setNumThreads(1)
        self.row_sample = state["row_sample"]
        with tempfile.TemporaryDirectory() as folder:
            file = Path(folder) / "svm.xml"
            file.write_text(state["text"])
            self.model = cv2.ml.SVM_load(str(file))


def choices(problem):
    """A classifier that is not fitted, by its name."""
    from lightgbm import LGBMClassifier
    from sklearn.ensemble import HistGradientBoostingClassifier, RandomForestClassifier
    from sklearn.linear_model import LogisticRegression
    from sklearn.neighbors import KNeighborsClassifier
    from sklearn.svm import SVC, LinearSVC

    same = problem.parameters
    return {
        "DCSVC": lambda: DCSVC(**same, n_jobs=1),
        "SVC": lambda: SVC(**same),
        "OpenCV SVM": lambda: StoredOpenCV(**same),
        "LinearSVC": lambda: LinearSVC(),
        "logistic regression": lambda: LogisticRegression(max_iter=1000),
        "k nearest neighbours": lambda: KNeighborsClassifier(n_jobs=1),
        "random forest": lambda: RandomForestClassifier(random_state=0, n_jobs=1),
        "LightGBM": lambda: LGBMClassifier(random_state=0, n_jobs=1, verbose=-1),
        "HistGradientBoosting": lambda: HistGradientBoostingClassifier(random_state=0),
    }


def kept_model(data, method):
    """The file of a fitted classifier."""
    return KEPT / f"{data}, {method}.pickle"


def kept_lines(data):
    """The file of the measurements on a set."""
    return KEPT / f"{data}.json"


def fit(names):
    """Fit what is not fitted yet."""
    for name in names:
        problem = load(name, MOST_ROWS)
        for method, make in choices(problem).items():
            file = kept_model(name, method)
            if file.exists():
                continue
            begin = perf_counter()
            model = make().fit(problem.X_train, problem.y_train)
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_bytes(pickle.dumps(model))
            log(f"{name}, {method}: fitted in {perf_counter() - begin:.0f} s")


def measure(names):
    """Measure the sets that are not measured yet."""
    for name in names:
        if kept_lines(name).exists():
            continue
        problem = load(name, MOST_ROWS)
        lines = [measured(problem, method) for method in choices(problem)]
        for line in lines:
            line["ratio"] = line["batch"] / lines[0]["batch"]
        write_json(kept_lines(name), {"about": about_machine(), "lines": lines})
        log(f"{name}: measured")


def measured(problem, method):
    """A line of the table."""
    model = pickle.loads(kept_model(problem.name, method).read_bytes())
    X, y = problem.X_test, problem.y_test
    accuracy = 100 * np.mean(model.predict(X) == y)
    seconds = best_seconds(lambda: model.predict(X), at_least=2, budget=SECONDS)
    return {
        "data": problem.name,
        "method": method,
        "batch": 1e6 * seconds / len(X),
        "accuracy": accuracy,
        "classes": problem.n_classes,
    }


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--data", nargs="*", default=DATA, choices=DATA)
    parser.add_argument("--fit", action="store_true", help="only fit")
    parser.add_argument("--measure", action="store_true", help="only measure")
    parser.add_argument("--picture", type=Path, default=Path("docs/images/peers.svg"))
    arguments = parser.parse_args()
    with threadpool_limits(1):
        if not arguments.measure:
            fit(arguments.data)
        if not arguments.fit:
            measure(arguments.data)
    files = [kept_lines(name) for name in DATA]
    if arguments.fit or not all(file.exists() for file in files):
        return
    found = [json.loads(file.read_text()) for file in files]
    lines = [line for of_set in found for line in of_set["lines"]]
    draw(lines, arguments.picture)
    print(f"{heading(found[0]['about'])}\n\n{table(COLUMNS, lines)}")


if __name__ == "__main__":
    main()
