"""Files that cannot be read or written."""

import bz2
import gzip
import lzma
import os
from pathlib import Path

import numpy as np
import pytest
from tests.cli.cli_tools import fine, mistake

from dcsvm.cli.errors import UserError
from dcsvm.cli.files import Format, first_bytes, input_format, open_bytes, output_format


def test_mistakes_about_files(flower_file, tmp_path):
    words = ("-t", "kind", "-o", tmp_path / "m")
    assert "did you mean" in mistake("fit", tmp_path / "flower.csv", *words)
    assert "nor a folder" in mistake("fit", tmp_path / "no" / "flower.csv", *words)
    assert "is a folder" in mistake("fit", tmp_path, *words)
    fit = ("fit", flower_file, "-t", "kind", "-o")
    assert "no folder" in mistake(*fit, tmp_path / "no" / "m")
    assert "is a folder" in mistake(*fit, tmp_path)
    assert "both read and written" in mistake(*fit, flower_file)
    fine(*fit, tmp_path / "m")
    predict = ("predict", tmp_path / "m", flower_file, "-o")
    assert "both read and written" in mistake(*predict, flower_file)
    assert ".parquet" in mistake(*predict, tmp_path / "out.arff")
    (tmp_path / "link.csv").symlink_to(flower_file)
    assert "both read and written" in mistake(*predict, tmp_path / "link.csv")


@pytest.mark.skipif(os.geteuid() == 0, reason="nothing is forbidden to root")
def test_permissions(flower_file, tmp_path):
    (tmp_path / "closed").mkdir(mode=0o500)
    fit = ("fit", flower_file, "-t", "kind", "-o")
    assert "permissions" in mistake(*fit, tmp_path / "closed" / "m")
    flower_file.chmod(0)
    assert "permissions" in mistake(*fit, tmp_path / "m")


CONTENT = b"line\n" * 100_000
PACKERS = {"a.txt": bytes, "a.gz": gzip.compress, "a.bz2": bz2.compress, "a.XZ": lzma.compress}


@pytest.mark.parametrize("name", PACKERS)
def test_compressed_files(tmp_path, name):
    packed = PACKERS[name](CONTENT)
    (tmp_path / name).write_bytes(packed)
    with open_bytes(tmp_path / name) as file:
        assert file.read() == CONTENT
    assert first_bytes(tmp_path / name, 10) == CONTENT[:10]


@pytest.mark.parametrize("name", [name for name in PACKERS if name != "a.txt"])
@pytest.mark.parametrize("damage", [lambda b: b[: len(b) // 2], lambda b: b[:40] + b"?" * 40])
def test_damaged_compressed_files(tmp_path, name, damage):
    packed = PACKERS[name](np.random.default_rng(0).bytes(10_000))
    (tmp_path / name).write_bytes(damage(packed))
    with pytest.raises(UserError, match="cannot be unpacked"), open_bytes(tmp_path / name) as file:
        file.read()


def test_a_compressed_table_that_breaks_off(tmp_path, monkeypatch):
    monkeypatch.setattr("dcsvm.cli.delimited.SAMPLE_BYTES", 1000)
    text = "x,kind\n" + "".join(f"{i},{i % 3}\n" for i in range(50_000))
    (tmp_path / "a.csv.gz").write_bytes(gzip.compress(text.encode())[:-2000])
    said = mistake("fit", tmp_path / "a.csv.gz", "-t", "kind", "-o", tmp_path / "m")
    assert "cannot be unpacked" in said


@pytest.mark.parametrize(
    ("name", "format"),
    [
        ("a.csv", "csv"),
        ("a.b.TSV", "tsv"),
        ("a.tab.gz", "tsv"),
        ("a.csv.zst", "csv"),
        ("a.ndjson", "jsonl"),
        ("a.xlsx", "excel"),
        ("a.feather", "feather"),
        ("a.pq", "parquet"),
        ("a.arff.bz2", "arff"),
        ("a.svm.xz", "svmlight"),
    ],
)
def test_formats_by_name(name, format):
    assert input_format(Path(name), None) == format
    assert input_format(Path(name), Format.ARFF) is Format.ARFF
    if format not in ("arff", "svmlight"):
        assert output_format(Path(name)) == format
    else:
        with pytest.raises(UserError, match=r"\.parquet"):
            output_format(Path(name))


def test_what_compresses_itself_is_not_compressed_again():
    with pytest.raises(UserError, match=r"leave \.gz out of a\.parquet\.gz"):
        output_format(Path("a.parquet.gz"))
