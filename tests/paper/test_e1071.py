"""The rows that the paper used."""

from paper import __main__ as main
from paper import (
    denominators,
)


def test_the_papers_rows(official_folder):
    for name in main.e1071.LITERAL_PART:
        X, y = main.e1071.literal_rows(name)
        assert len(X) == len(y) == denominators.FILE_ROWS[name]
    assert main.e1071.literal_rows("usps")[0].min() == -1
    assert len(main.e1071.literal_rows("covertype")[1]) == 1460
