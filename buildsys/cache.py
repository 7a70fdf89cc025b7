"""Slow build results, cached outside the clone and keyed by their inputs.

An entry is a directory. It is made under a temporary name and renamed when it is complete, so an
interrupted run leaves no incomplete entry. A file lock prevents two runs from making one entry.
"""

from __future__ import annotations

import fcntl
import hashlib
import json
import shutil
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

from .console import step
from .paths import CACHE


def file_hash(path: Path) -> str:
    """Return the SHA-256 of a file, in hexadecimal."""
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def tree_hash(*tops: Path) -> str:
    """Return the SHA-256 of the names and contents of files and of all files below directories."""
    digest = hashlib.sha256()
    for top in tops:
        files = sorted(path for path in top.rglob("*") if path.is_file()) if top.is_dir() else [top]
        for file in files:
            if "__pycache__" not in file.parts:
                name = file.relative_to(top.parent).as_posix()
                digest.update(f"{name}\0{file_hash(file)}\n".encode())
    return digest.hexdigest()


@contextmanager
def lock(name: str) -> Iterator[None]:
    """Hold the cache's lock of this name. Wait if another run holds it."""
    locks = CACHE / "locks"
    locks.mkdir(parents=True, exist_ok=True)
    with (locks / name).open("w") as file:
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            print(f"     waiting for another run that makes {name}", flush=True)
            fcntl.flock(file, fcntl.LOCK_EX)
        yield


def entry(kind: str, inputs: object, title: str, make: Callable[[Path], None]) -> Path:
    """Return the entry `kind` for these JSON-able inputs. If it is missing, `make` creates it."""
    digest = hashlib.sha256(json.dumps(inputs, sort_keys=True).encode()).hexdigest()[:16]
    path = CACHE / f"{kind}-{digest}"
    if path.is_dir():
        return path
    with lock(path.name):
        if path.is_dir():
            return path
        temporary = CACHE / f"{path.name}.tmp"
        if temporary.exists():
            shutil.rmtree(temporary)
        temporary.mkdir()
        try:
            with step(title):
                make(temporary)
        except BaseException:
            shutil.rmtree(temporary, ignore_errors=True)
            raise
        temporary.rename(path)
    return path
