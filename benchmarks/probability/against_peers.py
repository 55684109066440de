"""Probabilities and sets of classes beside their peers: `make bench-proba`.

Five splits of each set, 60 % of at most `MOST` rows for training, features standardised, RBF with
C = 10. Log loss, Brier score, expected calibration error, rows whose likeliest class is not the
one predicted; coverage and mean size of sets that are to hold the right class in 95 % of the rows.
Five splits of each set, 60 % of some thousand rows for training, features standardised, RBF with
ten minutes on an idle computer.
"""

from __future__ import annotations

import argparse
import json
import time
import warnings

import numpy as np
from sklearn.calibration import CalibratedClassifierCV
from sklearn.datasets import load_digits
from sklearn.model_selection import train_test_split
from sklearn.preprocessing import StandardScaler
from sklearn.svm import SVC

from benchmarks.shared.output import FOLDER, log, table
from benchmarks.shared.problems import read
from dcsvm import DCSVC

KEPT = FOLDER / "probability.jsonl"
SPLITS, CONFIDENCE, C = 5, 0.95, 10.0
FEWEST_OF_CLASS, BINS, TIMES = 6, 15, 3
SETS = (
    *("glass", "wine", "iris", "heart", "vowel", "svmguide4", "segmentation", "wine-quality"),
    *("sensorless_2200", "digits", "usps", "ucr_fiftywords", "gauss100", "krkopt", "covertype"),
    "letter",
)
MOST = {"letter": 6000, "usps": 3000, "krkopt": 4000, "covertype": 4000}
OURS = "DCSVC"
PEERS = ("SVC", "sigmoid", "isotonic", "temperature")
COLUMNS = [
    ("set", "set", "{}"),
    ("method", "method", "{}"),
    ("log loss", "log_loss", "{:.4f}"),
    ("× best peer", "ratio", "{:.2f}"),
    ("Brier", "brier", "{:.4f}"),
    ("calibration error", "error", "{:.4f}"),
    ("argmax not predict", "other", "{:.1f}"),
    ("coverage %", "coverage", "{:.2f}"),
    ("classes in a set", "size", "{:.2f}"),
    ("fit s", "fit", "{:.3f}"),
    ("µs/row", "microseconds", "{:.1f}"),
]


def problem(name, split):
    """Training and test rows of a split, classes of few rows left out."""
    X, y = rows_of(name)
    y = np.unique(y, return_inverse=True)[1]
    random = np.random.RandomState(1000 + split)
    if len(y) > MOST.get(name, len(y)):
        drawn = random.permutation(len(y))[: MOST[name]]
        X, y = X[drawn], y[drawn]
    stays = np.bincount(y)[y] >= FEWEST_OF_CLASS
    X, y = X[stays], np.unique(y[stays], return_inverse=True)[1]
    parts = train_test_split(X, y, test_size=0.4, random_state=split, stratify=y)
    scaler = StandardScaler().fit(parts[0])
    return scaler.transform(parts[0]), scaler.transform(parts[1]), parts[2], parts[3]


def rows_of(name):
    """Features and labels of a set, without rows that lack a number."""
    if name == "digits":
        return load_digits(return_X_y=True)
    if name == "gauss100":
        random = np.random.RandomState(0)
        centres = random.randn(100, 16) * 1.6
        y = np.repeat(np.arange(100), 26)
        return centres[y] + random.randn(len(y), 16), y
    X, y, _ = read(name)
    X = np.asarray(X, dtype=np.float64)
    complete = np.isfinite(X).all(axis=1)
    return X[complete], np.asarray(y)[complete]


def classifier(method):
    """An unfitted classifier with probabilities."""
    if method == OURS:
        return DCSVC(C=C, probability=True)
    if method == "SVC":
        return SVC(C=C, probability=True, random_state=0)
    return CalibratedClassifierCV(SVC(C=C), method=method)


def figures(name, split, method):
    """All figures of a method on a split."""
    X, X_test, y, y_test = problem(name, split)
    start = time.perf_counter()
    clf = classifier(method).fit(X, y)
    fitted = time.perf_counter() - start
    seconds = []
    for _ in range(TIMES):
        start = time.perf_counter()
        p = clf.predict_proba(X_test)
        seconds.append(time.perf_counter() - start)
    found = {
        "set": name,
        "split": split,
        "method": method,
        **scores(p, y_test),
        "other": int((clf.predict(X_test) != p.argmax(axis=1)).sum()),
        "fit": fitted,
        "microseconds": min(seconds) / len(y_test) * 1e6,
    }
    if method == OURS:
        sets = clf.predict_set(X_test, CONFIDENCE)
        found.update(
            sizes(np.asarray(sets.todense()) if hasattr(sets, "todense") else sets, y_test)
        )
    return found


