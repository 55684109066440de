"""Scores of a search as plain data."""

import json

import numpy as np
import pytest
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from dcsvm import DCSVC, DCSVCCV
from dcsvm.inspection import SearchMap


def test_scores_are_those_of_the_search(digits):
    X, y = digits[0][:300], digits[1][:300]
    found = DCSVCCV(Cs=[1e-3, 10, 1000], gammas=[1e-4, 0.05], cv=3, refit=False).fit(X, y)
    of = SearchMap.of(found)
    known = ~np.isnan(found.scores_)
    assert not known.all(), "some points were given up"
    assert of.n_folds == known.sum(axis=0).tolist()
    s, c = of.best
    assert of.scores[s][c] == pytest.approx(found.best_score_)
    assert (of.Cs[c], of.settings[s]) == (found.C_, f"γ = {found.gamma_:.4g}")
    for (t, d), folds in np.ndenumerate(known.sum(axis=0)):
        assert of.scores[t][d] == pytest.approx(found.scores_[:folds, t, d].mean())
    assert SearchMap.from_json(json.loads(json.dumps(of._asdict()))) == of


def test_kernels_are_named(digits):
    X, y = digits[0][:150] / 16, digits[1][:150]
    search = DCSVCCV(Cs=[1, 10], gammas=["scale", 0.05], kernel=["linear", "rbf"], cv=2)
    found = make_pipeline(StandardScaler(), search).fit(X, y)
    assert SearchMap.of(found).settings == ["linear", "rbf, γ = scale", "rbf, γ = 0.05"]


def test_other_classifiers_have_no_scores(digits):
    with pytest.raises(TypeError, match="DCSVC has no scores"):
        SearchMap.of(DCSVC().fit(digits[0][:100], digits[1][:100]))
