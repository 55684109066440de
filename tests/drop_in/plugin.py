"""A plugin of pytest: DCSVC and DivideAndConquerClassifier in the place of scikit-learn's classes.

It is loaded before the tests of scikit-learn are imported. Of these it keeps those that use one of
the two classes, and expects those to fail that stand in the list of differences.
"""

import functools

import pytest
import sklearn.multiclass
import sklearn.svm
from tests.drop_in import differences, users_of_svc

import dcsvm.training.libsvm  # noqa: F401  it trains by the SVC that it finds
from dcsvm import DCSVC, DivideAndConquerClassifier

OURS = (DCSVC, DivideAndConquerClassifier)
USED = "uses one of ours"
made = []


def note_when_made(cls):
    init = cls.__init__

    @functools.wraps(init)
    def noted(self, *args, **kwargs):
        made.append(cls)
        init(self, *args, **kwargs)

    cls.__init__ = noted


for cls in OURS:
    note_when_made(cls)
sklearn.svm.SVC = DCSVC
sklearn.multiclass.OneVsOneClassifier = DivideAndConquerClassifier

users_in = functools.cache(users_of_svc.users_in)


def has_ours(value):
    return isinstance(value, OURS) or (isinstance(value, type) and issubclass(value, OURS))


def may_use_ours(item):
    parameters = getattr(item, "callspec", None)
    if parameters is not None and any(map(has_ours, parameters.params.values())):
        return True
    return item.originalname in users_in(item.path)


def pytest_collection_modifyitems(config, items):
    kept = [item for item in items if may_use_ours(item)]
    config.hook.pytest_deselected(items=[item for item in items if item not in kept])
    items[:] = kept
    expected = differences.by_test()
    for item in items:
        test = f"{item.path.relative_to(users_of_svc.FOLDER).as_posix()}::{item.name}"
        reason = expected.get(test) or expected.get(test.split("[")[0])
        if reason is not None:
            item.add_marker(pytest.mark.xfail(reason=reason, strict=True))


@pytest.hookimpl(wrapper=True)
def pytest_runtest_call(item):
    before = len(made)
    try:
        return (yield)
    finally:
        if len(made) > before or item.originalname not in users_in(item.path):
            item.user_properties.append((USED, True))


def pytest_terminal_summary(terminalreporter):
    counts = {}
    for outcome in ("passed", "failed", "xfailed", "skipped"):
        reports = terminalreporter.stats.get(outcome, [])
        counts[outcome] = sum((USED, True) in report.user_properties for report in reports)
    terminalreporter.write_line(
        f"Of {sum(counts.values())} tests that make one of ours, {counts['passed']} pass, "
        f"{counts['xfailed']} differ as expected, {counts['failed']} as not expected."
    )
