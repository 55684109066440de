"""C and γ by cross-validation."""

from paper.runner import Task


def test_tuned_parameters_are_of_the_grid(by_task):
    found = by_task[Task("iris", "tuned", 0, True)]
    assert found["C"] in (1, 10, 100)
    assert found["gamma"] * 4 in (0.25, 1, 4)
