"""What every measurement writes: progress, a description of the machine, JSON, a table."""

from __future__ import annotations

import json
import platform
import sys
from pathlib import Path

import dcsvm
from dcsvm.machines.compiled import instruction_set

FOLDER = Path("benchmarks/out")


def log(text):
    """A line about the progress, apart from the tables."""
    print(text, file=sys.stderr, flush=True)


def about_machine():
    """What ran, and on what."""
    return {
        "machine": platform.processor() or platform.machine(),
        "instruction set": instruction_set(),
        "dcsvm": dcsvm.__version__,
    }


def heading(about):
    """The description in one line."""
    return ", ".join(f"{key}: {value}" for key, value in about.items())


def write_json(file, content):
    """Write the measurements, in a folder that may be new."""
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text(json.dumps(content, indent=1, default=float))


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
