"""`DaskDCSVC`: a DCSVC that is fitted, and predicts, where the rows are."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Sequence
from copy import copy
from typing import Any, NamedTuple, Self

import numpy as np
from distributed import default_client
from numpy.typing import NDArray
from sklearn.base import BaseEstimator, ClassifierMixin, clone
from sklearn.utils.metaestimators import available_if
from sklearn.utils.validation import check_is_fitted

from dask import delayed
from dcsvm._util.memory import physical_memory
from dcsvm.dask.distant_rows import Blocks, distant_rows, joined_summaries, summary_of
from dcsvm.dask.job import PATIENCE, ClusterLostError, Job
from dcsvm.dask.partitions import (
    ESTIMATOR,
    LabelCounts,
    Part,
    Source,
    count_labels,
    source_of,
    total_counts,
)
from dcsvm.dask.plan import Cluster, Plan, make_plan
from dcsvm.dask.prediction import (
    Output,
    model_on,
    predicted,
    right_weight,
)
from dcsvm.dask.shuffling import gather, piece, split
from dcsvm.dask.stages import ClusterStages
from dcsvm.data.labels import check_several
from dcsvm.data.rows import TrainingRows
from dcsvm.estimators.access import fit_elsewhere, parameter_names, with_parameters
from dcsvm.estimators.checks import check_every_class_has_weight
from dcsvm.estimators.dcsvc import DCSVC


def _with_parameters_of_dcsvc(init: Callable[..., None]) -> Callable[..., None]:
    """Show the parameters of DCSVC in the signature: scikit-learn reads them there."""
    signature = inspect.signature(init)
    own = [p for p in signature.parameters.values() if p.kind is not p.VAR_KEYWORD]
    shared = inspect.signature(DCSVC).parameters.values()
    init.__signature__ = signature.replace(parameters=[*own, *shared])  # type: ignore[attr-defined]
    return init


def _local_has(method: str) -> Callable[[Any], bool]:
    def has(classifier: Any) -> bool:
        local = getattr(classifier, "_local", None)
        return hasattr(DCSVC, method) if local is None else hasattr(local, method)

    return has


class _Prepared(NamedTuple):
    """What is known before rows are moved."""

    source: Source
    totals: LabelCounts
    plan: Plan
    runs: list[slice]  # partitions that are cut together
    first_row: NDArray[np.int64]  # of each partition, among all rows; and the end


class DaskDCSVC(ClassifierMixin, BaseEstimator):
    """A :class:`dcsvm.DCSVC` that is trained, and predicts, on a Dask cluster.

    The rows are brought together by class once, and blocks of classes are trained against each
    other, each in one task. Neither the client nor a worker ever has all rows. The result is that
    of a `DCSVC` fitted to the same rows.

    Parameters
    ----------
    client : distributed.Client, default=None
        The cluster; None stands for the client made last.
    **parameters
        Those of DCSVC. The kernel cannot be precomputed. `n_jobs` is the number of threads that
        this process uses; on workers every thread of Dask runs a task of its own.

    Attributes
    ----------
    classes_ : ndarray of shape (n_classes,)
        The classes, sorted.
    n_features_in_ : int
        Number of features seen in `fit`.
    plan_ : Plan
        The blocks, tasks and bytes of the fit, as known before it began.

    Examples
    --------
    >>> import dask.array as da
    >>> from distributed import Client
    >>> from dcsvm.dask import DaskDCSVC
    >>> client = Client(n_workers=2, threads_per_worker=1)       # doctest: +SKIP
    >>> X, y = da.from_array(rows, chunks=(10_000, -1)), labels  # doctest: +SKIP
    >>> clf = DaskDCSVC(client).fit(X, y)                        # doctest: +SKIP
    >>> clf.to_local().predict(rows[:5])                         # doctest: +SKIP
    """

    plan_: Plan

    @_with_parameters_of_dcsvc
    def __init__(self, client: Any = None, **parameters: Any) -> None:
        defaults = {p.name: p.default for p in inspect.signature(DCSVC).parameters.values()}
        unknown = sorted(parameters.keys() - defaults.keys())
        if unknown:
            raise TypeError(f"{ESTIMATOR} has no parameter {unknown[0]!r}.")
        self.client = client
        for name, value in {**defaults, **parameters}.items():
            setattr(self, name, value)

    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> Self:
        """Train the machines on the cluster, and choose the way to a class here.

        Parameters
        ----------
        X : dask array, dask data frame or path
            Training rows of n_features columns. A path is that of a Parquet file, or of a folder
            of them.
        y : dask array, dask series, array-like or str
            Labels of any sortable type, in partitions like those of X; of Parquet files the name
            of their column, which is no feature then.
        sample_weight : the same, default=None
            Factors of C per row, as in DCSVC.

        Returns
        -------
        self
            The same estimator, fitted. If anything stops the fit, it is left as it was.
        """
        local = with_parameters(DCSVC, self._parameters())
        if self._parameters()["kernel"] == "precomputed":
            raise ValueError(
                f"{ESTIMATOR} needs features: a precomputed kernel is a matrix of all rows."
            )
        with Job(self._client()) as job:
            prepared = self._prepare(job, X, y, sample_weight)
            plan, n_rows = prepared.plan, int(prepared.first_row[-1])

            def begin() -> tuple[TrainingRows, NDArray[Any], ClusterStages]:
                blocks, rows = _shuffled(job, prepared)
                return rows, prepared.totals.labels, ClusterStages(job, blocks, plan)

            fit_elsewhere(local, prepared.source.X_some, begin)
        local.shape_fit_ = n_rows, local.n_features_in_
        self._local, self.plan_, self._model = local, plan, (None, None)
        return self

    def plan(self, X: Any, y: Any, sample_weight: Any = None) -> Plan:
        """The plan of a fit, after a look at the labels alone."""
        with Job(self._client()) as job:
            return self._prepare(job, X, y, sample_weight).plan

    def _prepare(self, job: Job, X: Any, y: Any, sample_weight: Any) -> _Prepared:
        source = source_of(X, y, sample_weight)
        labels = [delayed(count_labels)(Part(None, p.y, p.weight)) for p in source.parts]
        counts = job.results(job.compute(labels))
        totals = total_counts(counts)
        classes, k = totals.labels, len(totals.labels)
        check_several(classes, ESTIMATOR)
        check_every_class_has_weight(classes, np.arange(k), totals.n_weighted.astype(np.float64))
        of_part = np.array([int(part.n_rows.sum()) for part in counts])
        plan, runs = make_plan(
            totals.n_weighted,
            of_part,
            source.n_features,
            source.dtype.itemsize,
            copies=1 if self._parameters()["scaling"] != "global" else 2,
            cache_size=self._parameters()["cache_size"],
            cluster=cluster_of(job.client),
            names=classes.tolist(),
        )
        return _Prepared(source, totals, plan, runs, np.concatenate([[0], np.cumsum(of_part)]))

    def labels(self, X: Any, y: Any, sample_weight: Any = None) -> NDArray[Any]:
        """The classes that a fit would find, sorted."""
        with Job(self._client()) as job:
            return self._prepare(job, X, y, sample_weight).totals.labels

    @classmethod
    def paper(cls, client: Any = None, **parameters: Any) -> Self:
        """The method as the paper has it, see `DCSVC.paper`."""
        return cls(client, **DCSVC.paper(**parameters).get_params())

    @property
    def classes_(self) -> NDArray[Any]:
        """The classes, sorted."""
        return np.asarray(self._fitted().classes_)

    @property
    def n_features_in_(self) -> int:
        """Number of features seen in `fit`."""
        return int(self._fitted().n_features_in_)

    def to_local(self) -> DCSVC:
        """The fitted classifier as a DCSVC, which needs no cluster, can be saved and pickled."""
        local: DCSVC = copy(self._fitted())
        return local

    def predict(self, X: Any) -> Any:
        """The class of each row, lazily: a dask array or series with the partitions of X."""
        return self._lazily(X, "predict", self.classes_[:1])

    @available_if(_local_has("predict_proba"))
    def predict_proba(self, X: Any) -> Any:
        """The probability of each class for each row, lazily, with the partitions of X."""
        return self._lazily_numbers(X, "predict_proba", self.classes_.tolist())

    def decision_function(self, X: Any) -> Any:
        """What `DCSVC.decision_function` gives, lazily, with the partitions of X."""
        local = self._fitted()
        if len(self.classes_) == 2:
            return self._lazily(X, "decision_function", np.zeros(1))
        is_ovo = local.decision_function_shape == "ovo"
        columns = range(local.machines_.n_machines) if is_ovo else self.classes_.tolist()
        return self._lazily_numbers(X, "decision_function", columns)

    def predict_with_decisions(self, X: Any) -> tuple[Any, Any]:
        """The class of each row, and how many machines it took, lazily and in one pass."""
        both = np.zeros(1, [("label", self.classes_.dtype), ("decisions", np.int64)])
        both["label"] = self.classes_[0]
        found = self._lazily(X, "predict_with_decisions", both)
        return found["label"], found["decisions"]

    def score(self, X: Any, y: Any, sample_weight: Any = None) -> float:
        """The accuracy of `predict(X)`, computed partition by partition."""
        self._fitted()
        client = self._client()
        model = self._model_for(client)
        parts = [
            delayed(right_weight)(model, part) for part in source_of(X, y, sample_weight).parts
        ]
        with Job(client) as job:
            right, total = sum(job.results(job.compute(parts)))
        return float(right / total)

    def _lazily(self, X: Any, method: str, example: Any, columns: Any = None) -> Any:
        self._fitted()
        model = self._model_for(self._client(needed=False))
        return predicted(X, model, Output(method, example, columns))

    def _lazily_numbers(self, X: Any, method: str, columns: Sequence[Any]) -> Any:
        return self._lazily(X, method, np.zeros((1, len(columns))), list(columns))

    def _model_for(self, client: Any) -> Any:
        """The model, sent to a cluster once."""
        known, model = self._model
        if model is None or known is not client:
            model = model_on(client, self._local)
            self._model = client, model
        return model

    def _fitted(self) -> Any:
        check_is_fitted(self, "_local")
        return self._local

    def _parameters(self) -> dict[str, Any]:
        return {name: getattr(self, name) for name in parameter_names(DCSVC)}

    def _client(self, needed: bool = True) -> Any:
        client = self.client
        if client is None:
            try:
                client = default_client()
            except ValueError as error:
                if not needed:
                    return None
                raise ValueError(
                    f"{ESTIMATOR} needs a Dask cluster: make a distributed.Client first."
                ) from error
        if client.asynchronous:
            raise ValueError(f"{ESTIMATOR} does not take an asynchronous client.")
        return client

    def __sklearn_clone__(self) -> Self:
        parameters = {name: clone(value, safe=False) for name, value in self._parameters().items()}
        return type(self)(self.client, **parameters)

    def __getstate__(self) -> dict[str, Any]:
        return {**super().__getstate__(), "client": None, "_model": (None, None)}


def _shuffled(job: Job, prepared: _Prepared) -> tuple[Blocks, TrainingRows]:
    """Bring the rows together by class."""
    source, plan = prepared.source, prepared.plan
    classes, edges = delayed(prepared.totals.labels), delayed(plan.edges)
    pieces = [
        delayed(split)(
            source.parts[run], int(prepared.first_row[run.start]), classes, edges, source.dtype
        )
        for run in prepared.runs
    ]
    gathered = [
        delayed(gather)([delayed(piece)(of_run, b) for of_run in pieces])
        for b in range(plan.n_blocks)
    ]
    stored = job.compute(gathered)
    job.wait(stored)
    known = job.results([job.submit(summary_of, block) for block in stored])
    class_start, weight = joined_summaries(known)
    blocks = Blocks(job, stored, class_start[plan.edges])
    shape = source.n_features, source.dtype
    return blocks, distant_rows(blocks, weight, class_start, *shape)


def cluster_of(client: Any) -> Cluster:
    """The workers of a cluster that has some, or gets some soon."""
    try:
        client.wait_for_workers(1, timeout=PATIENCE)
    except (TimeoutError, OSError) as error:
        raise ClusterLostError(
            f"The cluster has had no worker for {PATIENCE:.0f} s: start workers and fit again."
        ) from error
    workers = client.scheduler_info(n_workers=-1)["workers"].values()
    unlimited = (physical_memory() or 2**34) / len(workers)
    return Cluster(
        len(workers),
        max(int(worker["nthreads"]) for worker in workers),
        float(min(worker["memory_limit"] or unlimited for worker in workers)),
    )
