"""A part of scikit-learn's tests with our classes in their place; `make test-sklearn` runs all."""

import os
import subprocess
import sys
from pathlib import Path

import pytest
import sklearn
from tests.drop_in import differences, users_of_svc
from tests.patience import SECONDS

ROOT = Path(__file__).parents[2]
PART = "svm/tests/test_svm.py"
only_its_version = pytest.mark.skipif(
    not sklearn.__version__.startswith(differences.version() + "."),
    reason="the list of differences is that of another version of scikit-learn",
)


def run(*arguments):
    return subprocess.run(
        [sys.executable, "-m", "tests.drop_in", *arguments],
        capture_output=True,
        text=True,
        cwd=ROOT,
        env={**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)},
        timeout=SECONDS,
    )


@only_its_version
def test_exactly_the_expected_tests_differ():
    done = run(PART)
    assert done.returncode == 0, done.stdout
    assert " 0 as not expected" in done.stdout
    assert " 0 pass" not in done.stdout


@only_its_version
def test_expected_differences_are_tests_that_use_ours():
    found = {path.relative_to(users_of_svc.FOLDER).as_posix() for path in users_of_svc.files()}
    for test in differences.by_test():
        file, _, name = test.partition("::")
        assert file in found
        users = users_of_svc.users_in(users_of_svc.FOLDER / file)
        assert name.split("[")[0] in users or "[DivideAndConquerClassifier]" in name


def test_users_are_found_through_other_names(tmp_path):
    module = tmp_path / "test_some.py"
    module.write_text(
        "import svm\n"
        "KINDS = [svm.SVC, svm.SVR]\n"
        "def made(): return KINDS[0]()\n"
        "@fixture\n"
        "def fitted(): return made().fit(X, y)\n"
        "def test_by_fixture(fitted): pass\n"
        "@parametrize('kind', KINDS)\n"
        "def test_by_parameter(kind): pass\n"
        "def test_another(): LinearSVC()\n"
    )
    users = users_of_svc.users_in(module)
    assert {"made", "fitted", "test_by_fixture", "test_by_parameter"} <= users
    assert "test_another" not in users
