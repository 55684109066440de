"""Measurements as a table."""

from __future__ import annotations


def table(columns, lines):
    """The lines in Markdown; columns are (title, key, format), the fourth shows a failure."""
    out = ["| " + " | ".join(title for title, _, _ in columns) + " |"]
    out.append("|" + " --- |" * len(columns))
    for line in lines:
        cells = [form.format(line[key]) if key in line else "" for _, key, form in columns]
        if "failed" in line:
            cells[3] = line["failed"]
        out.append("| " + " | ".join(cells) + " |")
    return "\n".join(out)
