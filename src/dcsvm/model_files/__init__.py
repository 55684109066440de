"""Model files: fitted classifiers in files that are safe to load, whatever their origin.

A file is a zip archive in the format of skops: arrays, and a schema of what they belong to. It
holds no code, and loading it runs none. The estimators of dcsvm are in it as plain numbers and
texts, from which `load` builds them anew. It checks every number first, so that no wrong index
reaches the compiled core. Estimators of other libraries, the steps of a pipeline or the classifiers
of a `DivideAndConquerClassifier`, must be of a type on the allowlist (allowlist.py).
"""

from dcsvm.model_files.fields import ModelFileError
from dcsvm.model_files.files import load, load_metadata, save

__all__ = ["ModelFileError", "load", "load_metadata", "save"]
