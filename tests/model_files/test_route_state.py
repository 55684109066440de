"""Every number of a decision structure and of levels is checked."""

import numpy as np
import pytest


def unsort(dag):
    """Let the cuts of the node that has most of them fall."""
    node = np.diff(dag["first_cut"]).argmax()
    own = dag["cuts"][dag["first_cut"][node] : dag["first_cut"][node + 1]]
    assert len(own) > 1
    own[:] = own[::-1].copy()


# One number of a state set wrong, and what is said about it.
WRONG = {
    "child": (lambda m: m["route"]["dag"]["child"].__setitem__(0, 10**6), "indices beyond"),
    "child is the root": (lambda m: m["route"]["dag"]["child"].__setitem__(0, 4), "of its parent"),
    "machine": (lambda m: m["route"]["dag"]["machine"].__setitem__(4, 99), "indices beyond"),
    "leaf": (lambda m: m["route"]["dag"]["machine"].__setitem__(0, 1), "a leaf has a machine"),
    "cuts": (lambda m: m["route"]["dag"]["cuts"].__setitem__(0, np.nan), "not a number"),
    "cuts order": (lambda m: unsort(m["route"]["dag"]), "do not rise"),
    "first_cut": (lambda m: m["route"]["dag"]["first_cut"].__setitem__(5, 99), "does not rise"),
    "candidates": (
        lambda m: m["route"]["dag"]["candidates"].__setitem__((4, 0), 2**63),
        "do not exist",
    ),
    "root": (lambda m: m["route"]["dag"]["candidates"].__setitem__((4, 0), 3), "not all classes"),
    "sides": (lambda m: m["route"]["sides"]["to_i"].__setitem__((0, 0), 2**40), "do not exist"),
    "cost": (lambda m: m["route"]["sides"]["cost"].__setitem__(0, 0.0), "costs nothing"),
    "criterion": (lambda m: m["route"].update(criterion="best"), "is 'best'"),
    "max_nodes": (lambda m: m["route"].update(max_nodes=0), "out of range"),
}
WRONG_LEVELS = {
    "levels own": (
        lambda m: m["elimination"]["levels"]["low"].__setitem__((0, 0), 9),
        "own classes",
    ),
    "levels padding": (
        lambda m: m["elimination"]["levels"]["high"].__setitem__((0, -1), 255),
        "do not exist",
    ),
}


@pytest.mark.parametrize("name", WRONG)
def test_every_number_is_checked(name, refused_state):
    refused_state("margin", *WRONG[name])


@pytest.mark.parametrize("name", WRONG_LEVELS)
def test_every_level_is_checked(name, refused_state):
    refused_state("default", *WRONG_LEVELS[name])
