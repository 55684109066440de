"""`save` and `load`."""

from __future__ import annotations

import io
import json
import os
import shutil
import stat
import tempfile
from pathlib import Path
from typing import Any
from zipfile import BadZipFile, ZipFile

from dcsvm._util.files import atomic_write
from dcsvm.model_files.allowlist import check_schema
from dcsvm.model_files.archive import (
    HEADER,
    SCHEMA,
    check_length,
    check_members,
    read_json,
    rewrite,
)
from dcsvm.model_files.fields import Fields, ModelFileError, require

FORMAT = "dcsvm model"
FORMAT_VERSION = 1
# skops reads files with an older protocol by other rules, which are not needed here.
OLDEST_PROTOCOL = 2


def save(model: Any, path: str | os.PathLike[str], *, metadata: Any = None) -> None:
    """Save a fitted classifier, or a pipeline that ends in one, to a model file.

    The file holds arrays and texts but no code, so that files of unknown origin can be loaded.
    It is written in full or not at all: after an interrupt or on a full disk the file that was
    there before is unchanged.

    Parameters
    ----------
    model : DCSVC, OneVsOneSVC, DAGSVC, DivideAndConquerClassifier or Pipeline
        Fitted. Other steps of a pipeline, a `shortlist`, and the `estimator` of a
        DivideAndConquerClassifier can be the usual ones of scikit-learn and skrub. The `memory`
        of a pipeline and the metadata requests of estimators are not saved.
    path : str or path-like
        The file, by custom with the ending ``.dcsvm``.
    metadata : dict, default=None
        Anything that JSON can hold, for `load_metadata`.

    Raises
    ------
    ModelFileError
        If the model holds functions, such as a kernel of your own, or types that are not on the
        allowlist. Nothing is written then.
    sklearn.exceptions.NotFittedError
        If it is not fitted.

    Examples
    --------
    >>> import dcsvm
    >>> from sklearn.datasets import load_iris
    >>> X, y = load_iris(return_X_y=True)
    >>> clf = dcsvm.DCSVC().fit(X, y)
    >>> dcsvm.save(clf, "iris.dcsvm")  # doctest: +SKIP
    >>> dcsvm.load("iris.dcsvm").predict(X[:1])  # doctest: +SKIP
    array([0])
    """
    import dcsvm
    from dcsvm.model_files.estimators import model_state

    header = {
        "format": FORMAT,
        "format_version": FORMAT_VERSION,
        "dcsvm_version": dcsvm.__version__,
        "metadata": _checked_metadata(metadata),
    }
    state = model_state(model)
    with atomic_write(path) as temporary:
        folder = temporary.parent if temporary.is_file() else None  # not beside a pipe
        with tempfile.TemporaryFile(dir=folder) as packed:
            _write(header, state, packed, folder)
            with temporary.open("wb") as file:
                shutil.copyfileobj(packed, file, 2**20)


def _write(header: dict[str, Any], state: dict[str, Any], file: Any, folder: Path | None) -> None:
    """Write a file, and check that it can be read."""
    import skops.io

    with tempfile.TemporaryFile(dir=folder) as raw:
        try:
            skops.io.dump(state, raw)
        except (OSError, MemoryError):
            raise
        except RecursionError as error:
            raise _cannot_save("it holds something that refers to itself") from error
        except Exception as error:  # of any object that skops asks for its state
            raise _cannot_save(str(error).rstrip(".")) from error
        with ZipFile(raw) as archive:
            rewrite(header, archive, file)
    try:
        _read(file, with_model=True)
    except ModelFileError as error:
        raise _cannot_save(str(error)) from error
    file.seek(0)


def _cannot_save(problem: str) -> ModelFileError:
    return ModelFileError(
        f"This model cannot be put in a file: {problem}. Use other steps or parameters, or pickle "
        "it for your own use."
    )


def load(path: str | os.PathLike[str], *, return_metadata: bool = False) -> Any:
    """Load a model that `save` has written.

    No code in the file is run, and all of it is checked before it is used, so that files of
    unknown origin can be loaded.

    Parameters
    ----------
    path : str or path-like
        The file.
    return_metadata : bool, default=False
        Whether to return the metadata, too.

    Returns
    -------
    model : estimator
        Fitted, with the same predictions as the one saved.
    metadata : dict or None
        What `save` was given as `metadata`; with `return_metadata` only.

    Raises
    ------
    ModelFileError
        If the file is not a model file, is damaged, comes from a newer version, or holds types
        that are not on the allowlist.
    """
    model, metadata = _load(path, with_model=True)
    return (model, metadata) if return_metadata else model


def load_metadata(path: str | os.PathLike[str]) -> Any:
    """The metadata of a model file, for which the model is not built."""
    return _load(path, with_model=False)[1]


def _load(path: str | os.PathLike[str], with_model: bool) -> tuple[Any, Any]:
    try:
        mode = Path(path).stat().st_mode
        # A device may have no end, and a pipe no writer.
        require(stat.S_ISREG(mode) or stat.S_ISDIR(mode), "it is a device or a pipe")
        with Path(path).open("rb") as file:
            return _read(file, with_model)
    except ModelFileError as error:
        raise ModelFileError(
            f"{os.fspath(path)!r} cannot be loaded: {error}. Use a file written by dcsvm.save, "
            "or save the model anew."
        ) from error


def _read(file: Any, with_model: bool) -> tuple[Any, Any]:
    try:
        return _read_checked(file, with_model)
    except (ModelFileError, MemoryError):
        raise
    except BadZipFile as error:
        raise ModelFileError("it is no model file, or a damaged one") from error
    except Exception as error:  # of any reader of a broken file
        raise ModelFileError(f"it is damaged ({type(error).__name__}: {error})"[:200]) from error


def _read_checked(file: Any, with_model: bool) -> tuple[Any, Any]:
    file_size = file.seek(0, io.SEEK_END)
    with ZipFile(file) as archive:
        check_members(archive, file_size)
        metadata = _metadata_of(Fields(read_json(archive, HEADER), "file"))
        if not with_model:
            return None, metadata
        schema = read_json(archive, SCHEMA)
        protocol = schema.get("protocol")
        require(type(protocol) is int and protocol >= OLDEST_PROTOCOL, "its protocol is unknown")
        check_length(archive)
        allowed = check_schema(schema, archive, file_size)
    import skops.io

    from dcsvm.model_files.estimators import model_from

    file.seek(0)
    return model_from(skops.io.load(file, trusted=allowed)), metadata


def _metadata_of(header: Fields) -> Any:
    require(header.string("format")[:40] == FORMAT, "it is not a model of dcsvm")
    writer = header.string("dcsvm_version")[:40]
    newer = f"it was written by dcsvm {writer}, which is newer than this one: update dcsvm"
    require(header.integer("format_version", 1) <= FORMAT_VERSION, newer)
    return header.raw("metadata")


def _checked_metadata(metadata: Any) -> Any:
    """Metadata as they will come back."""
    try:
        return json.loads(json.dumps(metadata))
    except (TypeError, ValueError, RecursionError) as error:
        raise TypeError(f"metadata must be something that JSON can hold: {error}.") from error
