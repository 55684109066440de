"""Threads and files: nothing here knows of support vector machines."""
