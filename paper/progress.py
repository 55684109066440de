"""A progress bar with the time left, on stderr: one line redrawn, or a line at times in a log."""

from __future__ import annotations

import sys
from time import monotonic

WIDTH = 30
SECONDS_BETWEEN_LINES = 30.0  # without a terminal


class Bar:
    """Work done of work to do; the time left follows from the pace so far.

    Parameters
    ----------
    total : float
        All work, in any unit.
    done : float
        Work that was done before the start, and does not count for the pace.
    """

    def __init__(self, total, done=0.0, stream=None, clock=monotonic):
        self.total, self.before, self.done = total, done, done
        self.stream = sys.stderr if stream is None else stream
        self.clock = clock
        self.start = clock()
        self.last_line = -float("inf")
        self.is_terminal = self.stream.isatty()

    def advance(self, work, text=""):
        """Add finished work; `text` describes it."""
        self.done += work
        now = self.clock()
        if self.is_terminal:
            self.stream.write(f"\r\x1b[2K{self.line(text)}")
        elif now - self.last_line >= SECONDS_BETWEEN_LINES:
            self.stream.write(self.line(text) + "\n")
            self.last_line = now
        self.stream.flush()

    def line(self, text=""):
        """The bar as text."""
        share = min(1.0, self.done / self.total) if self.total > 0 else 1.0
        full = round(WIDTH * share)
        bar = "█" * full + "░" * (WIDTH - full)
        return f"{bar} {share:4.0%}  {_minutes(self.seconds_left())} left  {text}"

    def seconds_left(self):
        """The time left, or None until some work is done."""
        here = self.done - self.before
        left = self.total - self.done
        return None if here <= 0 else max(0.0, left * (self.clock() - self.start) / here)

    def close(self):
        """End the line."""
        if self.is_terminal:
            self.stream.write("\n")
            self.stream.flush()


def _minutes(seconds):
    return "--:--" if seconds is None else f"{int(seconds) // 60:02d}:{int(seconds) % 60:02d}"
