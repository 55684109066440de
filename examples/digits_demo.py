"""What `make demo` shows: SVC, its vote and DCSVC on a set with many classes, step by step.

The set is letter where the environment variable DCSVM_DATA or ../shared/data has it, else 100
classes made from scikit-learn's digits: two digits side by side.
"""

from time import perf_counter

import numpy as np
from sklearn.datasets import load_digits
from sklearn.model_selection import train_test_split
from sklearn.svm import SVC

from dcsvm import DAGSVC, DCSVC, OneVsOneSVC
from dcsvm.datasets import stored

PAPER = {"theta": 0.001, "routing": "sign", "criterion": "purity", "shortlist": None}
MOST_SECONDS = 3.0


def main():
    name, X_train, y_train, X_test, y_test = data()
    n_classes = len(np.unique(y_train))
    print(
        f"{name}: {n_classes} classes, {len(X_train):,} rows to train, {len(X_test):,} to test, "
        f"{X_train.shape[1]} features. All methods have the same C and γ, and one thread.\n"
    )
    parameters = {"C": 10.0, "gamma": 1.0 / (X_train.shape[1] * X_train.var())}
    svc = step("SVC is trained", lambda: SVC(**parameters).fit(X_train, y_train))
    ours = step("DCSVC is trained", lambda: DCSVC(**parameters, n_jobs=1).fit(X_train, y_train))
    methods = {
        "scikit-learn SVC": svc,
        "OneVsOneSVC": OneVsOneSVC.from_machines(ours).set_params(n_jobs=1),
        "DAGSVC": DAGSVC.from_machines(ours).set_params(n_jobs=1),
        "DCSVC, paper's rule": ours.rethreshold(**PAPER),
        "DCSVC": ours,
    }
    found = {
        method: step(f"{method} predicts", lambda clf=clf: measured(clf, X_test, y_test))
        for method, clf in methods.items()
    }
    show(found, ours.machines_.n_machines)
    conclude(found)


def data():
    """The name of the set, its training rows and their labels, its test rows and theirs."""
    file = stored.find("letter.parquet")
    if file is None:
        return ("pairs of digits", *pairs_of_digits(10_000, 2_000))
    letter = step("letter is read", lambda: stored.read(file))
    X = (letter.data - letter.data.mean(axis=0)) / letter.data.std(axis=0)
    train, test = letter.split == "train", letter.split == "test"
    return "letter", X[train], letter.target[train], X[test], letter.target[test]


def pairs_of_digits(n_train, n_test):
    """Two of scikit-learn's digits side by side: a number from 0 to 99."""
    digits, labels = load_digits(return_X_y=True)
    digits = digits / 16
    halves = train_test_split(digits, labels, test_size=0.3, stratify=labels, random_state=0)
    random = np.random.default_rng(0)
    made = []
    for X, y, n in ((halves[0], halves[2], n_train), (halves[1], halves[3], n_test)):
        tens, ones = random.integers(len(X), size=(2, n))
        made += [np.hstack([X[tens], X[ones]]), 10 * y[tens] + y[ones]]
    return made


def step(what, work):
    """Do some work, and say what it is and how long it took."""
    print(f"  {what} …", end="", flush=True)
    begin = perf_counter()
    result = work()
    print(f" {perf_counter() - begin:.1f} s", flush=True)
    return result


def measured(clf, X, y):
    """Accuracy, decisions per row and seconds per row; the shortest of several predictions."""
    times = []
    while len(times) < 7 and sum(times) < MOST_SECONDS:
        begin = perf_counter()
        predicted = clf.predict(X)
        times.append(perf_counter() - begin)
    decisions = None if isinstance(clf, SVC) else clf.decision_cost(X).decisions.mean()
    return np.mean(predicted == y), decisions, min(times) / len(X)


def show(found, n_machines):
    """A line for each method."""
    slowest = found["scikit-learn SVC"][2]
    print(f"\n  {'':22}{'accuracy':>9}{'machines asked':>17}{'µs per row':>13}{'× SVC':>9}")
    for method, (accuracy, decisions, seconds) in found.items():
        print(
            f"  {method:22}{accuracy:>9.2%}{decisions or n_machines:>17.1f}"
            f"{1e6 * seconds:>13.2f}{slowest / seconds:>9.1f}"
        )


def conclude(found):
    """How much is due to the engine, how much to the method, and what to do next."""
    svc, vote, ours = (found[m] for m in ("scikit-learn SVC", "OneVsOneSVC", "DCSVC"))
    whole, engine, method = svc[2] / ours[2], svc[2] / vote[2], vote[2] / ours[2]
    points = 100 * (ours[0] - svc[0])
    print(
        f"\n  DCSVC predicts {whole:.0f} times as fast as SVC, with {abs(points):.2f} points "
        f"{'more' if points > 0 else 'less'} accuracy:\n  {engine:.0f} × by the engine, which runs "
        f"the same vote of all machines (OneVsOneSVC),\n  and {method:.1f} × by the method, which "
        "asks few of them.\n\n  Next, pictures of what it can do:  make gallery"
    )


if __name__ == "__main__":
    main()
