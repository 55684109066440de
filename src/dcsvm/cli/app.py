"""The commands of the program."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Annotated

import typer
from typer import Argument, Option

import dcsvm
from dcsvm.cli.classifier_options import ClassifierOptions
from dcsvm.cli.console import Console
from dcsvm.cli.errors import UserError, exit_on_error
from dcsvm.cli.files import (
    OUTPUT_ENDINGS,
    check_readable,
    check_writable,
    input_file,
    output_format,
)
from dcsvm.cli.options import (
    ClusterOptions,
    ConsoleOptions,
    ExportOptions,
    FitOptions,
    PredictOptions,
    ReadingOptions,
    TrainingTableOptions,
    with_options,
)

EXIT_CODES = (
    "Exit codes: 0 success; 1 an error in a file or its contents; 2 wrong usage; "
    "130 interrupted; 70 an error in dcsvm itself."
)

app = typer.Typer(
    name="dcsvm",
    no_args_is_help=True,
    pretty_exceptions_enable=False,
    rich_markup_mode="markdown",
    context_settings={"help_option_names": ["-h", "--help"]},
    epilog=EXIT_CODES,
)

DataArgument = Annotated[
    Path,
    Argument(
        metavar="DATA",
        help="Table: CSV, TSV, JSON lines, Parquet, Feather, Excel, ARFF or svmlight; - is the "
        "standard input.",
    ),
]
ModelArgument = Annotated[
    Path, Argument(metavar="MODEL", help="Model file that `dcsvm fit` has written.")
]


def _print_version(wanted: bool) -> None:
    if wanted:
        typer.echo(f"dcsvm {dcsvm.__version__}")
        raise typer.Exit


@app.callback()
def root(
    version: Annotated[
        bool,
        Option(
            "--version", "-V", callback=_print_version, is_eager=True, help="Print the version."
        ),
    ] = False,
) -> None:
    """Multi-class support vector machines that decide by few binary decisions, for tables."""


@contextmanager
def _console(options: ConsoleOptions) -> Iterator[Console]:
    """What a command prints to; an exception in the block ends the command with an exit code."""
    console = Console(as_json=options.as_json, quiet=options.quiet, debug=options.debug)
    with exit_on_error(console):
        yield console


# What a command needs is imported in its body, so that --help is fast.


@app.command(epilog=EXIT_CODES)
@with_options
def fit(
    data: DataArgument,
    output: Annotated[Path, Option("--output", "-o", help="Model file to write.")],
    table_options: TrainingTableOptions,
    fit_options: FitOptions,
    reading: ReadingOptions,
    cluster: ClusterOptions,
    console_options: ConsoleOptions,
    classifier: ClassifierOptions,
) -> None:
    """Fit a classifier to a table and save it.

    Numbers, texts, dates and missing values are handled, and how is saved with the model. Accuracy
    is measured on held-out rows; the saved model is then fitted to all rows. With --dask the table
    is a folder of Parquet files of numbers, which need not fit into memory.

    Example: dcsvm fit iris.csv --target species -o iris.dcsvm
    """
    with _console(console_options) as console:
        if cluster.wanted:
            check_writable(output)
            from dcsvm.cli.folder_fitting import fit_folder

            parameters = classifier.parameters
            fit_folder(data, output, parameters, table_options, fit_options, cluster, console)
            return
        check_readable(data)
        check_writable(output, data)
        from dcsvm.cli.fitting import fit as run
        from dcsvm.cli.training_data import read_training_table

        with input_file(data, console.rename) as file:
            table = read_training_table(file, reading, table_options, console)
            run(table, file, output, classifier.parameters, fit_options, console)


@app.command(epilog=EXIT_CODES)
@with_options
def predict(
    model: ModelArgument,
    data: DataArgument,
    output: Annotated[
        str,
        Option(
            "--output",
            "-o",
            help=f"File to write, whose name ends in {OUTPUT_ENDINGS}; - is the standard output, "
            "as CSV.",
        ),
    ] = "-",
    *,
    options: PredictOptions,
    reading: ReadingOptions,
    cluster: ClusterOptions,
    console_options: ConsoleOptions,
) -> None:
    """Predict the labels of a table's rows.

    The output has the rows of the table in their order, with the label and the number of
    decisions added. Tables of any length are read in batches. If the table has the target, the
    accuracy is printed at the end. The output file is complete or not there at all. With --dask a
    folder of Parquet files is predicted, each file to one of the same name in the folder -o.

    Example: dcsvm predict iris.dcsvm new.parquet -o labelled.parquet
    """
    path = None if output == "-" else Path(output)
    if console_options.as_json and path is None:
        raise typer.BadParameter("--json needs an output file: add -o.")
    with _console(console_options) as console:
        check_readable(model)
        if cluster.wanted:
            if path is None:
                raise UserError("--dask needs a folder for the output: add -o.")
            from dcsvm.cli.folder_predicting import predict_folder
            from dcsvm.cli.models import open_model

            predict_folder(open_model(model), data, path, reading, options, cluster, console)
            return
        check_readable(data)
        if path is not None:
            check_writable(path, data, model)
            output_format(path)
        from dcsvm.cli.models import open_model
        from dcsvm.cli.predicting import predict as run

        with input_file(data, console.rename) as file:
            run(open_model(model), file, path, reading, options, console)


@app.command(epilog=EXIT_CODES)
@with_options
def inspect(
    model: ModelArgument,
    depth: Annotated[int, Option(min=0, help="Show decisions to this depth; 0 for none.")] = 2,
    *,
    console_options: ConsoleOptions,
) -> None:
    """Show what a model is, how accurate it was, and how it decides."""
    with _console(console_options) as console:
        from dcsvm.cli.inspecting import inspect_model

        inspect_model(model, depth, console)


@app.command(epilog=EXIT_CODES)
@with_options
def report(
    model: ModelArgument,
    data: DataArgument,
    output: Annotated[Path, Option("--output", "-o", help="HTML file to write.")],
    title: Annotated[str | None, Option(help="Title of the page.")] = None,
    max_rows: Annotated[
        int | None, Option("--max-rows", min=1, help="Of more rows, draw so many at random.")
    ] = None,
    *,
    reading: ReadingOptions,
    console_options: ConsoleOptions,
) -> None:
    """Write a page about a model and a labelled table: one HTML file that needs no network."""
    with _console(console_options) as console:
        check_readable(model)
        check_readable(data)
        check_writable(output, data, model)
        if output.suffix.lower() not in (".html", ".htm"):
            raise UserError(f"{output} should be a page: give it a name that ends in .html.")
        from dcsvm.cli.models import open_model
        from dcsvm.cli.reporting import report as run

        with input_file(data, console.rename) as file:
            run(open_model(model), file, output, title, max_rows, reading, console)


@app.command(epilog=EXIT_CODES)
@with_options
def export(
    model: ModelArgument,
    output: Annotated[Path, Option("--output", "-o", help="File to write: .c or .wasm.")],
    data: Annotated[
        Path | None, Option(help="Table on which to measure what rounding changes.")
    ] = None,
    *,
    options: ExportOptions,
    reading: ReadingOptions,
    console_options: ConsoleOptions,
) -> None:
    """Write a model as C, with a header, or as a WebAssembly module; neither needs Python.

    Numbers, also missing ones, are handled as by `dcsvm predict`; models of texts and dates cannot
    be exported.

    Example: dcsvm export iris.dcsvm -o iris.c
    """
    with _console(console_options) as console:
        check_readable(model)
        check_writable(output, model)
        if data is not None:
            check_readable(data)
        from dcsvm.cli.exporting import export_model

        export_model(model, output, data, options, reading, console)
