"""How much memory there is."""

import os
from pathlib import Path

import pytest

from dcsvm._util.memory import free_memory, physical_memory


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


def write(root, files):
    for name, text in files.items():
        (root / name).parent.mkdir(parents=True, exist_ok=True)
        (root / name).write_text(text)


MEMINFO = {"proc/meminfo": "MemTotal:  9000 kB\nMemFree:  100 kB\nMemAvailable:   5000 kB\n"}
GROUP = {"proc/self/cgroup": "0::/a/b\n"}


@pytest.mark.parametrize(
    ("files", "expected"),
    [
        ({}, None),
        (MEMINFO, 5000 * 1024),
        ({**MEMINFO, **GROUP}, 5000 * 1024),
        (
            {
                **MEMINFO,
                **GROUP,
                "sys/fs/cgroup/a/b/memory.max": "max\n",
                "sys/fs/cgroup/a/b/memory.current": "10\n",
                "sys/fs/cgroup/a/memory.max": "4096\n",
                "sys/fs/cgroup/a/memory.current": "1000\n",
            },
            3096,
        ),
        (  # in a container the path is one outside
            {
                **GROUP,
                "sys/fs/cgroup/memory.max": "100\n",
                "sys/fs/cgroup/memory.current": "200\n",
            },
            0,
        ),
        (
            {
                **MEMINFO,
                "proc/self/cgroup": "5:cpu,memory:/x\n4:pids:/y\n",
                "sys/fs/cgroup/memory/x/memory.limit_in_bytes": "7000\n",
                "sys/fs/cgroup/memory/x/memory.usage_in_bytes": "1000\n",
                "sys/fs/cgroup/memory/y/memory.limit_in_bytes": "1\n",
                "sys/fs/cgroup/memory/y/memory.usage_in_bytes": "1\n",
            },
            6000,
        ),
    ],
)
def test_what_is_free_is_what_the_system_and_all_groups_leave(files, expected, tmp_path):
    write(tmp_path, files)
    assert free_memory(tmp_path) == expected


@pytest.mark.skipif(not Path("/proc/meminfo").exists(), reason="asks Linux")
def test_less_is_free_than_there_is():
    assert 0 < free_memory() < physical_memory()
