"""The methods compared; those over pairs of classes use the machines of one fit."""

from __future__ import annotations

from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.svm import SVC, LinearSVC

from dcsvm import DAGSVC, DCSVC, OneVsOneSVC
from paper.published import THETAS

BUILT_IN, VOTE, DAG, DEFAULT = "built-in", "one-versus-one", "DAGSVM", "DCSVM, default"
REST, CRAMMER = "one-versus-rest, linear", "Crammer-Singer, linear"
E1071 = "built-in, e1071"
ORDERS = ("purity", "score")
# θ in per cent at which the curves are drawn, beside those of the tables.
CURVE = (0.0, 0.03, 0.3, 0.5, 3.0, 5.0)
# A tenth of this tolerance improves no accuracy by more than 0.1 points.
LINEAR_TOLERANCE = 1e-2
MOST_ITERATIONS = 100


def dcsvm(order, theta):
    """The name of the paper's rule, θ in per cent."""
    return f"DCSVM {order} {theta:g}"


# The methods whose time is measured.
TIMED = (VOTE, DAG, DEFAULT, dcsvm("purity", 1.0), dcsvm("purity", 0.1), dcsvm("score", 0.1))


def fit(X, y, setting, C, gamma):
    """All machines of a trial, in one fit."""
    scaling = "global" if setting == "tuned" else "pair"
    return DCSVC(C=C, gamma=gamma, scaling=scaling).fit(X, y)


def over_machines(fitted):
    """Every method that uses the machines of `fitted`, by name."""
    methods = {VOTE: OneVsOneSVC.from_machines(fitted), DAG: DAGSVC.from_machines(fitted)}
    methods[DEFAULT] = fitted
    for order in ORDERS:
        for theta in THETAS:
            methods[dcsvm(order, theta)] = by_rule(fitted, theta, order)
    return methods


def by_rule(fitted, theta, order="purity"):
    """The paper's rule at θ in per cent."""
    return fitted.rethreshold(theta=theta / 100, criterion=order, routing="sign", shortlist=None)


def built_in(C, gamma):
    """scikit-learn's vote, features standardised once, as e1071 does by itself."""
    return make_pipeline(StandardScaler(), SVC(C=C, gamma=gamma))


def linear():
    """Linear rivals, for reference."""
    return {
        REST: _linear(dual=False),
        CRAMMER: _linear(multi_class="crammer_singer", random_state=0),
    }


def _linear(**parameters):
    return make_pipeline(
        StandardScaler(), LinearSVC(tol=LINEAR_TOLERANCE, max_iter=MOST_ITERATIONS, **parameters)
    )
