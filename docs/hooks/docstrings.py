"""Docstrings as the reader of the reference takes them."""

from __future__ import annotations

import re
from typing import Any

import griffe

ROLE = re.compile(r":(?:class|func|meth):`")
CHOICES = re.compile(r"^(\s*\w+ : )\{(.*?)\}", re.MULTILINE)


class PlainDocstrings(griffe.Extension):
    """Removes Sphinx's roles, and the braces of {choices}, whose first griffe takes as default."""

    def on_instance(self, *, obj: Any, **_: Any) -> None:
        """Edit the docstring of an object that has one."""
        if obj.docstring is not None:
            value = ROLE.sub("`", obj.docstring.value)
            obj.docstring.value = CHOICES.sub(r"\1\2", value)
