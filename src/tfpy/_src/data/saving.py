"""Elements in files: caches, saved datasets, snapshots."""

from __future__ import annotations

import contextlib
import gzip
import json
import os
from collections.abc import Callable, Iterator
from functools import cached_property
from itertools import count
from pathlib import Path
from typing import IO, Any

from tfpy._src.data import structure
from tfpy._src.data.binary import Source, read_elements, spec_from_json, spec_to_json, write_element
from tfpy._src.data.mapping import function_of
from tfpy._src.data.node import Node
from tfpy._src.data.run import NOT_YET, Run
from tfpy._src.data.specs import DatasetSpec
from tfpy._src.data.structure import Flat
from tfpy._src.errors import DataLossError, NotFoundError
from tfpy._src.function.signature import TensorSpec
from tfpy._src.graphs.checked import a_size, an_object, loaded
from tfpy._src.graphs.errors import ModelFileError

_FACTS = "dataset.json"
"""What a saved dataset's elements are, beside the files that have them."""

_partial = count()
"""Numbers of files that are being written."""


class FileCache(Node):
    """The elements of the first whole iteration, kept in a file."""

    name = "_CacheDataset"

    def __init__(self, source: Node, filename: str) -> None:
        super().__init__(source)
        self._path = Path(filename + ".data")

    def elements(self, run: Run) -> Iterator[Flat]:
        if self._path.exists():
            with self._path.open("rb") as file:
                yield from read_elements(Source(file, _size(file)), self.spec)
            return
        with written_whole(self._path) as path, path.open("wb") as file:
            for element in self.inputs[0].elements(run):
                if element is not NOT_YET:
                    write_element(file, element)
                yield element

    @property
    def cardinality(self) -> int:
        return self.inputs[0].cardinality


@contextlib.contextmanager
def written_whole(path: Path) -> Iterator[Path]:
    """A path to write to, which becomes ``path`` when all is written."""
    path.parent.mkdir(parents=True, exist_ok=True)
    partial = path.with_name(f"{path.name}.{os.getpid()}.{next(_partial)}")
    try:
        yield partial
        partial.replace(path)
    finally:
        partial.unlink(missing_ok=True)


def save(node: Node, path: str, compression: str | None, shard: Callable[..., Any] | None) -> None:
    """Writes the elements to files of a directory, in place of those that it has.

    Args:
        compression: "GZIP" or None.
        shard: the number of the file of an element; all are in one by default.

    Raises:
        ValueError: for another compression, or a shard function that gives no scalar integer.
        TypeError: for datasets among the components.
    """
    if compression not in (None, "", "NONE", "AUTO", "GZIP"):
        raise ValueError(f"save: compression is 'GZIP' or None, not {compression!r}")
    spec = spec_to_json(node.spec)
    number = None if shard is None else function_of(shard, node, "save()")
    if number is not None and not isinstance(number.spec, TensorSpec):
        raise ValueError("save: shard_func must return a scalar integer tensor")
    zipped = compression == "GZIP"
    folder = Path(path)
    folder.mkdir(parents=True, exist_ok=True)
    for shard_file in folder.glob("*.shard"):
        shard_file.unlink()
    run, written = Run(), 0
    shard_of = None if number is None else number.start(run)
    with contextlib.ExitStack() as stack:
        files: dict[int, Any] = {}
        for element in node.elements(run):
            index = 0 if shard_of is None else int(shard_of(element)[0])
            if index not in files:
                name = folder / f"{index:08d}.shard"
                files[index] = stack.enter_context(_opened(name, "wb", zipped))
            write_element(files[index], element)
            written += 1
    facts = {"spec": spec, "count": written, "gzip": zipped}
    (folder / _FACTS).write_text(json.dumps(facts))


def _opened(path: Path, mode: str, zipped: bool) -> Any:
    return gzip.open(path, mode) if zipped else path.open(mode)


def _size(file: IO[bytes]) -> int:
    return os.fstat(file.fileno()).st_size


