"""The experiments of paper/: what they read, keep, count and say."""

import json
import math
import re

import numpy as np
import pytest
from paper.denominators import eleven_tenths, ten_fifths
from paper.example import REPORTED_ROOT, GlassExample
from paper.figures_method import first, second, third
from paper.results import Mean, Results, mean_of
from paper.runner import Task

from dcsvm import DCSVC
from paper import __main__ as main
from paper import (
    checks,
    denominators,
    facts,
    methods,
    problems,
    published,
    report,
    runner,
    tables,
    trial,
)


@pytest.fixture(scope="module")
def by_task():
    """Real trials of sets that every machine has."""
    names = ("artificial1", "iris", "wine")
    kinds = (*problems.SETTINGS, *problems.TIMES.values())
    tasks = [Task(n, kind, t, True) for n in names for kind in kinds for t in (0, 1)]
    return {task: json.loads(json.dumps(runner.run_task(task))) for task in tasks}


@pytest.fixture
def results(by_task):
    return Results(by_task)


def test_published_tables_are_those_of_the_paper():
    # Some figures of the text, so that a slip in copying is seen.
    assert published.ACCURACY["letter"] == {2.0: 95.52, 1.0: 96.00, 0.1: 96.41, 0.01: 96.41}
    assert published.VOTE["glass"] == 91.70
    assert published.BUILT_IN["sensorless"] == 97.46
    assert published.DECISIONS["iris"] == dict.fromkeys(published.THETAS, 1.71)
    assert published.SUPPORT_VECTORS["poker"][0.01] == 22807.62
    assert set(published.DECISIONS) == set(published.SUPPORT_VECTORS) == set(published.ACCURACY)


def test_split_is_80_20_by_class_and_differs_by_trial():
    data = problems.problem("artificial1", "paper")
    train, test = data.split(0)
    assert sorted([*train, *test]) == list(range(1800))
    assert np.bincount(data.y[test]).tolist() == [60] * 6
    assert set(data.split(1)[1]) != set(test)
    np.testing.assert_array_equal(data.split(0)[1], test)


def test_drawn_rows_keep_the_proportions_and_every_class():
    y = np.repeat([3, 1, 7], [9000, 997, 3])
    drawn = problems._drawn(y, 1000)
    assert (np.diff(drawn) > 0).all()
    assert [np.sum(y[drawn] == c) for c in (3, 1, 7)] == [900, 100, 3]
    np.testing.assert_array_equal(drawn, problems._drawn(y, 1000))


def test_official_split_and_parts(official_folder):
    train, test = problems.problem("usps", "official").split(5)
    assert (len(train), len(test)) == (7291, 2007)
    assert len(problems.problem("svmguide4", "paper").y) == 300
    assert len(problems.problem("svmguide4", "tuned").y) == 612
    glass = problems.problem("glass", "paper")
    np.testing.assert_array_equal(glass.X[:, 0], np.arange(1, 215))
    assert problems.problem("glass", "tuned").X.shape[1] == 9


def test_a_trial_measures_what_a_plain_fit_measures(by_task):
    found = by_task[Task("wine", "paper", 1, True)]["methods"]
    data = problems.problem("wine", "paper")
    train, test = data.split(1)
    clf = DCSVC.paper(theta=0.001, C=1, gamma=1 / 13, scaling="pair")
    clf.fit(data.X[train], data.y[train])
    cost = clf.decision_cost(data.X[test])
    line = found["DCSVM purity 0.1"]
    assert line["accuracy"] == pytest.approx(100 * clf.score(data.X[test], data.y[test]))
    assert line["decisions"] == pytest.approx(cost.decisions.mean())
    assert line["support_vectors"] == pytest.approx(cost.support_vectors.mean())
    assert found[methods.VOTE]["decisions"] == 3
    assert found[methods.DAG]["decisions"] == 2


def test_times_are_trials_of_their_own(by_task, results):
    seconds = [by_task[Task("wine", "tuned time", t, True)]["seconds"] for t in (0, 1)]
    assert set(seconds[0]) == set(methods.TIMED)
    shares = [s[methods.DAG] / s[methods.VOTE] for s in seconds]
    assert results.ratio("wine", "tuned", methods.DAG, "seconds").mean == np.mean(shares)
    nothing = Results({task: r for task, r in by_task.items() if "time" not in task.kind})
    assert nothing.ratio("wine", "tuned", methods.DAG, "seconds") is None
    assert "wine" not in tables.times(nothing, "tuned")


