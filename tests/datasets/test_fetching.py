"""Data sets from scikit-learn and OpenML."""

import numpy as np
import pandas as pd
import pytest
from sklearn.datasets import load_iris

from dcsvm.datasets import SOURCES, load


def test_iris_needs_no_network(no_folder):
    data = load("iris")
    expected = load_iris()
    np.testing.assert_array_equal(data.data, expected.data)
    np.testing.assert_array_equal(data.target, expected.target)


def test_openml_numbers_words_and_labels(openml):
    rng = np.random.default_rng(0)
    numbers = {f"feature_{c}": rng.normal(size=990) for c in range(9)}
    data = pd.DataFrame(numbers | {"speaker": pd.Categorical(["Ann", "Bob"] * 495)})
    data["level"] = pd.Categorical(["0", "1"] * 495)
    target = pd.Series(pd.Categorical([str(c % 11) for c in range(990)]))
    openml[307] = data, target
    vowel = load("vowel")
    assert vowel.feature_names == [*numbers, "level"]
    np.testing.assert_array_equal(vowel.data[:, 9], [0, 1] * 495)
    np.testing.assert_array_equal(vowel.target, np.arange(990) % 11)
    assert "OpenML data_id 307" in vowel.DESCR


def test_openml_words_are_numbered_where_features_would_be_missing(openml):
    files = pd.Categorical(np.array(list("abcdefgh"))[np.arange(28056) % 8])
    ranks = pd.Categorical((1 + np.arange(28056) % 8).astype(str))
    data = pd.DataFrame(
        {f"file{c}": files for c in range(3)} | {f"rank{c}": ranks for c in range(3)}
    )
    words = np.array(["draw", "zero", *map(str, range(16))])[np.arange(28056) % 18]
    openml[184] = data, pd.Series(words)
    krkopt = load("krkopt")
    assert krkopt.data.shape == (28056, 6)
    np.testing.assert_array_equal(krkopt.data[:, 0], 1 + np.arange(28056) % 8)
    assert krkopt.target[0] == "draw"


def test_openml_with_another_set_is_refused(openml):
    openml[41] = pd.DataFrame({"a": [1.0, 2.0]}), pd.Series(["1", "2"])
    with pytest.raises(OSError, match=r"41 is not glass .* \(2, 1, 2\), not \(214, 9, 6\)"):
        load("glass")


def test_offline(monkeypatch, no_folder):
    def offline(**_):
        raise OSError("<urlopen error no route>")

    monkeypatch.setattr("sklearn.datasets.fetch_openml", offline)
    with pytest.raises(
        OSError, match=r"data_id 6\) gave no answer: .*no route.*DCSVM_DATA.*set 59"
    ):
        load("letter")


@pytest.mark.parametrize("name", ["heart", "svmguide4", "sensorless", "poker"])
def test_not_on_openml(no_folder, name):
    with pytest.raises(OSError, match=f"{SOURCES[name].file_name}.*DCSVM_DATA") as error:
        load(name)
    assert SOURCES[name].original in str(error.value)
