"""The zip archive: written the same way every time, and looked over before it is read.

skops names members by addresses in memory, and writes what is shared as often as it is met.
Here everything gets a number in order of appearance and stands in the file once, dates are left
out, and what compresses well is compressed: the same model gives the same bytes.
"""

from __future__ import annotations

import io
import json
import math
import zlib
from collections.abc import Iterator
from typing import IO, Any
from zipfile import ZIP_DEFLATED, ZIP_STORED, ZipFile, ZipInfo

import numpy as np

from dcsvm._util.memory import physical_memory
from dcsvm.model_files.fields import require
from dcsvm.model_files.values import PLAIN_KINDS

SCHEMA = "schema.json"
# Beside what skops reads: who wrote the file, and what the user wanted to be kept with it.
HEADER = "dcsvm.json"
NO_DATE = (1980, 1, 1, 0, 0, 0)

# Of every member, a sample this long tells whether it is worth compressing.
SAMPLE = 2**16
WORTH_COMPRESSING = 0.85
# Arrays gain little from higher levels, which take several times as long; texts gain much.
LEVEL_OF_ARRAYS, LEVEL_OF_TEXTS = 1, 9

# A file may unfold to this many bytes, and this many times its own size more. The description may
# unfold less far, since it takes some twenty times its length when it is parsed.
ALWAYS_ALLOWED, TIMES_ALLOWED = 2**24, 100
ALWAYS_DESCRIBED, TIMES_DESCRIBED = 2**22, 10
# Lists within lists within lists.
DEEPEST = 200
LONGEST_HEADER = 4096

# In which order skops reads the parts of a node: what is met first defines what is shared.
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
    for is_packed in (True, False):
        target.seek(0)
        target.truncate()
        with ZipFile(target, "w") as archive:
            for name, data in own.items():
                _add(archive, name, data, is_packed)
            for old, new in members.items():
                _add(archive, new, source.read(old), is_packed)
        # What compresses so well that it looked like a trap is not compressed.
        if _is_allowed(archive.infolist(), target.tell()):
            break


def _add(archive: ZipFile, name: str, data: bytes, is_packed: bool) -> None:
    info = ZipInfo(name, NO_DATE)
    level = LEVEL_OF_TEXTS if name.endswith(".json") else LEVEL_OF_ARRAYS
    sample = data[:SAMPLE] if is_packed else b""
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
        """A copy of a node; where it has been in order so far, what was met before is left out."""
        if isinstance(node, list):
            return [self.number(part, in_order) for part in node]
        if not isinstance(node, dict):
            return node
        loader = node.get("__loader__")
        if not isinstance(loader, str):  # the content of a dict
            return {key: self.number(part, in_order) for key, part in node.items()}
        if loader in ("JsonNode", "TypeNode"):  # as short as a reference
            return {key: part for key, part in node.items() if key != "__id__"}
        new_id = self.ids.setdefault(node.get("__id__"), len(self.ids) + 1)
        head = {key: node[key] for key in ("__class__", "__module__") if key in node}
        if in_order and new_id in self.defined:
            return {**head, "__loader__": "CachedNode", "__id__": new_id}
        if loader == "SetNode":  # whose order is that of hashes
            node = {**node, "content": sorted(node["content"], key=_without_ids)}
        order = CHILDREN.get(loader, ())
        if in_order:
            self.defined.add(new_id)
        copy: dict[str, Any] = {**head, "__loader__": loader, "__id__": new_id}
        for key in (*order, *(key for key in node if key not in order)):
            if key == "file":
                copy[key] = self._member(node[key])
            elif key in node and key not in copy:
                copy[key] = self.number(node[key], in_order and key in order)
        return copy

    def _member(self, name: str) -> str:
        ending = name.rpartition(".")[2]
        return self.members.setdefault(name, f"{len(self.members) + 1}.{ending}")


def _without_ids(node: dict[str, Any]) -> str:
    return json.dumps({key: part for key, part in node.items() if key != "__id__"})


def check_members(archive: ZipFile, file_size: int) -> None:
    """Look at the names and sizes of all members, before any is read."""
    infos = archive.infolist()
    names = [info.filename for info in infos]
    require(HEADER in names and SCHEMA in names, "it is not a model of dcsvm")
    require(len(set(names)) == len(names), "two of its members have the same name")
    for info in infos:
        require(info.compress_type in (ZIP_STORED, ZIP_DEFLATED), "it is compressed in another way")
        require(not info.flag_bits & 1, "it is encrypted")
    total = sum(info.file_size for info in infos)
    require(
        _is_allowed(infos, file_size),
        f"it says that it unfolds to {total:,} bytes, far more than its own {file_size:,}",
    )
    memory = physical_memory()
    require(memory is None or total < memory, f"its {total:,} bytes do not fit into memory")


def read_json(archive: ZipFile, name: str) -> dict[str, Any]:
    """A member that holds a dict."""
    found = json.loads(archive.read(name))
    require(isinstance(found, dict), f"its {name} is not as it should be")
    return dict(found)


def _is_allowed(infos: list[ZipInfo], file_size: int) -> bool:
    total = sum(info.file_size for info in infos)
    described = sum(info.file_size for info in infos if info.filename in (HEADER, SCHEMA))
    return (
        total <= ALWAYS_ALLOWED + TIMES_ALLOWED * file_size
        and described <= ALWAYS_DESCRIBED + TIMES_DESCRIBED * file_size
    )


def nodes(schema: dict[str, Any]) -> Iterator[dict[str, Any]]:
    """All nodes of a description, none too deep."""
    waiting: list[tuple[Any, int]] = [(schema, 0)]
    while waiting:
        part, depth = waiting.pop()
        require(depth <= DEEPEST, "its parts are nested too deeply")
        if isinstance(part, dict):
            if isinstance(part.get("__loader__"), str):
                yield part
            waiting.extend((inner, depth + 1) for inner in part.values())
        elif isinstance(part, list):
            waiting.extend((inner, depth + 1) for inner in part)


def check_array(archive: ZipFile, name: Any) -> tuple[tuple[int, ...], np.dtype[Any]]:
    """Shape and type of a stored array, looked at before any room is made for it."""
    require(isinstance(name, str) and name in archive.NameToInfo, "an array is missing")
    size = archive.getinfo(name).file_size
    with archive.open(name) as member:
        head = io.BytesIO(member.read(LONGEST_HEADER))
    version = np.lib.format.read_magic(head)
    require(version in ((1, 0), (2, 0)), "an array is stored in another way")
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
