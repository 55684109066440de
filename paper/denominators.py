"""The number of rows that the paper tested, inferred from its percentages.

A percentage with two digits is a share of N rows for few small N only. The percentages of the
paper exclude ten tests of a fifth of the rows for most small sets, and allow eleven tests of a
tenth. That rule was found by a search over such rules.
"""

from __future__ import annotations

from math import ceil, floor

from paper import published

# Rows of the set, or of that one of its files, with which the percentages agree.
FILE_ROWS = {
    "iris": 150,
    "segmentation": 210,
    "heart": 303,
    "wine": 178,
    "wine-quality": 1599,
    "glass": 214,
    "svmguide4": 300,
    "vowel": 528,
    "usps": 2007,
}


def is_share(percentage, n):
    """Whether a number of rows out of n is this percentage, to two digits."""
    rows = percentage * n / 100
    return any(round(100 * whole / n, 2) == percentage for whole in (floor(rows), ceil(rows)))


def percentages(name):
    """All accuracies that the paper reports of a set."""
    return {published.BUILT_IN[name], published.VOTE[name], *published.ACCURACY[name].values()}


def fits(name, n):
    """Whether all accuracies of a set are shares of n rows."""
    return all(is_share(percentage, n) for percentage in percentages(name))


def ten_fifths(name):
    """Rows tested in ten trials of 80/20."""
    return 10 * ceil(FILE_ROWS[name] / 5)


def eleven_tenths(name):
    """Rows tested in eleven trials of 90/10."""
    return 11 * ceil(FILE_ROWS[name] / 10)


def tested(name):
    """Eleven tenths, or one row less, whichever fits; None if neither fits or no rows are known."""
    if name not in FILE_ROWS:
        return None
    rows = eleven_tenths(name)
    return next((n for n in (rows, rows - 1) if fits(name, n)), None)
