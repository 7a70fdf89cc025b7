"""Elements in files: caches, saved datasets, snapshots."""

from __future__ import annotations

import contextlib
import gzip
import json
import os
import re
import secrets
from collections.abc import Callable, Iterable, Iterator, Mapping
from functools import cached_property
from pathlib import Path
from typing import IO, Any, NamedTuple

from tfpy._src.base.atomic_files import replace_file, whole_file
from tfpy._src.base.errors import DataLossError, NotFoundError
from tfpy._src.data import structure
from tfpy._src.data.binary import (
    ElementFile,
    read_elements,
    spec_from_json,
    spec_to_json,
    write_element,
)
from tfpy._src.data.mapping import function_of
from tfpy._src.data.node import DatasetNode
from tfpy._src.data.run import NOT_YET, DatasetRun
from tfpy._src.data.specs import DatasetSpec
from tfpy._src.data.structure import Flat
from tfpy._src.functions.tf_function.signature import TensorSpec
from tfpy._src.library.io.checked_json import (
    ModelFileError,
    a_list,
    a_size,
    a_string,
    an_object,
    loaded,
)

_FACTS = "dataset.json"
"""File with the element spec of a saved dataset and the names of its shard files."""

_SHARD = re.compile(r"\d{8}(-[0-9a-f]{16})?\.shard")
"""Pattern of the names of shard files. Old versions wrote names without a token."""


class FileCache(DatasetNode):
    """The elements of the first complete iteration, cached in a file."""

    name = "_CacheDataset"

    def __init__(self, source: DatasetNode, filename: str) -> None:
        super().__init__(source)
        self._path = Path(filename + ".data")

    def elements(self, run: DatasetRun) -> Iterator[Flat]:
        if self._path.exists():
            with self._path.open("rb") as file:
                yield from read_elements(ElementFile(file, _size(file)), self.spec)
            return
        self._path.parent.mkdir(parents=True, exist_ok=True)
        with whole_file(self._path) as file:
            for element in self.inputs[0].elements(run):
                if element is not NOT_YET:
                    write_element(file, element)
                yield element

    @property
    def cardinality(self) -> int:
        return self.inputs[0].cardinality


def save(
    node: DatasetNode, path: str, compression: str | None, shard: Callable[..., Any] | None
) -> None:
    """Write the elements to files of a directory and replace the elements that it contains.

    The old elements remain until all new ones are written.

    Args:
        compression: "GZIP" or None.
        shard: Function that takes an element and returns the number of its file. None: one file.

    Raises:
        ValueError: If the compression is not supported, or `shard` does not return a scalar
            integer.
        TypeError: If a component is a dataset.
    """
    if compression not in (None, "", "NONE", "AUTO", "GZIP"):
        raise ValueError(f"save: compression must be 'GZIP' or None, not {compression!r}.")
    spec = spec_to_json(node.spec)
    number = None if shard is None else function_of(shard, node, "save()")
    if number is not None and not isinstance(number.spec, TensorSpec):
        raise ValueError("save: shard_func must return a scalar integer tensor.")
    zipped = compression == "GZIP"
    folder = Path(path)
    folder.mkdir(parents=True, exist_ok=True)
    token = secrets.token_hex(8)
    run, written = DatasetRun(), 0
    shard_of = None if number is None else number.start(run)
    files: dict[str, Any] = {}
    try:
        with contextlib.ExitStack() as stack:
            for element in node.elements(run):
                index = 0 if shard_of is None else int(shard_of(element)[0])
                name = f"{index:08d}-{token}.shard"
                if name not in files:
                    files[name] = stack.enter_context(_opened(folder / name, "xb", zipped))
                write_element(files[name], element)
                written += 1
        facts = {"spec": spec, "count": written, "gzip": zipped, "files": sorted(files)}
        before = _shards_of(folder)
        replace_file(folder / _FACTS, json.dumps(facts).encode(), durable=True)
    except BaseException:
        _remove(folder / name for name in files)
        raise
    _remove(before)


def _shards_of(folder: Path) -> list[Path]:
    """Return the shard files of a folder's dataset; an empty list if there is no valid dataset."""
    path = folder / _FACTS
    with contextlib.suppress(OSError, ModelFileError):
        return _shards(folder, _names(an_object(loaded(path.read_bytes(), path.name), path.name)))
    return []


def _names(facts: Mapping[str, Any]) -> list[str] | None:
    """Return the names of the shard files in `dataset.json`; None if it has no list.

    Raises:
        ModelFileError: If a name is not the name of a shard file.
    """
    if facts.get("files") is None:
        return None
    names = [a_string(name, "a name of a file") for name in a_list(facts["files"], "files")]
    for name in names:
        if not _SHARD.fullmatch(name):
            raise ModelFileError(f"{name[:80]!r} is not the name of a shard file")
    return names


