"""Finished trials, each in a small file, so that an interrupted run can continue.

A file is named by its task and by a digest of everything its numbers depend on: the set, the
settings, the code that measures, and the code of the library, without comments. If any of these
changes, the trial is run again; files of other digests are kept.
"""

from __future__ import annotations

import ast
import hashlib
import json
import os
from functools import cache
from pathlib import Path

import dcsvm
from dcsvm.datasets import SOURCES
from dcsvm.datasets.stored import stored_file

OUT = Path(__file__).parent / "out"
HERE = Path(__file__).parent
# The modules and scripts that compute the numbers of a trial.
MEASURING = ("methods", "problems", "trial", "tuning", "e1071", "e1071_builtin.R", "dcsvm.R")
LIBRARY_ROOTS = ("dcsvc", "one_vs_one", "dagsvc", "meta")


def path_of(task):
    """The file of the result of a task."""
    digest = hashlib.sha256(json.dumps([*task, _digest_of(task.name)]).encode()).hexdigest()[:12]
    parts = [str(part) for part in task if not isinstance(part, bool)]
    return OUT / f"{'_'.join(parts)}_{digest}.json"


def saved(task):
    """The result of a task, or None."""
    try:
        return json.loads(path_of(task).read_text(encoding="utf-8"))
    except (FileNotFoundError, json.JSONDecodeError):
        return None


def save(task, result):
    """Store a result; a reader sees the complete file or none."""
    path = path_of(task)
    path.parent.mkdir(parents=True, exist_ok=True)
    temporary = path.with_suffix(f".{os.getpid()}.part")
    temporary.write_text(json.dumps(result), encoding="utf-8")
    temporary.replace(path)


@cache
def _digest_of(name):
    digest = hashlib.sha256(_digest_of_code().encode())
    file = stored_file(SOURCES[name])
    if file is not None:
        digest.update(hashlib.sha256(file.read_bytes()).digest())
    return digest.hexdigest()


@cache
def _digest_of_code():
    digest = hashlib.sha256()
    for name in MEASURING:
        file = HERE / name if "." in name else HERE / f"{name}.py"
        digest.update(file.read_bytes() if "." in name else _meaning(file))
    package = Path(dcsvm.__file__).parent
    for module in sorted(_closure(package)):
        digest.update(_meaning(package / f"{module}.py"))
    digest.update(_meaning(package / "datasets" / "artificial.py"))
    digest.update(Path(dcsvm._core.__file__).read_bytes())
    return digest.hexdigest()


def _meaning(file):
    """The code of a file without comments, docstrings and layout."""
    tree = ast.parse(file.read_text(encoding="utf-8"))
    for node in ast.walk(tree):
        if isinstance(node, ast.Module | ast.ClassDef | ast.FunctionDef) and ast.get_docstring(
            node
        ):
            node.body = node.body[1:]
    return ast.dump(tree).encode()


def _closure(package):
    """The modules that fitting and predicting import, directly or not."""
    found, waiting = set(), [f"estimators/{name}" for name in LIBRARY_ROOTS]
    while waiting:
        module = waiting.pop()
        if module in found:
            continue
        found.add(module)
        tree = ast.parse((package / f"{module}.py").read_text(encoding="utf-8"))
        for node in ast.walk(tree):
            if isinstance(node, ast.ImportFrom) and (node.module or "").startswith("dcsvm."):
                imported = node.module.removeprefix("dcsvm.").replace(".", "/")
                if (package / f"{imported}.py").is_file():
                    waiting.append(imported)
    return found
