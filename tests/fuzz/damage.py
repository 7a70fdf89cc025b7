"""Files that are changed: bytes, numbers, and what JSON, archives and compressed files hold."""

from __future__ import annotations

import gzip
import io
import zipfile
import zlib
from collections.abc import Mapping

from tfpy._src.formats.encodings.protobuf_writer import varint

from .mutate import mutated
from .values import Rng, choose

Files = Mapping[str, bytes]
NUMBERS = (0, 1, 2, 127, 128, 255, 2**15, 2**16 - 1, 2**31 - 1, 2**31, 2**32 - 1, 2**63, 2**64 - 1)


def damaged(rng: Rng, files: Files) -> dict[str, bytes]:
    """One of the files changed: its bytes, its values if it is JSON, what it packs if it does."""
    found = dict(files)
    path = choose(rng, list(found))
    data = found[path]
    if rng.random() < 0.03:
        del found[path]
    else:
        found[path] = _changed(rng, path, data)
    return found


def _changed(rng: Rng, path: str, data: bytes) -> bytes:
    if rng.random() < 0.2:
        return _changed_bytes(rng, data)
    if path.endswith(".json"):
        return mutated(rng, data.decode()).encode()
    if data.startswith(b"PK"):
        return _changed_archive(rng, data)
    if data.startswith(b"\x1f\x8b"):
        return gzip.compress(_changed(rng, path, gzip.decompress(data)))
    if data.startswith(b"[["):  # an element of a saved dataset
        line, _, rest = data.partition(b"\n")
        return mutated(rng, line.decode()).encode() + b"\n" + rest
    if data.startswith(b"\x89PNG"):
        return _with_right_sums(_changed_bytes(rng, data))
    return _changed_bytes(rng, data)


def _changed_archive(rng: Rng, data: bytes) -> bytes:
    """A whole archive with a member changed."""
    out = io.BytesIO()
    with zipfile.ZipFile(io.BytesIO(data)) as before, zipfile.ZipFile(out, "w") as after:
        names = before.namelist()
        changed = choose(rng, names)
        for name in names:
            member = before.read(name)
            after.writestr(name, _changed(rng, name, member) if name == changed else member)
    return out.getvalue()


def _with_right_sums(png: bytes) -> bytes:
    """The checksums of a PNG's chunks made right, as far as these go."""
    out, at = bytearray(png), 8
    while at + 12 <= len(out):
        end = at + 8 + int.from_bytes(out[at : at + 4], "big")
        out[end : end + 4] = zlib.crc32(out[at + 4 : end]).to_bytes(4, "big")
        at = end + 4
    return bytes(out[: max(len(png), 8)])


def _changed_bytes(rng: Rng, data: bytes) -> bytes:
    """Bytes changed, numbers of fixed and of any length put in, pieces doubled, moved or left out,
    the end cut."""
    out = bytearray(data)
    for _ in range(int(rng.integers(1, 4))):
        if not out:
            break
        at, kind = int(rng.integers(len(out))), int(rng.integers(8))
        end = at + int(rng.integers(1, 64))
        if kind == 0:
            out[at] = int(rng.integers(256))
        elif kind == 1:
            size = choose(rng, (2, 4, 8))
            number = choose(rng, NUMBERS) % 256**size
            out[at : at + size] = number.to_bytes(size, choose(rng, ("little", "big")))
        elif kind == 2:
            out[at:at] = out[at:end]
        elif kind == 3:
            del out[at:end]
        elif kind == 4:
            number = choose(rng, NUMBERS)
            out[at : at + int(rng.integers(3))] = varint(number)
        elif kind == 5:  # a small number is a length, a count or an enumeration
            out[at] = (out[at] + int(choose(rng, (-1, 1, 2, 4, 128)))) % 256
        elif kind == 6:
            other = int(rng.integers(len(out)))
            out[at:end] = out[other : other + end - at]
        elif rng.random() < 0.3:
            del out[at:]
    return bytes(out)
