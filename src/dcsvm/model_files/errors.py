"""What is raised about a file that is no model file, or a broken one."""

from __future__ import annotations


class ModelFileError(ValueError):
    """A file that `dcsvm.load` refuses, or a model that `dcsvm.save` cannot put in one."""
