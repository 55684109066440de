"""Training and prediction on a Dask cluster: more rows than one computer has memory for."""

try:
    from dcsvm.dask.classifier import DaskDCSVC
    from dcsvm.dask.job import ClusterLostError
except ModuleNotFoundError as error:
    if (error.name or "").partition(".")[0] not in ("dask", "distributed"):
        raise
    raise ImportError("dcsvm.dask needs Dask: pip install 'dcsvm[dask]'.") from error

__all__ = ["ClusterLostError", "DaskDCSVC"]
