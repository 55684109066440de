"""How much memory this computer has, and how much of it is free."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path


def physical_memory() -> int | None:
    try:
        return os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")
    except (AttributeError, ValueError, OSError):
        return None


def free_memory(root: Path = Path("/")) -> int | None:
    """Bytes that this process can still take, by the system and the control groups it is in.

    None where neither says anything. Files under `root` are read.
    """
    known = [*_of_system(root), *_of_groups(root)]
    return max(0, min(known)) if known else None


def _of_system(root: Path) -> Iterator[int]:
    """What is free, or can be made so without swapping, where the system is Linux."""
    for line in _lines(root / "proc/meminfo"):
        name, _, amount = line.partition(":")
        if name == "MemAvailable":
            yield 1024 * int(amount.split()[0])


def _of_groups(root: Path) -> Iterator[int]:
    """What the limits of control groups, and of those that they are in, leave."""
    for line in _lines(root / "proc/self/cgroup"):
        _, controllers, path = line.split(":", 2)
        if controllers == "":
            yield from _left(root / "sys/fs/cgroup", path, "memory.max", "memory.current")
        elif "memory" in controllers.split(","):
            names = "memory.limit_in_bytes", "memory.usage_in_bytes"
            yield from _left(root / "sys/fs/cgroup/memory", path, *names)


def _left(mount: Path, path: str, limit: str, used: str) -> Iterator[int]:
    group = mount / path.strip("/")
    # In a container the path may be one outside it: there the mount itself is the group.
    for folder in (group, *group.parents):
        at_most, now = _lines(folder / limit), _lines(folder / used)
        if at_most and now and at_most[0] != "max":
            yield int(at_most[0]) - int(now[0])
        if folder == mount:
            return


def _lines(file: Path) -> list[str]:
    try:
        return file.read_text().splitlines()
    except OSError:
        return []
