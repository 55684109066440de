"""The tables of `benchmarks.routing.rules`: by data set, a summary, and growth with classes.

`python -m benchmarks.routing.tables` makes them again from its JSON.
"""

from __future__ import annotations

import argparse
import json
from pathlib import Path

import numpy as np

from benchmarks.shared.output import FOLDER, table
from dcsvm import DCSVC

JSON = FOLDER / "routing.json"
# θ of the rules that go by the decision value.
THETAS = (0.01, 0.001, 0.0001)
REFERENCE = ("paper", 0.001)
DEFAULT = ("margin + shortlist", DCSVC().theta)
MEASURES = ("accuracy", "decisions", "support_vectors", "evaluations", "time")
SHARES = ("decisions", "support_vectors", "evaluations", "time")
MANY = 20

COLUMNS = [
    ("method", "method", "{}"),
    ("θ %", "percent", "{:.3g}"),
    ("accuracy %", "accuracy", "{:.2f}"),
    ("− vote", "to_vote", "{:+.2f}"),
    ("− paper", "to_paper", "{:+.2f}"),
    ("decisions", "decisions", "{:.1f}"),
    ("%", "decisions_share", "{:.0f}"),
    ("support vectors", "support_vectors", "{:.0f}"),
    ("%", "support_vectors_share", "{:.0f}"),
    ("kernel evaluations", "evaluations", "{:.0f}"),
    ("%", "evaluations_share", "{:.0f}"),
    ("µs/row", "time", "{:.2f}"),
    ("%", "time_share", "{:.0f}"),
]
SUMMARY_COLUMNS = [
    ("data set", "data", "{}"),
    ("k", "classes", "{}"),
    ("shortlist", "shortlist", "{}"),
    *(column for column in COLUMNS[1:] if not column[1].startswith("support_vectors")),
]
REQUIREMENT_COLUMNS = [
    ("requirement", "what", "{}"),
    ("limit", "limit", "{:g}"),
    ("measured", "measured", "{:.2f}"),
    ("where", "where", "{}"),
    ("met", "met", "{}"),
]
GROWTH = [
    ("decisions, paper", "paper_decisions", "{:.1f}"),
    ("decisions, default", "default_decisions", "{:.1f}"),
    ("kernel evaluations, paper", "paper_evaluations", "{:.0f}"),
    ("kernel evaluations, default", "default_evaluations", "{:.0f}"),
]
GROWTH_COLUMNS = [
    ("k", "classes", "{}"),
    *GROWTH,
    ("accuracy %, vote", "vote_accuracy", "{:.2f}"),
    ("paper", "paper_accuracy", "{:.2f}"),
    ("default", "default_accuracy", "{:.2f}"),
]


def by_method(lines):
    """Lines by (family, θ)."""
    return {(line["method"], line["theta"]): line for line in lines}


def by_data(means):
    """Means by data set, in order."""
    names = dict.fromkeys(line["data"] for line in means)
    return {name: [line for line in means if line["data"] == name] for name in names}


def means_of(lines):
    """The mean over splits of every method and set, with differences and shares."""
    groups = {}
    for line in lines:
        groups.setdefault((line["data"], line["method"], line["theta"]), []).append(line)
    means = []
    for group in groups.values():
        mean = {key: group[0][key] for key in ("data", "classes", "method", "theta")}
        mean["shortlist"] = ", ".join(dict.fromkeys(line["shortlist"] for line in group))
        failed = [line["failed"] for line in group if "failed" in line]
        if failed:
            mean["failed"] = failed[0]
        else:
            mean |= {key: float(np.mean([line[key] for line in group])) for key in MEASURES}
            if mean["theta"] is not None:
                mean["percent"] = float(np.mean([line["percent"] for line in group]))
        means.append(mean)
    for of_set in by_data(means).values():
        methods = by_method(of_set)
        paper, vote = methods.get(REFERENCE, {}), methods[("vote", None)]
        for mean in of_set:
            if "failed" in mean:
                continue
            if "failed" not in vote:
                mean["to_vote"] = mean["accuracy"] - vote["accuracy"]
            if "failed" not in paper:
                mean["to_paper"] = mean["accuracy"] - paper["accuracy"]
                mean |= {f"{key}_share": 100 * mean[key] / paper[key] for key in SHARES}
    return means


def defaults(means):
    """The lines of the default, a data set each."""
    found = [by_method(of_set).get(DEFAULT) for of_set in by_data(means).values()]
    return [line for line in found if line is not None and "failed" not in line]


