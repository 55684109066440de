"""ARFF files."""

from tests.cli.cli_tools import fine


def test_arff_with_dates_and_gaps(tmp_path):
    rows = [f"'2020-01-{d:02}',{'?' if d % 5 == 0 else d},{'ab'[d > 14]}" for d in range(1, 29)]
    head = "@relation r\n@attribute 'the day' DATE 'yyyy-MM-dd'\n@attribute n numeric\n"
    body = "@attribute kind {a,b}\n@data\n% a remark\n" + "\n".join(rows)
    (tmp_path / "a.arff").write_text(head + body)
    document = fine(
        "fit", tmp_path / "a.arff", "-t", "kind", "-o", tmp_path / "m", "--json"
    ).document
    assert document["columns"] == [
        {"name": "the day", "kind": "date", "date_format": "%Y-%m-%d"},
        {"name": "n", "kind": "number"},
    ]
