"""Additions to the build of the documentation.

Pictures are drawn by the library. Tables of measurements, the reference of the commands and the
changelog are read from their sources, so that the pages always agree with them. So are examples.
"""

from __future__ import annotations

import re
import sys
from pathlib import Path
from typing import Any

from mkdocs.structure.files import File

ROOT = Path(__file__).parents[2]
# MkDocs runs this file alone, and removes this entry afterwards.
sys.path.insert(0, str(Path(__file__).parent))

from commands import command_reference  # noqa: E402
from differences import table_of_differences  # noqa: E402
from pictures import draw_missing  # noqa: E402
from results import fill_in  # noqa: E402

# Files of the repository that are pages too, by the names of their pages.
ELSEWHERE = {"results.md": "benchmarks/RESULTS.md", "changelog.md": "CHANGELOG.md"}
# The source of a script in examples/, folded.
EXAMPLE = re.compile(r"<!-- example: (\w+) -->")


def on_pre_build(config: Any) -> None:
    """Draw the pictures that are missing, or older than the code that draws them."""
    draw_missing(Path(config["docs_dir"]) / "images" / "made")


def on_files(files: Any, config: Any) -> Any:
    """Add the pages whose files are outside docs/."""
    for name, source in ELSEWHERE.items():
        text = (ROOT / source).read_text(encoding="utf-8")
        files.append(File.generated(config, name, content=text))
    return files


def on_page_markdown(markdown: str, page: Any, **_: Any) -> str:
    """Fill in tables and commands, and make links to files outside docs/ work."""
    up = "../" * page.file.src_uri.count("/")
    markdown = re.sub(r"\]\((?:\.\./)+docs/", f"]({up}", markdown)
    for name, source in ELSEWHERE.items():
        markdown = re.sub(rf"\]\((?:\.\./)+{re.escape(source)}", f"]({up}{name}", markdown)
    # Sources are not pages: only their names are kept.
    markdown = re.sub(r"\[([^\]]+)\]\((?:\.\./)+src/[^)]*\)", r"\1", markdown)
    markdown = EXAMPLE.sub(_source_of, markdown)
    if "<!-- commands -->" in markdown:
        markdown = markdown.replace("<!-- commands -->", command_reference())
    if "<!-- differences -->" in markdown:
        markdown = markdown.replace("<!-- differences -->", table_of_differences())
    return fill_in(markdown, (ROOT / "benchmarks" / "RESULTS.md").read_text(encoding="utf-8"))


def _source_of(mark: re.Match[str]) -> str:
    file = f"examples/{mark[1]}.py"
    lines = (ROOT / file).read_text(encoding="utf-8").splitlines()
    code = "\n".join(f"    {line}".rstrip() for line in ["```python", *lines, "```"])
    return f'??? example "{file}"\n\n{code}'
