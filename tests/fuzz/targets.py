"""What is fuzzed: how a case begins, and what is done with it."""

from collections.abc import Callable
from functools import partial
from typing import NamedTuple

from tests.fuzz import core, fits, models, tables


class Target(NamedTuple):
    try_case: Callable[[bytes], None]  # raises where something behaves as it must not
    seeds: Callable[[], list[bytes]]  # cases to begin with
    mutate: Callable[..., bytes] | None = None  # for cases that bytes changed at random would spoil


def arbitrary():
    """Long enough for every choice."""
    return [bytes(range(seed, 200 + seed)) for seed in range(20)]


TARGETS = {
    "model_files": Target(models.load_file, models.file_seeds, models.mutated_file),
    "states": Target(models.load_state, arbitrary),
    "pickles": Target(models.use_pickle, arbitrary),
    "fits": Target(fits.fit_and_predict, arbitrary),
    "core": Target(core.call, arbitrary),
    "svmlight": Target(tables.read_sparse, partial(tables.seeds, "svmlight")),
    "csv": Target(tables.read_csv, partial(tables.seeds, "csv")),
    "arff": Target(tables.read_arff, partial(tables.seeds, "arff")),
}