def test_all_methods_are_there(by_task):
    expected = {methods.VOTE, methods.DAG, methods.DEFAULT, methods.BUILT_IN}
    rules = {methods.dcsvm(o, t) for o in methods.ORDERS for t in published.THETAS}
    assert set(by_task[Task("iris", "paper", 0, True)]["methods"]) == expected | rules
    linear = {methods.REST, methods.CRAMMER}
    assert set(by_task[Task("iris", "tuned", 0, True)]["methods"]) == expected | rules | linear


def test_tuned_parameters_are_of_the_grid(by_task):
    found = by_task[Task("iris", "tuned", 0, True)]
    assert found["C"] in (1, 10, 100)
    assert found["gamma"] * 4 in (0.25, 1, 4)


# Means, tables and text


def test_means_and_errors():
    assert mean_of([1, 2, 3, 4]) == pytest.approx((2.5, np.sqrt(5 / 3 / 4), 4))
    assert np.isnan(mean_of([7]).error)


def test_cells():
    assert tables.number(Mean(1.234, 0.056, 10)) == "1.23 ± 0.06"
    assert tables.beside(Mean(95.8, 0.1, 10), 96.43) == "95.80 ± 0.10<br>96.43 (−0.63)"
    assert tables.signed(-0.001) == "0.00"
    assert tables.beside(None, 1.0) == "–"


def test_differences_are_taken_trial_by_trial(results):
    less = results.less_vote("artificial1", "paper", methods.dcsvm("purity", 2.0))
    pairs = [t["methods"] for t in results.trials["artificial1", "paper"]]
    each = [
        t[methods.dcsvm("purity", 2.0)]["accuracy"] - t[methods.VOTE]["accuracy"] for t in pairs
    ]
    assert less == pytest.approx(mean_of(each))


def test_tables_have_a_line_for_each_set_and_even_rows(results):
    texts = [tables.sets(results), tables.accuracy(results), tables.orders(results)]
    texts += [tables.cost(results, "decisions", published.DECISIONS, 2), tables.tuned(results)]
    texts += [tables.times(results, "paper"), tables.tuned_cost(results)]
    texts += [tables.evaluations(results, "tuned")]
    for text in texts:
        lines = text.splitlines()
        assert [line.split(" | ")[0] for line in lines[2:]] == ["| artificial1", "| iris", "| wine"]
        assert len({line.count("|") for line in lines}) == 1


def test_checks_say_what_holds(results):
    found = {check.statement: check for check in checks.all_checks(results)}
    assert found["iris: 1.6 to 1.8 decisions"].holds
    assert found["fewer than k − 1 decisions, θ = 0.1 %"].holds
    never = checks.near(results, "iris", -1.0, "iris")
    assert not never.holds
    assert "✗" in checks.markdown([never], {})
    assert "explained" in checks.markdown([never], {never.statement: "Because."})


def test_the_template_asks_for_nothing_unknown(results):
    """Each place is filled by a run of all sets, or belongs to a set that was left out here."""
    places = set(re.findall(r"\{\{(\w+)\}\}", report.TEMPLATE.read_text(encoding="utf-8")))
    filled = set(report.pieces(results, None, False))
    left_out = ("glass", "letter", "usps", "sensorless", "segmentation", "covertype", "vowel")
    left_out += ("svmguide4", "poker")
    # Of sets with ten classes and more there is none here.
    places = {p for p in places if not p.endswith("_many")}
    assert all(place in filled or place.startswith(left_out) for place in places)
    known = {name.replace("iris", "{}") for name in facts.facts(results) if "iris" in name}
    for place in places - filled:
        pattern = "{}" + place.removeprefix(place.split("_")[0])
        pattern = pattern.replace("_official_", "_paper_")
        example = place.startswith("glass_") and "_paper_" not in place and "_tuned_" not in place
        in_r = "_literal_" in place or place.endswith("_e1071")
        assert pattern in known or in_r or example, place


def test_an_incomplete_run_says_so(by_task):
    del (fewer := dict(by_task))[Task("wine", "tuned", 1, True)]
    assert "Not complete" not in report.protocol(Results(by_task), False)
    assert "**Not complete:** 1 to 2 trials" in report.protocol(Results(fewer), False)
    assert "| 2 / 1 / 0 |" in tables.sets(Results(fewer))


