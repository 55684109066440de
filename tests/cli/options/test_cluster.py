"""Where a command does its work."""

from tests.cli.options.command import given

from dcsvm.cli.options import ClusterOptions


def test_an_address_alone_asks_for_a_cluster():
    assert not given(ClusterOptions).wanted
    assert given(ClusterOptions, "--dask").wanted
    found = given(ClusterOptions, "--scheduler", "tcp://host:8786")
    assert found.wanted
    assert found.scheduler == "tcp://host:8786"
