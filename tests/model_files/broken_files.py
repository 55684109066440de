"""Model files made by hand, which `load` must refuse."""

import io
import json
import struct
import tracemalloc
import zipfile
import zlib
from pathlib import Path

import pytest
from tests.model_files.mutations import zipped

import dcsvm
from dcsvm.model_files import ModelFileError


def refused(data, tmp_path, match):
    """That a file cannot be loaded, and why; without taking much time or memory to find out."""
    path = tmp_path / "model.dcsvm"
    path.write_bytes(data)
    tracemalloc.start()
    with pytest.raises(ModelFileError, match=match) as caught:
        dcsvm.load(path)
    assert tracemalloc.get_traced_memory()[1] < 10 * len(data) + 2**26
    tracemalloc.stop()
    message = str(caught.value)
    assert "model.dcsvm' cannot be loaded: " in message
    assert message.endswith(".")
    assert "\n" not in message
    return message


def with_schema(members, schema):
    """A file with another schema."""
    return zipped({**members, "schema.json": json.dumps(schema).encode()})


def compressed(members, **large):
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, data in members.items():
            archive.writestr(name, data)
        for name, n_bytes in large.items():
            with archive.open(name, "w", force_zip64=True) as member:
                for _ in range(n_bytes // 2**20):
                    member.write(bytes(2**20))
    return buffer.getvalue()


class RunsWhenUnpickled:
    def __reduce__(self):
        return (Path.touch, (Path("pwned"),))


def node(loader, module, cls, **content):
    return {"__loader__": loader, "__module__": module, "__class__": cls, **content}


def text(value):
    return node("JsonNode", "builtins", "str", content=json.dumps(value), is_json=True)


def sequence(kind, *parts):
    return node(f"{kind.title()}Node", "builtins", kind, content=list(parts))


def with_lying_directory(data, name, length, content=b""):
    """An archive whose directory says that a member is so long, and gives the sum of `content`."""
    with zipfile.ZipFile(io.BytesIO(data)) as archive:
        entry = archive.start_dir
    data = bytearray(data)
    while data[entry + 46 : entry + 46 + len(name)] != name.encode():
        entry = data.index(b"PK\x01\x02", entry + 1)
    struct.pack_into("<I", data, entry + 16, zlib.crc32(content))
    struct.pack_into("<I", data, entry + 24, length)
    return bytes(data)
