"""Where in the user's own code a warning comes from."""

from __future__ import annotations

from inspect import currentframe


def level_of_user() -> int:
    """The `stacklevel` that makes the caller of `warnings.warn` blame the user's own line."""
    frame, level = currentframe(), 0
    while frame is not None and frame.f_globals["__name__"].startswith(("dcsvm.", "sklearn.")):
        frame, level = frame.f_back, level + 1
    return level
