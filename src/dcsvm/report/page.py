"""The page: template, styles, scripts and data put into one text.

Nothing that comes from data is trusted. The title is escaped, the data stand in a block of
JSON in which no `<` occurs, the scripts put text into the page as text, and the policy in the
page's head lets no other script run and nothing be loaded.
"""

from __future__ import annotations

import base64
import hashlib
import html
import json
import re
from importlib.resources import files
from typing import Any

# In this order: each uses what stands before it.
SCRIPTS = (
    "dom.js",
    "format.js",
    "model.js",
    "tooltip.js",
    "heatmap.js",
    "summary.js",
    "confusion.js",
    "rowlist.js",
    "features.js",
    "steps.js",
    "treelayout.js",
    "tree.js",
    "explorer.js",
    "thresholds.js",
    "table.js",
    "main.js",
)
STYLES = ("page.css", "figures.css", "matrices.css", "explorer.css", "rowlist.css", "tree.css")


def render(data: dict[str, Any]) -> str:
    """The HTML text."""
    script = '(() => {\n"use strict";\n' + "\n".join(map(_source, SCRIPTS)) + "\n})();\n"
    style = "\n".join(map(_source, STYLES))
    policy = (
        "default-src 'none'; img-src data:; "
        f"script-src 'sha256-{_digest(script)}'; style-src 'sha256-{_digest(style)}'"
    )
    parts = {
        "title": html.escape(data["title"]),
        "policy": policy,
        "style": style,
        "script": script,
        "data": script_safe_json(data),
    }
    # In one pass, so that nothing in the data is taken for a place to fill.
    return re.sub(r"\{\{(\w+)\}\}", lambda found: parts[found[1]], _source("page.html"))


def script_safe_json(data: Any) -> str:
    """JSON that can stand inside a script element, whatever its strings are."""
    text = json.dumps(data, separators=(",", ":"), allow_nan=False)
    return text.replace("&", "\\u0026").replace("<", "\\u003c").replace(">", "\\u003e")


def _source(name: str) -> str:
    return files("dcsvm.report").joinpath("template", name).read_text(encoding="utf-8")


def _digest(text: str) -> str:
    return base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()
