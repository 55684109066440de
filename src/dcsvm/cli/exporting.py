"""`dcsvm export`: a model as C or WebAssembly."""

from __future__ import annotations

import warnings
from pathlib import Path
from typing import Any

from dcsvm._util.files import atomic_write
from dcsvm.cli.console import Console
from dcsvm.cli.errors import UserError
from dcsvm.cli.evaluation import always_largest, largest_share
from dcsvm.cli.files import check_writable
from dcsvm.cli.models import Model, load_model
from dcsvm.cli.options import ExportOptions, ReadingOptions, Target
from dcsvm.cli.rows import open_rows
from dcsvm.cli.wording import counted
from dcsvm.export import ExportError, changed_labels, export
from dcsvm.export.c_source import c_source
from dcsvm.export.c_tables import identifier
from dcsvm.export.exporting import Exported
from dcsvm.export.wasm import wasm_module


def target_of(output: Path, given: Target | None) -> Target:
    """What to write, by the name of the file unless it is given."""
    if given is not None:
        return given
    found = {".c": Target.C, ".wasm": Target.WASM}.get(output.suffix.lower())
    if found is None:
        raise UserError(f"{output} does not show what to write: end its name in .c or .wasm.")
    return found


def export_model(
    path: Path,
    output: Path,
    data: Path | None,
    options: ExportOptions,
    reading: ReadingOptions,
    console: Console,
) -> None:
    """Write the model, and say how large it is and what rounding changes."""
    target = target_of(output, options.target)
    pipeline, metadata = load_model(path)
    exported = _exported(pipeline, options, console)
    _note_offsets(metadata, console)
    figures = None
    if data is not None:
        figures = _figures(exported, Model.of(path, pipeline, metadata), data, reading, console)
    try:
        written = _write(exported, target, output, options.name or output.stem)
    except ExportError as error:
        raise UserError(str(error)) from error
    console.print(
        f"{' and '.join(map(str, written))}: {len(exported.classes)} classes, "
        f"{counted(exported.n_features, 'feature')}, {exported.table_bytes / 1000:,.1f} kB of "
        f"tables in {exported.real}."
    )
    if figures is not None:
        _print_figures(figures, console)
    console.document(
        {
            "files": [str(file) for file in written],
            "table_bytes": exported.table_bytes,
            "precision": exported.real,
            "rounding": figures,
        }
    )


def _exported(pipeline: Any, options: ExportOptions, console: Console) -> Exported:
    try:
        with warnings.catch_warnings(record=True, action="always") as caught:
            made = export(
                pipeline, precision=options.precision.value, support=options.support.value
            )
    except ExportError as error:
        raise UserError(str(error)) from error
    for warning in caught:
        console.note(str(warning.message))
    return made


def _note_offsets(metadata: Any, console: Console) -> None:
    """Say what a caller of the exported model has to take from a feature."""
    for column in (metadata or {}).get("columns", ()):
        if column.get("offset") is not None:
            console.note(
                f"The exported model takes {column['name']!r} less {column['offset']}: subtract "
                "that before the call."
            )


def _write(exported: Exported, target: Target, output: Path, name: str) -> list[Path]:
    if target is Target.C:
        check_writable(output.with_suffix(".h"))
        return list(c_source(exported, identifier(name)).write(output))
    module = wasm_module(exported)
    with atomic_write(output) as temporary:
        temporary.write_bytes(module)
    return [output]


def _figures(
    exported: Exported, model: Model, data: Path, reading: ReadingOptions, console: Console
) -> dict[str, float]:
    X, labels, _ = open_rows(model, data, reading, console).all()
    if labels is not None:
        known = [label is not None for label in labels.tolist()]
        if all(known):
            figures = changed_labels(exported, X, model.target.narrowed(labels))
            return {**figures, "largest_class_accuracy": largest_share(labels)}
        console.note("Some rows have no label: the accuracy is not measured.")
    return changed_labels(exported, X)


def _print_figures(figures: dict[str, float], console: Console) -> None:
    rows = counted(int(figures["rows"]), "row")
    console.print(f"  of {rows}, rounding changes the class of {100 * figures['changed']:.2f} %")
    if "accuracy" in figures:
        console.print(
            f"  accuracy {100 * figures['as_stored']:.2f} %, "
            f"before {100 * figures['accuracy']:.2f} % "
            f"{always_largest(figures['largest_class_accuracy'])}"
        )
