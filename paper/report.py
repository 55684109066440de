"""RESULTS.md, filled in from its template, and the figures."""

from __future__ import annotations

import platform
import re
from importlib.metadata import version
from pathlib import Path

from paper import checks, e1071, figures_method, published, tables
from paper.drawing import keep
from paper.example import REPORTED_CHILD, REPORTED_ROOT, GlassExample
from paper.facts import facts
from paper.figures_results import FIGURES, NEEDED
from paper.results import Results

TEMPLATE = Path(__file__).parent / "template.md"
NOT_RUN = "*Not in this run.*"


def write_report(by_task, folder, fast=False):
    """Write RESULTS.md and figures/ into a folder."""
    results = Results(by_task)
    if not results.sets("paper"):
        raise SystemExit("Nothing is finished yet: run without --report.")
    example = GlassExample() if "glass" in results.sets("paper") else None
    folder = Path(folder)
    draw_all(results, example, folder / "figures")
    text = fill(TEMPLATE.read_text(encoding="utf-8"), pieces(results, example, fast))
    (folder / "RESULTS.md").write_text(text, encoding="utf-8")


def draw_all(results, example, folder):
    """Those of the eight figures whose sets were run."""
    keep(figures_method.first, folder, "figure-1")
    if example is not None:
        keep(figures_method.second, folder, "figure-2", example)
        keep(figures_method.third, folder, "figure-3", example)
    for number, draw in FIGURES.items():
        if NEEDED.get(number, set()) <= set(results.sets("paper")):
            keep(draw, folder, f"figure-{number}", results)


def pieces(results, example, fast):
    """The texts for the placeholders of the template, by name."""
    found = {
        "protocol": protocol(results, fast),
        "checks": checks.markdown(checks.all_checks(results), checks.explanations(results)),
        "sets": tables.sets(results),
        "accuracy": tables.accuracy(results),
        "decisions": tables.cost(results, "decisions", published.DECISIONS, 2),
        "support_vectors": tables.cost(results, "support_vectors", published.SUPPORT_VECTORS, 1),
        "literal": tables.literal(results) if results.sets("literal") else NOT_RUN,
        "orders": tables.orders(results),
    }
    for setting in results.settings:
        found[f"evaluations_{setting}"] = tables.evaluations(results, setting)
        found[f"times_{setting}"] = tables.times(results, setting)
    if "tuned" in results.settings:
        found["tuned"] = tables.tuned(results)
        found["tuned_cost"] = tables.tuned_cost(results)
    if example is not None:
        found.update(of_example(example))
    return found | facts(results)


def of_example(example):
    """The worked example."""
    everyone = list(range(example.clf.table_.n_classes))
    child = example.child_classes()
    same, of = example.agreement(everyone, REPORTED_ROOT)
    return {
        "glass_table": example.table(),
        "glass_root": example.measures_table(everyone, REPORTED_ROOT),
        "glass_child": example.measures_table(child, REPORTED_CHILD),
        "glass_root_text": example.root_text(),
        "glass_same": f"{same} of {of}",
        "glass_path": example.path_table(),
        "glass_row": str(example.row_label),
        "glass_pure_1": str(example.splits_without_errors(1.0)),
        "glass_pure_10": str(example.splits_without_errors(10.0)),
    }


def protocol(results, fast):
    """The trials, and the versions of the libraries."""
    counts = [results.n_trials(n, s) for s in results.settings for n in results.sets(s)]
    trials = f"{max(counts)} trials"
    if min(counts) < max(counts):
        trials = (
            f"**Not complete:** {min(counts)} to {max(counts)} trials, Table 1 says how many of "
            "each set; `make paper` runs the rest"
        )
    names = ("dcsvm", "scikit-learn", "numpy")
    libraries = ", ".join(f"{name} {version(name)}" for name in names)
    with_r = "with e1071 in R" if e1071.why_not() is None else "without R"
    text = f"{trials}; {libraries}, Python {platform.python_version()}, {with_r}."
    if fast:
        text += " **A quick look: few trials of few rows, not to be compared with the paper.**"
    return text


def fill(template, found):
    """Replace each placeholder by its text; one without a text is marked."""
    return re.sub(r"\{\{(\w+)\}\}", lambda match: found.get(match[1], NOT_RUN), template)
