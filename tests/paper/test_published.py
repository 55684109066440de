"""The numbers of the paper, copied."""

from paper import (
    published,
)


def test_published_tables_are_those_of_the_paper():
    # Some figures of the text, so that a slip in copying is seen.
    assert published.ACCURACY["letter"] == {2.0: 95.52, 1.0: 96.00, 0.1: 96.41, 0.01: 96.41}
    assert published.VOTE["glass"] == 91.70
    assert published.BUILT_IN["sensorless"] == 97.46
    assert published.DECISIONS["iris"] == dict.fromkeys(published.THETAS, 1.71)
    assert published.SUPPORT_VECTORS["poker"][0.01] == 22807.62
    assert set(published.DECISIONS) == set(published.SUPPORT_VECTORS) == set(published.ACCURACY)
