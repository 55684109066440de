from tests.cuda.problems import classes_in_plane

from dcsvm import DCSVC
from dcsvm.cuda.answers import Answers
from dcsvm.cuda.prediction import machines_on
from dcsvm.cuda.routes import route_on
from dcsvm.estimators.access import route_of
from dcsvm.estimators.voting import VoteRoute


def test_every_route_gives_answers_of_the_same_shapes(device):
    X, y = classes_in_plane()
    clf = DCSVC(theta=0.002).fit(X, y)
    machines = machines_on(device, clf.machines_)
    paper = DCSVC.paper().fit(X, y)
    of_paper = route_on(machines_on(device, paper.machines_), route_of(paper))
    for route in (route_on(machines, route_of(clf)), of_paper, route_on(machines, VoteRoute())):
        assert route.rows_at_once(X.shape[1]) >= 1
        found = route.answers(device.array(X), X, True)
        assert isinstance(found, Answers)
        assert found.leaf.shape == found.n_evaluated.shape == (len(X),)
        assert found.decisions.shape == (len(X), len(clf.classes_))
        assert route.answers(device.array(X), X, False).decisions is None
