"""DaskDCSVC beside DCSVC: what a cluster costs and gains, and a set larger than its memory.

"overhead" compares a cluster of as many processes as the other has threads. "workers" fits the same
rows with more and more workers. "memory" fits and predicts a set of several times the memory limit
of a worker. Clusters run on this computer; every worker has one thread.
"""

from __future__ import annotations

import argparse
import sys
import tempfile
import time
from contextlib import contextmanager
from pathlib import Path
from threading import Event, Thread

import numpy as np
import pandas as pd

from benchmarks.shared.problems import load, read
from dcsvm import DCSVC

C = 10.0
FILES = 8


@contextmanager
def cluster_of(n_workers, memory="auto"):
    """A client, with DCSVC imported by all workers."""
    from distributed import Client, LocalCluster

    with (
        LocalCluster(
            n_workers=n_workers,
            threads_per_worker=1,
            processes=True,
            memory_limit=memory,
            dashboard_address=":0",
        ) as cluster,
        Client(cluster) as client,
    ):
        client.run(imported)
        yield client


def imported():
    import dcsvm.dask

    return dcsvm.dask.__name__


def resident(field="VmRSS"):
    """Bytes of memory of this process: now, or the most so far ("VmHWM")."""
    lines = Path("/proc/self/status").read_text().splitlines()
    return next(int(line.split()[1]) * 1024 for line in lines if line.startswith(field))


def stored(folder, X, y):
    """Rows as a folder of Parquet files."""
    for number, part in enumerate(np.array_split(np.arange(len(X)), FILES)):
        frame = pd.DataFrame(X[part], columns=[f"x{f}" for f in range(X.shape[1])])
        frame.assign(y=y[part]).to_parquet(folder / f"{number}.parquet", row_group_size=5_000)
    return folder


def text_of(heads, rows):
    """A table in Markdown."""
    cells = [[f"{c:,.1f}" if isinstance(c, float) else str(c) for c in row] for row in rows]
    lines = [heads, ["---"] * len(heads), *cells]
    return "\n".join(f"| {' | '.join(line)} |" for line in lines)


def seconds_of(function, *arguments):
    start = time.perf_counter()
    function(*arguments)
    return time.perf_counter() - start


def best_of(n, function, *arguments):
    """The shortest time of n calls."""
    return min(seconds_of(function, *arguments) for _ in range(n))


def rows_of(name, n_rows):
    """Training rows of a data set."""
    if name == "mnist":
        X, y, split = read("mnist")
        known = np.flatnonzero(split == "train")[:n_rows]
        return X[known].astype(np.float32) / 255, y[known]
    problem = load(name)
    return problem.X_train[:n_rows].astype(np.float32), problem.y_train[:n_rows]


def same(found, expected):
    """Whether machines and table are equal to the last bit."""
    return bool(
        np.array_equal(found.machines_.coef, expected.machines_.coef)
        and np.array_equal(found.machines_.pool, expected.machines_.pool)
        and np.array_equal(found.table_.counts, expected.table_.counts)
    )


def overhead(names, n_rows, n_workers, n_times):
    """Seconds of a fit by threads of one process and by as many workers."""
    from dcsvm.dask import DaskDCSVC

    rows = []
    for name in names:
        X, y = rows_of(name, n_rows)
        local = DCSVC(C=C, n_jobs=n_workers)
        here = best_of(n_times, local.fit, X, y)
        with tempfile.TemporaryDirectory() as folder, cluster_of(n_workers) as client:
            stored(Path(folder), X, y)
            clf = DaskDCSVC(client, C=C)
            there = best_of(n_times, clf.fit, folder, "y")
        equal = same(clf.to_local(), local)
        rows.append([name, len(X), n_workers, here, there, 100 * (there / here - 1), equal])
    heads = ["data set", "rows", "threads", "one process s", "cluster s", "overhead %", "equal"]
    print(text_of(heads, rows))


def workers(name, n_rows, counts, n_times):
    """Seconds of a fit by numbers of workers."""
    from dcsvm.dask import DaskDCSVC

    X, y = rows_of(name, n_rows)
    rows, alone = [], None
    with tempfile.TemporaryDirectory() as folder:
        stored(Path(folder), X, y)
        for n in counts:
            with cluster_of(n) as client:
                clf = DaskDCSVC(client, C=C)
                seconds = best_of(n_times, clf.fit, folder, "y")
                stages = clf.plan_
            alone = seconds if alone is None else alone
            rows.append([name, len(X), n, stages.n_tasks, seconds, alone / seconds])
    print(text_of(["data set", "rows", "workers", "tasks", "seconds", "times as fast"], rows))


