"""Tasks that run at once in this process, in place of a cluster."""

import pickle
from itertools import pairwise

import numpy as np

from dcsvm.dask.disk_arrays import DiskArray
from dcsvm.dask.distant_rows import Blocks, distant_rows, joined_summaries, summary_of
from dcsvm.dask.plan import Cluster, make_plan
from dcsvm.dask.shuffling import StoredRows
from dcsvm.dask.stages import ClusterStages


class Done:
    def __init__(self, result):
        self.result = result


def result_of(value):
    if isinstance(value, list):
        return [result_of(v) for v in value]
    return value.result if isinstance(value, Done) else value


class JobHere:
    """Arguments are pickled, as they would be on their way to a worker."""

    def submit(self, function, *arguments):
        sent = pickle.loads(pickle.dumps((function, [result_of(a) for a in arguments])))
        return Done(sent[0](*sent[1]))

    def completed(self, futures):
        return enumerate([future.result for future in futures])

    def results(self, futures):
        return [future.result for future in futures]


def stored(rows):
    """Rows in memory as they would lie on a worker."""
    origin = np.arange(rows.n_rows) if rows.origin is None else rows.origin
    arrays = (DiskArray.of(np.asarray(a)) for a in (rows.X, rows.weight, origin))
    return StoredRows(*arrays, rows.class_start)


def blocks_of(rows, edges):
    whole = stored(rows)
    parts = [Done(whole.classes(a, b)) for a, b in pairwise(edges.tolist())]
    return Blocks(JobHere(), parts, rows.class_start[edges])


def stages_of(rows, n_workers=2):
    """The stages, and all rows as the client knows them."""
    sizes = np.diff(rows.class_start)
    cluster = Cluster(n_workers, 1, 2**32)
    shape = rows.X.shape[1], rows.X.itemsize, 1, 200, cluster, list(range(len(sizes)))
    plan, _ = make_plan(sizes, np.array([rows.n_rows]), *shape)
    blocks = blocks_of(rows, plan.edges)
    start, weight = joined_summaries([summary_of(block.result) for block in blocks.stored])
    distant = distant_rows(blocks, weight, start, rows.X.shape[1], rows.X.dtype)
    return ClusterStages(blocks.job, blocks, plan), distant
