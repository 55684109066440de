"""Tables in files."""

from pathlib import Path

import pyarrow as pa
import pytest

from dcsvm.cli.columns import ValueRules
from dcsvm.cli.errors import UserError
from dcsvm.cli.tables import Table

BATCHES = [pa.record_batch({"a": [1, 2]}), pa.record_batch({"a": [3]})]


def table(names, batches):
    schema = pa.schema([(name, pa.int64()) for name in names])
    return Table(Path("t.csv"), schema, ValueRules(is_text=False), lambda: iter(batches))


def test_all_rows_are_those_of_the_batches():
    assert table(["a"], BATCHES).read_all().to_pydict() == {"a": [1, 2, 3]}


def test_what_is_refused():
    with pytest.raises(UserError, match="has a header but no rows"):
        table(["a"], []).read_all()
    with pytest.raises(UserError, match="more than one column named 'a' and 'b'"):
        table(["a", "b", "a", "c", "b"], BATCHES)
