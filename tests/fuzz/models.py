"""Model files, the state in them, and pickles, with something wrong in them.

They are refused, or give a model that can be used. What a model with wrong numbers answers is its
own affair, and it may raise an exception; it may not crash, hang, or take much memory.
"""

import contextlib
import copy
import io
import pickle
import tempfile
from functools import cache
from pathlib import Path

import numpy as np
import skops.io
from tests.fuzz.choices import Choices
from tests.model_files.mutations import anything, mutate, mutate_state, mutated_array, use
from tests.model_files.saved_models import FRAME, GRAM, MODELS, SPARSE, X, fitted, last_step

import dcsvm
from dcsvm.model_files import ModelFileError
from dcsvm.model_files.estimators import model_from
from dcsvm.model_files.files import _read

# The others are more of the same, or take long to load.
LEFT_OUT = ("table", "nested", "logistic", "svc", "pairwise_svc", "bins", "sign", "linear", "piped")
NAMES = [name for name in MODELS if name not in LEFT_OUT]
OWN = ["default", "margin", "paper", "pair", "global", "sparse", "precomputed", "vote", "platt"]
N_ROWS = 20


@cache
def model_file(name):
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "model.dcsvm"
        dcsvm.save(fitted(name)[0], path)
        return path.read_bytes()


def file_seeds():
    return [model_file(name) for name in NAMES]


def mutated_file(data, choices):
    """A model file with something wrong in it, as the other mutations rarely are."""
    try:
        return mutate(data, choices.generator())
    except Exception:  # what is no zip archive of arrays cannot be taken apart
        return data


def load_file(data):
    """Load a model file; only a ModelFileError may come of that."""
    try:
        model = _read(io.BytesIO(data), True)[0]
    except ModelFileError:
        return
    for rows in (X, SPARSE, GRAM, FRAME):  # the file does not say which it was fitted to
        use_without_complaint(model, rows[:N_ROWS])


def load_state(data):
    """The state in a model file, changed after it was read: cheaper than files, and deeper."""
    choices = Choices(data)
    name = choices.of(OWN)
    state = mutate_state(skops.io.loads(model_file(name)), choices.generator())
    with contextlib.suppress(Exception):
        use_without_complaint(model_from(state), rows_of(name))


def use_pickle(data):
    """A fitted model of which something is changed before it is pickled, or while it is used."""
    choices = Choices(data)
    name = choices.of(OWN)
    model = copy.deepcopy(fitted(name)[0])
    rng, at_once = choices.generator(), choices.once_in(2)
    if not at_once:
        use_without_complaint(model, rows_of(name))  # so that compiled objects are there
    for _ in range(choices.between(1, 3)):
        change(choices.of(places_in(last_step(model))), choices, rng)
    if choices.once_in(2):
        try:
            model = pickle.loads(pickle.dumps(model))
        except Exception:
            return
    use_without_complaint(model, rows_of(name))


def places_in(thing, seen=None):
    """All attributes of our objects, and of those that they hold: (owner, attribute)."""
    seen = set() if seen is None else seen
    places = []
    for name, value in vars(thing).items():
        places.append((thing, name))
        is_ours = type(value).__module__.startswith("dcsvm.") and hasattr(value, "__dict__")
        if is_ours and id(value) not in seen:
            seen.add(id(value))
            places += places_in(value, seen)
    return places


def change(place, choices, rng):
    owner, name = place
    value = vars(owner)[name]
    with contextlib.suppress(Exception):  # what is frozen, or cannot be reshaped
        if not isinstance(value, np.ndarray) or choices.once_in(20):
            new = anything(rng)
        elif choices.once_in(2):
            new = mutated_array(value.copy(), rng)
        else:
            mutated_array(value, rng)  # the array itself: all that hold it see that
            return
        vars(owner)[name] = new


def rows_of(name):
    return MODELS[name][1][:N_ROWS]


def use_without_complaint(model, rows):
    try:
        use(model, rows)
    except MemoryError:
        raise
    except Exception:
        return
