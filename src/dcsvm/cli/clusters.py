"""The Dask cluster of a command, and the folders of Parquet files that it reads there."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from dcsvm.cli.errors import UserError


@contextmanager
def cluster_client(scheduler: str | None) -> Iterator[Any]:
    """A client of the cluster at an address, or of one of all cores of this computer."""
    if find_spec("distributed") is None:
        raise UserError("--dask needs Dask: pip install 'dcsvm[dask]'.")
    from distributed import Client, LocalCluster

    import dask

    if scheduler is not None:
        try:
            client = Client(scheduler)
        except (OSError, ValueError) as error:
            raise UserError(
                f"There is no Dask scheduler at {scheduler}: start one with `dask scheduler`, or "
                "leave out --scheduler."
            ) from error
        with client, _as_user_errors():
            yield client
        return
    cores = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count()
    with (
        dask.config.set({"distributed.deploy.lost-worker-timeout": "5 min"}),
        LocalCluster(
            n_workers=cores, threads_per_worker=1, processes=True, dashboard_address=":0"
        ) as cluster,
        Client(cluster) as client,
        _as_user_errors(),
    ):
        yield client


@contextmanager
def _as_user_errors() -> Iterator[None]:
    """What a cluster lacks is for the user to give."""
    from dcsvm.dask import ClusterLostError

    try:
        yield
    except (ClusterLostError, MemoryError) as error:
        raise UserError(str(error)) from error


def check_folder(path: Path) -> None:
    """Refuse what is neither a folder of Parquet files nor a Parquet file."""
    if path.is_dir():
        if not any(path.glob("**/*.parquet")):
            raise UserError(f"There are no files named *.parquet in {path}.")
    elif path.suffix != ".parquet":
        raise UserError(f"--dask reads a folder of Parquet files, which {path} is not.")
    elif not path.is_file():
        raise UserError(f"There is no file {path}: check its name.")


def check_new_folder(path: Path) -> None:
    """Refuse an output that is there already, and is not an empty folder."""
    if path.exists() and not (path.is_dir() and not any(path.iterdir())):
        raise UserError(f"{path} is there already: give another folder with -o.")