def averages(lines):
    """Means and worst over sets, of all and of those with many classes."""
    keys = [key for _, key, _ in SUMMARY_COLUMNS[4:]]
    keys = [key for key in keys if key not in ("decisions", "evaluations", "time")]
    out = []
    for name, chosen in (
        ("all", lines),
        (f"k ≥ {MANY}", [line for line in lines if line["classes"] >= MANY]),
    ):
        for what in ("mean", "worst"):
            summary = {"data": f"**{what}, {name}**"}
            for key in keys:
                values = [line[key] for line in chosen if key in line]
                if values and what == "mean":
                    summary[key] = np.mean(values)
                elif values and key != "accuracy":
                    summary[key] = max(values) if key.endswith("_share") else min(values)
            out.append(summary)
    return out


def requirements(lines):
    """The requirements on the default, and whether they are met."""
    many = [line for line in lines if line["classes"] >= MANY]
    stated = [
        ("points under the vote, mean", "to_vote", lines, "mean", 0.2),
        ("points under the vote, worst", "to_vote", lines, "worst", 0.7),
        ("points under the paper's rule, worst", "to_paper", lines, "worst", 0.0),
        (f"kernel evaluations %, mean of k ≥ {MANY}", "evaluations_share", many, "mean", 60),
        (f"kernel evaluations %, worst of k ≥ {MANY}", "evaluations_share", many, "worst", 100),
        (f"decisions %, mean of k ≥ {MANY}", "decisions_share", many, "mean", 65),
        (f"time %, mean of k ≥ {MANY}", "time_share", many, "mean", 70),
        (f"time %, worst of k ≥ {MANY}", "time_share", many, "worst", 100),
    ]
    out = []
    for what, key, chosen, how, limit in stated:
        sign = 1 if key.endswith("_share") else -1
        values = {line["data"]: sign * line[key] for line in chosen if key in line}
        if not values:
            continue
        worst = max(values, key=values.get)
        measured = values[worst] if how == "worst" else float(np.mean(list(values.values())))
        # Shares must be below 100, everything else at most the limit.
        met = measured < limit if limit == 100 else measured <= limit + 1e-9
        line = {"what": what, "limit": limit, "measured": measured, "met": "yes" if met else "NO"}
        out.append(line | ({"where": worst} if how == "worst" else {}))
    return out


def growth(means):
    """Decisions and cost against k for the Gaussian classes, and exponents by least squares."""
    lines = []
    for name, of_set in by_data(means).items():
        methods = by_method(of_set)
        if not name.startswith("gaussian"):
            continue
        line = {"classes": of_set[0]["classes"]}
        for short, key in (("paper", REFERENCE), ("default", DEFAULT), ("vote", ("vote", None))):
            line |= {f"{short}_{m}": methods[key][m] for m in MEASURES if m in methods[key]}
        lines.append(line)
    slopes = {"classes": "exponent"}
    for _, key, _ in GROWTH:
        known = [(line["classes"], line[key]) for line in lines if key in line]
        if len(known) > 1:
            sizes, values = np.log(known).T
            slopes[key] = float(np.polyfit(sizes, values, 1)[0])
    return lines, slopes


def report(means):
    """All tables, in Markdown."""
    parts = []
    for name, of_set in by_data(means).items():
        shortlist = of_set[0]["shortlist"]
        parts.append(f"### {name}, {of_set[0]['classes']} classes, shortlist: {shortlist}")
        parts.append(table(COLUMNS, of_set))
    lines = defaults(means)
    parts.append("### The default")
    parts.append(table(SUMMARY_COLUMNS, [*lines, *averages(lines)]))
    parts.append("### Requirements")
    parts.append(table(REQUIREMENT_COLUMNS, requirements(lines)))
    sizes, slopes = growth(means)
    if len(sizes) > 1:
        parts.append("### Growth with the number of Gaussian classes")
        exponents = [(title, key, "{:.2f}") for title, key, _ in GROWTH]
        parts.append(table(GROWTH_COLUMNS, sizes))
        parts.append(table([("", "classes", "{}"), *exponents], [slopes]))
    return "\n\n".join(parts)


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--json", type=Path, default=JSON)
    arguments = parser.parse_args()
    print(report(json.loads(arguments.json.read_text())["means"]))


if __name__ == "__main__":
    main()
