"""Probabilities and sets of classes beside those of other libraries."""
