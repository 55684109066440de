"""Where a command does its work."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated

from typer import Option

from dcsvm.cli.options.groups import OptionGroup


@dataclass(frozen=True)
class ClusterOptions(OptionGroup):
    """A Dask cluster, if there is to be one."""

    dask: Annotated[
        bool,
        Option("--dask", help="Read a folder of Parquet files, and work on a Dask cluster."),
    ] = False
    scheduler: Annotated[
        str | None,
        Option(
            metavar="ADDRESS",
            help="Address of the cluster, such as tcp://host:8786; by default one is started here "
            "that uses all cores.",
        ),
    ] = None

    @property
    def wanted(self) -> bool:
        """Whether there is to be a cluster: an address alone says so too."""
        return self.dask or self.scheduler is not None
