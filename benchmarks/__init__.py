"""Measurements against other libraries; the times of a ratio come from one run on one computer."""
