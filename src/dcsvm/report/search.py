"""The map of scores of the search by which C and γ were found."""

from __future__ import annotations

from typing import Any

from dcsvm.estimators.dcsvc_cv import DCSVCCV
from dcsvm.inspection.search_map import SearchMap, last_step
from dcsvm.report.subject import Subject


def search(subject: Subject) -> dict[str, Any] | None:
    """The map, or None where there was no search."""
    found = subject.search
    if found is None and isinstance(last_step(subject.model), DCSVCCV):
        found = SearchMap.of(subject.model)
    return None if found is None else found._asdict()
