"""The contributors' page names files and functions that exist; its picture shows all imports."""

import ast
import importlib.util
import re
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
PAGE = (ROOT / "docs" / "contributing.md").read_text(encoding="utf-8")
README = (ROOT / "README.md").read_text(encoding="utf-8")
CODE = re.compile(r"`([\w./]+\.(?:py|[ch]pp|md|toml))(?:: ([\w.]+))?`")
NAMED = sorted(set(CODE.findall(PAGE)))
ADDITIONS = PAGE.partition("## Where to add what")[2].partition("## Set-up")[0]
ROOMS = re.findall(r"^\| \*\*(\w+)\*\* \|", PAGE, re.MULTILINE)


def file_of(name):
    """The file of a name on the page, inside the package or the repository."""
    files = [folder / name for folder in (ROOT / "src" / "dcsvm", ROOT)]
    return next((file for file in files if file.is_file()), None)


def defined_in(file):
    """The names that a file defines: "name" at the top level, "Class.name" in a class."""
    text = file.read_text(encoding="utf-8")
    if file.suffix != ".py":
        return set(re.findall(r"\w+", re.sub(r"//.*", "", text)))
    found = set()
    for node in ast.parse(text).body:
        found |= names_of(node)
        if isinstance(node, ast.ClassDef):
            found |= {f"{node.name}.{name}" for inner in node.body for name in names_of(inner)}
    return found


def names_of(node):
    if isinstance(node, ast.FunctionDef | ast.ClassDef):
        return {node.name}
    targets = node.targets if isinstance(node, ast.Assign) else [getattr(node, "target", None)]
    return {target.id for target in targets if isinstance(target, ast.Name)}


def rooms_hook():
    path = ROOT / "docs" / "hooks" / "rooms.py"
    spec = importlib.util.spec_from_file_location("docs_rooms", path)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_names_are_found_on_the_page():
    assert len(NAMED) > 40
    assert ("estimators/dcsvc.py", "DCSVC.fit") in NAMED
    assert ("core/simd/forms.hpp", "Form") in NAMED


@pytest.mark.parametrize(("file", "name"), NAMED, ids=[f"{f}: {n}" for f, n in NAMED])
def test_files_and_functions_of_the_page_exist(file, name):
    found = file_of(file)
    assert found is not None, f"{file} does not exist"
    assert not name or name in defined_in(found), f"{file} does not define {name}"


def test_other_names_of_an_instruction_are_in_the_files_it_names():
    instructions = re.split(r"\n(?=\d\. |\*\*|\n)", ADDITIONS)
    n_names = 0
    for instruction in instructions:
        files = [file_of(file) for file, _ in CODE.findall(instruction)]
        words = {word for file in files for word in re.findall(r"\w+", file.read_text("utf-8"))}
        for name in re.findall(r"`(\w+_\w+|[A-Z]+[a-z]\w+)`", instruction) if files else ():
            assert name in words, f"{name} in: {instruction}"
            n_names += 1
    assert n_names > 4


def test_definitions_are_found(tmp_path):
    file = tmp_path / "module.py"
    file.write_text("A = 1\nb: int = 2\nclass C:\n    d = 3\n    def e(self): pass\n")
    assert defined_in(file) == {"A", "b", "C", "C.d", "C.e"}
    header = tmp_path / "header.hpp"
    header.write_text("enum class Form { dot };  // not here\n")
    assert "Form" in defined_in(header)
    assert "here" not in defined_in(header)


def test_every_room_is_on_the_page():
    packages = {path.parent.name for path in (ROOT / "src" / "dcsvm").glob("*/__init__.py")}
    assert set(ROOMS) == packages | {"core"}
    assert set(re.findall(r"`src/dcsvm/(\w+)", README)) <= set(ROOMS)


def test_drawn_imports_imply_all_imports_and_lead_to_the_left():
    pytest.importorskip("grimp")
    pytest.importorskip("matplotlib")
    hook = rooms_hook()
    imports = hook.imports_between_rooms()
    assert imports["table"] >= {"machines", "data"}
    drawn, x = hook.without_implied(imports), hook.positions(imports)
    assert sum(map(len, drawn.values())) < sum(map(len, imports.values())) / 2
    for room, others in imports.items():
        assert others <= hook.reachable(drawn, room)
        assert all(x[other][0] < x[room][0] for other in others)
    assert len(set(x.values())) == len(imports)


def test_implied_imports():
    hook = pytest.importorskip("matplotlib") and rooms_hook()
    imports = {"a": set(), "b": {"a"}, "c": {"a", "b"}, "d": {"a"}}
    assert hook.without_implied(imports) == {"a": set(), "b": {"a"}, "c": {"b"}, "d": {"a"}}
    assert hook.columns(imports) == {"a": 0, "b": 1, "c": 2, "d": 1}


def test_commands_of_the_measurements_exist():
    for text in (ROOT / "Makefile", ROOT / "benchmarks" / "RESULTS.md", ROOT / "CHANGELOG.md"):
        for module in re.findall(r"-m (benchmarks[\w.]+)", text.read_text(encoding="utf-8")):
            assert (ROOT / f"{module.replace('.', '/')}.py").is_file(), f"{text.name}: {module}"
