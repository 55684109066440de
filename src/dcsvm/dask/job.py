"""The tasks of one fit: waited for without ever hanging, and released at its end."""

from __future__ import annotations

import queue
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from itertools import count
from time import monotonic
from types import TracebackType
from typing import Any, Self
from uuid import uuid4

from distributed import KilledWorker

# Seconds without any worker, or without the scheduler, after which a fit gives up.
PATIENCE = 60.0
# Seconds between looks at the state of the cluster.
INTERVAL = 1.0


class ClusterLostError(RuntimeError):
    """The cluster has no workers any more, or cannot be reached."""


class Job:
    """Tasks on a cluster."""

    def __init__(self, client: Any) -> None:
        self.client = client
        self.futures: list[Any] = []
        self.token, self.numbers = uuid4().hex[:12], count()
        self.alive_at = monotonic()

    def submit(self, function: Callable[..., Any], *arguments: Any, priority: float = 0) -> Any:
        """Start a task. Futures among the arguments stand for their results."""
        key = f"dcsvm-{function.__name__}-{self.token}-{next(self.numbers)}"
        future = self.client.submit(function, *arguments, key=key, priority=priority, pure=False)
        self.futures.append(future)
        return future

    def compute(self, delayed: Sequence[Any]) -> list[Any]:
        """Start delayed values."""
        futures = self.client.compute(list(delayed))
        self.futures += futures
        return list(futures)

    def completed(self, futures: Sequence[Any]) -> Iterator[tuple[int, Any]]:
        """The number and the result of every future, as they come."""
        ended: queue.SimpleQueue[int] = queue.SimpleQueue()
        for number, future in enumerate(futures):
            future.add_done_callback(lambda _, number=number: ended.put(number))
        for _ in futures:
            number = self._next(ended)
            yield number, self._result(futures[number])

    def results(self, futures: Sequence[Any]) -> list[Any]:
        """All results, in order."""
        found: list[Any] = [None] * len(futures)
        for number, result in self.completed(futures):
            found[number] = result
        return found

    def wait(self, futures: Sequence[Any]) -> None:
        """Wait until all are finished, and leave the results where they are."""
        ended: queue.SimpleQueue[int] = queue.SimpleQueue()
        for number, future in enumerate(futures):
            future.add_done_callback(lambda _, number=number: ended.put(number))
        for _ in futures:
            future = futures[self._next(ended)]
            if future.status != "finished":
                self._result(future)

    def _next(self, ended: queue.SimpleQueue[int]) -> int:
        while True:
            with suppress(queue.Empty):
                return ended.get(timeout=INTERVAL)
            self._check_alive()

    def _check_alive(self) -> None:
        if self.client.status == "running" and self._n_workers():
            self.alive_at = monotonic()
        elif self.client.status == "closed" or monotonic() - self.alive_at > PATIENCE:
            raise ClusterLostError(
                f"The cluster has had no worker, or could not be reached, for {PATIENCE:.0f} s: "
                "start workers and fit again."
            )

    def _n_workers(self) -> int:
        with suppress(Exception):  # while the scheduler does not answer
            return len(self.client.nthreads())
        return 0

    def _result(self, future: Any) -> Any:
        try:
            return future.result(timeout=PATIENCE)
        except KilledWorker as error:
            raise MemoryError(
                f"A task ({str(future.key).split('-')[1]}) has ended {error.allowed_failures + 1} "
                "workers one after the other. Most likely they ran out of memory: compare "
                "`plan_` with the memory of the workers, and give them more memory or fewer "
                "threads."
            ) from error

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        if error is not None:
            with suppress(Exception):  # of a cluster that cannot be reached
                self.client.cancel(self.futures, force=True)
        for future in self.futures:
            with suppress(Exception):
                future.release()
        self.futures.clear()
