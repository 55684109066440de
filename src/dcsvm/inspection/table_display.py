"""The All-Predictions table as a heat map."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import KW_ONLY, dataclass
from typing import Any, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray

from dcsvm.data.labels import encode_labels
from dcsvm.data.pairs import machine_of, n_pairs
from dcsvm.inspection.drawing import INK, axes, pyplot
from dcsvm.inspection.fitted import find_classifier
from dcsvm.inspection.structure import one_decimal
from dcsvm.table.prediction_table import PredictionTable

# With more cells than these there is no room for their numbers, or their dots.
MOST_NUMBERS = 200
MOST_MARKS = 8000
# With more columns their names are left out.
MOST_NAMES = 160


@dataclass(eq=False, repr=False)
class PredictionTableDisplay:
    """The All-Predictions table: the share of each class on either side of each machine.

    A row is a machine "A vs B", a column a class. Blue classes are on the side of A, red ones on
    that of B, pale ones on both. A dot marks a class that is undecided: on either side is a share
    above θ of its rows. The machine's own two classes are framed.

    Create it with `from_estimator`, `from_table` or `from_predictions`.

    Parameters
    ----------
    table : PredictionTable
        The table that is shown.
    theta : float
        A class is on a side if a share above θ of its rows is.
    machines : array of int, default=None
        The machines to show, from top to bottom. None for all.
    class_names : sequence of str, default=None
        The names of the classes.

    Attributes
    ----------
    ax_ : matplotlib Axes
    figure_ : matplotlib Figure
    im_ : matplotlib AxesImage
    undecided_ : bool array of shape (n_machines shown, n_classes)
        The cells with a dot.
    """

    table: PredictionTable
    _: KW_ONLY
    theta: float
    machines: ArrayLike | None = None
    class_names: Sequence[Any] | None = None

    @classmethod
    def from_estimator(
        cls,
        clf: Any,
        *,
        X: Any = None,
        max_machines: int | None = 40,
        class_names: Sequence[Any] | None = None,
        kind: str = "table",
        ax: Any = None,
        **image: Any,
    ) -> Self:
        """Show the table of a fitted classifier.

        Parameters
        ----------
        clf : fitted DCSVC or DivideAndConquerClassifier
            Or a pipeline that ends in one.
        X : array-like of shape (n_samples, n_features), default=None
            If there are too many machines to show, those evaluated for most of these rows are
            shown; by default the training rows kept by `fit`.
        max_machines : int, default=40
            The number of machines shown. None for all.
        class_names : sequence of str, default=None
            The names of the classes.
        kind : {"table", "matrix"}, default="table"
            See `plot`.
        ax : matplotlib Axes, default=None
            Where to draw.
        **image : dict
            Passed to matplotlib's `imshow`.
        """
        fitted = find_classifier(clf)
        table = fitted.table
        machines = None
        if kind == "table" and max_machines is not None and max_machines < len(table.counts):
            usage = fitted.machine_usage(fitted.counted_rows(X))
            machines = np.sort(np.argsort(-usage, kind="stable")[:max_machines])
        theta = 0.0 if fitted.theta is None else fitted.theta
        names = fitted.names(class_names)
        made = cls(table, theta=theta, machines=machines, class_names=names)
        return made.plot(ax=ax, kind=kind, **image)

    @classmethod
    def from_table(
        cls,
        table: PredictionTable,
        *,
        theta: float = 0.0,
        machines: ArrayLike | None = None,
        class_names: Sequence[Any] | None = None,
        kind: str = "table",
        ax: Any = None,
        **image: Any,
    ) -> Self:
        """Show a table; parameters as in the class and in `from_estimator`."""
        made = cls(table, theta=theta, machines=machines, class_names=class_names)
        return made.plot(ax=ax, kind=kind, **image)

    @classmethod
    def from_predictions(
        cls, y_true: Any, values: ArrayLike, *, theta: float = 0.0, **parameters: Any
    ) -> Self:
        """Show the table of decision values of shape (n_samples, n_machines).

        The machines are in the order (0,1), (0,2), … of the sorted classes, with values that are
        positive for the first class. Other parameters are those of `from_table`.
        """
        classes, codes = encode_labels(y_true, cls.__name__)
        positive = np.asarray(values) > 0
        expected = (len(codes), n_pairs(len(classes)))
        if positive.shape != expected:
            raise ValueError(
                f"{expected[0]} labels of {len(classes)} classes need values of shape {expected}, "
                f"got {positive.shape}."
            )
        counts = np.zeros((expected[1], len(classes), 2))
        for c in range(len(classes)):
            counts[:, c, 0] = positive[codes == c].sum(axis=0)
            counts[:, c, 1] = (~positive[codes == c]).sum(axis=0)
        return cls.from_table(PredictionTable(classes, counts), theta=theta, **parameters)

    def plot(self, *, ax: Any = None, kind: str = "table", **image: Any) -> Self:
        """Draw the table.

        Parameters
        ----------
        ax : matplotlib Axes, default=None
            Where to draw.
        kind : {"table", "matrix"}, default="table"
            "table" shows machines by classes. "matrix" has room for hundreds of classes: the
            cell of A and B is the share of all classes that are undecided for the machine
            A vs B.
        **image : dict
            Passed to matplotlib's `imshow`.
        """
        if kind not in ("table", "matrix"):
            raise ValueError(f"kind must be 'table' or 'matrix', got {kind!r}.")
        pyplot()
        every = np.arange(len(self.table.counts))
        self._shown = every if self.machines is None else np.asarray(self.machines)
        names = self.table.classes.tolist() if self.class_names is None else self.class_names
        self._names = [str(name) for name in names]
        undecided = self.table.exceeds(0, self.theta) & self.table.exceeds(1, self.theta)
        if kind == "matrix":
            self._matrix(ax, undecided, image)
        else:
            self.undecided_ = undecided[self._shown]
            self._table(ax, image)
        self.figure_ = self.ax_.figure
        return self

    def _table(self, ax: Any, image: dict[str, Any]) -> None:
        from matplotlib.patches import Rectangle

        share = self.table.likelihoods[self._shown]
        n, k = share.shape
        self.ax_ = ax = axes(ax, (min(3 + 0.42 * k, 20), min(1.4 + 0.26 * n, 40)))
        settings = {"cmap": _two_colours(), "vmin": 0.0, "vmax": 1.0, "aspect": "auto"}
        self.im_ = ax.imshow(share, **{**settings, "interpolation": "nearest", **image})
        self._columns(ax, k)
        pairs = self.table.pairs[self._shown]
        machines = [f"{self._names[i]} vs {self._names[j]}" for i, j in pairs]
        ax.set_yticks(range(n), machines, parse_math=False, fontsize=8)
        if n * k <= MOST_NUMBERS:
            for (row, c), value in np.ndenumerate(share):
                text = one_decimal(100 * value)
                ax.text(c, row, text, ha="center", va="center", size=7, color=INK)
        if n * k <= MOST_MARKS:
            self._marks(ax, numbered=n * k <= MOST_NUMBERS)
            for row, pair in enumerate(pairs.tolist()):
                for c in pair:
                    at = (c - 0.5, row - 0.5)
                    ax.add_patch(Rectangle(at, 1, 1, fill=False, edgecolor=INK, linewidth=1.6))
        bar = ax.figure.colorbar(self.im_, ax=ax, ticks=[0, 0.5, 1], pad=0.02)
        bar.ax.set_yticklabels(["all with\nthe second", "half", "all with\nthe first"])
        n_all = len(self.table.counts)
        title = [f"{n_all} machines" if n == n_all else f"{n} of {n_all} machines"]
        if n * k <= MOST_MARKS:
            title.append(f"• undecided at θ = {self.theta:g}")
        ax.set_title("; ".join(title), size=9)

    def _columns(self, ax: Any, k: int) -> None:
        ax.set_xlabel("class")
        if k > MOST_NAMES:
            ax.set_xticks([])
            return
        turned = max(map(len, self._names)) > 3 or k > 60
        ax.set_xticks(range(k), self._names, parse_math=False, fontsize=_fitting_size(k))
        ax.tick_params(axis="x", labelrotation=90 if turned else 0)

    def _marks(self, ax: Any, numbered: bool) -> None:
        rows, columns = np.nonzero(self.undecided_)
        # Beside the number, or in the middle of a cell without one.
        shift = 0.36 if numbered else 0.0
        size = 7 if self.undecided_.shape[1] <= 60 else 1.5
        ax.scatter(columns + shift, rows - shift, s=size, color="black", linewidths=0)

    def _matrix(self, ax: Any, undecided: NDArray[np.bool_], image: dict[str, Any]) -> None:
        k = self.table.n_classes
        i, j = np.triu_indices(k, 1)
        cells = np.full((k, k), np.nan)
        cells[i, j] = cells[j, i] = undecided.mean(axis=1)[machine_of(i, j, k)]
        side = float(np.clip(2.5 + 0.12 * k, 4, 12))
        self.ax_ = ax = axes(ax, (side + 1, side))
        self.undecided_ = undecided
        settings = {"cmap": "viridis_r", "interpolation": "nearest"}
        self.im_ = ax.imshow(cells, **{**settings, **image})
        self._columns(ax, k)
        if k <= MOST_NAMES:
            ax.set_yticks(range(k), self._names, parse_math=False, fontsize=_fitting_size(k))
        else:
            ax.set_yticks([])
        ax.set_ylabel("class")
        ax.figure.colorbar(self.im_, ax=ax, label="share of classes undecided", pad=0.02)
        ax.set_title(f"Machines by their two classes, θ = {self.theta:g}", size=9)


def _fitting_size(n_names: int) -> float:
    return 8.0 if n_names <= 50 else 5.0


def _two_colours() -> Any:
    """Red to blue, without the darkest shades, on which a dot could not be seen."""
    from matplotlib.colors import LinearSegmentedColormap

    shades = pyplot().get_cmap("RdBu")(np.linspace(0.18, 0.82, 256))
    return LinearSegmentedColormap.from_list("dcsvm", list(shades))
