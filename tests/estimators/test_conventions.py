"""scikit-learn's own checks, all of them, for every estimator."""

from sklearn.linear_model import LogisticRegression
from sklearn.naive_bayes import GaussianNB
from sklearn.utils.estimator_checks import parametrize_with_checks

from dcsvm import DAGSVC, DCSVC, DCSVCCV, DivideAndConquerClassifier, OneVsOneSVC

ESTIMATORS = [
    DCSVC(),
    DCSVC(kernel="linear", scaling="global"),
    DCSVC(scaling="pair", n_jobs=2),
    DCSVC(machines="needed"),
    DCSVC.paper(),
    DCSVCCV(Cs=2, gammas=2, cv=3),
    DCSVCCV(Cs=2, kernel="linear", cv=3, scaling="global"),
    DCSVC.paper(kernel="linear", criterion="score", scaling="global"),
    DCSVC(probability=True),
    OneVsOneSVC(probability=True),
    DivideAndConquerClassifier(LogisticRegression(), probability=True),
    OneVsOneSVC(),
    DAGSVC(),
    DivideAndConquerClassifier(LogisticRegression()),
    DivideAndConquerClassifier(GaussianNB()),
    DivideAndConquerClassifier.paper(GaussianNB(), criterion="score"),
]


@parametrize_with_checks(ESTIMATORS)
def test_scikit_learn_check(estimator, check):
    check(estimator)
