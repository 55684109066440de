"""SIGKILL while a model is saved: the file is one of the two whole ones, and nothing is left."""

import os
import random
import signal
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from tests.torture.subjects import OTHER_X, OTHER_Y, X, answers, require, y

import dcsvm
from dcsvm import DCSVC

PROGRAM = """
import sys, dcsvm
first, second = dcsvm.load(sys.argv[1]), dcsvm.load(sys.argv[2])
print("ready", flush=True)
while True:
    for model in (first, second):
        dcsvm.save(model, sys.argv[3])
"""


def saves(rounds):
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        models = [DCSVC().fit(X, y), DCSVC().fit(OTHER_X, OTHER_Y)]
        sources = [folder / "first", folder / "second"]
        for model, path in zip(models, sources, strict=True):
            dcsvm.save(model, path)
        whole = [path.read_bytes() for path in sources]
        target = folder / "target" / "model.dcsvm"
        target.parent.mkdir()
        dcsvm.save(models[0], target)
        for _ in range(rounds):
            command = [sys.executable, "-c", PROGRAM, *map(str, sources), str(target)]
            writer = subprocess.Popen(command, stdout=subprocess.PIPE)
            writer.stdout.readline()
            time.sleep(random.uniform(0, 0.3))
            os.kill(writer.pid, signal.SIGKILL)
            writer.communicate()
            require(target.read_bytes() in whole, "neither of the two models is there whole")
            require(answers(dcsvm.load(target)) is not None, "a model that cannot be used")
            left = len(list(target.parent.iterdir())) - 1
            require(left <= 1, f"{left} files left over by one process")
            dcsvm.save(models[0], target)
            require(list(target.parent.iterdir()) == [target], "files left over after a save")
            yield
