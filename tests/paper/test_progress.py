"""The progress bar."""

import io

import pytest
from paper.progress import Bar


def test_time_left_follows_from_the_pace_of_this_run():
    now = [0.0]
    bar = Bar(100, done=50, stream=io.StringIO(), clock=lambda: now[0])
    assert "--:-- left" in bar.line()
    now[0] = 60.0
    bar.advance(10, "vowel")  # 10 in a minute, 40 to go
    assert bar.seconds_left() == pytest.approx(240)
    text = bar.stream.getvalue()
    assert "60%" in text
    assert "04:00 left  vowel" in text


def test_a_log_gets_a_line_now_and_then():
    now = [0.0]
    bar = Bar(10, stream=io.StringIO(), clock=lambda: now[0])
    for tens in range(9):
        now[0] = 10.0 * tens
        bar.advance(1)
    assert bar.stream.getvalue().count("\n") == 3
