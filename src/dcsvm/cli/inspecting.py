"""`dcsvm inspect`: what a model is, how accurate it was, and how it decides."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from sklearn.pipeline import Pipeline

from dcsvm import DCSVC
from dcsvm.cli.console import Console
from dcsvm.cli.evaluation import print_figures
from dcsvm.cli.models import load_model
from dcsvm.cli.wording import listed


def inspect_model(path: Path, depth: int | None, console: Console) -> None:
    """Print a summary of a model, and its decision structure."""
    model, metadata = load_model(path)
    metadata = metadata if isinstance(metadata, dict) else {}
    classifier = model[-1] if isinstance(model, Pipeline) else model
    summary = _summary(model, classifier)
    console.heading(f"{path}: {type(classifier).__name__}")
    console.pairs(_facts(summary, classifier, metadata))
    if metadata.get("columns"):
        console.heading("Columns")
        console.pairs(_columns(metadata["columns"]))
    if metadata.get("figures"):
        print_figures(metadata["figures"], console)
    structure = None
    if depth is None or depth > 0:
        from dcsvm.inspection import export_text

        structure = export_text(classifier, max_depth=depth)
        console.heading("Decisions")
        console.print(structure)
    console.document({"model": str(path), **summary, "metadata": metadata, "structure": structure})


def _columns(columns: list[dict[str, Any]]) -> list[tuple[str, str]]:
    """The columns of each kind, dates by their format."""
    by_kind: dict[str, list[str]] = {}
    for column in columns:
        kind = ", ".join(column[key] for key in ("kind", "date_format") if key in column)
        by_kind.setdefault(kind, []).append(column["name"])
    return [(f"{len(names)} × {kind}", listed(names, 10)) for kind, names in by_kind.items()]


def _summary(model: Any, classifier: Any) -> dict[str, Any]:
    machines = classifier.machines_
    shortlist = getattr(classifier, "shortlist_", None)
    return {
        "type": type(classifier).__name__,
        "classes": classifier.classes_.tolist(),
        "features": int(classifier.n_features_in_),
        "machines": int(machines.n_machines),
        "support_vectors": getattr(machines, "n_distinct_support", None),
        "theta": getattr(classifier, "theta_", None),
        "shortlist": None if shortlist is None else shortlist.name,
        "parameters": {
            name: value if isinstance(value, bool | int | float | str | None) else repr(value)
            for name, value in classifier.get_params(deep=False).items()
        },
        "steps": [name for name, _ in model.steps] if isinstance(model, Pipeline) else [],
    }


def _facts(
    summary: dict[str, Any], classifier: Any, metadata: dict[str, Any]
) -> list[tuple[str, str]]:
    classes = summary["classes"]
    facts = [
        ("classes", f"{len(classes)}: {listed(classes, 10)}"),
        ("features", f"{summary['features']:,}"),
        ("machines", f"{summary['machines']:,}"),
    ]
    if summary["support_vectors"] is not None:
        facts.append(("support vectors", f"{summary['support_vectors']:,}"))
    facts += [
        ("theta", "none" if summary["theta"] is None else f"{summary['theta']:g}"),
        ("shortlist", summary["shortlist"] or "none"),
        ("parameters", ", ".join(_changed_parameters(classifier)) or "the defaults"),
    ]
    if metadata.get("target"):
        versions = (f"{name} {number}" for name, number in metadata["versions"].items())
        facts += [
            ("target", f"{metadata['target']['name']} ({metadata['target']['kind']})"),
            ("fitted to", f"{metadata['rows']:,} rows of {metadata['data']}"),
            ("on", metadata["fitted"]),
            ("made with", ", ".join(versions)),
        ]
    return facts


def _changed_parameters(classifier: Any) -> list[str]:
    """Parameters that differ from the default, or all where the defaults are unknown."""
    default = type(classifier)() if isinstance(classifier, DCSVC) else None
    return [
        f"{name}={value!r}"
        for name, value in classifier.get_params(deep=False).items()
        if name != "random_state" and (default is None or value != getattr(default, name))
    ]
