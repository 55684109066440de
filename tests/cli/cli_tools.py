"""The command line, run in this process."""

import json
from typing import NamedTuple

import arff
import numpy as np
import pandas as pd
from typer.testing import CliRunner

from dcsvm.cli.app import app


class Outcome(NamedTuple):
    code: int
    out: str
    err: str

    @property
    def document(self):
        return json.loads(self.out)


def run(*words, stdin=None):
    """What a command gives; what it raises is a fault of the test or of the command."""
    result = CliRunner().invoke(app, [str(word) for word in words], input=stdin)
    if result.exception is not None and not isinstance(result.exception, SystemExit):
        raise result.exception
    return Outcome(result.exit_code, result.stdout, result.stderr)


def fine(*words, stdin=None):
    """The same for a command that has to succeed."""
    outcome = run(*words, stdin=stdin)
    assert outcome.code == 0, outcome.err
    return outcome


def mistake(*words, stdin=None):
    """What is said about a user's mistake: one sentence on the standard error."""
    outcome = run(*words, stdin=stdin)
    assert outcome.code == 1, outcome
    assert "Traceback" not in outcome.err
    last = outcome.err.strip().splitlines()[-1]
    assert last.startswith("error: ")
    return last.removeprefix("error: ")


def flowers(n=90, seed=0):
    """A small table of three kinds that are easy to tell apart."""
    rng = np.random.default_rng(seed)
    kind = np.arange(n) % 3
    return pd.DataFrame(
        {
            "sepal": (kind * 2 + rng.normal(size=n) * 0.6).round(3),
            "petal": (kind % 2 + rng.normal(size=n) * 0.2).round(3),
            "kind": np.array(["setosa", "versicolor", "virginica"])[kind],
        }
    )


def colourful_flowers(n=90, seed=0):
    """The same with a column of texts, which takes longer."""
    frame = flowers(n, seed)
    rng = np.random.default_rng(seed + 1000)
    place = (np.arange(n) + (rng.random(n) < 0.1)) % 3
    return frame.assign(colour=np.array(["red", "blue", "white"])[place])


def messy(n=240):
    """What comes out of real life."""
    rng = np.random.default_rng(0)
    frame = colourful_flowers(n)
    frame.insert(0, "id", np.arange(n))
    frame["colour"] = frame["colour"].where(rng.random(n) > 0.1)
    frame["sepal"] = frame["sepal"].astype(object).where(rng.random(n) > 0.1, "NA")
    frame["seen"] = pd.date_range("2021-01-31", periods=n).strftime("%d.%m.%Y")
    frame["remark"] = [f"r{i % 101}" for i in range(n)]
    frame["zip"] = [f"{i % 13:05}" for i in range(n)]
    frame["wet"] = np.where(rng.random(n) < 0.5, "True", "false")
    frame["country"] = "UK"
    frame["nothing"] = ""
    kind = frame.pop("kind").astype(object)
    kind[[3, 4]] = "pair"
    kind[5] = "single"
    kind[[7, 8, 9]] = np.nan
    frame["kind"] = kind
    return frame


def new_rows(n=50):
    days = pd.date_range("2020-03-01", periods=n).astype(str)
    return colourful_flowers(n, seed=2).assign(day=days, note=[f"note, {i}" for i in range(n)])


def write_arff(frame, path):
    nominal = {"colour": ["red", "blue", "white"], "kind": sorted(set(flowers()["kind"]))}
    attributes = [(name, nominal.get(name, "REAL")) for name in frame]
    rows = frame.astype(object).where(frame.notna(), None).to_numpy().tolist()
    path.write_text(arff.dumps({"relation": "r", "attributes": attributes, "data": rows}))