def _shards(folder: Path, names: list[str] | None) -> list[Path]:
    """Return the shard files. If the names are unknown, these are the files without a token."""
    if names is None:
        names = [path.name for path in folder.glob("*.shard") if "-" not in path.name]
    return [folder / name for name in sorted(names)]


def _remove(paths: Iterable[Path]) -> None:
    for path in paths:
        with contextlib.suppress(OSError):
            path.unlink()


def _opened(path: Path, mode: str, zipped: bool) -> Any:
    return gzip.open(path, mode) if zipped else path.open(mode)


def _size(file: IO[bytes]) -> int:
    return os.fstat(file.fileno()).st_size


class _Facts(NamedTuple):
    """The contents of `dataset.json`.

    Attributes:
        spec: Spec of the elements.
        size: Number of elements.
        zipped: True if the files are compressed.
        files: Names of the shard files; see `_names`.
    """

    spec: Any
    size: int
    zipped: bool
    files: list[str] | None


def _read_facts(path: Path, given: Any) -> _Facts:
    """Read the description of a saved dataset.

    Args:
        given: Spec that replaces the saved one, or None.

    Raises:
        DataLossError: If the file is corrupt.
    """
    try:
        facts = an_object(loaded(path.read_bytes(), path.name), path.name)
        spec = spec_from_json(facts.get("spec")) if given is None else given
        zipped = facts.get("gzip")
        if not isinstance(zipped, bool):
            raise ModelFileError(f"gzip must be true or false, got {str(zipped)[:80]}")
        return _Facts(spec, a_size(facts.get("count"), "count"), zipped, _names(facts))
    except ModelFileError as error:
        raise DataLossError(None, "load", f"{path}: {error}") from None


class Loaded(DatasetNode):
    """The elements of a saved dataset.

    Args:
        spec: Spec that replaces the saved one, for named tuples.
        reader: Function that takes a dataset of the datasets of shards, and returns a dataset of
            elements. None: concatenate the shards.

    Raises:
        NotFoundError: If the directory contains no saved dataset.
        DataLossError: If a file is corrupt. Shard files are checked while they are read.
    """

    name = "_LoadDataset"

    def __init__(self, path: str, spec: Any, reader: Callable[..., Any] | None) -> None:
        super().__init__()
        self._folder = Path(path)
        facts = self._folder / _FACTS
        if not facts.exists():
            message = f"Could not find metadata file. [{path}]"
            raise NotFoundError(None, "load", message)
        self._facts = _read_facts(facts, spec)
        self._reader = reader

    @cached_property
    def spec(self) -> Any:
        return self._facts.spec

    def elements(self, run: DatasetRun) -> Iterator[Flat]:
        shards: list[DatasetNode] = [
            _Shard(path, self._facts.spec, self._facts.zipped)
            for path in _shards(self._folder, self._facts.files)
        ]
        if self._reader is None:
            for shard in shards:
                yield from shard.elements(run)
            return
        found = structure.node_of(
            self._reader(structure.AS_DATASET[0](_Nodes(shards, self._facts.spec)))
        )
        if found is None:
            raise TypeError("load: reader_func must return a tf.data.Dataset.")
        yield from found.elements(run)

    @property
    def cardinality(self) -> int:
        return self._facts.size


class _Shard(DatasetNode):
    """The elements of one file."""

    def __init__(self, path: Path, spec: Any, zipped: bool) -> None:
        super().__init__()
        self._path, self._spec, self._zipped = path, spec, zipped

    @cached_property
    def spec(self) -> Any:
        return self._spec

    def elements(self, run: DatasetRun) -> Iterator[Flat]:
        with _opened(self._path, "rb", self._zipped) as file:
            size = None if self._zipped else _size(file)
            yield from read_elements(ElementFile(file, size), self._spec)


class _Nodes(DatasetNode):
    """Datasets as elements."""

    def __init__(self, nodes: list[DatasetNode], spec: Any) -> None:
        super().__init__()
        self._nodes, self._spec = nodes, spec

    @cached_property
    def spec(self) -> Any:
        return DatasetSpec(self._spec)

    def elements(self, run: DatasetRun) -> Iterator[Flat]:
        return ((node,) for node in self._nodes)

    @property
    def cardinality(self) -> int:
        return len(self._nodes)


class Snapshot(DatasetNode):
    """The elements, written to files at the first iteration and read from these afterwards."""

    name = "_SnapshotDataset"

    def __init__(
        self,
        source: DatasetNode,
        path: str,
        compression: str | None,
        reader: Callable[..., Any] | None,
        shard: Callable[..., Any] | None,
    ) -> None:
        super().__init__(source)
        self._path, self._compression = path, compression
        self._reader, self._shard = reader, shard

    def elements(self, run: DatasetRun) -> Iterator[Flat]:
        if not (Path(self._path) / _FACTS).exists():
            save(self.inputs[0], self._path, self._compression, self._shard)
        return Loaded(self._path, self.spec, self._reader).elements(run)

    @property
    def cardinality(self) -> int:
        return self.inputs[0].cardinality
