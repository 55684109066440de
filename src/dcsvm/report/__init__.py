"""A report about a fitted classifier: one interactive HTML file, which needs no network."""

from dcsvm.report.page import write_report

__all__ = ["write_report"]
