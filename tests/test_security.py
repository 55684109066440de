"""What SECURITY.md promises of files from elsewhere and of forks, where no module's test has it."""

import gzip
import os
import signal
import threading
import tracemalloc
from pathlib import Path

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest
from tests.cli.cli_tools import fine, flowers
from tests.kernel_problems import problem
from tests.model_files.broken_files import compressed, with_lying_directory
from tests.model_files.mutations import members_of

import dcsvm
from dcsvm import DCSVC, OneVsOneSVC
from dcsvm.cli.delimited import BLOCK_BYTES, open_delimited
from dcsvm.cli.files import Format
from dcsvm.cli.options import ReadingOptions
from dcsvm.model_files import ModelFileError
from dcsvm.report import write_report

N_BLOCKS = 12
STRANGE = (
    "=1+1",
    "@SUM(A1:A9)",
    "=HYPERLINK('file:///etc/passwd')",
    "__import__('os').system('touch ran')",
    "<script>alert(1)</script>",
    "cos\nsystem\n(S'touch ran'\ntR.",
    "/etc/passwd",
)


@pytest.mark.parametrize("member", ["schema.json", "dcsvm.json", "1.npy"])
def test_a_small_model_file_takes_little_memory(tmp_path, member):
    X, y, _, _ = problem(n=100)
    dcsvm.save(DCSVC().fit(X, y), tmp_path / "model")
    members = members_of((tmp_path / "model").read_bytes())
    others = {name: data for name, data in members.items() if name != member}
    bomb = compressed(others, **{member: 2**26})
    for content in (bomb, with_lying_directory(bomb, member, 4096, bytes(4096))):
        (tmp_path / "bomb").write_bytes(content)
        tracemalloc.start()
        try:
            with pytest.raises(ModelFileError):
                dcsvm.load(tmp_path / "bomb")
            most = tracemalloc.get_traced_memory()[1]
        finally:
            tracemalloc.stop()
        assert most < 2**24 + 100 * len(content)


def test_cells_are_not_evaluated(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    table = flowers()
    table["note"] = np.resize(np.array(STRANGE, dtype=object), len(table))
    table.to_csv("table.csv", index=False)
    fine("fit", "table.csv", "-t", "kind", "-o", "model")
    fine("predict", "model", "table.csv", "-o", "labels.csv")
    assert pd.read_csv("labels.csv")["note"].tolist() == table["note"].tolist()
    assert {file.name for file in Path.cwd().iterdir()} == {"labels.csv", "model", "table.csv"}


def test_predict_reads_what_is_compressed_block_by_block(tmp_path):
    path = tmp_path / "table.csv.gz"
    with gzip.open(path, "wb") as file:
        file.write(b"a,b\n")
        for _ in range(N_BLOCKS):
            file.write(b"1.25,2.50\n" * (BLOCK_BYTES // 10))
    assert path.stat().st_size < 2**20
    before, most, n_rows = pa.total_allocated_bytes(), 0, 0
    for batch in open_delimited(path, Format.CSV, ReadingOptions()).batches():
        n_rows += len(batch)
        most = max(most, pa.total_allocated_bytes() - before)
    assert n_rows == N_BLOCKS * (BLOCK_BYTES // 10)
    assert most < N_BLOCKS // 2 * BLOCK_BYTES


def test_names_of_features_stay_names(tmp_path):
    X, y, _, _ = problem(n=100)
    names = ["</script><b>", "<!-- ", "{{data}}", "<img src=x onerror=alert(1)>", "]]>"]
    frame = pd.DataFrame(X, columns=names)
    write_report(DCSVC().fit(frame, y), frame, y, tmp_path / "page.html")
    text = (tmp_path / "page.html").read_text(encoding="utf-8")
    assert text.count("<script") == text.count("</script>") == 2
    assert not any(part in text for part in ("<b>", "<!--", "<img"))


@pytest.mark.skipif(not hasattr(os, "fork"), reason="there are no forks")
@pytest.mark.filterwarnings("ignore:.*fork:DeprecationWarning")
def test_a_process_forked_while_threads_predict_goes_on():
    X, y, asked, _ = problem(k=12, n=600)
    clf = DCSVC(shortlist=None, theta=0.0).fit(X, y)
    expected = clf.predict(asked)
    for _ in range(8):
        fresh = clf.rethreshold(theta=0.0)  # grows anew, and makes its engine anew
        vars(fresh.machines_).pop("engine", None)
        threads = [
            threading.Thread(target=c.predict, args=(asked,))
            for c in (fresh, OneVsOneSVC.from_machines(fresh))
        ]
        for thread in threads:
            thread.start()
        child = os.fork()
        if child == 0:
            signal.signal(signal.SIGALRM, signal.SIG_DFL)  # ends a child that waits
            signal.alarm(30)
            os._exit(0 if (fresh.predict(asked) == expected).all() else 1)
        for thread in threads:
            thread.join()
        assert os.waitpid(child, 0)[1] == 0
