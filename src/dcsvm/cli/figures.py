"""How good and how fast a model is, beside the vote of all its machines."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from dcsvm import OneVsOneSVC
from dcsvm.cli.messages import Messages

# The mean cost of so many rows is that of all.
ROWS_TO_COUNT = 5000


def measure(pipeline: Any, X: Any, labels: NDArray[Any], weight: Any = None) -> dict[str, float]:
    """Accuracy and mean costs, and those of one-versus-one over the same machines."""
    rows = pipeline[:-1].transform(X) if len(pipeline) > 1 else X
    classifier = pipeline[-1]
    vote = OneVsOneSVC.from_machines(classifier)
    some = rows[np.unique(np.linspace(0, rows.shape[0] - 1, ROWS_TO_COUNT).astype(np.int64))]
    cost, vote_cost = classifier.decision_cost(some), vote.decision_cost(some[:1])
    return {
        "rows": len(labels),
        "accuracy": _accuracy(classifier.predict(rows), labels, weight),
        "one_versus_one_accuracy": _accuracy(vote.predict(rows), labels, weight),
        "decisions": float(np.mean(cost.decisions)),
        "one_versus_one_decisions": float(np.mean(vote_cost.decisions)),
        "kernel_evaluations": float(np.mean(cost.kernel_evaluations)),
        "one_versus_one_kernel_evaluations": float(np.mean(vote_cost.kernel_evaluations)),
    }


def _accuracy(predicted: NDArray[Any], labels: NDArray[Any], weight: Any) -> float:
    return float(np.average(predicted == labels, weights=weight))


def mean_figures(folds: list[dict[str, float]]) -> dict[str, Any]:
    """The means over the folds of a cross-validation, and how accuracies spread."""
    accuracies = [fold["accuracy"] for fold in folds]
    means: dict[str, Any] = {
        name: float(np.mean([fold[name] for fold in folds])) for name in folds[0] if name != "rows"
    }
    return {
        **means,
        "rows": int(sum(fold["rows"] for fold in folds)),
        "folds": len(folds),
        "accuracies": accuracies,
        "accuracy_deviation": float(np.std(accuracies, ddof=1)),
    }


def show(figures: dict[str, Any], messages: Messages) -> None:
    """The figures for people."""
    if "folds" in figures:
        spread = f" ± {100 * figures['accuracy_deviation']:.2f}"
        messages.heading(f"Cross-validation in {figures['folds']} folds")
    else:
        spread = ""
        messages.heading(f"Held-out rows: {figures['rows']:,}")
    lines = [("", "dcsvm", "one-versus-one")]
    lines.append(
        (
            "accuracy %",
            f"{100 * figures['accuracy']:.2f}{spread}",
            f"{100 * figures['one_versus_one_accuracy']:.2f}",
        )
    )
    for name in ("decisions", "kernel_evaluations"):
        lines.append(
            (
                f"{name.replace('_', ' ')} per row",
                f"{figures[name]:,.1f}",
                f"{figures[f'one_versus_one_{name}']:,.0f}",
            )
        )
    wide = max(len(line[1]) for line in lines)
    for name, ours, theirs in lines:
        messages.say(f"  {name:<28}{ours:>{wide}}  {theirs:>14}")