def scores(p, y):
    """Log loss, Brier score and expected calibration error of the likeliest class."""
    own = np.clip(p[np.arange(len(y)), y], 1e-15, 1)
    best, right = p.max(axis=1), p.argmax(axis=1) == y
    bins = np.minimum((best * BINS).astype(int), BINS - 1)
    apart = np.bincount(bins, right - best, minlength=BINS)
    return {
        "log_loss": -np.log(own).mean(),
        "brier": ((p - np.eye(p.shape[1])[y]) ** 2).sum(axis=1).mean(),
        "error": np.abs(apart).sum() / len(y),
    }


def sizes(sets, y):
    """Coverage and mean size of sets."""
    return {
        "coverage": 100 * sets[np.arange(len(y)), y].mean(),
        "size": sets.sum(axis=1).mean(),
    }


def sets_of_others(name, split):
    """Sets of MAPIE and crepes over a DCSVC that a quarter of the training rows is held out for."""
    from crepes import WrapClassifier
    from mapie.classification import SplitConformalClassifier

    X, X_test, y, y_test = problem(name, split)
    X, X_held, y, y_held = train_test_split(X, y, test_size=0.25, random_state=0, stratify=y)
    clf = DCSVC(C=C, probability=True).fit(X, y)
    mapie = SplitConformalClassifier(clf, confidence_level=CONFIDENCE, prefit=True)
    found = mapie.conformalize(X_held, y_held).predict_set(X_test)[1][:, :, 0]
    yield {"set": name, "split": split, "method": "MAPIE", **sizes(found, y_test)}
    crepes = WrapClassifier(clf)
    crepes.calibrate(X_held, y_held)
    found = crepes.predict_set(X_test, labels=False, confidence=CONFIDENCE, smoothing=False) == 1
    yield {"set": name, "split": split, "method": "crepes", **sizes(found, y_test)}


def measured(names, splits, with_others):
    """What is known, and what is measured now."""
    KEPT.parent.mkdir(parents=True, exist_ok=True)
    known = [json.loads(line) for line in KEPT.read_text().splitlines()] if KEPT.exists() else []
    done = {(f["set"], f["split"], f["method"]) for f in known}
    for split in range(splits):
        for name in names:
            todo = [m for m in (OURS, *PEERS) if (name, split, m) not in done]
            new = [figures(name, split, method) for method in todo]
            if with_others and (name, split, "crepes") not in done:
                new += sets_of_others(name, split)
            with KEPT.open("a") as file:
                file.writelines(json.dumps(one, default=float) + "\n" for one in new)
            known += new
            log(f"{name}, split {split}")
    return [f for f in known if f["set"] in names and f["split"] < splits]


def means(found):
    """The mean of the splits, for each set and method, and of these over the sets."""
    rows = []
    for name in dict.fromkeys(f["set"] for f in found):
        of_set = [mean([f for f in found if (f["set"], f["method"]) == (name, m)]) for m in METHODS]
        rows += [row for row in of_set if row]
    known = dict.fromkeys(row["method"] for row in rows)
    rows += [mean([r for r in rows if r["method"] == m], set="mean of sets") for m in known]
    for row in rows:
        peers = [r for r in rows if r["set"] == row["set"] and r["method"] in PEERS]
        losses = [r["log_loss"] for r in peers]
        if row["method"] == OURS and losses:
            row["ratio"] = row["log_loss"] / min(losses)
    return rows


METHODS = (OURS, *PEERS, "MAPIE", "crepes")


def mean(parts, **given):
    """The mean of all numbers of some rows."""
    if not parts:
        return {}
    numbers = {k for part in parts for k, v in part.items() if isinstance(v, int | float)}
    found = {k: float(np.mean([p[k] for p in parts if k in p])) for k in numbers - {"split"}}
    return {"set": parts[0]["set"], "method": parts[0]["method"], **found, **given}


def main():
    """Measure what is missing, and print a table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--sets", nargs="*", default=SETS)
    parser.add_argument("--splits", type=int, default=SPLITS)
    parser.add_argument("--without-others", action="store_true", help="no MAPIE and crepes")
    options = parser.parse_args()
    warnings.simplefilter("ignore")
    found = measured(options.sets, options.splits, not options.without_others)
    print(table(COLUMNS, [row for row in means(found) if row]))


if __name__ == "__main__":
    main()
