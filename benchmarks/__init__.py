"""Measurements against peers, all ratios from one run on one machine."""
