"""What type checkers see of the public classes: mypy reads this file, nothing runs it.

An error that mypy does not find makes the comment that expects it an error.
"""

from typing import Any, assert_type

from dcsvm import DAGSVC, DCSVC, DivideAndConquerClassifier, OneVsOneSVC


def fits_keep_the_class(X: Any, y: Any) -> None:
    assert_type(DCSVC().fit(X, y), DCSVC)
    assert_type(DCSVC.paper().fit(X, y, sample_weight=None), DCSVC)
    assert_type(OneVsOneSVC().fit(X, y), OneVsOneSVC)
    assert_type(DAGSVC.from_machines(DCSVC().fit(X, y)), DAGSVC)
    assert_type(DivideAndConquerClassifier(DCSVC()).fit(X, y), DivideAndConquerClassifier)
    assert_type(DCSVC().fit(X, y).rethreshold(theta=0.01, shortlist=None), DCSVC)


def what_parameters_take(function: Any) -> None:
    DCSVC(kernel="poly", gamma="auto", theta="cost", routing="sign", shortlist=DCSVC())
    DCSVC(kernel=function, criterion="purity", scaling="pair", machines="needed", shortlist=None)
    DCSVC(decision_function_shape="ovo", break_ties=True, shrinking=False, gamma=0.1, theta=0)
    OneVsOneSVC(scaling="global")
    DCSVC(kernel="RBF")  # type: ignore[arg-type]
    DCSVC(gamma="large")  # type: ignore[arg-type]
    DCSVC(theta="small")  # type: ignore[arg-type]
    DCSVC(routing="margins")  # type: ignore[arg-type]
    DCSVC(shortlist="none")  # type: ignore[arg-type]
    DCSVC(criterion="speed")  # type: ignore[arg-type]
    DCSVC(machines="some")  # type: ignore[arg-type]
    DCSVC(scaling="standard")  # type: ignore[arg-type]
    OneVsOneSVC(scaling="standard")  # type: ignore[arg-type]
    DivideAndConquerClassifier(DCSVC(), routing="margins")  # type: ignore[arg-type]
