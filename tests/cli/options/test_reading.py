"""How a table is read."""

import pytest
from tests.cli.options.command import given

from dcsvm.cli.options import ReadingOptions


@pytest.mark.parametrize(
    ("words", "texts"),
    [
        ((), None),
        (("--na-values", ""), ()),
        (("--na-values", "NA"), ("NA",)),
        (("--na-values", "NA, n/a ,-"), ("NA", "n/a", "-")),
        (("--na-values", '"none, yet",-'), ("none, yet", "-")),
    ],
)
def test_texts_that_mean_a_missing_value(words, texts):
    assert given(ReadingOptions, *words).missing_texts() == texts


def test_unknown_formats_are_refused():
    assert given(ReadingOptions, "--format", "csv").format == "csv"
    assert given(ReadingOptions, "--format", "docx") is None
