"""The experiments of the DCSVM paper, run again: `python -m paper`."""
