"""Any classifier under the method, against its own vote: part of `make bench-routing`.

For each set and classifier, means of some splits: the accuracy of scikit-learn's
OneVsOneClassifier, and of DivideAndConquerClassifier at its defaults and by the paper's rule, minus
that; the standard errors are those of the differences. Both fit the same binary classifiers to the
same rows. Decisions are those of a row; the vote makes k(k−1)/2. Features are standardised.
"""

from __future__ import annotations

import argparse
import warnings
from time import perf_counter

import numpy as np
from sklearn.ensemble import GradientBoostingClassifier
from sklearn.linear_model import LogisticRegression
from sklearn.multiclass import OneVsOneClassifier
from sklearn.naive_bayes import GaussianNB
from sklearn.neighbors import KNeighborsClassifier
from sklearn.preprocessing import StandardScaler
from sklearn.svm import SVC, LinearSVC
from sklearn.tree import DecisionTreeClassifier

from benchmarks.routing.problems import stored_rows
from benchmarks.shared.output import about_machine, heading, log
from dcsvm import DCSVC, DivideAndConquerClassifier

# Classes, training rows of each, and test rows of each at the most.
SETS = {
    "aloi27": (100, 13, 10),
    "caltech101_silhouettes28": (40, 8, 20),
    "ucr_fiftywords": (40, 14, 20),
    "letter": (26, 20, 40),
    "digits": (10, 60, 100),
    "omniglot8_21x21": (40, 14, 6),
}
CLASSIFIERS = {
    "logistic": LogisticRegression(max_iter=300, tol=1e-3),
    "LinearSVC": LinearSVC(tol=1e-3),
    "tree": DecisionTreeClassifier(random_state=0),
    "naive Bayes": GaussianNB(),
    "5-NN": KNeighborsClassifier(5),
    "boosting": GradientBoostingClassifier(n_estimators=10, random_state=0),
    "SVC": SVC(C=10),
}
# Quick enough for 4,950 pairs, and for 780.
QUICKEST = ("logistic", "tree", "naive Bayes")
QUICK = (*QUICKEST, "LinearSVC", "5-NN", "SVC")
HEADER = (
    "set",
    "classes",
    "classifier",
    "vote %",
    "default minus vote",
    "s.e.",
    "decisions",
    "paper's rule minus vote",
    "decisions",
)


def drawn(name, split):
    """Some classes of a set and some rows of each, to train and to test, by the split's number."""
    n_classes, n_train, n_test = SETS[name]
    X, y = stored_rows(name)
    rng = np.random.default_rng(split)
    labels, counts = np.unique(y, return_counts=True)
    labels = labels[counts >= min(n_train, 13) + 2]
    train, test = [], []
    for label in rng.choice(labels, min(n_classes, len(labels)), replace=False):
        rows = rng.permutation(np.flatnonzero(y == label))
        n = min(n_train, int(0.8 * len(rows)))
        train.append(rows[:n])
        test.append(rows[n : n + n_test])
    train, test = np.concatenate(train), np.concatenate(test)
    scaler = StandardScaler().fit(X[train])
    return scaler.transform(X[train]), y[train], scaler.transform(X[test]), y[test]


def _affordable(n_classes):
    if n_classes > 50:
        return QUICKEST
    return QUICK if n_classes > 30 else tuple(CLASSIFIERS)


def compare(classifier, X, y, X_test, y_test):
    """Accuracy in per cent: the vote's, the default's and the paper's; and decisions of these."""
    vote = OneVsOneClassifier(classifier).fit(X, y).score(X_test, y_test)
    clf = DivideAndConquerClassifier(classifier).fit(X, y)
    by_paper = clf.rethreshold(theta=0.001, routing="sign", criterion="purity", shortlist=None)
    found, decisions = clf.predict_with_decisions(X_test)
    of_paper, decisions_of_paper = by_paper.predict_with_decisions(X_test)
    accuracy = [vote, (found == y_test).mean(), (of_paper == y_test).mean()]
    return 100 * np.array(accuracy), [decisions.mean(), decisions_of_paper.mean()]


