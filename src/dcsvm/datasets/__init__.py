"""The data sets of the paper, and some with more classes.

`load` looks in the folder that the environment variable DCSVM_DATA names, else in
`../shared/data` beside the working directory or the checkout, and else asks scikit-learn:
its own copies of iris and wine, or OpenML.
"""

from __future__ import annotations

from typing import Any

from sklearn.utils import Bunch

from dcsvm.datasets.artificial import make_artificial1
from dcsvm.datasets.fetching import fetch
from dcsvm.datasets.sources import MANY_CLASSES, PAPER, SOURCES
from dcsvm.datasets.stored import description, read, stored_file

__all__ = ["MANY_CLASSES", "PAPER", "SOURCES", "load", "make_artificial1"]


def load(name: str) -> Any:
    """Load a data set by its name.

    Parameters
    ----------
    name : str
        One of `dcsvm.datasets.PAPER`, the fourteen sets of the paper in its order, or of
        `dcsvm.datasets.MANY_CLASSES`.

    Returns
    -------
    data : Bunch
        `data` : float64 array of shape (n_samples, n_features), NaN where a value is missing.
        `target` : array of shape (n_samples,), integers or strings.
        `feature_names` : list of str.
        `split` : array of shape (n_samples,) with "train", "test" or "val", or None where there
        is no official split.
        `extra` : dict of further columns, such as the "id" of glass.
        `DESCR` : what it is and where it comes from.

    Raises
    ------
    ValueError
        If there is no such set.
    OSError
        If it is neither in the folder nor on OpenML; the message says where it can be found.

    Examples
    --------
    >>> from dcsvm.datasets import load
    >>> load("artificial1").data.shape
    (1800, 2)
    """
    if name not in SOURCES:
        raise ValueError(f"There is no data set {name!r}; there are {', '.join(SOURCES)}.")
    if name == "artificial1":
        return make_artificial1()
    source = SOURCES[name]
    file = stored_file(source)
    if file is None:
        return fetch(source)
    return Bunch(**read(file), DESCR=description(source, f"the file {file.name}"))
