"""`ExportError`: a model that has no form outside Python."""

from __future__ import annotations


class ExportError(ValueError):
    """A model that cannot be exported; the text says what to do."""
