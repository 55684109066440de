"""What type checkers accept is what `fit` accepts."""

from sklearn.utils._param_validation import StrOptions

from dcsvm import DCSVC, DivideAndConquerClassifier
from dcsvm.estimators import parameter_types
from dcsvm.estimators.access import parameter_constraints
from dcsvm.estimators.parameter_types import names_in

LITERALS = {
    "kernel": "BuiltInKernel",
    "scaling": "Scaling",
    "decision_function_shape": "DecisionFunctionShape",
    "routing": "Routing",
    "criterion": "Criterion",
    "machines": "Machines",
}


def texts_accepted(cls, parameter):
    options = [c for c in parameter_constraints(cls)[parameter] if isinstance(c, StrOptions)]
    return set().union(*(option.options for option in options))


def test_literals_name_what_is_accepted():
    for parameter, literal in LITERALS.items():
        assert names_in(getattr(parameter_types, literal)) == texts_accepted(DCSVC, parameter)
    for parameter in ("routing", "criterion"):
        assert texts_accepted(DivideAndConquerClassifier, parameter) == names_in(
            getattr(parameter_types, LITERALS[parameter])
        )
    assert texts_accepted(DCSVC, "theta") == {"cost", "auto"}
    assert texts_accepted(DCSVC, "gamma") == {"scale", "auto"}
