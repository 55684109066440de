"""Every kernel by every rule and scaling, in every precision: `make test-export`.

Each is compiled by gcc and clang, for a 32-bit ARM run by qemu, and to WebAssembly; the labels that
differ from Python's are counted. None do, but for rounding in a precision other than Python's.
"""

import itertools
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

import numpy as np
from tests.export.compiled import COMPILERS, WARNINGS, CompiledModel
from tests.export.modules import Module
from tests.export.problems import KERNELS, RULES, SCALINGS, by_rule, expected, fitted, rows

from dcsvm.export import export, to_wasm
from dcsvm.export.c_source import c_source

ARM = shutil.which("arm-linux-gnueabihf-gcc")
FLAGS = ("-mcpu=cortex-a7", "-mthumb", "-Os", "-ffunction-sections", "-fdata-sections")
STORED = [
    ("auto", "exact"),
    ("double", "exact"),
    ("auto", "float"),
    ("auto", "int16"),
    ("auto", "int8"),
]
MAIN = """#include <stdio.h>
#include "model.h"
static const model_real X[] = {%s};
int main(void) {
  int t;
  for (t = 0; t < %d; ++t) printf("%%d ", model_predict(X + t * MODEL_N_FEATURES));
  return 0;
}
"""


def arm_labels(source, X, folder):
    """The labels on ARM, and the bytes that the model takes in flash."""
    file, _ = source.write(folder / "model.c")
    numbers = ",".join(map(repr, X.astype(float).ravel().tolist()))
    (folder / "main.c").write_text(MAIN % (numbers, len(X)))
    made, program = str(folder / "model.o"), str(folder / "main")
    command = [ARM, "-std=c99", *WARNINGS, *FLAGS]
    subprocess.run([*command, "-c", str(file), "-o", made], check=True)
    command += ["-static", "-Wl,--gc-sections", made, str(folder / "main.c"), "-o", program]
    subprocess.run(command, check=True)
    said = subprocess.run(["qemu-arm", program], check=True, capture_output=True, text=True).stdout
    sizes = subprocess.run(["size", made], check=True, capture_output=True, text=True).stdout
    return np.array(said.split(), dtype=int), int(sizes.splitlines()[1].split()[0])


def main():
    """Compare everything, and print what differs."""
    X, n_models, n_rows, n_changed = rows()[2], 0, 0, 0
    kinds = itertools.product(KERNELS, SCALINGS, RULES, STORED)
    for t, (kernel, scaling, rule, (precision, support)) in enumerate(kinds):
        clf = by_rule(fitted(kernel, scaling), rule)
        exported = export(clf, precision=precision, support=support)
        labels = expected(exported.as_stored, X)
        source = c_source(exported)
        with tempfile.TemporaryDirectory() as temporary:
            folder, found = Path(temporary), {}
            compiler = COMPILERS[t % len(COMPILERS)]
            found["C"] = CompiledModel(source, folder, compiler, flags=("-O2",)).predict(X)
            options = {"precision": precision, "support": support}
            found["WebAssembly"] = Module(to_wasm(clf, **options)).predict(X)
            size = 0
            if ARM is not None and t % 5 == 0:
                found["ARM"], size = arm_labels(source, X, folder)
        changed = {name: int((got != labels).sum()) for name, got in found.items()}
        n_models, n_rows = n_models + len(found), n_rows + len(X) * len(found)
        n_changed += sum(changed.values())
        if size or any(changed.values()):
            what = f"{kernel}, scaling {scaling}, {rule}, {precision}, {support}"
            print(f"{what}: {size:,} bytes of flash; differ: {changed}", flush=True)
    print(f"{n_changed} of {n_rows:,} labels of {n_models} programs differ from Python's.")
    sys.exit(n_changed > n_rows / 10_000)


if __name__ == "__main__":
    main()
