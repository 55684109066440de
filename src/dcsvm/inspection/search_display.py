"""Scores of a search over C and γ."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Self

import numpy as np

from dcsvm.inspection.drawing import INK, MARKED, axes
from dcsvm.inspection.search_map import SearchMap

# In a map of more points numbers could not be read.
MOST_NUMBERS = 200


@dataclass(kw_only=True, eq=False, repr=False)
class SearchDisplay:
    """The mean score of every point of a search, over C and γ.

    The colour is the score; the best point has a frame. A point in brackets was given up after some
    folds, and has the mean score of these.

    Create it with `from_estimator`.

    Parameters
    ----------
    search : SearchMap
        Values of C, kernels with their γ, scores, and the best point.

    Attributes
    ----------
    ax_ : matplotlib Axes
    figure_ : matplotlib Figure
    image_ : matplotlib AxesImage
    """

    search: SearchMap

    @classmethod
    def from_estimator(cls, clf: Any, *, ax: Any = None, cmap: Any = "viridis") -> Self:
        """Draw the scores of a search.

        Parameters
        ----------
        clf : fitted DCSVCCV
            Or a pipeline that ends in one. It may be fitted with ``refit=False``.
        ax : matplotlib Axes, default=None
            Where to draw.
        cmap : str or matplotlib Colormap, default="viridis"
            Colours of the scores.
        """
        return cls(search=SearchMap.of(clf)).plot(ax=ax, cmap=cmap)

    def plot(self, *, ax: Any = None, cmap: Any = "viridis") -> Self:
        """Draw the map."""
        Cs, names = self.search.Cs, self.search.settings
        scores = np.array(self.search.scores, dtype=np.float64)
        self.ax_ = ax = axes(ax, (1.6 + 0.62 * len(Cs), 1.4 + 0.42 * len(names)))
        self.figure_ = ax.figure
        # Hopeless corners would leave no colours for the points that count.
        known = scores[~np.isnan(scores)]
        lowest = float(np.median(known)) if len(known) else 0.0
        self.image_ = ax.imshow(scores, cmap=cmap, vmin=lowest, aspect="auto", origin="lower")
        self.figure_.colorbar(self.image_, ax=ax, label="mean score", extend="min")
        ax.set_xticks(range(len(Cs)), [f"{C:.3g}" for C in Cs])
        ax.set_yticks(range(len(names)), names)
        ax.set_xlabel("C")
        if scores.size <= MOST_NUMBERS:
            self._write_numbers(scores)
        s, c = self.search.best
        frame = {"fill": False, "edgecolor": MARKED, "linewidth": 2.5}
        ax.add_patch(_rectangle()((c - 0.5, s - 0.5), 1, 1, **frame))
        return self

    def _write_numbers(self, scores: Any) -> None:
        n_folds = np.array(self.search.n_folds)
        for (s, c), score in np.ndenumerate(scores):
            if np.isnan(score):
                continue
            text = f"{score:.3f}".removeprefix("0")
            given_up = n_folds[s, c] < n_folds.max()
            is_light = self.image_.norm(score) > 0.5
            self.ax_.text(
                *(c, s, f"({text})" if given_up else text),
                ha="center",
                va="center",
                fontsize=7,
                color=INK if is_light else "white",
            )


def _rectangle() -> Any:
    from matplotlib.patches import Rectangle

    return Rectangle
