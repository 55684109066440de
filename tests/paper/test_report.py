"""The report, filled in from its template."""

import re

from paper.results import Results
from paper.runner import Task

from paper import (
    facts,
    report,
    tables,
)


def test_the_template_asks_for_nothing_unknown(results):
    """Each place is filled by a run of all sets, or belongs to a set that was left out here."""
    places = set(re.findall(r"\{\{(\w+)\}\}", report.TEMPLATE.read_text(encoding="utf-8")))
    filled = set(report.pieces(results, None, False))
    left_out = ("glass", "letter", "usps", "sensorless", "segmentation", "covertype", "vowel")
    left_out += ("svmguide4", "poker")
    # Of sets with ten classes and more there is none here.
    places = {p for p in places if not p.endswith("_many")}
    assert all(place in filled or place.startswith(left_out) for place in places)
    known = {name.replace("iris", "{}") for name in facts.facts(results) if "iris" in name}
    for place in places - filled:
        pattern = "{}" + place.removeprefix(place.split("_")[0])
        pattern = pattern.replace("_official_", "_paper_")
        example = place.startswith("glass_") and "_paper_" not in place and "_tuned_" not in place
        in_r = "_literal_" in place or place.endswith("_e1071")
        assert pattern in known or in_r or example, place


def test_an_incomplete_run_says_so(by_task):
    del (fewer := dict(by_task))[Task("wine", "tuned", 1, True)]
    assert "Not complete" not in report.protocol(Results(by_task), False)
    assert "**Not complete:** 1 to 2 trials" in report.protocol(Results(fewer), False)
    assert "| 2 / 1 / 0 |" in tables.sets(Results(fewer))


def test_places_are_filled():
    assert report.fill("{{a}} and {{b}}", {"a": "one"}) == f"one and {report.NOT_RUN}"


def test_a_report_is_written(by_task, tmp_path, monkeypatch):
    monkeypatch.setattr(report.e1071, "why_not", lambda: "no R")
    report.write_report(by_task, tmp_path, fast=True)
    text = (tmp_path / "RESULTS.md").read_text(encoding="utf-8")
    assert "2 trials" in text
    assert "A quick look" in text
    assert "{{" not in text
    for number in (1, 4, 5, 6):
        for kind in ("png", "svg"):
            assert (tmp_path / "figures" / f"figure-{number}.{kind}").stat().st_size > 5000
