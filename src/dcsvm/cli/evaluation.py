"""How accurate and how fast a model is on rows it was not fitted to, beside one-versus-one."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from sklearn.base import clone
from sklearn.model_selection import StratifiedKFold
from sklearn.pipeline import Pipeline

from dcsvm import OneVsOneSVC
from dcsvm.cli.console import Console
from dcsvm.cli.errors import UserError
from dcsvm.cli.training_data import TrainingTable
from dcsvm.cli.wording import listed

Figures = dict[str, Any]
# The mean cost of so many rows is close to that of all.
ROWS_TO_COUNT = 5000


class Split(NamedTuple):
    """Places of the rows to learn from and of those held out."""

    train: NDArray[np.int64]
    test: NDArray[np.int64]
    too_rare: list[Any]  # classes of which no row is held out


def hold_out(labels: NDArray[Any], share: float, seed: int) -> Split:
    """Hold out a share of the rows of every class, leaving at least one row of each."""
    rng = np.random.default_rng(seed)
    classes, codes = np.unique(labels, return_inverse=True)
    chosen, too_rare = [], []
    for code, label in enumerate(classes.tolist()):
        rows = np.flatnonzero(codes == code)
        n = min(round(share * len(rows)), len(rows) - 1)
        if n == 0:
            too_rare.append(label)
        chosen.append(rng.permutation(rows)[:n])
    test = np.sort(np.concatenate(chosen))
    return Split(np.setdiff1d(np.arange(len(labels)), test), test, too_rare)


def fit_and_measure(
    pipeline: Pipeline, train: TrainingTable, test: TrainingTable, what: str, console: Console
) -> Figures:
    """Fit a copy of the pipeline to some rows, and measure it on others."""
    trial = clone(pipeline)
    with console.training_progress(what):
        train.fit(trial)
    return measure(trial, test)


def measure(pipeline: Any, table: TrainingTable) -> Figures:
    """Accuracy and mean cost, and those of one-versus-one, where all machines are there."""
    rows = pipeline[:-1].transform(table.X) if len(pipeline) > 1 else table.X
    classifier = pipeline[-1]
    some = rows[np.unique(np.linspace(0, rows.shape[0] - 1, ROWS_TO_COUNT).astype(np.int64))]
    cost = classifier.decision_cost(some)

    def accuracy(model: Any) -> float:
        return float(np.average(model.predict(rows) == table.labels, weights=table.weight))

    figures: Figures = {
        "rows": table.n_rows,
        "accuracy": accuracy(classifier),
        "largest_class_accuracy": largest_share(table.labels, table.weight),
        "decisions": float(np.mean(cost.decisions)),
        "kernel_evaluations": float(np.mean(cost.kernel_evaluations)),
    }
    if classifier.machines_.some_pairs is None:
        vote = OneVsOneSVC.from_machines(classifier)
        vote_cost = vote.decision_cost(some[:1])  # all rows cost the same
        figures |= {
            "one_versus_one_accuracy": accuracy(vote),
            "one_versus_one_decisions": float(np.mean(vote_cost.decisions)),
            "one_versus_one_kernel_evaluations": float(np.mean(vote_cost.kernel_evaluations)),
        }
    return figures


def largest_share(labels: NDArray[Any], weight: NDArray[np.float64] | None = None) -> float:
    """The accuracy of the answer that is the largest class for every row."""
    counts = np.bincount(np.unique_inverse(labels).inverse_indices, weights=weight)
    return float(counts.max() / counts.sum())


def cross_validate(
    pipeline: Pipeline, table: TrainingTable, n_folds: int, seed: int, console: Console
) -> Figures:
    """Mean figures over folds, and the standard deviation of the accuracy."""
    _check_folds(table, n_folds, console)
    splitter = StratifiedKFold(n_folds, shuffle=True, random_state=seed)
    folds = [
        fit_and_measure(
            pipeline, table.rows(train), table.rows(test), f"Fold {i} of {n_folds}", console
        )
        for i, (train, test) in enumerate(splitter.split(np.empty(table.n_rows), table.labels), 1)
    ]
    accuracies = [fold["accuracy"] for fold in folds]
    return {
        **{
            name: float(np.mean([fold[name] for fold in folds]))
            for name in folds[0]
            if all(name in fold for fold in folds)
        },
        "rows": sum(fold["rows"] for fold in folds),
        "folds": n_folds,
        "accuracies": accuracies,
        "accuracy_deviation": float(np.std(accuracies, ddof=1)),
    }


def _check_folds(table: TrainingTable, n_folds: int, console: Console) -> None:
    if n_folds > table.n_rows:
        raise UserError(f"--cv {n_folds} needs at least {n_folds} rows; there are {table.n_rows}.")
    counts = np.unique_counts(table.labels)
    rare = counts.values[counts.counts < n_folds]
    if len(rare) == len(counts.values):
        raise UserError(
            f"--cv {n_folds} needs a class with at least {n_folds} rows: use fewer folds."
        )
    if len(rare):
        console.note(
            f"{listed(rare)} {'has' if len(rare) == 1 else 'have'} fewer than {n_folds} rows, and "
            "will be missing in the training or the test rows of some folds."
        )


def print_figures(figures: Figures, console: Console) -> None:
    """The figures for people."""
    spread = ""
    if "folds" in figures:
        spread = f" ± {100 * figures['accuracy_deviation']:.2f}"
        console.heading(f"Cross-validation in {figures['folds']} folds")
    else:
        console.heading(f"Held-out rows: {figures['rows']:,}")
    accuracy = f"{100 * figures['accuracy']:.2f}{spread}"
    has_vote = "one_versus_one_accuracy" in figures  # else not all machines are there
    vote = f"{100 * figures['one_versus_one_accuracy']:.2f}" if has_vote else ""
    lines = [
        ("", "dcsvm", "one-versus-one" if has_vote else ""),
        ("accuracy %", accuracy, vote),
    ]
    for name in ("decisions", "kernel_evaluations"):
        what = f"{name.replace('_', ' ')} per row"
        vote = f"{figures[f'one_versus_one_{name}']:,.0f}" if has_vote else ""
        lines.append((what, f"{figures[name]:,.1f}", vote))
    width = max(len(ours) for _, ours, _ in lines)
    for what, ours, theirs in lines:
        console.print(f"  {what:<28}{ours:>{width}}  {theirs:>14}".rstrip())
    if "largest_class_accuracy" in figures:
        console.print(f"  {always_largest(figures['largest_class_accuracy'])}")


def always_largest(share: float) -> str:
    """What an accuracy must be compared with."""
    return f"(always the largest class: {100 * share:.2f} %)"
