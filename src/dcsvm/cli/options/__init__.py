"""The options of the commands, in groups that become parameters of the functions behind them."""

from dcsvm.cli.options.cluster import ClusterOptions
from dcsvm.cli.options.exporting import ExportOptions, Precision, Support, Target
from dcsvm.cli.options.groups import JobsOption, OptionGroup, with_options
from dcsvm.cli.options.predicting import PredictOptions
from dcsvm.cli.options.printing import ConsoleOptions
from dcsvm.cli.options.reading import ReadingOptions
from dcsvm.cli.options.training import FitOptions, TrainingTableOptions

__all__ = [
    "ClusterOptions",
    "ConsoleOptions",
    "ExportOptions",
    "FitOptions",
    "JobsOption",
    "OptionGroup",
    "Precision",
    "PredictOptions",
    "ReadingOptions",
    "Support",
    "Target",
    "TrainingTableOptions",
    "with_options",
]
