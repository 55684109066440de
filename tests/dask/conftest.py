"""One cluster of two processes for all tests that need one."""

import pytest

pytest.importorskip("distributed")

from tests.dask.faults import cluster_of


@pytest.fixture(scope="session")
def client():
    with cluster_of(2) as client:
        yield client
