"""svmlight files."""

import gzip

import numpy as np
import pandas as pd
import pytest
from sklearn.datasets import dump_svmlight_file, load_digits
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import MaxAbsScaler
from tests.cli.cli_tools import (
    fine,
    mistake,
)

from dcsvm import DCSVC


@pytest.mark.parametrize("zero_based", [True, False])
@pytest.mark.parametrize("name", ["digits.svmlight", "digits.libsvm.gz"])
def test_sparse_rows_stay_sparse(tmp_path, flower_file, monkeypatch, name, zero_based):
    X, y = load_digits(return_X_y=True)
    X[0, 0] = 1.0  # so that the first feature occurs
    path, new = tmp_path / name, tmp_path / "new.svm"
    dump_svmlight_file(X[:400], y[:400], str(tmp_path / "plain"), zero_based=zero_based)
    text = (tmp_path / "plain").read_bytes()
    path.write_bytes(gzip.compress(text) if name.endswith(".gz") else text)
    dump_svmlight_file(X[400:700, :60], y[400:700], str(new), zero_based=zero_based)
    monkeypatch.setattr("dcsvm.cli.sparse_tables.BLOCK_BYTES", 2000)
    outcome = fine("fit", path, "-o", tmp_path / "m", "--json")
    assert outcome.document["features"] == 64
    fine("predict", tmp_path / "m", new, "-o", tmp_path / "out.csv")
    expected = make_pipeline(MaxAbsScaler(), DCSVC()).fit(X[:400], y[:400])
    rows = np.hstack([X[400:700, :60], np.zeros((300, 4))])
    out = pd.read_csv(tmp_path / "out.csv")
    assert out.columns.tolist() == ["predicted_label", "decisions"]
    assert (out["predicted_label"] == expected.predict(rows)).mean() > 0.99
    text = mistake("predict", tmp_path / "m", flower_file, "-o", tmp_path / "no.csv")
    assert "svmlight" in text
    dump_svmlight_file(np.ones((2, 99)), [1, 2], str(new), zero_based=zero_based)
    text = mistake("predict", tmp_path / "m", new, "-o", tmp_path / "no.csv")
    assert "64 features only" in text
    assert f"number {99 - zero_based}," in text
