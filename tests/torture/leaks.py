"""Everything again and again: the memory taken stays the same."""

import copy
import gc
import pickle
import resource
import tempfile
import tracemalloc
import warnings
from pathlib import Path

import numpy as np
from scipy import sparse
from sklearn.linear_model import LogisticRegression
from tests.torture.subjects import require

import dcsvm
from dcsvm import DAGSVC, DCSVC, DivideAndConquerClassifier, OneVsOneSVC

WARM_UP = 60  # cycles: caches fill, and the allocator finds its size
# Of Python objects, and of all memory: the allocator of C keeps what it has, in larger parts.
OBJECTS_PER_CYCLE, BYTES_PER_CYCLE, BYTES_OF_THE_ALLOCATOR = 200, 2000, 12 * 2**20

X = np.random.default_rng(0).normal(size=(60, 4))
y = np.arange(60) % 4
X[:, 0] += 2 * y


def leaks(rounds):
    for number in range(WARM_UP):
        cycle(number)
    gc.collect()
    tracemalloc.start()
    objects, memory = tracemalloc.get_traced_memory()[0], resident()
    for number in range(rounds):
        cycle(number)
        yield
    gc.collect()
    more_objects, more = tracemalloc.get_traced_memory()[0] - objects, resident() - memory
    tracemalloc.stop()
    require(
        more_objects < OBJECTS_PER_CYCLE * max(rounds, 100), f"{more_objects:,} bytes of objects"
    )
    allowed = BYTES_PER_CYCLE * rounds + BYTES_OF_THE_ALLOCATOR
    require(more < allowed, f"{more:,} bytes of memory, {allowed:,} allowed")


def cycle(number):
    """One of each kind of model, and all that can be done with it; some of it fails."""
    make = [
        DCSVC,
        lambda: DCSVC(shortlist=None, theta=0.0, n_jobs=2),
        lambda: DCSVC.paper(scaling="pair"),
        lambda: DCSVC(kernel="linear", shortlist=LogisticRegression()),
        lambda: OneVsOneSVC(kernel="poly"),
        lambda: DAGSVC(kernel="sigmoid", scaling="global"),
        lambda: DivideAndConquerClassifier(LogisticRegression()),
        lambda: DCSVC(kernel=lambda A, B: A @ B.T),
    ][number % 8]
    rows = sparse.csr_matrix(X) if number % 3 == 0 and number % 8 < 6 else X
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        model = make().fit(rows, y)
        model.predict(rows)
        model.decision_function(rows)
        if hasattr(model, "decision_cost"):
            model.decision_cost(rows), model.decision_path(rows)
        if hasattr(model, "rethreshold"):
            model.rethreshold(theta=0.1).predict(rows)
        if rows is X and hasattr(model, "predictor_"):
            model.predictor_.predict(X[0])
        copy.deepcopy(model).predict(rows)
        refused(lambda: model.fit(np.full_like(X, np.nan), y))
        refused(lambda: model.predict(X[:, :2]))
        if number % 8 == 7:
            refused(lambda: make_failing().fit(X, y))
            return  # functions can be in no file
        pickle.loads(pickle.dumps(model)).predict(rows)
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder) / "model.dcsvm"
            dcsvm.save(model, path)
            dcsvm.load(path).predict(rows)
            path.write_bytes(path.read_bytes()[:-100])
            refused(lambda: dcsvm.load(path))


def make_failing():
    def kernel(A, B):
        raise ValueError

    return DCSVC(kernel=kernel)


def refused(action):
    try:
        action()
    except ValueError:
        return
    require(False, "what is wrong was accepted")


def resident():
    pages = int(Path("/proc/self/statm").read_text().split()[1])
    return pages * resource.getpagesize()
