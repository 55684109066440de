"""Each section has what a page needs, and one without data is not on it."""

import re
from importlib.resources import files

import pytest

from dcsvm.report.page import render
from dcsvm.report.sections import SECTIONS

TEMPLATE = files("dcsvm.report").joinpath("template")


def test_names_are_unique():
    assert len({section.name for section in SECTIONS}) == len(SECTIONS)


@pytest.mark.parametrize("section", SECTIONS, ids=lambda section: section.name)
def test_a_section_has_its_function_and_files(section):
    sources = [TEMPLATE.joinpath(name).read_text(encoding="utf-8") for name in section.scripts]
    assert f"draw.{section.name} = " in "\n".join(sources)
    assert all(TEMPLATE.joinpath(name).is_file() for name in section.styles)


def test_a_section_without_data_is_left_out(case):
    data = case[3]
    absent = ("search", "probabilities")
    shown = [section.name for section in SECTIONS if section.name not in absent]
    assert places(render(data)) == shown, "the model has neither a search nor probabilities"
    without = render({**data, "confusion": None})
    assert places(without) == [name for name in shown if name != "confusion"]
    assert 'href="#confusion"' not in without
    assert "draw.confusion" not in without


def places(page):
    return re.findall(r'<section id="(\w+)"', page)
