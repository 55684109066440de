"""The compiled core, called as no caller of ours would: refused, or done without a crash.

Each argument is right with some probability, so that many calls come past the checks.
"""

import contextlib

import numpy as np
from tests.fuzz.choices import Choices
from tests.model_files.mutations import mutated_array

from dcsvm import _core

REFUSED = (ValueError, TypeError, OverflowError, MemoryError)
HOSTILE = [-1, 0, 1, 2, 3, 63, 64, 65, 2**31 - 1, 2**31, 2**40, 2**62, 2**63 - 1, -(2**63)]
FRACTIONS = [0.0, -1.0, 1e-300, 1e300, float("inf"), float("-inf"), float("nan")]
WIDEST_OUTPUT = 200


def call(data):
    choices = Choices(data)
    with contextlib.suppress(*REFUSED):
        choices.of([structure, choice, support, machines, machines, training])(choices)


class Spoiled:
    """Arguments, of which some are replaced by hostile ones."""

    def __init__(self, choices):
        self.choices, self.rng = choices, choices.generator()
        self.often = choices.of([10, 40, 200])

    def __call__(self, value):
        if not self.choices.once_in(self.often):
            return value
        if isinstance(value, np.ndarray):
            return mutated_array(value.copy(), self.rng)
        if isinstance(value, bool | str):
            return self.choices.of([value, "", "tanh", "exp_dot", None])
        return self.choices.of(FRACTIONS if isinstance(value, float) else HOSTILE)

    def all(self, **arguments):
        return {name: self(value) for name, value in arguments.items()}

    def numbers(self, *shape, dtype="f8"):
        values = self.rng.normal(size=shape) * 10.0 ** self.choices.of([0, 0, 3, 30, 300])
        with np.errstate(over="ignore"):
            return values.astype(dtype)

    def indices(self, n, bound, dtype="i4"):
        return self.rng.integers(0, max(bound, 1), n).astype(dtype)

    def offsets(self, n_parts, length):
        inner = np.sort(self.rng.integers(0, length + 1, n_parts - 1))
        return np.array([0, *inner, length], dtype="i8")


def matrix(s, n, d):
    """Rows of any kind."""
    dtype = s.choices.of(["f8", "f4"])
    if not s.choices.once_in(3):
        return _core.dense_rows(s(s.numbers(n, d, dtype=dtype)))
    nnz, index = s.choices.below(3 * n + 1), s.choices.of(["i4", "i8"])
    return _core.sparse_rows(
        s(s.numbers(nnz, dtype=dtype)),
        s(s.indices(nnz, d, index)),
        s(s.offsets(n, nnz).astype(index)),
        s(d),
    )


