"""Files of tables: all that may come of them is a table, or an error that says how to mend it."""

import contextlib
import tempfile
from pathlib import Path
from zlib import crc32

from dcsvm.cli.console import Console
from dcsvm.cli.errors import UserError
from dcsvm.cli.options import ReadingOptions, TrainingTableOptions
from dcsvm.cli.reading import open_table
from dcsvm.cli.sparse_tables import svmlight_blocks
from dcsvm.cli.training_data import read_training_table

CORPUS = Path(__file__).parent / "corpus"
OPTIONS = [
    ReadingOptions(),
    ReadingOptions(coerce=True),
    ReadingOptions(encoding="latin-1"),
    ReadingOptions(delimiter=";"),
]
# In memory where there is such a folder: a case takes about as long as its file to be written.
FOLDER = Path("/dev/shm") if Path("/dev/shm").is_dir() else None


def seeds(ending):
    return [path.read_bytes() for path in sorted((CORPUS / ending).iterdir())]


def read_csv(data):
    read_with_columns(data, "csv")


def read_arff(data):
    read_with_columns(data, "arff")


def read_with_columns(data, ending):
    """Read a table as `dcsvm fit` and `dcsvm predict` do; the last column has the labels."""
    options, console = OPTIONS[crc32(data) % len(OPTIONS)], Console(quiet=True)
    with written(data, ending) as path, contextlib.suppress(UserError):
        table = open_table(path, options, console)
        target = TrainingTableOptions(target=table.names[-1]) if table.names else None
        read_training_table(path, options, target or TrainingTableOptions(), console)


def read_sparse(data):
    console = Console(quiet=True)
    with written(data, "svmlight") as path:
        with contextlib.suppress(UserError):
            read_training_table(path, ReadingOptions(), TrainingTableOptions(), console)
        with contextlib.suppress(UserError):
            list(svmlight_blocks(path, n_features=5, zero_based=bool(crc32(data) % 2)))


@contextlib.contextmanager
def written(data, ending):
    with tempfile.NamedTemporaryFile(suffix=f".{ending}", dir=FOLDER) as file:
        file.write(data)
        file.flush()
        yield Path(file.name)
