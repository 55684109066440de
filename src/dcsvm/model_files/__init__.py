"""Model files: fitted classifiers that strangers can exchange.

A file is a zip archive in the format of skops: arrays, and a description of what they belong to.
Nothing in it is code, and loading it runs none. Our own estimators are in it as plain numbers and
texts, from which `load` builds them anew, after it has looked at every one of them: a wrong index
never comes before the compiled core. What comes from other libraries, the steps of a pipeline or
the classifiers of a `DivideAndConquerClassifier`, must be of a type on a fixed list (trusted.py).
"""

from dcsvm.model_files.errors import ModelFileError
from dcsvm.model_files.files import load, load_metadata, save

__all__ = ["ModelFileError", "load", "load_metadata", "save"]
