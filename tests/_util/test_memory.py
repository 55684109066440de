"""How much memory there is."""

import os
from pathlib import Path

import pytest

from dcsvm._util.memory import physical_memory


@pytest.mark.skipif(not Path("/proc/meminfo").exists(), reason="asks Linux")
def test_is_what_the_system_says():
    total = Path("/proc/meminfo").read_text().splitlines()[0].split()
    assert total[0] == "MemTotal:"
    assert physical_memory() == pytest.approx(1024 * int(total[1]), rel=0.01)


@pytest.mark.parametrize("error", [AttributeError, ValueError, OSError])
def test_is_none_where_the_system_does_not_say(error, monkeypatch):
    def unknown(name):
        raise error(name)

    monkeypatch.setattr(os, "sysconf", unknown)
    assert physical_memory() is None
