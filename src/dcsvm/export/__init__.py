"""Fitted classifiers outside Python: C, for any machine that has a compiler, and WebAssembly."""

from dcsvm.export.c_source import CSource, to_c
from dcsvm.export.errors import ExportError
from dcsvm.export.exporting import changed_labels, export
from dcsvm.export.wasm import to_wasm

__all__ = ["CSource", "ExportError", "changed_labels", "export", "to_c", "to_wasm"]
