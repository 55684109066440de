"""The picture of the rooms of the package, drawn from the imports that its modules have.

A room is a package inside dcsvm. The rooms stand in columns, each to the right of all rooms that it
imports. An import that follows from a chain of drawn ones is not drawn: that room may use all rooms
which the arrows lead to, directly or through others.
"""

from __future__ import annotations

from pathlib import Path

import grimp
from matplotlib.figure import Figure
from matplotlib.patches import FancyArrowPatch, FancyBboxPatch

import dcsvm

Imports = dict[str, set[str]]

PACKAGE = Path(dcsvm.__file__).parent
CORE = Path(__file__).parents[2] / "src" / "dcsvm" / "core"  # not in the installed package
INK, FILL, CORE_FILL = "#22303c", "#e8f1f8", "#fdf0e0"
WIDTH, HEIGHT = 1.0, 0.5  # of a box
COLUMN, ROW = 1.42, 0.95  # from box to box
CORE_HEIGHT = 0.42


def imports_between_rooms() -> Imports:
    """Of every room, the rooms of which it imports any module."""
    graph = grimp.build_graph("dcsvm", cache_dir=None)
    rooms = {path.parent.name for path in PACKAGE.glob("*/__init__.py")}
    found: Imports = {room: set() for room in rooms}
    for module in graph.modules:
        here = _room(module)
        for other in map(_room, graph.find_modules_directly_imported_by(module)):
            if here in rooms and other in rooms and here != other:
                found[here].add(other)
    return found


def rooms_with_core() -> set[str]:
    """The rooms of which any module uses the compiled core."""
    files = PACKAGE.glob("*/**/*.py")
    using = [file for file in files if "dcsvm._core" in file.read_text(encoding="utf-8")]
    return {file.relative_to(PACKAGE).parts[0] for file in using}


def reachable(imports: Imports, room: str) -> set[str]:
    """All rooms that a room imports, directly or through others."""
    return imports[room].union(*(reachable(imports, other) for other in imports[room]))


def without_implied(imports: Imports) -> Imports:
    """The imports that do not follow from a chain of others."""
    return {
        room: others - set().union(*(reachable(imports, other) for other in others))
        for room, others in imports.items()
    }


def columns(imports: Imports) -> dict[str, int]:
    """The column of every room: one more than the last column that it imports from."""

    def column(room: str) -> int:
        return max((column(other) + 1 for other in imports[room]), default=0)

    return {room: column(room) for room in imports}


def positions(imports: Imports) -> dict[str, tuple[float, float]]:
    """The centre of every room's box, at the mean height of the rooms to which its arrows lead."""
    drawn, column_of = without_implied(imports), columns(imports)
    used = set().union(*imports.values())
    found: dict[str, tuple[float, float]] = {}
    for column in range(max(column_of.values()) + 1):
        rooms = sorted(room for room in imports if column_of[room] == column)
        connected = [room for room in rooms if imports[room] or room in used]
        heights = [found[other][1] for room in connected for other in drawn[room]]
        top = sum(heights) / max(len(heights), 1) + ROW * (len(connected) - 1) / 2
        # Last, and so lowest, what has no arrows; what is private is below what is public.
        rooms.sort(key=lambda room: (room not in connected, room.startswith("_"), room))
        for place, room in enumerate(rooms):
            found[room] = (COLUMN * column, top - ROW * place)
    return found


def draw_rooms() -> Figure:
    """Boxes for the rooms, and arrows to the rooms that they import."""
    imports = imports_between_rooms()
    centres = positions(imports)
    right = max(x for x, _ in centres.values()) + WIDTH / 2
    bottom = min(y for _, y in centres.values()) - HEIGHT / 2 - 0.75
    figure = Figure((9.6, 3.3))
    ax = figure.add_axes((0, 0, 1, 1))
    for room, others in without_implied(imports).items():
        for other in others:
            (x, y), (to_x, to_y) = centres[room], centres[other]
            _arrow(ax, (x - WIDTH / 2, y), (to_x + WIDTH / 2, to_y))
    for room, (x, y) in centres.items():
        _box(ax, (x - WIDTH / 2, y - HEIGHT / 2), WIDTH, HEIGHT, FILL)
        ax.text(x, y, room, ha="center", va="center", size=8.5, color=INK)
    for room in rooms_with_core():
        x, y = centres[room]
        _arrow(ax, (x, y - HEIGHT / 2), (x, bottom + CORE_HEIGHT), "--")
    _box(ax, (-WIDTH / 2, bottom), right + WIDTH / 2, CORE_HEIGHT, CORE_FILL)
    text = "core (C++): " + ", ".join(sorted(path.name for path in CORE.iterdir() if path.is_dir()))
    ax.text((right - WIDTH / 2) / 2, bottom + CORE_HEIGHT / 2, text, ha="center", va="center")
    ax.set_xlim(-WIDTH / 2 - 0.1, right + 0.1)
    ax.set_ylim(bottom - 0.1, max(y for _, y in centres.values()) + HEIGHT / 2 + 0.1)
    ax.set_axis_off()
    return figure


def _room(module: str) -> str:
    parts = module.split(".")
    return parts[1] if len(parts) > 1 else ""


def _box(ax, corner, width, height, colour):
    style = "round,pad=0,rounding_size=0.08"
    ax.add_patch(
        FancyBboxPatch(corner, width, height, boxstyle=style, fc=colour, ec=INK, lw=0.9, zorder=2)
    )


def _arrow(ax, start, end, line="-"):
    ax.add_patch(
        FancyArrowPatch(
            start,
            end,
            arrowstyle="-|>",
            mutation_scale=10,
            shrinkA=0,
            shrinkB=1,
            color="#5b6b78",
            lw=1,
            ls=line,
            zorder=1,
        )
    )
