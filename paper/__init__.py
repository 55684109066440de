"""The experiments of the DCSVM paper, repeated: `python -m paper`."""
