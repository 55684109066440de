"""What the paper's percentages are shares of."""

import math

import pytest
from paper.denominators import eleven_tenths, ten_fifths

from paper import (
    denominators,
)


def test_a_percentage_is_a_share_of_few_numbers_of_rows():
    def brute_force(percentage, n):
        return any(f"{100 * rows / n:.2f}" == f"{percentage:.2f}" for rows in range(n + 1))

    for percentage in (96.97, 71.21, 27.71):
        for n in range(10, 400):
            assert denominators.is_share(percentage, n) == brute_force(percentage, n), n


def test_the_paper_tested_a_tenth_eleven_times():
    exactly = {n for n in denominators.FILE_ROWS if denominators.fits(n, eleven_tenths(n))}
    one_short = set(denominators.FILE_ROWS) - exactly
    assert one_short == {"heart", "glass"}
    assert all(denominators.fits(name, eleven_tenths(name) - 1) for name in one_short)
    as_stated = {n for n in denominators.FILE_ROWS if denominators.fits(n, ten_fifths(n))}
    assert as_stated == {"vowel"}
    assert denominators.tested("letter") is None


OF_A_FIFTH = {"iris": [150], "wine": [178], "heart": [303, 297], "glass": [214]}
OF_A_FIFTH["svmguide4"] = [300, 612]


@pytest.mark.parametrize(("name", "n_rows"), [(n, k) for n, ks in OF_A_FIFTH.items() for k in ks])
def test_no_ten_equal_tests_of_about_a_fifth_give_these_percentages(name, n_rows):
    sizes = range(math.ceil(0.19 * n_rows), math.floor(0.21 * n_rows) + 1)
    assert len(sizes) >= 3
    assert not any(denominators.fits(name, 10 * size) for size in sizes)