def test_places_are_filled():
    assert report.fill("{{a}} and {{b}}", {"a": "one"}) == f"one and {report.NOT_RUN}"


def test_a_report_is_written(by_task, tmp_path, monkeypatch):
    monkeypatch.setattr(report.e1071, "why_not", lambda: "no R")
    report.write_report(by_task, tmp_path, fast=True)
    text = (tmp_path / "RESULTS.md").read_text(encoding="utf-8")
    assert "2 trials" in text
    assert "A quick look" in text
    assert "{{" not in text
    for number in (1, 4, 5, 6):
        for kind in ("png", "svg"):
            assert (tmp_path / "figures" / f"figure-{number}.{kind}").stat().st_size > 5000


# What the paper's percentages are shares of


def test_a_percentage_is_a_share_of_few_numbers_of_rows():
    def brute_force(percentage, n):
        return any(f"{100 * rows / n:.2f}" == f"{percentage:.2f}" for rows in range(n + 1))

    for percentage in (96.97, 71.21, 27.71):
        for n in range(10, 400):
            assert denominators.is_share(percentage, n) == brute_force(percentage, n), n


def test_the_paper_tested_a_tenth_eleven_times():
    exactly = {n for n in denominators.FILE_ROWS if denominators.fits(n, eleven_tenths(n))}
    one_short = set(denominators.FILE_ROWS) - exactly
    assert one_short == {"heart", "glass"}
    assert all(denominators.fits(name, eleven_tenths(name) - 1) for name in one_short)
    as_stated = {n for n in denominators.FILE_ROWS if denominators.fits(n, ten_fifths(n))}
    assert as_stated == {"vowel"}
    assert denominators.tested("letter") is None


OF_A_FIFTH = {"iris": [150], "wine": [178], "heart": [303, 297], "glass": [214]}
OF_A_FIFTH["svmguide4"] = [300, 612]


@pytest.mark.parametrize(("name", "n_rows"), [(n, k) for n, ks in OF_A_FIFTH.items() for k in ks])
def test_no_ten_equal_tests_of_about_a_fifth_give_these_percentages(name, n_rows):
    sizes = range(math.ceil(0.19 * n_rows), math.floor(0.21 * n_rows) + 1)
    assert len(sizes) >= 3
    assert not any(denominators.fits(name, 10 * size) for size in sizes)


def test_the_papers_rows(official_folder):
    for name in main.e1071.LITERAL_PART:
        X, y = main.e1071.literal_rows(name)
        assert len(X) == len(y) == denominators.FILE_ROWS[name]
    assert main.e1071.literal_rows("usps")[0].min() == -1
    assert len(main.e1071.literal_rows("covertype")[1]) == 1460


# The worked example


@pytest.fixture(scope="module")
def example(official_folder):
    return GlassExample()


def test_example_measures_by_hand(example):
    to_i = example.clf.table_.likelihoods
    for m, (p, b, s) in enumerate(example.measures(range(6)).values()):
        on_i, on_j = (to_i[m] > 0).sum(), (to_i[m] < 1).sum()
        i, j = example.clf.table_.pairs[m]
        assert p == on_i + on_j - 6
        assert b == min(6 - on_i, 6 - on_j)
        assert s == pytest.approx((to_i[m, i] + 1 - to_i[m, j]) / 2)
    assert set(example.measures(range(6))) == set(REPORTED_ROOT)


def test_example_path_is_that_of_predict(example):
    turns = example.path_turns()
    assert turns[-1][2] == example.clf.apply(example.row)[0]
    assert len(turns) == example.clf.decision_cost(example.row).decisions[0]
    texts = {node.place: node.text for node in example.tree().walk()}
    assert all(place in texts for place in example.path_nodes())
    longest = max(example.path_nodes(), key=len)
    assert texts[longest] == str(example.row_label)


def test_figures_of_the_method(example):
    assert "svm₁₂" in [text.get_text() for text in first().axes[0].texts]
    assert len(second(example).axes[0].texts) == 15 * 6
    assert len(third(example).axes) == 2


def test_separation_grid():
    assert trial.SEPARATION[0] == 0
    assert trial.SEPARATION[-1] == 5
    assert len(trial.SEPARATION) == 51
