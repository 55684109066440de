"""Five multi-class methods on scikit-learn's digits: accuracy, cost and time."""

from time import perf_counter

import numpy as np
from sklearn.datasets import load_digits
from sklearn.model_selection import train_test_split
from sklearn.svm import SVC

from dcsvm import DAGSVC, DCSVC, OneVsOneSVC

PARAMETERS = {"C": 10.0, "gamma": "scale"}
PAPER = {"theta": 0.001, "routing": "sign", "criterion": "purity", "shortlist": None}


def best_time(call, repeat=7):
    """Seconds of the fastest of several calls."""
    times = []
    for _ in range(repeat):
        start = perf_counter()
        call()
        times.append(perf_counter() - start)
    return min(times)


def main():
    X, y = load_digits(return_X_y=True)
    X_train, X_test, y_train, y_test = train_test_split(
        X, y, test_size=0.5, stratify=y, random_state=0
    )
    dcsvm = DCSVC(**PARAMETERS).fit(X_train, y_train)
    svc = SVC(**PARAMETERS).fit(X_train, y_train)
    methods = {
        "DCSVM": dcsvm,
        "DCSVM, paper's rule": dcsvm.rethreshold(**PAPER),
        "one-versus-one vote": OneVsOneSVC.from_machines(dcsvm),
        "DAGSVM": DAGSVC.from_machines(dcsvm),
        "scikit-learn SVC": svc,
    }
    svc_time = best_time(lambda: svc.predict(X_test))

    print(
        f"digits: {len(X_train)} training rows, {len(X_test)} test rows, "
        f"{X.shape[1]} features, {len(dcsvm.classes_)} classes\n"
        f"{dcsvm.machines_.n_machines} machines, "
        f"{dcsvm.machines_.n_distinct_support} distinct support vectors\n"
    )
    print(
        f"{'':24}{'accuracy':>9}{'decisions':>11}{'support':>10}{'kernel':>13}"
        f"{'prediction':>13}{'SVC time':>10}\n"
        f"{'':24}{'':>9}{'per row':>11}{'vectors':>10}{'evaluations':>13}"
        f"{'µs per row':>13}{'/ this':>10}"
    )
    for name, method in methods.items():
        if method is svc:
            # libsvm votes with all machines and computes each kernel value once.
            n_machines = len(svc.intercept_)
            counts = [n_machines, np.count_nonzero(svc.dual_coef_), len(svc.support_)]
        else:
            cost = method.decision_cost(X_test)
            counts = [
                cost.decisions.mean(),
                cost.support_vectors.mean(),
                cost.kernel_evaluations.mean(),
            ]
        seconds = best_time(lambda method=method: method.predict(X_test))
        print(
            f"{name:24}{method.score(X_test, y_test):>9.2%}{counts[0]:>11.1f}{counts[1]:>10.0f}"
            f"{counts[2]:>13.0f}{1e6 * seconds / len(X_test):>13.1f}{svc_time / seconds:>9.1f}×"
        )


if __name__ == "__main__":
    main()
