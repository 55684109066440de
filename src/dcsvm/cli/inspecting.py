"""`dcsvm inspect`: what a model file says about itself."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from sklearn.pipeline import Pipeline

from dcsvm import DCSVC
from dcsvm.cli.errors import listed
from dcsvm.cli.figures import show
from dcsvm.cli.messages import Messages
from dcsvm.cli.models import open_any_model


def inspect_model(path: Path, depth: int | None, messages: Messages) -> None:
    """A summary, and the decision structure."""
    model, metadata = open_any_model(path)
    metadata = metadata if isinstance(metadata, dict) else {}
    classifier = model[-1] if isinstance(model, Pipeline) else model
    summary = _summary(model, classifier)
    messages.heading(f"{path}: {type(classifier).__name__}")
    messages.facts(_facts(summary, classifier, metadata))
    if metadata.get("columns"):
        messages.heading("Columns")
        messages.facts(_columns(metadata["columns"]))
    if metadata.get("figures"):
        show(metadata["figures"], messages)
    structure = None
    if depth is None or depth > 0:
        from dcsvm.inspection import export_text

        structure = export_text(classifier, max_depth=depth)
        messages.heading("Decisions")
        messages.say(structure)
    messages.document({"model": str(path), **summary, "metadata": metadata, "structure": structure})


def _columns(columns: list[dict[str, Any]]) -> list[tuple[str, str]]:
    """The columns of each kind; dates with how they are written."""
    by_kind: dict[str, list[str]] = {}
    for column in columns:
        kind = (
            f"{column['kind']}, {column['date_format']}"
            if "date_format" in column
            else column["kind"]
        )
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
    changed = _changed_parameters(classifier)
    facts = [
        ("classes", f"{len(classes)}: {listed(classes, 10)}"),
        ("features", f"{summary['features']:,}"),
        ("machines", f"{summary['machines']:,}"),
    ]
    if summary["support_vectors"] is not None:
        facts.append(("support vectors", f"{summary['support_vectors']:,}"))
    facts += [
        ("theta", f"{summary['theta']:g}" if summary["theta"] is not None else "none"),
        ("shortlist", summary["shortlist"] or "none"),
        ("parameters", ", ".join(changed) or "all as by default"),
    ]
    if metadata.get("target"):
        facts.append(("target", f"{metadata['target']['name']} ({metadata['target']['kind']})"))
        facts.append(("fitted to", f"{metadata['rows']:,} rows of {metadata['data']}"))
        facts.append(("on", metadata["fitted"]))
        made_with = (f"{name} {number}" for name, number in metadata["versions"].items())
        facts.append(("made with", ", ".join(made_with)))
    return facts


def _changed_parameters(classifier: Any) -> list[str]:
    """Parameters that differ from the default."""
    default = type(classifier)() if isinstance(classifier, DCSVC) else None
    return [
        f"{name}={value!r}"
        for name, value in classifier.get_params(deep=False).items()
        if name != "random_state" and (default is None or value != getattr(default, name))
    ]
