"""What a model is exported to."""

import pytest
from tests.cli.options.command import given

from dcsvm.cli.options import ExportOptions, Precision, Support, Target


def test_by_default_nothing_is_lost_and_the_output_names_the_target():
    assert given(ExportOptions) == ExportOptions(None, None, Precision.AUTO, Support.EXACT)


@pytest.mark.parametrize("target", ["c", "wasm"])
@pytest.mark.parametrize("support", ["exact", "float", "int16", "int8"])
def test_targets_and_ways_to_store_support_vectors(target, support):
    options = given(ExportOptions, "--target", target, "--support", support)
    assert (options.target, options.support) == (Target(target), Support(support))


def test_unknown_ones_are_refused():
    assert given(ExportOptions, "--target", "java") is None
    assert given(ExportOptions, "--support", "int4") is None
    assert given(ExportOptions, "--precision", "half") is None
