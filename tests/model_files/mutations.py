"""Model files with something wrong in them, and a program that tries them one after the other.

    python tests/model_file_mutations.py FOLDER FIRST LAST

loads mutations FIRST … LAST of the model files in FOLDER, and predicts with those that load. It
prints a line for each that behaves badly; that it ends at all is the point. Every fourth
mutation is one of the file, the others, of our own estimators alone, are of the state that is in
it: these cost little, and more of them come as far as the compiled core.
"""

import contextlib
import io
import json
import resource
import signal
import struct
import sys
import tokenize
import warnings
import zipfile
from pathlib import Path

import joblib
import numpy as np
import skops.io

from dcsvm.model_files import ModelFileError
from dcsvm.model_files.estimators import model_from
from dcsvm.model_files.files import _read

MEMORY = 2**31  # beyond what it takes to start
SECONDS_EACH = 10

NUMBERS = [-1, 0, 1, 2, 3, 7, 255, 256, 2**31 - 1, 2**31, -(2**31), 2**40, 2**63, -(2**63), 10**30]
FRACTIONS = [float("nan"), float("inf"), -float("inf"), -0.5, 0.5, 1e-320, 1e308, -1e308]
OTHERS = ["", "linear", "rbf", "sign", "platt", "x" * 300, None, True, False, [], {}, [[]], "auto"]
TYPES = [
    ("FunctionNode", "os", "system"),
    ("TypeNode", "builtins", "eval"),
    ("TypeNode", "numpy", "float64"),
    ("ObjectNode", "dcsvm.estimators.dcsvc", "DCSVC"),
    ("ObjectNode", "sklearn.preprocessing._data", "StandardScaler"),
    ("OperatorFuncNode", "operator", "methodcaller"),
    ("ConstructorFromReduceNode", "pathlib", "Path"),
    ("ConstructorFromReduceNode", "datetime", "timezone"),
    ("ListNode", "builtins", "list"),
    ("TupleNode", "builtins", "tuple"),
    ("DictNode", "builtins", "dict"),
    ("SetNode", "builtins", "set"),
    ("NdArrayNode", "numpy", "ndarray"),
    ("NdArrayNode", "numpy", "int64"),
    ("DTypeNode", "numpy", "dtype"),
    ("TreeNode", "sklearn.tree._tree", "Tree"),
    ("RandomStateNode", "numpy.random.mtrand", "RandomState"),
    ("SliceNode", "builtins", "slice"),
    ("CachedNode", "builtins", "dict"),
]


def members_of(data):
    with zipfile.ZipFile(io.BytesIO(data)) as archive:
        return {info.filename: archive.read(info) for info in archive.infolist()}


def zipped(members):
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w") as archive:
        for name, data in members.items():
            archive.writestr(name, data)
    return buffer.getvalue()


def mutate(data, rng):
    """One model file with something wrong in it."""
    if rng.random() < 0.1:
        return mutate_bytes(data, rng)
    members = members_of(data)
    for _ in range(rng.choice([1, 1, 1, 2, 5])):
        arrays = [name for name in members if name.endswith(".npy")]
        kind = rng.random()
        if kind < 0.5 and arrays:
            name = arrays[rng.integers(len(arrays))]
            members[name] = mutate_array(members[name], rng)
        elif kind < 0.6 and len(arrays) > 1:
            a, b = rng.choice(arrays, 2, replace=False)
            members[a], members[b] = members[b], members[a]
        else:
            name = "dcsvm.json" if kind > 0.98 else "schema.json"
            with contextlib.suppress(ValueError):
                members[name] = mutate_json(members[name], rng)
    return zipped(members)


def mutate_bytes(data, rng):
    data = bytearray(data)
    if rng.random() < 0.3:
        return bytes(data[: rng.integers(len(data))])
    for _ in range(rng.integers(1, 10)):
        data[rng.integers(len(data))] = rng.integers(256)
    return bytes(data)


def mutate_json(text, rng):
    document = json.loads(text)
    places = []  # of everything: the container, and the key
    waiting = [document]
    while waiting:
        part = waiting.pop()
        keys = part.keys() if isinstance(part, dict) else range(len(part))
        places.extend((part, key) for key in keys)
        waiting.extend(part[key] for key in keys if isinstance(part[key], dict | list))
    container, key = places[rng.integers(len(places))]
    old, kind = container[key], rng.random()
    if isinstance(container, dict) and "__loader__" in container and kind < 0.15:
        new_type = TYPES[rng.integers(len(TYPES))]
        container.update(zip(("__loader__", "__module__", "__class__"), new_type, strict=True))
    elif isinstance(old, str) and key == "content":
        container[key] = json.dumps(anything(rng))
    elif kind < 0.3:
        other, other_key = places[rng.integers(len(places))]
        container[key] = other[other_key]
    elif kind < 0.4 and isinstance(container, dict):
        del container[key]
    else:
        container[key] = anything(rng)
    return json.dumps(document).encode()  # ValueError where it now holds itself


def anything(rng):
    values = [*NUMBERS, *FRACTIONS, *OTHERS]
    return values[rng.integers(len(values))]


def mutate_array(data, rng):
    if rng.random() < 0.1:
        return mutate_bytes(data, rng)
    if b"V0" in data[:128] or b"U0" in data[:128] or b"1048576" in data[:128]:
        return data  # mutated enough
    try:
        array = np.load(io.BytesIO(data), allow_pickle=False).copy()
    except (ValueError, MemoryError, SyntaxError, TypeError, EOFError, tokenize.TokenError):
        return data
    if rng.random() < 0.05:
        return with_wrong_shape(array, rng)
    buffer = io.BytesIO()
    np.save(buffer, mutated_array(array, rng))
    return buffer.getvalue()