def _facts(path: Path, given: Any) -> tuple[Any, int, bool]:
    """Read what a saved dataset's elements are.

    Args:
        given: A spec to use in place of the one that was saved, or None.

    Returns:
        The spec, the number of elements, and True if the files are compressed.

    Raises:
        DataLossError: If the file is damaged.
    """
    try:
        facts = an_object(loaded(path.read_bytes(), path.name), path.name)
        spec = spec_from_json(facts.get("spec")) if given is None else given
        zipped = facts.get("gzip")
        if not isinstance(zipped, bool):
            raise ModelFileError(f"gzip must be true or false, got {str(zipped)[:80]}")
        return spec, a_size(facts.get("count"), "count"), zipped
    except ModelFileError as error:
        raise DataLossError(None, "load", f"{path}: {error}") from None


class Loaded(Node):
    """The elements of a saved dataset.

    Args:
        spec: in place of the one that was saved, for named tuples.
        reader: makes a dataset of the dataset of shards; by default one shard follows the other.

    Raises:
        NotFoundError: when no dataset was saved there.
        DataLossError: If its files are damaged; those of elements, while they are read.
    """

    name = "_LoadDataset"

    def __init__(self, path: str, spec: Any, reader: Callable[..., Any] | None) -> None:
        super().__init__()
        self._folder = Path(path)
        facts = self._folder / _FACTS
        if not facts.exists():
            message = f"Could not find metadata file. [{path}]"
            raise NotFoundError(None, "load", message)
        self._spec, self._count, self._zipped = _facts(facts, spec)
        self._reader = reader

    @cached_property
    def spec(self) -> Any:
        return self._spec

    def elements(self, run: Run) -> Iterator[Flat]:
        shards: list[Node] = [
            _Shard(path, self._spec, self._zipped) for path in sorted(self._folder.glob("*.shard"))
        ]
        if self._reader is None:
            for shard in shards:
                yield from shard.elements(run)
            return
        found = structure.node_of(self._reader(structure.AS_DATASET[0](_Nodes(shards, self._spec))))
        if found is None:
            raise TypeError("load: reader_func must return a tf.data.Dataset")
        yield from found.elements(run)

    @property
    def cardinality(self) -> int:
        return self._count


class _Shard(Node):
    """The elements of one file."""

    def __init__(self, path: Path, spec: Any, zipped: bool) -> None:
        super().__init__()
        self._path, self._spec, self._zipped = path, spec, zipped

    @cached_property
    def spec(self) -> Any:
        return self._spec

    def elements(self, run: Run) -> Iterator[Flat]:
        with _opened(self._path, "rb", self._zipped) as file:
            size = None if self._zipped else _size(file)
            yield from read_elements(Source(file, size), self._spec)


class _Nodes(Node):
    """Datasets as elements."""

    def __init__(self, nodes: list[Node], spec: Any) -> None:
        super().__init__()
        self._nodes, self._spec = nodes, spec

    @cached_property
    def spec(self) -> Any:
        return DatasetSpec(self._spec)

    def elements(self, run: Run) -> Iterator[Flat]:
        return ((node,) for node in self._nodes)

    @property
    def cardinality(self) -> int:
        return len(self._nodes)


class Snapshot(Node):
    """The elements, written to files at the first iteration and read from these later."""

    name = "_SnapshotDataset"

    def __init__(
        self,
        source: Node,
        path: str,
        compression: str | None,
        reader: Callable[..., Any] | None,
        shard: Callable[..., Any] | None,
    ) -> None:
        super().__init__(source)
        self._path, self._compression = path, compression
        self._reader, self._shard = reader, shard

    def elements(self, run: Run) -> Iterator[Flat]:
        if not (Path(self._path) / _FACTS).exists():
            save(self.inputs[0], self._path, self._compression, self._shard)
        return Loaded(self._path, self.spec, self._reader).elements(run)

    @property
    def cardinality(self) -> int:
        return self.inputs[0].cardinality
