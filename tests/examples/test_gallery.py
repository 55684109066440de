"""The scripts of the gallery run, say what the page says, and all have a picture on it."""

import importlib.util
import re
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
PAGE = (ROOT / "docs" / "gallery.md").read_text(encoding="utf-8")
MAKEFILE = (ROOT / "Makefile").read_text(encoding="utf-8")
# Few rows, so that each takes about a second, and the least accuracy with these.
FEW = {
    "digits": (500, 0.9),
    "text": (900, 0.4),
    "satellite": (90, 0.9),
    "cost_and_accuracy": (500, None),
    "an_error": (700, None),
    "search": (300, 0.9),
}


def test_all_examples_are_on_the_page():
    assert re.findall(r"<!-- example: (\w+) -->", PAGE) == [*FEW]
    assert re.findall(r"images/gallery/(\w+)\.png", PAGE) == [*FEW]
    assert re.search(r"^GALLERY := (.*)$", MAKEFILE, re.MULTILINE)[1].split() == [*FEW]


@pytest.mark.parametrize("name", FEW)
def test_example_draws_its_picture(name, tmp_path, monkeypatch):
    pyplot = pytest.importorskip("matplotlib.pyplot")
    pyplot.switch_backend("agg")
    monkeypatch.setattr(sys, "path", [str(ROOT / "examples"), *sys.path])
    spec = importlib.util.spec_from_file_location(name, ROOT / "examples" / f"{name}.py")
    example = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(example)
    n_rows, least = FEW[name]
    found = example.draw(tmp_path / "drawn.png", n_rows)
    pyplot.close("all")
    assert (tmp_path / "drawn.png").stat().st_size > 5000
    if least is not None:
        assert found[0] > least
