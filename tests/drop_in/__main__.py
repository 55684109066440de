"""scikit-learn's own tests with our classes in the place of SVC and OneVsOneClassifier.

    python -m tests.drop_in [FILE ...] [options of pytest]

Without files those are run that use one of the two classes. It succeeds if exactly those tests fail
that stand in differences.toml.
"""

import sys
from pathlib import Path

import pytest
from tests.drop_in import users_of_svc


def main(arguments):
    options = [one for one in arguments if not one.endswith(".py")]
    named = [users_of_svc.FOLDER / one for one in arguments if one.endswith(".py")]
    settings = Path(__file__).with_name("pytest.ini")
    return pytest.main(
        [
            *("-c", str(settings), "--rootdir", str(users_of_svc.FOLDER)),
            *("-p", "tests.drop_in.plugin", "-p", "no:cacheprovider", "-q"),
            *options,
            *map(str, named or users_of_svc.files()),
        ]
    )


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
