"""Exported C predicts as Python does."""

import shutil
import subprocess

import numpy as np
import pytest
from tests.export.compiled import CLANG, COMPILERS, GCC, WARNINGS, CompiledModel
from tests.export.problems import KERNELS, RULES, SCALINGS, by_rule, expected, fitted, rows

from dcsvm import DCSVC
from dcsvm.export import to_c

pytestmark = pytest.mark.skipif(not COMPILERS, reason="no C compiler: apt-get install gcc")
ARM = shutil.which("arm-linux-gnueabihf-gcc")
QEMU = shutil.which("qemu-arm")


# Every kernel with every rule and every scaling, each at least once, and no more: compilers take
# time. `make test-export` takes all of them together.
PAIRS = [
    (kernel, RULES[(k + s) % len(RULES)], scaling)
    for k, kernel in enumerate(KERNELS)
    for s, scaling in enumerate(SCALINGS)
]


@pytest.mark.parametrize(("kernel", "rule", "scaling"), PAIRS)
def test_labels_are_those_of_python(kernel, rule, scaling, tmp_path):
    clf = by_rule(fitted(kernel, scaling), rule)
    X = rows()[2]
    model = CompiledModel(to_c(clf), tmp_path, flags=("-O1",))
    assert model.predict(X).tolist() == expected(clf, X).tolist()


@pytest.mark.parametrize("shortlist", ["linear", "quadratic", "landmarks"])
@pytest.mark.parametrize("precision", ["float", "double"])
def test_all_shortlists(shortlist, precision, tmp_path, monkeypatch):
    import dcsvm.routing.select as select

    for kind in {"linear", "quadratic"} - {shortlist}:
        monkeypatch.setattr(select, f"{kind}_shortlist", lambda *_: None)
    monkeypatch.setattr(select, "N_LANDMARKS", (32,) if shortlist == "landmarks" else ())
    X, y, X_test = rows()
    clf = DCSVC(theta=0.002, gamma=0.1).fit(X.astype(np.float64), y)
    assert shortlist in clf.shortlist_.name
    model = CompiledModel(to_c(clf, precision=precision), tmp_path, flags=("-O1",))
    assert model.predict(X_test).tolist() == expected(clf, X_test).tolist()


LANGUAGES = [
    *[(c, "-std=c99", flags) for c in (GCC, CLANG) for flags in (("-O3",),)],
    ("g++", "-std=c++17", ("-x", "c++")),
    ("clang++", "-std=c++17", ("-x", "c++")),
]


@pytest.mark.parametrize(("compiler", "standard", "flags"), LANGUAGES)
def test_compiles_without_a_warning(compiler, standard, flags, tmp_path):
    if compiler is None or shutil.which(compiler) is None:
        pytest.skip(f"no {compiler or 'gcc and clang'}")
    for rule in ("default", "margin structure", "vote"):
        source, _ = to_c(by_rule(fitted(), rule), "a model").write(tmp_path / "m.c")
        command = [compiler, standard, *flags, *WARNINGS, "-c", str(source), "-o", "/dev/null"]
        subprocess.run(command, check=True)


def test_needs_no_library(tmp_path):
    """No symbol is undefined, nothing can be written to."""
    source, _ = to_c(fitted()).write(tmp_path / "m.c")
    made = tmp_path / "m.o"
    command = [COMPILERS[0], "-O2", "-fno-pic", "-c", str(source), "-o", str(made)]
    subprocess.run(command, check=True)
    listed = subprocess.run(["nm", str(made)], check=True, capture_output=True, text=True).stdout
    symbols = [line.split()[-2:] for line in listed.splitlines()]
    # What compilers make of loops and copies of structures.
    assert {name for kind, name in symbols if kind == "U"} <= {"memcpy", "memmove", "memset"}
    assert {kind.upper() for kind, _ in symbols} <= {"T", "R", "U"}


def test_names_of_classes_and_functions(tmp_path):
    X, y, _ = rows()
    names = np.array(['a"b', "back\\slash", "??/", "line\nbreak", "äθ😀", "", "0"])
    clf = DCSVC().fit(X.astype(np.float64), names[y])
    source = to_c(clf, "7 days/ü")
    assert source.name == "model_7_days"
    source.write(tmp_path / "m.c")
    (tmp_path / "main.c").write_text(
        '#include <stdio.h>\n#include "m.h"\nint main(void) {\n  int c;\n'
        "  for (c = 0; c < MODEL_7_DAYS_N_CLASSES; ++c)\n"
        '    printf("%s%c", model_7_days_class_names[c], 1);\n  return 0;\n}\n'
    )
    files = [str(tmp_path / "m.c"), str(tmp_path / "main.c")]
    program = str(tmp_path / "main")
    subprocess.run([COMPILERS[0], "-std=c99", *WARNINGS, *files, "-o", program], check=True)
    said = subprocess.run([program], check=True, capture_output=True).stdout.decode()
    assert said.split("\x01")[:-1] == clf.classes_.tolist()


def test_numbers_that_are_not_finite_give_some_class(tmp_path):
    X = np.full((6, 5), np.nan, dtype=np.float32)
    X[1:] = np.array([[np.inf], [-np.inf], [3e38], [-3e38], [1e-42]])
    for kernel in KERNELS:
        (tmp_path / kernel).mkdir()
        flags = (
            "-O0",
            "-fsanitize=float-cast-overflow,undefined",
            "-fsanitize-undefined-trap-on-error",
        )
        model = CompiledModel(to_c(fitted(kernel)), tmp_path / kernel, flags=flags)
        assert set(model.predict(X)) <= set(range(7))


@pytest.mark.skipif(ARM is None or QEMU is None, reason="no gcc-arm-linux-gnueabihf, qemu-user")
def test_arm(tmp_path):
    """On a 32-bit processor the labels are the same."""
    clf, X = fitted(), rows()[2]
    source, _ = to_c(clf).write(tmp_path / "m.c")
    numbers = ",".join(map(repr, X.astype(float).ravel().tolist()))
    (tmp_path / "main.c").write_text(
        f'#include <stdio.h>\n#include "m.h"\nstatic const float X[] = {{{numbers}}};\n'
        f"int main(void) {{\n  int t;\n  for (t = 0; t < {len(X)}; ++t)\n"
        '    printf("%d ", model_predict(X + t * MODEL_N_FEATURES));\n  return 0;\n}\n'
    )
    program = str(tmp_path / "main")
    files = [str(source), str(tmp_path / "main.c")]
    flags = ("-std=c99", *WARNINGS, "-Os", "-static")
    subprocess.run([ARM, *flags, *files, "-o", program], check=True)
    said = subprocess.run([QEMU, program], check=True, capture_output=True, text=True).stdout
    assert list(map(int, said.split())) == expected(clf, X).tolist()
