"""R's e1071, which the paper used, if Rscript and the package are installed.

On Debian: `apt-get install r-base-core r-cran-e1071`.
"""

from __future__ import annotations

import shutil
import subprocess
from functools import cache
from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np
from sklearn.model_selection import train_test_split

from dcsvm.datasets import load
from paper.problems import problem
from paper.published import THETAS

HERE = Path(__file__).parent
# The paper's protocol as inferred from its numbers (denominators.py): eleven trials, a tenth of the
# rows for the test, and one file only of some sets.
LITERAL_TRIALS = 11
LITERAL_SHARE = 0.1
LITERAL_PART = {"segmentation": "train", "svmguide4": "train", "vowel": "train", "usps": "test"}
LITERAL = ("iris", "segmentation", "heart", "wine", "wine-quality", "glass", "covertype")
LITERAL += ("svmguide4", "vowel", "usps")
# This number of rows gives the paper's number of support vectors.
LITERAL_ROWS = {"covertype": 1_460}


@cache
def why_not():
    """Why e1071 cannot be run here, or None if it can."""
    if shutil.which("Rscript") is None:
        return "Rscript is not installed (Debian: apt-get install r-base-core r-cran-e1071)"
    check = subprocess.run(
        ["Rscript", "-e", "suppressPackageStartupMessages(library(e1071))"], capture_output=True
    )
    return "R has no package e1071 (Debian: r-cran-e1071)" if check.returncode else None


def built_in(name, trial, fast):
    """Accuracy of e1071's own classifier, all defaults, on the split of a trial."""
    data = problem(name, "paper", fast)
    train, test = data.split(trial)
    with TemporaryDirectory() as folder:
        write(folder, data.X, data.y + 1, train, test)
        run("e1071_builtin.R", folder, *data.X.shape)
        predicted = np.fromfile(Path(folder) / "predicted", dtype=np.int32) - 1
        n_support, scaled = np.fromfile(Path(folder) / "about", dtype=np.int32).tolist()
    accuracy = 100 * float(np.mean(predicted == data.y[test]))
    return {"accuracy": accuracy, "n_support": n_support, "scaled": bool(scaled)}


def literal(name, trial, fast):
    """The paper's experiment with e1071's own treatment of constant features, all of it in R."""
    X, y = literal_rows(name)
    train, test = train_test_split(
        np.arange(len(y)), test_size=LITERAL_SHARE, stratify=y, random_state=trial
    )
    found = pairwise(
        X, y, train, test, 1.0, 1 / X.shape[1], [t / 100 for t in THETAS], "e1071", 1e-3
    )
    right = y[test] + 1
    return {
        "n_train": len(train),
        "vote": 100 * float(np.mean(found["vote_seen"] == right)),
        "scaled": float(np.mean(found["scaled"])),
        "rule": {
            theta: {
                "accuracy": 100 * float(np.mean(p[:, 0] == right)),
                "decisions": float(p[:, 1].mean()),
                "support_vectors": float(p[:, 2].mean()),
            }
            for theta, p in zip(THETAS, found["predicted"], strict=True)
        },
    }


def literal_rows(name):
    """The rows of a set that the paper used, as inferred from its numbers."""
    if name in LITERAL_PART:
        data = load(name)
        rows = slice(None) if data.split is None else data.split == LITERAL_PART[name]
        # usps was published with pixels from -1 to 1, which matters as nothing is scaled.
        X = 2 * data.data[rows] - 1 if name == "usps" else data.data[rows]
        return X, np.unique(data.target[rows], return_inverse=True)[1]
    data = problem(name, "paper")
    if name not in LITERAL_ROWS:
        return data.X, data.y
    rows, _ = train_test_split(
        np.arange(len(data.y)), train_size=LITERAL_ROWS[name], stratify=data.y, random_state=0
    )
    return data.X[rows], data.y[rows]


def pairwise(X, y, train, test, C, gamma, thetas, scaling, tol):
    """The results of dcsvm.R, by name; classes are 0 … k − 1 in `y` and 1 … k in the results."""
    n_machines = (y.max() + 1) * y.max() // 2
    with TemporaryDirectory() as folder:
        write(folder, X, y + 1, train, test)
        run("dcsvm.R", folder, *X.shape, C, repr(float(gamma)), tol, scaling, *thetas)
        root = Path(folder)
        names = ("values", "support", "table", "scaled", "vote_sorted", "vote_seen")
        found = {name: np.fromfile(root / name) for name in names}
        found["values"] = found["values"].reshape(n_machines, len(X)).T
        found["table"] = found["table"].reshape(y.max() + 1, n_machines).T
        places = range(1, len(thetas) + 1)
        found["tree"] = [(root / f"tree{t}").read_text().splitlines() for t in places]
        found["predicted"] = [np.fromfile(root / f"predicted{t}").reshape(3, -1).T for t in places]
    return found


def write(folder, X, y, train, test):
    """Write the rows for R, whose indices begin with 1."""
    root = Path(folder)
    np.asarray(X, dtype=np.float64).T.tofile(root / "X")
    for name, numbers in (("y", y), ("train", train + 1), ("test", test + 1)):
        np.asarray(numbers, dtype=np.int32).tofile(root / name)


def run(script, *arguments):
    """Run a script of this folder; an error contains the output of R."""
    command = ["Rscript", "--vanilla", str(HERE / script), *map(str, arguments)]
    done = subprocess.run(command, capture_output=True, text=True)
    if done.returncode:
        raise RuntimeError(f"{script} failed:\n{done.stderr}")