def dag(s, k):
    """A structure, mostly without cycles: children have higher numbers, or are leaves."""
    n_inner = s.choices.between(1, 6)
    n_cuts = np.array([0] * k + [s.choices.between(1, 2) for _ in range(n_inner)])
    first_cut = np.concatenate([[0], np.cumsum(n_cuts)])
    first_child = np.concatenate([[0], np.cumsum(n_cuts + (np.arange(k + n_inner) >= k))])
    child = []
    for node in range(k, k + n_inner):
        for _ in range(n_cuts[node] + 1):
            later = k + n_inner - node - 1
            inner = node + 1 + s.choices.below(later) if later else 0
            child.append(inner if later and s.choices.once_in(2) else s.choices.between(-1, k - 1))
    return _core.Dag(
        **s.all(
            n_classes=k,
            machine=s.indices(k + n_inner, k * (k - 1) // 2),
            first_cut=first_cut.astype("i8"),
            first_child=first_child.astype("i8"),
            cuts=np.sort(s.numbers(int(first_cut[-1]))),
            child=np.array(child, dtype="i4"),
        )
    )


def structure(choices):
    s, k, n = Spoiled(choices), choices.between(2, 5), choices.below(12)
    signs = s.rng.integers(0, 256, (k * (k - 1) // 2, (n + 7) // 8)).astype("u1")
    row, node = s.indices(n, n, "i8"), np.full(n, k, dtype="i4")
    dag(s, k).walk_signs(s(signs), s(row), s(node), s(np.zeros(n, dtype="i8")))


def choice(choices):
    s, k, n = Spoiled(choices), choices.of([2, 3, 5, 63, 64, 65, 130]), choices.below(5)
    m, words = k * (k - 1) // 2, (k + 63) // 64

    def sets(n):
        bits = s.rng.random((n, words * 64)) < 0.7
        bits[:, k:] = False
        return np.packbits(bits, axis=1, bitorder="little").view("u8").copy()

    _core.choose(
        **s.all(
            instruction_set=choices.of(_core.instruction_sets()),
            n_classes=k,
            to_i=sets(m),
            to_j=sets(m),
            score=s.numbers(m),
            cost=s.numbers(m),
            criterion=choices.of(["purity", "score", "cost"]),
            candidates=sets(n),
            machine=np.zeros(n, dtype="i4"),
        )
    )


def support(choices):
    s, m, n_vectors, n = (
        Spoiled(choices), choices.between(1, 6), choices.between(1, 9), choices.between(1, 5),
    )  # fmt: skip
    length, asked = choices.below(20), choices.below(12)
    _core.distinct_support(
        **s.all(
            start=s.offsets(m, length),
            index=s.indices(length, n_vectors),
            n_vectors=n_vectors,
            path_start=s.offsets(n, asked),
            machine=s.indices(asked, m),
            out=np.zeros(n, dtype="i8"),
        )
    )


def engine(s, k, d):
    choices, m = s.choices, k * (k - 1) // 2
    real = choices.of(["f8", "f4"])
    form = choices.of(["exp_dot", "exp_distance", "power", "tanh", "identity"])
    n_vectors = m if form == "identity" else choices.between(1, 20)
    length = 0 if form == "identity" else choices.below(30)
    given = choices.of(["vectors", "vectors", "stored", "column"]) if form != "identity" else ""
    own = form != "exp_dot" and given != "column" and choices.once_in(3)
    dense = given in ("vectors", "")
    made = {"f8": _core.EngineDouble, "f4": _core.EngineFloat}[real]
    return made(
        **s.all(
            instruction_set=choices.of(_core.instruction_sets()),
            form=form,
            coef0=float(s.rng.normal()),
            degree=choices.below(6),
            centre=s.numbers(0 if given == "column" else d),
            scale=s.numbers(0 if given == "column" else d),
            query_bias=-1.0,
            query_factor=1.0,
            vectors=s.numbers(n_vectors, d, dtype=real) if dense else None,
            vector_bias=s.numbers(n_vectors, dtype=real) if dense else None,
            column=s.indices(n_vectors, d) if given == "column" else None,
            start=s.offsets(m, length),
            index=s.indices(length, n_vectors),
            coef=s.numbers(length, dtype=real),
            intercept=s.numbers(m),
            own_centre=s.numbers(m, d, dtype=real) if own else None,
            own_scale=s.numbers(m, d, dtype=real) if own else None,
            panel_budget=choices.of([2**29, 1000, 0]),
        ),
        stored=matrix(s, n_vectors, d) if given == "stored" else None,
    )


def machines(choices):
    """An engine, and some calls of its methods."""
    s, k, d = Spoiled(choices), choices.of([2, 3, 5, 17, 18]), choices.between(1, 9)
    e, n = engine(s, k, d), choices.below(25)
    X = matrix(s, n, d)
    for _ in range(choices.between(1, 4)):
        with contextlib.suppress(*REFUSED):
            METHODS[choices.below(len(METHODS))](s, e, X, n, k, d)


def ask_values(s, e, X, n, k, d):
    asked = s.choices.below(20) if n else 0
    machine = s.indices(asked, k * (k - 1) // 2)
    e.values(X, s(s.indices(asked, n, "i8")), s(machine), s(np.zeros(asked)))


def ask_all_values(s, e, X, n, k, d):
    e.all_values(X, s(0), s(n), s(np.zeros((k * (k - 1) // 2, n))))


def walk(s, e, X, n, k, d):
    node, slot = np.full(n, k, dtype="i4"), np.zeros(n, dtype="i8")
    row = s.rng.permutation(n).astype("i8")
    made, counts = dag(s, k), np.zeros(n, dtype="i8") if s.choices.once_in(2) else None
    e.walk(made, X, s(row), s(node), s(slot), s(counts))
    e.walk_one(made, s(s.numbers(d)))


def observe(s, e, X, n, k, d):
    parts, m = s.choices.between(1, 4), k * (k - 1) // 2
    signs = np.zeros((m, (n + 7) // 8), dtype="u1") if s.choices.once_in(2) else None
    out = {name: np.zeros((parts, m)) for name in ("to_i", "to_j", "sum", "squares")}
    out |= {name: np.zeros((parts, m), dtype="f4") for name in ("low", "high")}
    e.observe(
        X, **s.all(begin=0, end=n, weight=np.ones(n), edges=s.offsets(parts, n), signs=signs, **out)
    )


def observe_classes(s, e, X, n, k, d):
    parts, m = s.choices.between(1, 4), k * (k - 1) // 2
    signs = np.zeros((m, (n + 7) // 8), dtype="u1") if s.choices.once_in(2) else None
    out = {name: np.zeros((parts, m), dtype="u2") for name in ("low", "high", "spread")}
    counts = np.zeros((parts, m, 2), dtype=s.choices.of(["u1", "u2", "u4", "f8"]))
    rows = s.all(begin=0, end=n, weight=np.ones(n), edges=s.offsets(parts, n))
    e.observe_classes(X, **rows, **s.all(counts=counts, signs=signs, **out))


def vote(s, e, X, n, k, d):
    e.vote(X, s(0), s(n), s(k), s(np.zeros(n, dtype="i8")))


def eliminate(s, e, X, n, k, d):
    m, padded = k * (k - 1) // 2, -(-k // _core.PANEL_WIDTH) * _core.PANEL_WIDTH
    n_landmarks = s.choices.between(1, 6)
    landmarks = s.indices(n_landmarks, 5) if s.choices.once_in(2) else None
    quadratic = s.choices.once_in(2)
    length = n_landmarks if landmarks is not None else d * (1 + quadratic)
    shortlist = e.shortlist(
        **s.all(
            weights=s.numbers(k, length),
            intercept=s.numbers(k),
            landmarks=landmarks,
            quadratic=quadratic,
        )
    )
    levels = s.rng.integers(0, 256, (2, m, padded)).astype("u1")
    made = _core.Levels(
        **s.all(
            n_classes=k,
            origin=s.numbers(m),
            scale=s.numbers(m),
            low=levels[0],
            high=levels[1],
        )
    )
    scores = np.zeros((n, padded), dtype="f4")
    e.score(shortlist, X, s(0), s(n), s(scores))
    e.eliminate(made, X, s(0), s(n), s(1.0), s(scores), s(np.zeros(n, dtype="i8")))
    e.eliminate_one(made, shortlist, s(1.0), s(s.numbers(d)))


METHODS = [ask_values, ask_all_values, walk, observe, observe_classes, vote, eliminate]


def training(choices):
    s, k, d = Spoiled(choices), choices.between(2, 5), choices.between(1, 9)
    n = choices.between(k, 40)
    m, own = k * (k - 1) // 2, choices.once_in(4)
    form = choices.of(["exp_distance", "power", "tanh"] if own else ["exp_dot", "power", "tanh"])
    v, asks = choices.between(1, 3), choices.once_in(2)
    trainer = _core.Trainer(
        **s.all(
            precision=choices.of(["single", "double"]),
            instruction_set=choices.of(_core.instruction_sets()),
            form=form,
            coef0=0.5,
            degree=choices.below(5),
            centre=s.numbers(d),
            scale=s.numbers(d),
            query_factor=1.0,
            bias_factor=-0.5 if form == "exp_dot" else 0.0,
            own_centre=s.numbers(m, d) if own else None,
            own_scale=s.numbers(m, d) if own else None,
            class_start=s.offsets(k, n),
            C=np.abs(s.numbers(v, n)),
            start=np.arange(v) - 1,
            place=np.arange(v * n).reshape(v, n) if asks else None,
            values=np.zeros((v * n, k)) if asks else None,
            tol=1e-3,
            norm_limit=1e6,
            shared_budget=choices.of([2**20, 100, 0]),
            pair_budget=choices.of([2**20, 100, 0]),
            n_pairs=choices.below(4),
            n_threads=choices.between(1, 2),
        ),
        max_iter=choices.of([1000, 1, 0, -1]),
        X=matrix(s, n, d),
    )
    first, second = np.triu_indices(k, 1)
    machine = np.arange(m)
    trainer.train(
        s(first.astype("i4")), s(second.astype("i4")), s(machine.astype("i8")), _core.Cancel()
    )
