"""Exported C, compiled and called."""

import ctypes
import shutil
import subprocess

import numpy as np

WARNINGS = ("-Wall", "-Wextra", "-Wpedantic", "-Werror")
GCC = shutil.which("gcc")
CLANG = shutil.which("clang")
COMPILERS = [c for c in (GCC, CLANG) if c is not None]

# Calls the model for many rows.
CALLS = """
#include "{name}.h"
void predict_rows(const {name}_real *X, long n, int *out);
void predict_rows(const {name}_real *X, long n, int *out) {{
  long t;
  for (t = 0; t < n; ++t) out[t] = {name}_predict(X + t * {upper}_N_FEATURES);
}}
"""


def compile_c(source, folder, compiler=None, *, standard="-std=c99", flags=("-O2",)):
    """The path of a shared library of an exported model."""
    source.write(folder / f"{source.name}.c")
    calls = folder / "calls.c"
    calls.write_text(CALLS.format(name=source.name, upper=source.name.upper()))
    library = folder / f"{source.name}.so"
    subprocess.run(
        [
            compiler or COMPILERS[0],
            standard,
            *WARNINGS,
            *flags,
            "-fPIC",
            "-shared",
            str(folder / f"{source.name}.c"),
            str(calls),
            "-o",
            str(library),
        ],
        check=True,
    )
    return library


class CompiledModel:
    """Predicts rows by a shared library."""

    def __init__(self, source, folder, compiler=None, **options):
        self.real = np.float32 if "typedef float" in source.header else np.float64
        self.library = ctypes.CDLL(str(compile_c(source, folder, compiler, **options)))

    def predict(self, X):
        X = np.ascontiguousarray(X, dtype=self.real)
        out = np.empty(len(X), dtype=np.intc)
        self.library.predict_rows(
            X.ctypes.data_as(ctypes.c_void_p),
            ctypes.c_long(len(X)),
            out.ctypes.data_as(ctypes.c_void_p),
        )
        return out