def mutated_array(array, rng):
    kind = rng.random()
    if kind < 0.6 and array.size:
        flat = array.reshape(-1)
        if array.dtype.names:  # the nodes of a tree
            flat = flat[array.dtype.names[rng.integers(len(array.dtype.names))]]
        for _ in range(rng.integers(1, 4)):
            values = [*NUMBERS, flat.size, flat.size - 1, int(rng.integers(0, 100)), *FRACTIONS]
            with contextlib.suppress(OverflowError, ValueError, TypeError):
                flat[rng.integers(flat.size)] = values[rng.integers(len(values))]
    elif kind < 0.7:
        array = array[: rng.integers(len(array) + 1)] if array.ndim else array
    elif kind < 0.75 and array.ndim:
        array = np.concatenate([array, array])
    elif kind < 0.85:
        rng.shuffle(array) if array.ndim else None
    elif kind < 0.95:
        types = [np.int8, np.int32, np.int64, np.uint64, np.float32, ">f8", ">i4", "U3", bool]
        with contextlib.suppress(ValueError, TypeError):
            array = array.astype(types[rng.integers(len(types))])
    else:
        array = array.reshape(array.shape[::-1]) if rng.random() < 0.5 else array.reshape(-1, 1)
    return array


def mutate_state(state, rng):
    """A copy of a plain state with something wrong in it."""
    state, places = copied(state), []
    waiting = [state]
    while waiting:
        part = waiting.pop()
        places.extend((part, key) for key in part)
        waiting.extend(inner for inner in part.values() if isinstance(inner, dict))
    for _ in range(rng.choice([1, 1, 2, 4])):
        container, key = places[rng.integers(len(places))]
        other, other_key = places[rng.integers(len(places))]
        if isinstance(container.get(key), np.ndarray) and rng.random() < 0.85:
            container[key] = mutated_array(container[key], rng)
        elif rng.random() < 0.5:
            container[key] = copied(other.get(other_key))
        else:
            container[key] = anything(rng)
    return state


def copied(value):
    if isinstance(value, dict):
        return {key: copied(part) for key, part in value.items()}
    return value.copy() if isinstance(value, np.ndarray | list) else value


def with_wrong_shape(array, rng):
    """An array that says that it is larger than it is, or of objects."""
    shapes = [(2**40,), (2**20, 2**20, 2**20), (-1,), (2**63,), (0,), array.shape]
    descr = [array.dtype.str, "|O", "<U0", "|V0"][rng.integers(4)]
    header = {"descr": descr, "fortran_order": False, "shape": shapes[rng.integers(len(shapes))]}
    text = repr(header).encode() + b"\n"
    return b"\x93NUMPY\x01\x00" + struct.pack("<H", len(text)) + text + array.tobytes()


def use(model, X):
    """Everything that comes before the compiled core."""
    model.predict(X)
    last = model[-1] if hasattr(model, "steps") else model
    rows = model[:-1].transform(X) if hasattr(model, "steps") else X
    for method in ("decision_function", "decision_cost", "decision_path"):
        if hasattr(last, method):
            getattr(last, method)(rows)
    if hasattr(last, "rethreshold"):
        last.rethreshold(theta=0.01).predict(rows)
    if hasattr(last, "predictor_") and isinstance(rows, np.ndarray):
        last.predictor_.predict(rows[0])


class Corpus:
    """Model files, with the rows that they were fitted to."""

    def __init__(self, folder):
        self.files, self.states = [], []
        for path in sorted(Path(folder).glob("*.dcsvm")):
            data, X = path.read_bytes(), joblib.load(path.with_suffix(".rows"))
            use(_read(io.BytesIO(data), True)[0], X)  # is right as it is
            self.files.append((path.stem, data, X))
            if b"third party" not in members_of(data)["schema.json"]:
                self.states.append((path.stem, skops.io.loads(data), X))

    def model(self, number):
        """The name of mutation `number`, a function that loads it, and its rows."""
        rng = np.random.default_rng(number)
        if number % 4 == 0:
            name, data, X = self.files[number // 4 % len(self.files)]
            mutated = mutate(data, rng)
            return name, lambda: _read(io.BytesIO(mutated), True)[0], X
        name, state, X = self.states[number % len(self.states)]
        mutated = mutate_state(state, rng)
        return name, lambda: model_from(mutated), X


def try_mutations(folder, first, last):
    warnings.simplefilter("ignore")
    np.seterr(all="ignore")
    corpus = Corpus(folder)
    limit_memory()
    n_loaded = 0
    for number in range(first, last):
        name, load, X = corpus.model(number)
        print(f"\r{number} {name}", end="", file=sys.stderr, flush=True)
        signal.setitimer(signal.ITIMER_PROF, SECONDS_EACH)  # of CPU time: it would die
        try:
            model = load()
        except ModelFileError:
            continue
        except BaseException as error:
            if number % 4 == 0 or isinstance(error, MemoryError):
                print(f"load {number} {name} {type(error).__name__}: {error}"[:300], flush=True)
            continue
        n_loaded += 1
        try:
            use(model, X)
        except MemoryError as error:
            print(f"use {number} {name} {type(error).__name__}: {error}"[:300], flush=True)
        except Exception:
            continue
    signal.setitimer(signal.ITIMER_PROF, 0)
    print(f"done, {n_loaded} of {last - first} could be loaded")


def limit_memory():
    taken = int(Path("/proc/self/statm").read_text().split()[0]) * resource.getpagesize()
    resource.setrlimit(resource.RLIMIT_AS, (taken + MEMORY, taken + MEMORY))


if __name__ == "__main__":
    try_mutations(sys.argv[1], int(sys.argv[2]), int(sys.argv[3]))
