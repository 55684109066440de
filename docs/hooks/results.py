"""Tables of benchmarks/RESULTS.md on other pages.

    <!-- table: HEADING | columns: A, B | rows: COLUMN = x, y | rows: OTHER = z -->

is replaced by the first table below that heading that has all these columns, reduced to these
columns and rows. `columns` and `rows` can be left out.
"""

from __future__ import annotations

import re

MARK = re.compile(r"<!-- table: (.*?) -->", re.DOTALL)
TABLE = re.compile(r"(?:^\|.*\n)+", re.MULTILINE)


def fill_in(markdown: str, results: str) -> str:
    """Replace the marks on a page by their tables."""
    return MARK.sub(lambda found: _selected_table(found[1], results), markdown)


def table_below(
    heading: str, columns: list[str], results: str
) -> tuple[list[str], list[list[str]]]:
    """The columns and the cells of the first table below a heading that has some columns."""
    section = re.search(
        rf"^(#+) {re.escape(heading)}\n(.*?)(?=^\1 |\Z)", results, re.MULTILINE | re.DOTALL
    )
    if section is None:
        raise ValueError(f"benchmarks/RESULTS.md has no heading {heading!r}.")
    for lines in TABLE.findall(section[2] + "\n"):
        header, _, *rows = map(_cells, lines.strip().splitlines())
        if set(columns) <= set(header):
            return header, rows
    raise ValueError(f"Below {heading!r} in benchmarks/RESULTS.md no table has all of {columns}.")


def _cells(line: str) -> list[str]:
    return [cell.strip() for cell in line.strip()[1:-1].split("|")]


def _selected_table(mark: str, results: str) -> str:
    heading, *selections = (part.strip() for part in mark.split(" | "))
    columns: list[str] = []
    conditions: dict[str, list[str]] = {}
    for selection in selections:
        what, _, value = selection.partition(":")
        if what == "columns":
            columns = _words(value)
        elif what == "rows":
            column, _, accepted = value.partition("=")
            conditions[column.strip()] = _words(accepted)
        else:
            raise ValueError(f"A table has columns and rows, but no {what!r}.")
    header, rows = table_below(heading, [*columns, *conditions], results)
    for column, accepted in conditions.items():
        place = header.index(column)
        rows = [row for row in rows if row[place] in accepted]
        missing = sorted(set(accepted) - {row[place] for row in rows})
        if missing:
            raise ValueError(f"Below {heading!r} no row has {missing} as its {column}.")
    shown = [header.index(column) for column in columns] or list(range(len(header)))
    lines = [[row[place] for place in shown] for row in [header, *rows]]
    are_numbers = [all(map(_is_number, cells)) for cells in zip(*lines[1:], strict=True)]
    lines.insert(1, ["--:" if numbers else "---" for numbers in are_numbers])
    return "\n".join(f"| {' | '.join(line)} |" for line in lines)


def _is_number(cell: str) -> bool:
    return re.fullmatch(r"[-+−]?[\d.,]*%?", cell) is not None


def _words(text: str) -> list[str]:
    return [word.strip() for word in text.split(",")]
