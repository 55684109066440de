"""`dcsvm fit --dask` and `dcsvm predict --dask`, on a cluster inside this process."""

import numpy as np
import pandas as pd
import pytest
from tests.cli.cli_tools import fine, flowers, mistake

import dcsvm
from dcsvm import DCSVC

distributed = pytest.importorskip("distributed")


@pytest.fixture(scope="module")
def scheduler():
    with distributed.LocalCluster(n_workers=1, processes=False, dashboard_address=":0") as cluster:
        yield cluster.scheduler_address


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    folder = tmp_path_factory.mktemp("big")
    frame = flowers(150).assign(junk="x", w=1 + np.arange(150) % 2)
    frame[:80].to_parquet(folder / "a.parquet")
    frame[80:].to_parquet(folder / "b.parquet")
    return folder, frame


OPTIONS = ("--target", "kind", "--drop", "junk", "--weight", "w")


def test_a_folder_is_fitted_as_a_local_fit_would(folder, scheduler, tmp_path):
    model = tmp_path / "m"
    found = fine(
        "fit", folder[0], *OPTIONS, "-o", model, "--scheduler", scheduler, "--C", 3, "--json"
    )
    assert found.document["rows"] == 150
    assert found.document["parameters"]["scaling"] == "global"
    pipeline = dcsvm.load(model)
    X, y = folder[1][["sepal", "petal"]], folder[1]["kind"]
    local = DCSVC(C=3, scaling="global", random_state=0).fit(X, y, folder[1]["w"])
    assert np.array_equal(pipeline.decision_function(X), local.decision_function(X))
    fine("inspect", model)


def test_a_folder_is_predicted_file_by_file(folder, scheduler, tmp_path):
    model, out = tmp_path / "m", tmp_path / "out"
    fine("fit", folder[0], *OPTIONS, "-o", model, "--scheduler", scheduler)
    found = fine("predict", model, folder[0], "-o", out, "--scheduler", scheduler, "--json")
    assert found.document["rows"] == 150
    assert found.document["files"] == 2
    assert found.document["accuracy"] > 0.9
    labelled = pd.concat([pd.read_parquet(out / f"{name}.parquet") for name in "ab"])
    expected = dcsvm.load(model).predict(folder[1][["sepal", "petal"]])
    assert labelled["predicted_kind"].tolist() == expected.tolist()
    assert "there already" in mistake("predict", model, folder[0], "-o", out, "--dask")


def test_labels_of_weights_are_those_of_the_folder(folder, scheduler, tmp_path):
    with_weight = (
        "--class-weight",
        "setosa=2",
        "--paper",
        "--no-scaling",
        "--scheduler",
        scheduler,
    )
    fine("fit", folder[0], *OPTIONS, "-o", tmp_path / "m", *with_weight)
    assert dcsvm.load(tmp_path / "m")[-1].class_weight_.tolist() == [2, 1, 1]
    wrong = ("--class-weight", "rose=2", "--scheduler", scheduler)
    assert "no class 'rose'" in mistake("fit", folder[0], *OPTIONS, "-o", tmp_path / "m", *wrong)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (("--tune",), "cannot be used with --dask"),
        (("--cv", 3), "cannot be used with --dask"),
        (("--drop", "nothing"), "no column 'nothing'"),
    ],
)
def test_mistakes_are_told_before_a_cluster_is_started(folder, options, message, tmp_path):
    assert message in mistake("fit", folder[0], *OPTIONS, *options, "-o", tmp_path / "m", "--dask")


def test_texts_are_no_features(folder, scheduler, tmp_path):
    given = ("--target", "kind", "-o", tmp_path / "m", "--scheduler", scheduler)
    assert "not numbers: 'junk'" in mistake("fit", folder[0], *given)
