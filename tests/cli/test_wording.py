"""Names and counts in messages."""

from dcsvm.cli.wording import counted, listed, near_names


def test_words():
    assert listed(["a"]) == "'a'"
    assert listed(["a", "b", "c"]) == "'a', 'b' and 'c'"
    assert listed(range(9), 3) == "'0', '1', '2' and 6 more"
    assert counted(1, "row") == "1 row"
    assert counted(1200, "row") == "1,200 rows"
    assert near_names("Sepal Length", ["sepal_length", "petal_length", "x"])[0] == "sepal_length"
    assert near_names("zzz", ["abc"]) == []
