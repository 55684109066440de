"""The package as it is imported and run."""

import subprocess
import sys

import dcsvm


def test_dir_has_the_public_names_and_nothing_else():
    assert dir(dcsvm) == sorted(dcsvm.__all__)
    assert all(hasattr(dcsvm, name) for name in dir(dcsvm))


def run(code):
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    return done.stdout.split()


def test_import_brings_in_no_package_that_sklearn_svm_does_not():
    new = run(
        "import sys, sklearn.svm\n"
        "before = set(sys.modules)\n"
        "import dcsvm\n"
        "new = {name.split('.')[0] for name in set(sys.modules) - before}\n"
        "print(*sorted(new - sys.stdlib_module_names))"
    )
    assert new == ["dcsvm"]


def test_import_needs_none_of_what_is_heavy_and_used_elsewhere():
    heavy = (
        "pandas matplotlib scipy.stats scipy.optimize dask distributed cupy onnx typer rich skops"
    )
    own = "cli cuda dask datasets export inspection model_files onnx report"
    unwanted = heavy.split() + [f"dcsvm.{name}" for name in own.split()]
    run(
        "import sys, sklearn.svm, sklearn.model_selection\n"  # which may import some of them
        f"sys.modules.update(dict.fromkeys({unwanted}))\n"
        "import dcsvm"
    )


def test_the_package_runs_as_a_command():
    words = [sys.executable, "-m", "dcsvm", "--version"]
    done = subprocess.run(words, capture_output=True, text=True, check=True)
    assert done.stdout == f"dcsvm {dcsvm.__version__}\n"
