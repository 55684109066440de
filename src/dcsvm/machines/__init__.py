"""Trained binary machines and their evaluation."""
