import pytest
from tests.cli.cli_tools import flowers

from dcsvm.cli import clusters
from dcsvm.cli.clusters import check_folder, check_new_folder, cluster_client
from dcsvm.cli.errors import UserError


def test_folders_are_checked(tmp_path):
    with pytest.raises(UserError, match=r"no files named \*.parquet"):
        check_folder(tmp_path)
    with pytest.raises(UserError, match="check its name"):
        check_folder(tmp_path / "a.parquet")
    with pytest.raises(UserError, match="reads a folder of Parquet"):
        check_folder(tmp_path / "a.csv")
    check_new_folder(tmp_path)
    check_new_folder(tmp_path / "new")
    flowers().to_parquet(tmp_path / "a.parquet")
    check_folder(tmp_path)
    check_folder(tmp_path / "a.parquet")
    with pytest.raises(UserError, match="there already"):
        check_new_folder(tmp_path)


def test_dask_may_be_missing(monkeypatch):
    monkeypatch.setattr(clusters, "find_spec", lambda name: None)
    with pytest.raises(UserError, match=r"dcsvm\[dask\]"), cluster_client(None):
        pass


def test_an_address_must_be_that_of_a_scheduler():
    pytest.importorskip("distributed")
    with (
        pytest.raises(UserError, match="no Dask scheduler at inproc://nobody"),
        cluster_client("inproc://nobody"),
    ):
        pass
