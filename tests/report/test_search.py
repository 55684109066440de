"""The map of scores on the page."""

import json

from tests.report.content import gather

from dcsvm import DCSVC, DCSVCCV
from dcsvm.inspection import SearchMap
from dcsvm.report.page import render


def test_a_search_shows_its_scores(digits):
    X, y, X_test, y_test = digits
    found = DCSVCCV(Cs=[1, 10, 100], gammas=[0.01, 0.03], cv=3).fit(X[:300], y[:300])
    data = gather(found, X_test, y_test)
    assert data["search"] == SearchMap.of(found)._asdict()
    page = render(data)
    assert '<section id="search"' in page
    assert "draw.search = " in page
    other = DCSVC(C=10).fit(X[:300], y[:300])
    assert gather(other, X_test, y_test)["search"] is None
    told = gather(other, X_test, y_test, search=SearchMap.of(found))["search"]
    assert json.loads(json.dumps(told, allow_nan=False))["Cs"] == [1, 10, 100]
