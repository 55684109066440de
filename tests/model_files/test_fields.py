"""Fields are what they have to be, or the file is refused."""

import numpy as np
import pytest

from dcsvm.model_files.fields import Fields, ModelFileError, require

STATE = {
    "part": {"inner": 1},
    "none": None,
    "list": [1, 2],
    "text": "abc",
    "flag": True,
    "int": 5,
    "float": 0.5,
    "infinite": np.inf,
    "nan": np.nan,
    "array": np.array([[1.0, 2.0], [3.0, np.nan]]),
    "swapped": np.array([1, 2], ">i4"),
    "offsets": np.array([0, 2, 2, 5]),
    "indices": np.array([0, 3, 4]),
    "late": np.array([1, 3, 4]),
    "falling": np.array([0, 5, 4]),
    "masked": np.ma.array([[1.0]]),
}
FIELDS = Fields(STATE, "it")


def test_what_is_right_comes_back():
    assert FIELDS.name_of("x") == "it.x"
    assert FIELDS.raw("none") is None
    assert FIELDS.part("part").raw("inner") == 1
    assert FIELDS.optional_part("part").name_of("x") == "it.part.x"
    assert FIELDS.optional_part("none") is None
    assert FIELDS.items("list", 2) == [1, 2]
    assert FIELDS.string("text", ("abc",)) == "abc"
    assert FIELDS.boolean("flag") is True
    assert FIELDS.integer("int", 5, 5) == 5
    assert FIELDS.number("float", 0.5, 0.5) == 0.5
    assert FIELDS.number("infinite", 0.0) == np.inf
    assert FIELDS.finite("float") == 0.5
    assert FIELDS.array("array", (np.float32, np.float64), (None, 2)) is not None
    assert FIELDS.array("swapped", np.int32, (2,)).dtype == np.dtype("=i4")
    assert FIELDS.array("swapped", np.int32, (2,)).tolist() == [1, 2]
    assert FIELDS.indices("indices", np.int64, (3,), 5).tolist() == [0, 3, 4]
    assert FIELDS.offsets("offsets", 3, 5).tolist() == [0, 2, 2, 5]


@pytest.mark.parametrize(
    ("method", "arguments", "problem"),
    [
        ("raw", ("nothing",), "it.nothing is missing"),
        ("part", ("none",), "it.none is missing"),
        ("optional_part", ("list",), "it.list is missing"),
        ("items", ("part",), "it.part is not a list"),
        ("items", ("list", 3), "it.list has not 3 entries"),
        ("string", ("int",), "it.int is not a text"),
        ("string", ("text", ("x", "y")), "it.text is 'abc'"),
        ("boolean", ("int",), "it.int is neither true nor false"),
        ("integer", ("flag", 0), "it.flag is out of range"),
        ("integer", ("float", 0), "it.float is out of range"),
        ("integer", ("int", 6), "it.int is out of range"),
        ("integer", ("int", 0, 4), "it.int is out of range"),
        ("number", ("int", 0.0), "it.int is not a number"),
        ("number", ("nan", 0.0), "it.nan is out of range"),
        ("number", ("float", 0.0, 0.4), "it.float is out of range"),
        ("finite", ("infinite",), "it.infinite is not finite"),
        ("array", ("list", np.int64, (2,)), "it.list is not an array"),
        ("array", ("masked", np.float64, (1, 1)), "it.masked is not an array"),
        ("array", ("array", np.float32, (2, 2)), "of type float64, not float32"),
        ("array", ("array", np.float64, (2, None, 1)), r"of shape \(2, 2\), not \(2, any, 1\)"),
        ("finite_array", ("array", np.float64, (2, 2)), "not finite"),
        ("indices", ("indices", np.int64, (3,), 4), "indices beyond 0 … 3"),
        ("indices", ("indices", np.int64, (3,), 5, 1), "indices beyond"),
        ("offsets", ("offsets", 3, 6), "does not rise from 0 to 6"),
        ("offsets", ("late", 2, 4), "does not rise from 0 to 4"),
        ("offsets", ("falling", 2, 4), "does not rise from 0 to 4"),
        ("offsets", ("offsets", 2, 5), "of shape"),
    ],
)
def test_what_is_wrong_is_named(method, arguments, problem):
    with pytest.raises(ModelFileError, match=problem):
        getattr(FIELDS, method)(*arguments)


def test_a_state_is_a_dict():
    for state in (None, [], "text"):
        with pytest.raises(ModelFileError, match=r"^it is missing$"):
            Fields(state, "it")


def test_require():
    require(True, "fine")
    require(np.bool_(True), "fine")
    with pytest.raises(ValueError, match=r"^not fine$"):
        require(np.bool_(False), "not fine")
