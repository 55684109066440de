import numpy as np
import pytest

from dcsvm.dask.plan import PROCESS, USABLE, Cluster, make_plan

GB = 2**30


def plan_for(n_rows, cluster, n_features=100, parts=None, **changes):
    n_rows = np.asarray(n_rows)
    parts = np.full(100, -(-n_rows.sum() // 100)) if parts is None else np.asarray(parts)
    given = {"itemsize": 4, "copies": 1, "cache_size": 200, "names": list(range(len(n_rows)))}
    return make_plan(n_rows, parts, n_features, cluster=cluster, **{**given, **changes})


def test_every_class_is_in_one_block():
    rng = np.random.default_rng(0)
    for memory in (2, 4, 64):
        plan, _ = plan_for(rng.integers(1, 50_000, 300), Cluster(4, 2, memory * GB))
        assert plan.edges[0] == 0
        assert plan.edges[-1] == 300
        assert (np.diff(plan.edges) > 0).all()


@pytest.mark.parametrize("n_threads", [1, 4])
def test_more_memory_makes_fewer_blocks(n_threads):
    n_rows, memories = np.full(500, 5_000), [n_threads * m for m in (1, 2, 8)]
    plans = [plan_for(n_rows, Cluster(2, n_threads, m * GB))[0] for m in memories]
    assert plans[0].n_blocks > plans[1].n_blocks >= plans[2].n_blocks
    for plan, memory in zip(plans, memories, strict=True):
        rows = np.add.reduceat(n_rows, plan.edges[:-1])
        of_tasks = n_threads * 2 * rows.max() * 100 * 12
        assert of_tasks < plan.peak_bytes - PROCESS < USABLE * memory * GB


def test_there_are_tasks_for_all_threads():
    for threads, n_blocks in ((1, 1), (2, 2), (3, 3), (4, 4), (8, 4), (14, 5)):
        plan, _ = plan_for(np.full(100, 50), Cluster(threads, 1, 16 * GB))
        assert plan.n_blocks == n_blocks
        assert np.ptp(np.diff(plan.edges)) <= 1
    assert plan_for(np.full(3, 50), Cluster(16, 1, 16 * GB))[0].n_blocks == 3


def test_partitions_are_cut_together_while_there_is_room():
    cluster, parts = Cluster(1, 1, GB), np.full(60, 10_000)
    plan, runs = plan_for(np.full(40, 15_000), cluster, parts=parts)
    assert 1 < plan.n_splits == len(runs) < 60
    assert np.concatenate([np.arange(60)[run] for run in runs]).tolist() == list(range(60))
    assert plan.peak_bytes < USABLE * GB


def test_two_classes_must_fit():
    with pytest.raises(MemoryError, match="Classes 1 and 0, with 9,000,000 and 10 rows"):
        plan_for([10, 9_000_000], Cluster(2, 1, 4 * GB))
    plan_for([10, 9_000_000], Cluster(2, 1, 4 * GB), n_features=2)


def test_the_plan_can_be_read():
    plan, _ = plan_for(np.full(10, 100), Cluster(2, 1, 4 * GB))
    assert "1,000 rows × 100 features in 10 classes, 400 kB; 2 blocks" in str(plan)