def write_classes(folder, n_rows, n_classes, n_features, n_files):
    """Well separated classes, written file by file."""
    means = 4 * np.random.default_rng(0).normal(size=(n_classes, n_features))
    for number in range(n_files):
        rng = np.random.default_rng(number + 1)
        n = n_rows // n_files
        y = rng.permutation(np.arange(n) % n_classes)
        X = means[y] + rng.normal(size=(n, n_features), scale=0.5)
        frame = pd.DataFrame(X, columns=[f"x{f}" for f in range(n_features)])
        frame.assign(y=y).to_parquet(
            folder / f"{number:04}.parquet", row_group_size=1_000, compression=None
        )


class Watch:
    """The most memory that any worker has had, looked at all the time from outside."""

    def __init__(self, client):
        import psutil

        self.processes = [psutil.Process(pid) for pid in client.run(own_pid).values()]
        self.most, self.stopped = 0, Event()
        self.thread = Thread(target=self.look, daemon=True)
        self.thread.start()

    def look(self):
        while not self.stopped.wait(0.02):
            self.most = max([self.most, *(p.memory_info().rss for p in self.processes)])

    def end(self):
        self.stopped.set()
        self.thread.join()
        return self.most


def own_pid():
    import os

    return os.getpid()


def memory(limit_mb, times, n_classes, n_features, n_workers, given_folder):
    """A set of so many times the memory limit of a worker, to its end."""
    import dask.dataframe as dd

    from dcsvm.dask import DaskDCSVC

    limit = limit_mb * 10**6
    n_files = 40
    n_rows = int(times * limit / (8 * n_features)) // (n_files * n_classes) * n_files * n_classes
    with tempfile.TemporaryDirectory() as name, cluster_of(n_workers, f"{limit_mb}MB") as client:
        folder = Path(given_folder or name)
        if not any(folder.iterdir()):
            write_classes(folder, n_rows, n_classes, n_features, n_files)
        before = resident("VmHWM")
        clf, watch = DaskDCSVC(client, cache_size=8), Watch(client)
        fit = seconds_of(clf.fit, folder, "y")
        print(clf.plan_, flush=True)
        at_client = resident("VmHWM") - before
        whole = dd.read_parquet(folder, split_row_groups=5)
        start = time.perf_counter()
        right = clf.score(whole.drop(columns="y"), whole["y"])
        predict = time.perf_counter() - start
        peak = watch.end()
    mb = 1e-6
    row = [n_rows, n_rows * n_features * 8 * mb, limit_mb, clf.plan_.peak_bytes * mb, peak * mb]
    row += [at_client * mb, clf.plan_.n_tasks, fit, predict, 100 * right]
    heads = ["rows", "MB", "limit MB", "stated MB", "peak MB", "client MB", "tasks", "fit s"]
    print(text_of([*heads, "predict s", "accuracy %"], [row]))


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("what", choices=["overhead", "workers", "memory"])
    parser.add_argument("--sets", nargs="+", default=["letter", "mnist"])
    parser.add_argument("--rows", type=int, default=60_000, help="at most so many of a set")
    parser.add_argument("--workers", type=int, nargs="+", default=[1, 2])
    parser.add_argument("--best-of", type=int, default=3)
    parser.add_argument("--limit", type=int, default=770, help="MB of a worker")
    parser.add_argument("--times", type=float, default=3.05, help="size of the set in limits")
    parser.add_argument("--classes", type=int, default=76)
    parser.add_argument("--features", type=int, default=1024)
    parser.add_argument("--folder", help="where the set is, or is written")
    given = parser.parse_args()
    if given.what == "overhead":
        overhead(given.sets, given.rows, given.workers[-1], given.best_of)
    elif given.what == "workers":
        workers(given.sets[-1], given.rows, given.workers, given.best_of)
    else:
        sizes = given.limit, given.times, given.classes, given.features, given.workers[-1]
        memory(*sizes, given.folder)
    return 0


if __name__ == "__main__":
    sys.exit(main())
