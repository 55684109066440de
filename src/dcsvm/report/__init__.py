"""A page about a fitted classifier: one HTML file to click through, which needs no network."""

from dcsvm.report.writing import write_report

__all__ = ["write_report"]
