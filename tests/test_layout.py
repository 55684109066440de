"""The layout of the package: few modules in its root, tests beside modules, privacy kept.

That imports go one way from room to room is import-linter's to check (pyproject.toml).
"""

import ast
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
PACKAGE = ROOT / "src" / "dcsvm"
MODULES = sorted(p for p in PACKAGE.rglob("*.py") if p.name not in ("__init__.py", "__main__.py"))
# Part of the public interface of named tuples and of dataclasses.
PUBLIC_ALL_THE_SAME = {"_asdict", "_replace", "_fields", "_make"}


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
    return name.startswith("_") and not name.startswith("__") and name not in PUBLIC_ALL_THE_SAME


@pytest.mark.parametrize("module", MODULES, ids=name_of)
def test_no_module_reaches_into_another_room(module):
    """Private names are imported from nowhere, and private attributes used only in their room."""
    tree = ast.parse(module.read_text(encoding="utf-8"))
    room = module.relative_to(PACKAGE).parts[0]
    for node in ast.walk(tree):
        if isinstance(node, ast.ImportFrom) and (node.module or "").startswith("dcsvm"):
            if node.module != "dcsvm":
                assert not [a.name for a in node.names if is_private(a.name)], node.lineno
        elif isinstance(node, ast.Attribute) and is_private(node.attr):
            owner = node.value.id if isinstance(node.value, ast.Name) else ""
            is_own = owner in ("self", "cls", "other") or isinstance(node.value, ast.Call)
            assert is_own or room == "estimators", f"{node.attr} in line {node.lineno}"


def test_values_of_machines_have_one_engine():
    for module in MODULES:
        assert "engine is None" not in module.read_text(encoding="utf-8"), module
