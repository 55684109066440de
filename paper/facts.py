"""The numbers of the discussion, by name, so that its text contains measured numbers only."""

from __future__ import annotations

import numpy as np

from paper import methods, published
from paper.methods import BUILT_IN, DAG, DEFAULT, VOTE, dcsvm
from paper.problems import OFFICIAL
from paper.tables import number, signed

RULE = dcsvm("purity", 0.1)
MANY = 10  # classes


def facts(results):
    """{name: text} of all numbers that the finished trials allow."""
    found = {}
    for setting in results.settings:
        found.update(_losses(results, setting))
        found.update(_savings(results, setting))
    found.update(_of_sets(results))
    found.update(_orders(results))
    for name in results.sets("e1071"):
        found[f"{name.replace('-', '_')}_e1071"] = number(results.e1071(name))
    if results.sets("literal"):
        found.update(_literal(results))
    return found


def _losses(results, setting):
    """The accuracy of each method less that of the vote, on average over sets and at worst."""
    found = {}
    for key, method in (("rule", RULE), ("default", DEFAULT), ("dag", DAG)):
        names = results.sets(setting)
        less = [results.less_vote(name, setting, method).mean for name in names]
        worst = int(np.argmin(less))
        found[f"{key}_less_vote_{setting}"] = signed(np.mean(less))
        found[f"{key}_worst_{setting}"] = f"{signed(less[worst])} on {names[worst]}"
    return found


def _savings(results, setting):
    """Costs in per cent of the vote's, geometric means over sets."""
    many = [n for n in results.sets(setting) if results.first(n, setting)["n_classes"] >= MANY]
    found = _mean_shares(results, setting, results.sets(setting), "")
    return found | (_mean_shares(results, setting, many, "_many") if many else {})


def _mean_shares(results, setting, names, suffix):
    found = {}
    for key, method in (("rule", RULE), ("default", DEFAULT)):
        for measure in ("support_vectors", "kernel_evaluations", "seconds"):
            found_shares = [results.ratio(name, setting, method, measure) for name in names]
            shares = [share.mean for share in found_shares if share is not None]
            if shares:
                share = 100 * np.exp(np.mean(np.log(shares)))
                found[f"{key}_{measure}_{setting}{suffix}"] = f"{share:.0f} %"
    return found


def _of_sets(results):
    """Accuracies of single sets, e.g. glass_paper_vote."""
    found = {}
    named = (("built_in", BUILT_IN), ("vote", VOTE), ("rule", RULE), ("default", DEFAULT))
    for setting in (*results.settings, OFFICIAL):
        for name in results.sets(setting):
            key = name.replace("-", "_")
            for label, method in named:
                accuracy = results.mean(name, setting, method, "accuracy")
                found[f"{key}_{setting}_{label}"] = number(accuracy)
            for label, method in named[2:]:
                less = results.less_vote(name, setting, method)
                middle = "" if label == "rule" else f"_{label}"
                found[f"{key}_{setting}{middle}_less_vote"] = (
                    f"{signed(less.mean)} ± {less.error:.2f}"
                )
            for measure, digits in (("decisions", 2), ("support_vectors", 0)):
                cost = results.mean(name, setting, RULE, measure).mean
                found[f"{key}_{setting}_{measure}"] = f"{cost:.{digits}f}"
    return found


def _orders(results):
    """Which of the two orders is nearer to the paper's decisions, by mean distance."""
    found = {}
    for order in methods.ORDERS:
        apart = [
            abs(results.mean(name, "paper", dcsvm(order, 0.1), "decisions").mean - reported[0.1])
            for name, reported in published.DECISIONS.items()
            if name in results.sets("paper")
        ]
        found[f"apart_{order}"] = f"{np.mean(apart):.2f}"
    return found


def _literal(results):
    found = {}
    for name in results.sets("literal"):
        found[f"{name}_literal_vote"] = number(results.literal(name))
        found[f"{name}_literal_rule"] = number(results.literal(name, 0.1, "accuracy"))
        for measure in ("decisions", "support_vectors"):
            found[f"{name}_literal_{measure}"] = number(results.literal(name, 0.1, measure))
    return found
