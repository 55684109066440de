"""Which of scikit-learn's own tests use SVC or OneVsOneClassifier, as far as their text tells."""

import ast
import re
from pathlib import Path

import sklearn

REPLACED = {"SVC", "OneVsOneClassifier"}
FOLDER = Path(sklearn.__file__).parent


def files():
    """The test files that name one of them."""
    named = re.compile(rf"\b({'|'.join(REPLACED)})\b")
    found = sorted(FOLDER.rglob("test_*.py"))
    return [path for path in found if named.search(path.read_text(encoding="utf-8"))]


def users_in(path):
    """The names at the top of a module whose definition leads to one of them."""
    leads_to = {}
    for node in ast.parse(path.read_text(encoding="utf-8")).body:
        if isinstance(node, ast.FunctionDef | ast.ClassDef):
            leads_to[node.name] = _names_in(node)
        elif isinstance(node, ast.Assign):
            for target in node.targets:
                for name in _names_in(target):
                    leads_to[name] = leads_to.get(name, set()) | _names_in(node.value)
    users = set(REPLACED)
    while True:
        more = {name for name, others in leads_to.items() if others & users} - users
        if not more:
            return users
        users |= more


def _names_in(tree):
    names = set()
    for node in ast.walk(tree):
        if isinstance(node, ast.Name):
            names.add(node.id)
        elif isinstance(node, ast.Attribute):
            names.add(node.attr)
        elif isinstance(node, ast.arg):  # a fixture, of tests
            names.add(node.arg)
    return names
