"""One cluster of two processes for all tests that need one."""

import pytest
from tests.patience import SECONDS

distributed = pytest.importorskip("distributed")


@pytest.fixture(scope="session")
def client():
    with (
        distributed.LocalCluster(
            n_workers=2, threads_per_worker=1, processes=True, dashboard_address=None
        ) as cluster,
        distributed.Client(cluster, timeout=SECONDS) as client,
    ):
        yield client
