"""The steps of a pipeline before the classifier, as few simple stages.

A stage is either a map of single entries,

    out[d] = (fill(x[source[d]]) − centre[d]) · scale[d], within low[d] … high[d],

where fill replaces a missing value, or a projection out = matrix (x − mean). Maps that follow each
other are one map.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.compose import ColumnTransformer
from sklearn.decomposition import PCA
from sklearn.impute import MissingIndicator, SimpleImputer
from sklearn.pipeline import FeatureUnion, Pipeline
from sklearn.preprocessing import FunctionTransformer, MaxAbsScaler, MinMaxScaler, StandardScaler

from dcsvm.export.errors import ExportError

Floats = NDArray[np.float64]


@dataclass(frozen=True)
class EntryMap:
    """A map of single entries; `fill` is NaN where missing values stay."""

    source: NDArray[np.int64]
    fill: Floats
    is_gap: NDArray[np.bool_]  # the entry is 1 where the source is missing, else 0
    centre: Floats
    scale: Floats
    low: Floats
    high: Floats

    @classmethod
    def of(cls, source: NDArray[np.int64]) -> EntryMap:
        """These entries as they are."""
        n = len(source)
        zero, one, infinite = np.zeros(n), np.ones(n), np.full(n, np.inf)
        nothing, no_gap = np.full(n, np.nan), np.zeros(n, dtype=bool)
        return cls(source, nothing, no_gap, zero, one, -infinite, infinite)

    def take(self, entries: Any) -> EntryMap:
        """Some of the entries."""
        return EntryMap(*(part[entries] for part in vars(self).values()))

    def filled(self, value: Floats) -> EntryMap:
        """With missing results replaced."""
        open_ones = np.isnan(self.fill) & ~self.is_gap & ~np.isnan(value)
        factor = np.where(self.scale == 0, 1.0, self.scale)
        return replace(self, fill=np.where(open_ones, value / factor + self.centre, self.fill))

    def scaled(self, centre: Any, scale: Any) -> EntryMap:
        """With the results moved and multiplied."""
        if np.any(self.scale == 0):
            raise ExportError("A step multiplies a feature by zero: leave that feature out.")
        with np.errstate(invalid="ignore"):  # ∞ · 0, a bound that is none
            low, high = (self.low - centre) * scale, (self.high - centre) * scale
        return replace(
            self,
            centre=self.centre + centre / self.scale,
            scale=self.scale * scale,
            low=np.nan_to_num(np.minimum(low, high), nan=-np.inf, posinf=np.inf, neginf=-np.inf),
            high=np.nan_to_num(np.maximum(low, high), nan=np.inf, posinf=np.inf, neginf=-np.inf),
        )

    def within(self, low: float, high: float) -> EntryMap:
        """With the results kept within bounds."""
        return replace(self, low=np.maximum(self.low, low), high=np.minimum(self.high, high))


@dataclass(frozen=True)
class Projection:
    """The product of a matrix and a row, out = matrix (x − mean)."""

    mean: Floats
    matrix: Floats  # (n_out, n_in)


Stage = EntryMap | Projection


@dataclass(frozen=True)
class Stages:
    """Stages, the last one being a map."""

    before: tuple[Stage, ...]
    last: EntryMap

    @classmethod
    def none(cls, n_features: int) -> Stages:
        """Features as they are."""
        return cls((), EntryMap.of(np.arange(n_features)))

    def then(self, last: EntryMap) -> Stages:
        """With another map in the place of the last one."""
        return replace(self, last=last)


def stages_of(transformer: Any, n_features: int, names: list[str] | None) -> Stages:
    """The stages of a fitted transformer, or of a pipeline of them."""
    return _apply(transformer, Stages.none(n_features), names)


def _apply(step: Any, x: Stages, names: list[str] | None) -> Stages:
    match step:
        case None | "passthrough":
            return x
        case Pipeline():
            for _, part in step.steps:
                x = _apply(part, x, names)
                names = None
            return x
        case FunctionTransformer(func=None):  # what "passthrough" becomes
            return x
        case StandardScaler():
            centre = step.mean_ if step.with_mean else 0.0
            return x.then(x.last.scaled(centre, 1 / step.scale_ if step.with_std else 1.0))
        case MinMaxScaler():
            last = x.last.scaled(-step.min_ / step.scale_, step.scale_)
            return x.then(last.within(*step.feature_range) if step.clip else last)
        case MaxAbsScaler():
            last = x.last.scaled(0.0, 1 / step.scale_)
            return x.then(last.within(-1.0, 1.0) if getattr(step, "clip", False) else last)
        case SimpleImputer():
            return x.then(_imputed(step, x.last))
        case MissingIndicator():
            return x.then(_gaps(step, x.last))
        case PCA():
            matrix = step.components_
            if step.whiten:
                matrix = matrix / np.sqrt(step.explained_variance_)[:, np.newaxis]
            before = (*x.before, x.last, Projection(np.asarray(step.mean_), matrix))
            return Stages(before, EntryMap.of(np.arange(len(matrix))))
        case FeatureUnion():
            return _side_by_side(
                [(part, None) for _, part in step.transformer_list],
                step.transformer_weights,
                step.transformer_list,
                x,
                names,
            )
        case ColumnTransformer():
            parts = [(part, columns) for _, part, columns in step.transformers_]
            return _side_by_side(parts, step.transformer_weights, step.transformers_, x, names)
    raise ExportError(
        f"{type(step).__name__} cannot be exported: the steps before the classifier may be "
        "StandardScaler, MinMaxScaler, MaxAbsScaler, SimpleImputer, MissingIndicator and PCA, "
        "also in a ColumnTransformer or FeatureUnion. Apply other steps yourself, and export the "
        "classifier alone, as model[-1]."
    )


def _side_by_side(
    parts: list[tuple[Any, Any]], weights: Any, named: list[Any], x: Stages, names: list[str] | None
) -> Stages:
    maps = []
    for (part, columns), (name, *_) in zip(parts, named, strict=True):
        if isinstance(part, str) and part == "drop":
            continue
        own = x if columns is None else x.then(x.last.take(_places(columns, names, x.last)))
        made = _apply(part, own, names if columns is None else None)
        if made.before != x.before:
            raise ExportError(
                "A PCA inside a ColumnTransformer or FeatureUnion cannot be exported: put it "
                "after them in the pipeline."
            )
        weight = (weights or {}).get(name, 1.0)
        maps.append(made.last if weight == 1.0 else made.last.scaled(0.0, weight))
    return x.then(
        EntryMap(*(np.concatenate(p) for p in zip(*(vars(m).values() for m in maps), strict=True)))
    )


def _places(columns: Any, names: list[str] | None, last: EntryMap) -> NDArray[np.int64]:
    """Where the columns of a ColumnTransformer stand."""
    n = len(last.source)
    if isinstance(columns, slice):
        return np.arange(n)[columns]
    if isinstance(columns, str) or (len(columns) and isinstance(columns[0], str)):
        if names is None:
            raise ExportError(
                "The columns of a ColumnTransformer after another step cannot be found by name: "
                "name them by number."
            )
        wanted = [columns] if isinstance(columns, str) else columns
        return np.array([names.index(name) for name in wanted], dtype=np.int64)
    return np.asarray(np.arange(n)[np.asarray(columns)])


def _imputed(step: SimpleImputer, last: EntryMap) -> EntryMap:
    _check_missing_is_nan(step)
    try:
        statistics = np.asarray(step.statistics_).astype(np.float64)
    except ValueError:
        raise ExportError(
            "A SimpleImputer of texts cannot be exported: export numbers alone."
        ) from None
    kept = np.arange(len(statistics))
    if not step.keep_empty_features:
        kept = kept[~np.isnan(statistics)]
    values = last.take(kept).filled(statistics[kept])
    if step.indicator_ is None:
        return values
    gaps = _gaps(step.indicator_, last)
    return EntryMap(
        *(np.concatenate(p) for p in zip(vars(values).values(), vars(gaps).values(), strict=True))
    )


def _gaps(step: MissingIndicator, last: EntryMap) -> EntryMap:
    _check_missing_is_nan(step)
    own = last.take(np.asarray(step.features_, dtype=np.int64))
    if not np.isnan(own.fill).all():
        raise ExportError("A MissingIndicator must come before the SimpleImputer.")
    gaps = EntryMap.of(own.source)
    return replace(gaps, is_gap=np.ones(len(own.source), dtype=bool))


def _check_missing_is_nan(step: Any) -> None:
    if not (isinstance(step.missing_values, float) and np.isnan(step.missing_values)):
        raise ExportError(
            f"{type(step).__name__}(missing_values={step.missing_values!r}) cannot be exported: "
            "fit it to rows whose missing values are NaN."
        )
