"""The layout of the package: few modules in its root, tests beside modules, privacy kept.

That imports go one way from room to room is import-linter's to check (pyproject.toml).
"""

import ast
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
PACKAGE = ROOT / "src" / "dcsvm"
MODULES = sorted(p for p in PACKAGE.rglob("*.py") if p.name not in ("__init__.py", "__main__.py"))


def name_of(module):
    return str(module.relative_to(PACKAGE))


def test_the_root_holds_few_modules():
    assert len([*PACKAGE.glob("*.py"), *PACKAGE.glob("*.pyi")]) <= 6


@pytest.mark.parametrize("module", MODULES, ids=name_of)
def test_every_module_has_its_tests(module):
    folder = ROOT / "tests" / module.parent.relative_to(PACKAGE)
    tests = folder / f"test_{module.stem}.py"
    assert tests.is_file(), f"no {tests.relative_to(ROOT)}"
    assert "def test_" in tests.read_text(encoding="utf-8")


def is_private(name):
    return name.startswith("_") and not name.startswith("__")


def defined_in_room(module):
    """The private functions and attributes that the modules of a room define."""
    names = set()
    for other in (PACKAGE / module.relative_to(PACKAGE).parts[0]).rglob("*.py"):
        for node in ast.walk(ast.parse(other.read_text(encoding="utf-8"))):
            if isinstance(node, ast.FunctionDef | ast.ClassDef):
                names.add(node.name)
            elif isinstance(node, ast.Attribute) and isinstance(node.ctx, ast.Store):
                names.add(node.attr)
            elif isinstance(node, ast.AnnAssign | ast.Assign):
                targets = node.targets if isinstance(node, ast.Assign) else [node.target]
                names |= {t.id for t in targets if isinstance(t, ast.Name)}
    return {name for name in names if is_private(name)}


ROOMS = {module.relative_to(PACKAGE).parts[0]: defined_in_room(module) for module in MODULES}


@pytest.mark.parametrize("module", MODULES, ids=name_of)
def test_no_module_reaches_into_another_room(module):
    """Private names are imported from nowhere, and private attributes used only in their room."""
    tree = ast.parse(module.read_text(encoding="utf-8"))
    room = module.relative_to(PACKAGE).parts[0]
    for node in ast.walk(tree):
        if isinstance(node, ast.ImportFrom) and (node.module or "").startswith("dcsvm"):
            if node.module != "dcsvm":
                assert not [a.name for a in node.names if is_private(a.name)], node.lineno
        elif isinstance(node, ast.Attribute) and node.attr not in ROOMS[room]:
            owners = [other for other, names in ROOMS.items() if node.attr in names]
            assert not owners, f"{node.attr} of {owners} in line {node.lineno}"


def test_values_of_machines_have_one_engine():
    for module in MODULES:
        assert "engine is None" not in module.read_text(encoding="utf-8"), module
