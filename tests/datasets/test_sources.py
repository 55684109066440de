"""The list of data sets against the paper, and against the files."""

import numpy as np
import pytest

from dcsvm.datasets import MANY_CLASSES, PAPER, SOURCES, load


@pytest.mark.parametrize("name", [n for n in SOURCES if n not in ("mnist", "covertype")])
def test_stored_sets_are_as_their_sources_say(name, official_folder):
    data = load(name)
    source = SOURCES[name]
    assert data.data.shape == (source.n_rows, source.n_features)
    assert data.data.dtype == np.float64
    assert len(np.unique(data.target)) == source.n_classes
    assert len(data.feature_names) == source.n_features
    assert np.isnan(data.data).any() == (name == "heart")
    assert name in data.DESCR


def test_there_are_the_fourteen_sets_of_the_paper():
    from paper import published

    assert list(published.ACCURACY) == list(PAPER)
    assert len(PAPER) == 14
    assert set(PAPER).isdisjoint(MANY_CLASSES)
