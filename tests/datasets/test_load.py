"""`load` by name."""

import doctest

import pytest

import dcsvm.datasets
from dcsvm.datasets import load


def test_unknown_name():
    with pytest.raises(ValueError, match="no data set 'irish'; there are artificial1, iris"):
        load("irish")


def test_documentation_of_load():
    outcome = doctest.testmod(dcsvm.datasets)
    assert outcome.attempted > 0
    assert outcome.failed == 0
