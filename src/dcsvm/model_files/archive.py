"""The zip archive: written the same way every time, and checked before it is read.

skops names members by addresses in memory, and writes what is shared as often as it is met.
Here everything gets a number in order of appearance and stands in the file once, dates are left
out, and what compresses well is compressed: the same model gives the same bytes.

The sizes in the directory of an archive may be wrong. No member is read further than its size
there, and one that is longer or shorter is refused.
"""

from __future__ import annotations

import io
import json
import math
import zlib
from collections.abc import Iterator
from copy import copy
from typing import IO, Any
from zipfile import ZIP_DEFLATED, ZIP_STORED, ZipFile, ZipInfo

import numpy as np

from dcsvm._util.memory import physical_memory
from dcsvm.model_files.fields import require
from dcsvm.model_files.values import PLAIN_KINDS

SCHEMA = "schema.json"
# Not of skops: the versions, and the user's metadata.
HEADER = "dcsvm.json"
NO_DATE = (1980, 1, 1, 0, 0, 0)

# Whether a member is worth compressing is measured on so many of its bytes.
SAMPLE = 2**16
WORTH_COMPRESSING = 0.85
# Arrays gain little from higher levels, which take several times as long; texts gain much.
LEVEL_OF_ARRAYS, LEVEL_OF_TEXTS = 1, 9

# Bytes that a file may have when uncompressed, and how many times its own size more. JSON may have
# fewer, since it takes some twenty times its length when it is parsed.
ALWAYS_ALLOWED, TIMES_ALLOWED = 2**24, 100
JSON_ALLOWED, JSON_TIMES_ALLOWED = 2**22, 10
DEEPEST_NESTING = 200
LONGEST_HEADER = 4096  # of an array
READ_AT_ONCE = 2**20

# The order in which skops reads the parts of a node. Of what is shared it reads the first part.
CHILDREN = {
    "DictNode": ("key_types", "content"),
    "ListNode": ("content",),
    "TupleNode": ("content",),
    "ObjectNode": ("content",),
}


def rewrite(header: dict[str, Any], source: ZipFile, target: IO[bytes]) -> None:
    """Write what skops has written in its final form."""
    schema = json.loads(source.read(SCHEMA))
    members: dict[str, str] = {}
    texts = {HEADER: header, SCHEMA: _Numbering(members).number(schema)}
    own = {name: json.dumps(text, separators=(",", ":")).encode() for name, text in texts.items()}
    for is_compressed in (True, False):
        target.seek(0)
        target.truncate()
        with ZipFile(target, "w") as archive:
            for name, data in own.items():
                _add(archive, name, data, is_compressed)
            for old, new in members.items():
                _add(archive, new, source.read(old), is_compressed)
        # A model that compresses so well that `check_members` would refuse it is not compressed.
        if _is_allowed(archive.infolist(), target.tell()):
            break


def _add(archive: ZipFile, name: str, data: bytes, is_compressed: bool) -> None:
    info = ZipInfo(name, NO_DATE)
    level = LEVEL_OF_TEXTS if name.endswith(".json") else LEVEL_OF_ARRAYS
    sample = data[:SAMPLE] if is_compressed else b""
    if len(zlib.compress(sample, level)) < WORTH_COMPRESSING * len(sample):
        info.compress_type = ZIP_DEFLATED
    info.external_attr = 0o644 << 16
    archive.writestr(info, data, compresslevel=level)


class _Numbering:
    """Gives nodes and members of the archive numbers in order of appearance."""

    def __init__(self, members: dict[str, str]) -> None:
        self.members = members
        self.ids: dict[Any, int] = {}
        self.defined: set[int] = set()

    def number(self, node: Any, in_order: bool = True) -> Any:
        """A copy of a node, in which what was met before is a reference.

        `in_order` says that skops reads all parents of the node in the order of `CHILDREN`, so
        that the definition comes before the reference.
        """
        if isinstance(node, list):
            return [self.number(part, in_order) for part in node]
        if not isinstance(node, dict):
            return node
        loader = node.get("__loader__")
        if not isinstance(loader, str):  # no node, but the content of a dict
            return {key: self.number(part, in_order) for key, part in node.items()}
        if loader in ("JsonNode", "TypeNode"):  # as short as a reference
            return {key: part for key, part in node.items() if key != "__id__"}
        new_id = self.ids.setdefault(node.get("__id__"), len(self.ids) + 1)
        head = {key: node[key] for key in ("__class__", "__module__") if key in node}
        if in_order and new_id in self.defined:
            return {**head, "__loader__": "CachedNode", "__id__": new_id}
        if loader == "SetNode":  # in the order of hashes
            node = {**node, "content": sorted(node["content"], key=_without_ids)}
        order = CHILDREN.get(loader, ())
        if in_order:
            self.defined.add(new_id)
        numbered: dict[str, Any] = {**head, "__loader__": loader, "__id__": new_id}
        for key in (*order, *(key for key in node if key not in order)):
            if key == "file":
                name = f"{len(self.members) + 1}.{node[key].rpartition('.')[2]}"
                numbered[key] = self.members.setdefault(node[key], name)
            elif key in node and key not in numbered:
                numbered[key] = self.number(node[key], in_order and key in order)
        return numbered


