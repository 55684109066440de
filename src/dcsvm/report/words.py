"""The words that a page uses and a reader may not know."""

from __future__ import annotations

from dcsvm.report.subject import Subject

WORDS = (
    (
        "machine",
        "A binary classifier trained on the rows of two classes only, written “a vs b”. There is "
        "one for each pair of classes.",
    ),
    (
        "decision",
        "One machine evaluated for one row. Its decision value is positive for the first class and "
        "negative for the second; the further from 0, the clearer.",
    ),
    ("candidates", "The classes that are not dropped yet. At first these are all classes."),
    (
        "scores",
        "A cheap linear classifier gives each class a score. Classes whose score is too far behind "
        "the best are dropped before any machine is asked. These scores are called the shortlist.",
    ),
    (
        "implausible",
        "A decision value that lies so far outside the range of a class's training rows that the "
        "class is dropped, though the machine was not trained on it.",
    ),
    (
        "θ (theta)",
        "The accepted probability that a row loses its true class on the way. A larger θ is faster "
        "and less accurate. It can be changed after training.",
    ),
    (
        "vote",
        "One-versus-one, as in SVC: all machines are evaluated, and the class that wins most often "
        "is predicted.",
    ),
    ("final vote", "A vote among the few candidates that lost a close decision."),
    (
        "All-Predictions table",
        "For each machine and each class, how many training rows of that class the machine puts on "
        "either side. It is made once, in training.",
    ),
    (
        "support vectors",
        "The training rows that a machine keeps. Their number is what a decision costs.",
    ),
    (
        "kernel evaluation",
        "The comparison of a row with one support vector: the unit in which the cost is counted.",
    ),
    ("runner-up", "The class that was left in second place when the row was decided."),
    ("recall", "Of the rows of a class, the share that was recognised."),
    ("precision", "Of the rows that were given a class, the share that belongs to it."),
    (
        "macro F1",
        "The harmonic mean of recall and precision, averaged over the classes: small classes count "
        "as much as large ones.",
    ),
    ("balanced accuracy", "The recall, averaged over the classes."),
    (
        "95 % interval",
        "The accuracy on other rows of the same kind is likely in this range (Wilson's interval).",
    ),
)


def words(_: Subject) -> list[list[str]]:
    """Each word with what it means."""
    return [list(entry) for entry in WORDS]
