"""Docstrings as the reader of the reference takes them."""

from __future__ import annotations

import re
from typing import Any

import griffe

ROLE = re.compile(r":(?:class|func|meth):`")
CHOICES = re.compile(r"^(\s*\w+ : )\{(.*?)\}", re.MULTILINE)


class PlainDocstrings(griffe.Extension):
    """Without Sphinx's roles, and without {choices}, of which griffe takes the first as default."""

    def on_instance(self, *, obj: Any, **_: Any) -> None:
        """Look at the docstring of anything that has one."""
        if obj.docstring is not None:
            value = ROLE.sub("`", obj.docstring.value)
            obj.docstring.value = CHOICES.sub(r"\1\2", value)