def _without_ids(node: dict[str, Any]) -> str:
    return json.dumps({key: part for key, part in node.items() if key != "__id__"})


def check_members(archive: ZipFile, file_size: int) -> None:
    """Check the names and sizes of all members, before any is read."""
    infos = archive.infolist()
    names = [info.filename for info in infos]
    require(HEADER in names and SCHEMA in names, "it is not a model of dcsvm")
    require(len(set(names)) == len(names), "two of its members have the same name")
    for info in infos:
        require(info.compress_type in (ZIP_STORED, ZIP_DEFLATED), "its compression is unknown")
        require(not info.flag_bits & 1, "it is encrypted")
    total = sum(info.file_size for info in infos)
    require(
        _is_allowed(infos, file_size),
        f"uncompressed it has {total:,} bytes, far more than its own {file_size:,}",
    )
    memory = physical_memory()
    require(memory is None or total < memory, f"its {total:,} bytes do not fit into memory")


def check_length(archive: ZipFile) -> None:
    """Read all members once, as `zipfile` would uncompress one of them beyond its size at once."""
    for info in archive.infolist():
        for _ in _blocks(archive, info):
            pass


def read_json(archive: ZipFile, name: str) -> dict[str, Any]:
    """A member that holds a dict."""
    found = json.loads(b"".join(_blocks(archive, archive.getinfo(name))))
    require(isinstance(found, dict), f"its {name} is not a dict")
    return dict(found)


def _blocks(archive: ZipFile, info: ZipInfo) -> Iterator[bytes]:
    """The content of a member, which must be as long as the directory of the archive says."""
    longer = copy(info)
    longer.file_size += 1  # room for a byte that should not be there
    length = 0
    with archive.open(longer) as member:
        while block := member.read(READ_AT_ONCE):
            length += len(block)
            yield block
    require(length == info.file_size, "one of its members has another size than it says")


def allowed_bytes(file_size: int) -> int:
    """How many bytes a file of this size may have when uncompressed."""
    return ALWAYS_ALLOWED + TIMES_ALLOWED * file_size


def _is_allowed(infos: list[ZipInfo], file_size: int) -> bool:
    total = sum(info.file_size for info in infos)
    of_json = sum(info.file_size for info in infos if info.filename in (HEADER, SCHEMA))
    json_allowed = JSON_ALLOWED + JSON_TIMES_ALLOWED * file_size
    return total <= allowed_bytes(file_size) and of_json <= json_allowed


def nodes(schema: dict[str, Any]) -> Iterator[dict[str, Any]]:
    """All nodes of a schema, which may not be nested too deeply."""
    waiting: list[tuple[Any, int]] = [(schema, 0)]
    while waiting:
        part, depth = waiting.pop()
        require(depth <= DEEPEST_NESTING, "its parts are nested too deeply")
        if isinstance(part, dict):
            if isinstance(part.get("__loader__"), str):
                yield part
            waiting.extend((inner, depth + 1) for inner in part.values())
        elif isinstance(part, list):
            waiting.extend((inner, depth + 1) for inner in part)


def check_array(archive: ZipFile, name: Any) -> tuple[tuple[int, ...], np.dtype[Any]]:
    """Shape and type of a stored array, checked before it takes memory."""
    require(isinstance(name, str) and name in archive.NameToInfo, "an array is missing")
    size = archive.getinfo(name).file_size
    with archive.open(name) as member:
        head = io.BytesIO(member.read(LONGEST_HEADER))
    version = np.lib.format.read_magic(head)
    require(version in ((1, 0), (2, 0)), "an array is in an unknown format")
    one = version == (1, 0)
    read = np.lib.format.read_array_header_1_0 if one else np.lib.format.read_array_header_2_0
    shape, _, dtype = read(head, max_header_size=LONGEST_HEADER)
    # Structured types are those of the nodes of decision trees.
    is_plain = dtype.kind in PLAIN_KINDS or bool(dtype.names)
    require(is_plain and not dtype.hasobject, f"an array holds {dtype}, not numbers or text")
    fits = all(length >= 0 for length in shape) and dtype.itemsize > 0
    needed = math.prod(shape) * dtype.itemsize
    require(fits and needed == size - head.tell(), "an array is longer or shorter than it says")
    return shape, dtype
