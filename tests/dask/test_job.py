import time

import pytest
from distributed import Future
from tests.patience import SECONDS

from dcsvm.dask import job as jobs
from dcsvm.dask.job import ClusterLostError, Job


def half(n):
    if n < 0:
        raise ValueError(f"{n} is negative")
    return n // 2


def test_results_come_in_order_and_as_they_are(client):
    with Job(client) as job:
        futures = [job.submit(half, n) for n in (8, 6, 4)]
        assert job.results(futures) == [4, 3, 2]
        assert sorted(job.completed(futures)) == [(0, 4), (1, 3), (2, 2)]
        job.wait(futures)
        chained = [job.submit(half, future) for future in futures]
        assert job.results(chained) == [2, 1, 1]
        keys = {future.key for future in futures + chained}
    assert len(keys) == 6
    end = time.monotonic() + SECONDS
    while keys & set(client.futures) and time.monotonic() < end:
        time.sleep(0.01)
    assert not keys & set(client.futures)


def test_an_error_of_a_task_is_raised_and_ends_the_others(client):
    with pytest.raises(ValueError, match="-1 is negative"), Job(client) as job:
        job.results([job.submit(half, -1), job.submit(time.sleep, 0.2)])
    assert not job.futures
    with pytest.raises(ValueError, match="-3 is negative"), Job(client) as job:
        job.wait([job.submit(half, -3)])


class NoWorkers:
    """A client whose cluster has lost its workers."""

    status = "running"

    def submit(self, *_, **__):
        return NeverDone()

    def nthreads(self):
        return {}

    def cancel(self, *_, **__):
        raise OSError("gone")


class NeverDone(Future):
    key = "half-1"

    def __init__(self):
        pass

    def __del__(self):
        pass

    def add_done_callback(self, _):
        pass

    def release(self):
        raise OSError("gone")


@pytest.mark.parametrize("status", ["running", "connecting", "closed"])
def test_a_cluster_without_workers_is_given_up(status, monkeypatch):
    monkeypatch.setattr(jobs, "PATIENCE", 0.2)
    monkeypatch.setattr(jobs, "INTERVAL", 0.05)
    lost = NoWorkers()
    lost.status = status
    with pytest.raises(ClusterLostError, match="no worker"), Job(lost) as job:
        job.results([job.submit(half, 1)])
