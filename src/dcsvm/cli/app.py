"""The commands and their options."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

import typer

import dcsvm
from dcsvm.cli.errors import UserError, check_readable, check_writable
from dcsvm.cli.formats import Format, output_format
from dcsvm.cli.messages import Messages
from dcsvm.cli.options import with_classifier_options

EXIT_CODES = (
    "Exit codes: 0 fine; 1 something is wrong with a file or what is in it; 2 wrong usage; "
    "130 interrupted; 70 a fault in dcsvm itself."
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
    Path, typer.Argument(metavar="DATA", help="Table: CSV, TSV, Parquet, ARFF or svmlight.")
]
ModelArgument = Annotated[
    Path, typer.Argument(metavar="MODEL", help="Model file that `dcsvm fit` has written.")
]
FormatOption = Annotated[
    Format | None,
    typer.Option(
        "--format",
        metavar="FORMAT",
        help="csv, tsv, parquet, arff or svmlight, if its name does not show it.",
    ),
]
DelimiterOption = Annotated[
    str | None, typer.Option(help="What divides the columns of a CSV, if it cannot be found out.")
]
EncodingOption = Annotated[
    str | None,
    typer.Option(help="Encoding of a text file, such as latin-1, if it cannot be found out."),
]
CoerceOption = Annotated[
    bool, typer.Option("--coerce", help="Take values that do not fit their column as missing.")
]
JobsOption = Annotated[
    int, typer.Option("--jobs", "-j", help="Threads; -1 for as many as there are processors.")
]
JsonOption = Annotated[
    bool, typer.Option("--json", help="Print one JSON document and nothing else.")
]
QuietOption = Annotated[bool, typer.Option("--quiet", "-q", help="No notes, no progress bars.")]
DebugOption = Annotated[bool, typer.Option("--debug", help="Show where an error came from.")]


def _print_version(wanted: bool) -> None:
    if wanted:
        typer.echo(f"dcsvm {dcsvm.__version__}")
        raise typer.Exit


@app.callback()
def root(
    version: Annotated[
        bool,
        typer.Option("--version", "-V", callback=_print_version, is_eager=True, help="Print it."),
    ] = False,
) -> None:
    """Multi-class support vector machines that answer by few decisions, from tables."""


@app.command(epilog=EXIT_CODES)
@with_classifier_options
def fit(
    data: DataArgument,
    output: Annotated[Path, typer.Option("--output", "-o", help="Model file to write.")],
    target: Annotated[
        str | None, typer.Option("--target", "-t", help="Column with the labels.")
    ] = None,
    drop: Annotated[
        list[str] | None, typer.Option(help="Column to leave out; may be given again.")
    ] = None,
    weight: Annotated[str | None, typer.Option(help="Column with the weight of each row.")] = None,
    test_size: Annotated[
        float, typer.Option(min=0.0, max=0.9, metavar="SHARE", help="Rows held out to judge by.")
    ] = 0.2,
    cv: Annotated[
        int | None, typer.Option(min=2, metavar="FOLDS", help="Judge by cross-validation instead.")
    ] = None,
    tune: Annotated[
        bool, typer.Option("--tune", help="Search C, gamma and theta, as far as not given.")
    ] = False,
    paper: Annotated[
        bool, typer.Option("--paper", help="The paper's rule in place of the default one.")
    ] = False,
    no_scaling: Annotated[
        bool, typer.Option("--no-scaling", help="Leave numbers on the scales they have.")
    ] = False,
    seed: Annotated[int, typer.Option(min=0, metavar="INTEGER", help="Of all that is random.")] = 0,
    max_classes: Annotated[
        int | None,
        typer.Option(
            min=2, metavar="INTEGER", help="Allow so many classes, however few rows each."
        ),
    ] = None,
    format: FormatOption = None,
    delimiter: DelimiterOption = None,
    encoding: EncodingOption = None,
    coerce: CoerceOption = False,
    jobs: JobsOption = -1,
    as_json: JsonOption = False,
    quiet: QuietOption = False,
    debug: DebugOption = False,
    parameters: Any = None,
) -> None:
    """Fit a classifier to a table and save it.

    Numbers, texts, dates and missing values are all taken care of, and what is done to them is
    saved with the model. Accuracy is measured on rows that are held out; the model that is saved is
    then fitted to all rows.

    Example: dcsvm fit iris.csv --target species -o iris.dcsvm
    """
    messages = Messages(as_json=as_json, quiet=quiet, debug=debug)
    with messages.reporting():
        check_readable(data)
        check_writable(output, data)
        from dcsvm.cli.fitting import FitOptions
        from dcsvm.cli.fitting import fit as run
        from dcsvm.cli.tables import ReadingOptions
        from dcsvm.cli.training_data import Wishes, read_training_table

        options = FitOptions(parameters, paper, tune, test_size, cv, seed, jobs, not no_scaling)
        table = read_training_table(
            data,
            ReadingOptions(format, delimiter, encoding),
            Wishes(target, tuple(drop or ()), weight, coerce, max_classes),
            messages,
        )
        run(table, data, output, options, messages)


@app.command(epilog=EXIT_CODES)
def predict(
    model: ModelArgument,
    data: DataArgument,
    output: Annotated[
        str | None,
        typer.Option(
            "--output",
            "-o",
            help="CSV, TSV or Parquet file; without it, CSV goes to the standard output.",
        ),
    ] = None,
    label_name: Annotated[
        str | None, typer.Option(help="Name of the new column, predicted_TARGET by default.")
    ] = None,
    explain: Annotated[
        bool, typer.Option("--explain", help="Add a column that says how each label came about.")
    ] = False,
    no_decisions: Annotated[
        bool, typer.Option("--no-decisions", help="Add no column with the number of decisions.")
    ] = False,
    labels_only: Annotated[
        bool, typer.Option("--labels-only", help="Leave out the columns of the table.")
    ] = False,
    format: FormatOption = None,
    delimiter: DelimiterOption = None,
    encoding: EncodingOption = None,
    coerce: CoerceOption = False,
    jobs: JobsOption = -1,
    as_json: JsonOption = False,
    quiet: QuietOption = False,
    debug: DebugOption = False,
) -> None:
    """Predict the labels of a table's rows.

    The output has the rows of the table in their order, with the label and the number of
    decisions beside them. Tables of any length are read in batches. If the table has the target,
    the accuracy is printed at the end. The output is there in full or not at all.

    Example: dcsvm predict iris.dcsvm new.parquet -o labelled.parquet
    """
    messages = Messages(as_json=as_json, quiet=quiet, debug=debug)
    path = None if output in (None, "-") else Path(str(output))
    if as_json and path is None:
        raise typer.BadParameter("--json needs an output file: add -o.")
    with messages.reporting():
        check_readable(model)
        check_readable(data)
        if path is not None:
            check_writable(path, data, model)
            output_format(path)
        from dcsvm.cli.models import open_model
        from dcsvm.cli.predicting import PredictOptions
        from dcsvm.cli.predicting import predict as run
        from dcsvm.cli.tables import ReadingOptions

        opened = open_model(model)
        opened.classifier.set_params(n_jobs=jobs)
        run(
            opened,
            data,
            path,
            ReadingOptions(format, delimiter, encoding),
            PredictOptions(label_name, not no_decisions, explain, labels_only, coerce),
            messages,
        )


@app.command(epilog=EXIT_CODES)
def inspect(
    model: ModelArgument,
    depth: Annotated[
        int | None, typer.Option(min=0, help="Show decisions to this depth; 0 for none.")
    ] = 2,
    as_json: JsonOption = False,
    quiet: QuietOption = False,
    debug: DebugOption = False,
) -> None:
    """Show what a model is, how good it was, and how it decides."""
    messages = Messages(as_json=as_json, quiet=quiet, debug=debug)
    with messages.reporting():
        check_readable(model)
        from dcsvm.cli.inspecting import inspect_model

        inspect_model(model, depth, messages)


@app.command(epilog=EXIT_CODES)
def report(
    model: ModelArgument,
    data: DataArgument,
    output: Annotated[Path, typer.Option("--output", "-o", help="HTML file to write.")],
    title: Annotated[str | None, typer.Option(help="Title of the page.")] = None,
    format: FormatOption = None,
    delimiter: DelimiterOption = None,
    encoding: EncodingOption = None,
    coerce: CoerceOption = False,
    as_json: JsonOption = False,
    quiet: QuietOption = False,
    debug: DebugOption = False,
) -> None:
    """Write a page about a model and a labelled table: one HTML file that needs no network."""
    messages = Messages(as_json=as_json, quiet=quiet, debug=debug)
    with messages.reporting():
        check_readable(model)
        check_readable(data)
        check_writable(output, data, model)
        if output.suffix.lower() not in (".html", ".htm"):
            raise UserError(f"{output} should be a page: give it a name that ends in .html.")
        from dcsvm.cli.models import open_model
        from dcsvm.cli.reporting import write
        from dcsvm.cli.tables import ReadingOptions

        opened = open_model(model)
        write(
            opened,
            data,
            output,
            title,
            ReadingOptions(format, delimiter, encoding),
            coerce,
            messages,
        )
