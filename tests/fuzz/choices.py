"""Choices made by the bytes of a case: the same bytes give the same case."""

import numpy as np


class Choices:
    """Numbers read from bytes; when they are used up, everything is the first of its kind."""

    def __init__(self, data):
        self._data, self._place = data, 0

    def _byte(self):
        self._place += 1
        return self._data[self._place - 1] if self._place <= len(self._data) else 0

    def below(self, n):
        """A whole number from 0 to n − 1."""
        number = 0
        for _ in range((max(n - 1, 1).bit_length() + 7) // 8):
            number = number * 256 + self._byte()
        return number % n

    def between(self, low, high):
        return low + self.below(high - low + 1)

    def of(self, values):
        return values[self.below(len(values))]

    def once_in(self, n):
        """True in one of n cases; never where the bytes are used up."""
        return self.below(n) == n - 1

    def generator(self):
        return np.random.default_rng(self.below(2**32))
