import numpy as np
import pandas as pd
import pytest
from sklearn.datasets import load_iris
from sklearn.svm import SVC
from sklearn.utils import Bunch

import dcsvm.datasets
from dcsvm.datasets import MANY_CLASSES, PAPER, SOURCES, load, make_artificial1, stored
from dcsvm.datasets.sources import Source


@pytest.fixture
def no_folder(monkeypatch, tmp_path):
    """A machine that has no data sets."""
    monkeypatch.setenv("DCSVM_DATA", str(tmp_path))
    return tmp_path


@pytest.fixture
def openml(monkeypatch, no_folder):
    """OpenML as far as a test gives it: {data_id: (data, target)}."""
    shelf = {}

    def fetch_openml(*, data_id, as_frame, parser):
        assert as_frame
        data, target = shelf[data_id]
        return Bunch(data=data, target=target)

    monkeypatch.setattr("sklearn.datasets.fetch_openml", fetch_openml)
    return shelf


@pytest.mark.parametrize("name", [n for n in SOURCES if n not in ("mnist", "covertype")])
def test_stored_sets_are_as_their_sources_say(name, official_folder):
    data = load(name)
    source = SOURCES[name]
    assert data.data.shape == (source.n_rows, source.n_features)
    assert data.data.dtype == np.float64
    assert len(np.unique(data.target)) == source.n_classes
    assert len(data.feature_names) == source.n_features
    assert np.isnan(data.data).any() == (name == "heart")
    assert name in data.DESCR


def test_there_are_the_fourteen_sets_of_the_paper():
    from paper import published

    assert list(published.ACCURACY) == list(PAPER)
    assert len(PAPER) == 14
    assert set(PAPER).isdisjoint(MANY_CLASSES)


def test_extra_columns_and_split(official_folder):
    glass = load("glass")
    np.testing.assert_array_equal(glass.extra["id"], np.arange(1, 215))
    assert glass.split is None
    vowel = load("vowel")
    assert set(vowel.extra) == {"speaker", "sex"}
    assert (vowel.split == "train").sum() == 528


def test_folder_beside_the_working_directory(monkeypatch, tmp_path):
    folder = tmp_path / "shared" / "data"
    folder.mkdir(parents=True)
    frame = pd.DataFrame({"f0": [1, 2], "f1": [3.5, 4.5], "label": ["a", "b"]})
    frame.to_parquet(folder / "glass.parquet")
    (tmp_path / "project").mkdir()
    monkeypatch.delenv("DCSVM_DATA", raising=False)
    monkeypatch.chdir(tmp_path / "project")
    data = load("glass")
    np.testing.assert_array_equal(data.data, [[1, 3.5], [2, 4.5]])
    assert data.target.tolist() == ["a", "b"]


def test_the_folder_named_counts_and_no_other(monkeypatch, tmp_path):
    monkeypatch.setenv("DCSVM_DATA", str(tmp_path))
    assert stored.folders() == [tmp_path]


def test_unknown_name():
    with pytest.raises(ValueError, match="no data set 'irish'; there are artificial1, iris"):
        load("irish")


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


def test_without_pyarrow(monkeypatch, tmp_path):
    (tmp_path / "x.parquet").write_bytes(b"")

    def read_parquet(_):
        raise ImportError("no pyarrow")

    monkeypatch.setattr("pandas.read_parquet", read_parquet)
    with pytest.raises(ImportError, match=r"dcsvm\[paper\]"):
        stored.read(Source("x", 1, 1, 1, "", ""), tmp_path / "x.parquet")


# The geometry of the paper's first figure, judged by scikit-learn.


@pytest.mark.parametrize("kernel", ["linear", "rbf"])
def test_artificial1_as_the_first_machine_sees_it(kernel):
    data = load("artificial1")
    X, y = data.data, data.target
    svm_12 = SVC(kernel=kernel, gamma=0.5).fit(X[y <= 2], y[y <= 2])
    on_side_1 = {c: np.mean(svm_12.predict(X[y == c]) == 1) for c in range(1, 7)}
    assert on_side_1[1] >= 0.99
    assert on_side_1[2] <= 0.01
    assert on_side_1[3] == pytest.approx(0.5, abs=0.03)
    assert on_side_1[5] == pytest.approx(0.02, abs=0.012)
    if kernel == "linear":
        assert on_side_1[4] == 0
        assert on_side_1[6] == 1


def test_artificial1_is_the_same_every_time_and_takes_a_seed():
    np.testing.assert_array_equal(load("artificial1").data, make_artificial1().data)
    other = make_artificial1(50, random_state=1)
    assert other.data.shape == (300, 2)
    assert not np.isin(other.data[:5], load("artificial1").data).any()


def test_documentation_of_load():
    import doctest

    outcome = doctest.testmod(dcsvm.datasets)
    assert outcome.attempted > 0
    assert outcome.failed == 0
