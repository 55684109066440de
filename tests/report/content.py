"""The content of reports for tests."""

from dcsvm.report.collecting import collect


def gather(model, X, y, **changes):
    settings = {"title": None, "max_rows": None, "random_state": 0}
    return collect(model, X, y, **{**settings, **changes})
