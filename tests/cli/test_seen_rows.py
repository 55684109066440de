"""Rows of training are recognised, and the user is told."""

import numpy as np
import pandas as pd
import pytest
from scipy import sparse
from tests.cli.cli_tools import colourful_flowers, fine

from dcsvm.cli.seen_rows import KEPT, SeenRows, trace_of


def frame_of(n, seed):
    rng = np.random.default_rng(seed)
    texts = pd.Series(rng.choice(["a", "b", None], n), dtype="category")
    return pd.DataFrame({"x": rng.normal(size=n), "text": texts, "day": pd.Timestamp("2024-01-01")})


@pytest.mark.parametrize("n", [100, 3 * KEPT])
@pytest.mark.parametrize("is_sparse", [False, True])
def test_shares_are_about_those_of_rows_seen(n, is_sparse):
    old, new = frame_of(n, 0), frame_of(n, 1)
    if is_sparse:
        old, new = (sparse.csr_matrix(f[["x"]].to_numpy() * [[1.0, 0.0, 2.0]]) for f in (old, new))
        mixed = sparse.vstack([old[: n // 2], new[: n // 2]], format="csr")
    else:
        mixed = pd.concat([old[: n // 2], new[: n // 2]], ignore_index=True)
    for rows, share in ((old, 1.0), (new, 0.0), (mixed, 0.5)):
        seen = SeenRows(trace_of(old))
        for begin in range(0, rows.shape[0], 1000):
            part = slice(begin, begin + 1000)
            seen.count(rows[part] if is_sparse else rows.iloc[part])
        assert seen.share == pytest.approx(share, abs=0 if n < KEPT or share != 0.5 else 0.03)
        assert (seen.note({"accuracy": 0.9}) is None) == (share == 0)


def test_a_model_without_hashes_says_nothing():
    seen = SeenRows(None)
    seen.count(frame_of(10, 0))
    assert seen.share is None
    assert seen.note(None) is None


def test_predict_and_report_say_so(tmp_path):
    model, out, page = (tmp_path / name for name in ("m", "out.csv", "r.html"))
    for name, seed in (("old.csv", 0), ("new.csv", 5)):
        colourful_flowers(120, seed).to_csv(tmp_path / name, index=False)
    fitted = fine("fit", tmp_path / "old.csv", "-t", "kind", "-o", model, "--json").document
    held_out = f"{100 * fitted['figures']['accuracy']:.2f} % on rows held out"
    for name, share in (("old.csv", 1), ("new.csv", 0)):
        done = fine("predict", model, tmp_path / name, "-o", out, "--json").document
        assert done["share_of_training_rows"] == share
        assert any("All of these rows" in n and held_out in n for n in done["notes"]) == share
        done = fine("report", model, tmp_path / name, "-o", page)
        assert (held_out in done.err) == share
        said = "All of these rows are rows that the model was trained on"
        assert (said in page.read_text(encoding="utf-8")) == share