def measure(name, classifier_name, n_splits):
    """A row of the table; the loss of the default comes last, as a number."""
    accuracies, decisions, n_classes = [], [], 0
    for split in range(n_splits):
        X, y, X_test, y_test = drawn(name, split)
        n_classes = len(np.unique(y))
        accuracy, of_split = compare(CLASSIFIERS[classifier_name], X, y, X_test, y_test)
        accuracies.append(accuracy)
        decisions.append(of_split)
    vote, default, paper = np.array(accuracies).T
    error = (default - vote).std(ddof=1) / np.sqrt(n_splits) if n_splits > 1 else np.nan
    difference, of_paper = (default - vote).mean(), (paper - vote).mean()
    n_default, n_paper = np.mean(decisions, axis=0)
    row = [
        name,
        str(n_classes),
        classifier_name,
        f"{vote.mean():.2f}",
        f"{difference:+.2f}",
        f"{error:.2f}",
        f"{n_default:.1f}",
        f"{of_paper:+.2f}",
        f"{n_paper:.1f}",
    ]
    return row, difference, of_paper


def of_kernel_matrices(n_splits):
    """Lines about DCSVC(kernel="precomputed"), with its shortlist and without, against SVC."""
    for name in ("aloi27", "ucr_fiftywords", "letter"):
        losses, decisions = [], []
        for split in range(n_splits):
            X, y, X_test, y_test = drawn(name, split)
            gram, asked = (gaussian(rows, X) for rows in (X, X_test))
            vote = SVC(C=10, kernel="precomputed").fit(gram, y).score(asked, y_test)
            clf = DCSVC(C=10, kernel="precomputed").fit(gram, y)
            losses.append([])
            decisions.append([])
            for model in (clf, clf.rethreshold(shortlist=None)):
                found, n = model.predict_with_decisions(asked)
                losses[-1].append(100 * ((found == y_test).mean() - vote))
                decisions[-1].append(n.mean())
        loss, n = np.mean(losses, axis=0), np.mean(decisions, axis=0)
        yield f"| {name} | {loss[0]:+.2f} in {n[0]:.1f} | {loss[1]:+.2f} in {n[1]:.1f} |"


def gaussian(rows, X):
    """The Gaussian kernel's values, γ = 1 / features."""
    squared = (rows**2).sum(axis=1)[:, np.newaxis] + (X**2).sum(axis=1)
    return np.exp((2 * rows @ X.T - squared) / X.shape[1])


def main():
    """Print the tables."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--splits", type=int, default=2)
    parser.add_argument("--data", nargs="+", choices=SETS, default=list(SETS))
    parser.add_argument("--classifiers", nargs="+", choices=CLASSIFIERS, default=list(CLASSIFIERS))
    options = parser.parse_args()
    warnings.simplefilter("ignore")
    print(heading(about_machine()))
    print(f"\n| {' | '.join(HEADER)} |\n|{' --- |' * len(HEADER)}")
    differences, of_paper = [], []
    for name in options.data:
        for classifier in options.classifiers:
            if classifier not in _affordable(SETS[name][0]):
                continue
            began = perf_counter()
            row, difference, paper = measure(name, classifier, options.splits)
            print(f"| {' | '.join(row)} |", flush=True)
            log(f"{name} {classifier}: {perf_counter() - began:.1f} s")
            differences.append(difference)
            of_paper.append(paper)
    print(
        f"\nMean difference to the vote {np.mean(differences):+.2f}, worst "
        f"{min(differences):+.2f}; the paper's rule {np.mean(of_paper):+.2f}, worst "
        f"{min(of_paper):+.2f}."
    )
    print('\n`DCSVC(C=10, kernel="precomputed")`: difference to SVC, and decisions\n')
    print("| set | default | shortlist=None |\n| --- | --- | --- |")
    for line in of_kernel_matrices(options.splits):
        print(line, flush=True)


if __name__ == "__main__":
    main()
