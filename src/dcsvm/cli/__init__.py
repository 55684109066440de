"""The command line `dcsvm`: fit a table, predict another, look at the model.

It is an extra, ``pip install 'dcsvm[cli]'``: the library itself needs none of what it uses.
"""

from __future__ import annotations

import sys
from importlib.util import find_spec

# What the extra brings, by the names under which it is imported.
NEEDED = ("typer", "rich", "skrub", "pandas", "pyarrow", "arff")


def main() -> None:
    """Run the command line, or say what it needs."""
    missing = [name for name in NEEDED if find_spec(name) is None]
    if missing:
        sys.stderr.write(
            f"dcsvm: the command line needs {', '.join(missing)}; "
            "install it with: pip install 'dcsvm[cli]'\n"
        )
        raise SystemExit(1)
    from dcsvm.cli.app import app

    app(prog_name="dcsvm")
