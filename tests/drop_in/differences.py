"""The differences that are expected of scikit-learn's own tests, each with its reason."""

import tomllib
from pathlib import Path

LIST = Path(__file__).with_name("differences.toml")


def differences():
    """Every difference: its title, its reason, and the tests that it makes fail."""
    return tomllib.loads(LIST.read_text(encoding="utf-8"))["difference"]


def version():
    """The version of scikit-learn whose tests these are."""
    return tomllib.loads(LIST.read_text(encoding="utf-8"))["scikit-learn"]


def by_test():
    """The reason why each test fails, by file and name; a name without [ ] is all its variants."""
    return {test: each["reason"] for each in differences() for test in each["tests"]}
