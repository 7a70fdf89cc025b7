"""Damage to files: bytes, numbers, and the contents of JSON, archives and compressed files."""

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
    """Return the files with one of them damaged: its bytes, its JSON values or its members."""
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
    if path.endswith(".safetensors"):
        header = data[8 : 8 + int.from_bytes(data[:8], "little")]
        changed = mutated(rng, header.decode()).encode()
        return len(changed).to_bytes(8, "little") + changed + data[8 + len(header) :]
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
    """Return a valid archive with one member changed."""
    out = io.BytesIO()
    with zipfile.ZipFile(io.BytesIO(data)) as before, zipfile.ZipFile(out, "w") as after:
        names = before.namelist()
        changed = choose(rng, names)
        for name in names:
            member = before.read(name)
            after.writestr(name, _changed(rng, name, member) if name == changed else member)
    return out.getvalue()


def _with_right_sums(png: bytes) -> bytes:
    """Return a PNG with corrected checksums of its chunks, as far as they are intact."""
    out, at = bytearray(png), 8
    while at + 12 <= len(out):
        end = at + 8 + int.from_bytes(out[at : at + 4], "big")
        out[end : end + 4] = zlib.crc32(out[at + 4 : end]).to_bytes(4, "big")
        at = end + 4
    return bytes(out[: max(len(png), 8)])


def _changed_bytes(rng: Rng, data: bytes) -> bytes:
    """Return changed bytes.

    Numbers of fixed and variable length are inserted, pieces are duplicated, moved or removed, and
    the end is truncated.
    """
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
        elif kind == 5:  # small numbers are lengths, counts or enumerations
            out[at] = (out[at] + int(choose(rng, (-1, 1, 2, 4, 128)))) % 256
        elif kind == 6:
            other = int(rng.integers(len(out)))
            out[at:end] = out[other : other + end - at]
        elif rng.random() < 0.3:
            del out[at:]
    return bytes(out)
