import pandas as pd
from tests.cli.cli_tools import fine, flowers, mistake

from dcsvm.cli.folder_predicting import predict_file
from dcsvm.cli.models import open_model
from dcsvm.cli.options import PredictOptions, ReadingOptions


def test_a_file_is_predicted_as_without_a_cluster(tmp_path):
    flowers().to_parquet(tmp_path / "a.parquet")
    fine("fit", tmp_path / "a.parquet", "-t", "kind", "-o", tmp_path / "m")
    fine("predict", tmp_path / "m", tmp_path / "a.parquet", "-o", tmp_path / "here.parquet")
    model = open_model(tmp_path / "m")
    paths = str(tmp_path / "a.parquet"), str(tmp_path / "there.parquet")
    tally, notes = predict_file(model, *paths, ReadingOptions(), PredictOptions())
    assert (tally.rows, notes) == (90, [])
    here, there = (pd.read_parquet(tmp_path / f"{name}.parquet") for name in ("here", "there"))
    pd.testing.assert_frame_equal(here, there)


def test_the_output_is_a_folder(tmp_path):
    flowers().to_parquet(tmp_path / "a.parquet")
    fine("fit", tmp_path / "a.parquet", "-t", "kind", "-o", tmp_path / "m")
    assert "needs a folder" in mistake("predict", tmp_path / "m", tmp_path, "--dask")
