"""Rows of letter predicted a second on a GPU: rows that are there, and rows of the host.

python -m benchmarks.gpu.predictions
"""

from __future__ import annotations

import argparse
import json
from functools import partial

import numpy as np

from benchmarks.gpu.fits import SETS, best_of, split
from dcsvm import DCSVC
from dcsvm.cuda.device import gpu

COPIES = 256
RULES = {"default": DCSVC, "paper": DCSVC.paper}


def labels_of(clf, device, rows):
    """Labels, when they are there."""
    labels = clf.predict(rows)
    device.synchronize()
    return labels


def main():
    argparse.ArgumentParser(description=__doc__).parse_args()
    xp = gpu().xp
    X, y, _, _ = split("letter")
    codes = np.unique(y, return_inverse=True)[1]
    rng = np.random.default_rng(0)
    rows = np.tile(X, (COPIES, 1)) + rng.normal(scale=0.01, size=(COPIES * len(X), X.shape[1]))
    for dtype in (np.float64, np.float32):
        here = rows.astype(dtype)
        there = xp.asarray(here)
        for name, make in RULES.items():
            clf = make(**SETS["letter"], device="cuda").fit(X, codes)

            predict = partial(labels_of, clf, xp.cuda.Device())
            predict(there)
            on_gpu, labels = best_of(partial(predict, there))
            whole, same = best_of(partial(predict, here))
            line = {
                "rule": name,
                "dtype": np.dtype(dtype).name,
                "rows": len(here),
                "millions of rows a second on the GPU": len(here) / on_gpu / 1e6,
                "from the host and back": len(here) / whole / 1e6,
                "equal": float((labels.get() == same).mean()),
            }
            print(json.dumps(line), flush=True)


if __name__ == "__main__":
    main()
