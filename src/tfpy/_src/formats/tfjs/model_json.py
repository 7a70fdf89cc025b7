"""TensorFlow.js's `model.json`, and the weights that it names, which are fetched meanwhile."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from typing import Any

from tfpy._src.formats.model_files import ModelFiles, Progress, ProgressCounter
from tfpy._src.formats.node_graphs.paths import checked_path
from tfpy._src.formats.sources import opened, received
from tfpy._src.formats.tfjs.weights_manifest import WeightGroup, joined, read_manifest
from tfpy._src.library.io.checked_json import MAX_BYTES, a_list, parse

_PATHS = re.compile(rb'"paths"\s*:\s*(?=\[)')
_MAX_LIKELY = 64


class PendingWeights:
    """The groups of a model's weights, which are being fetched.

    As a context manager, it cancels the fetches that are not complete at the end, like `close`.

    Args:
        files: Files of the model.
        manifest: Manifest of the weights in `model.json`.
        progress: Function that receives the loaded fraction, from 0 to 1.
        size: Number of bytes of `model.json`.

    Raises:
        ModelFileError: If the manifest is invalid.
    """

    def __init__(
        self, files: ModelFiles, manifest: Any, progress: Progress | None, size: int = 0
    ) -> None:
        self.size = size
        self.groups = read_manifest(manifest)
        self._files = files
        if progress is not None:
            files.heard = ProgressCounter(progress, sum(group.size or 0 for group in self.groups))
        self._begun = [
            files.begin(group.paths, MAX_BYTES if group.size is None else group.size)
            for group in self.groups
        ]

    async def data(self) -> list[tuple[WeightGroup, bytes]]:
        """Return the groups with their bytes.

        Raises:
            ModelFileError: If a file is missing or damaged.
        """
        pairs = zip(self.groups, self._begun, strict=True)
        return [(group, joined(group, await shards, self._files.where)) for group, shards in pairs]

    def __enter__(self) -> PendingWeights:
        return self

    def __exit__(self, *raised: object) -> None:
        self.close()

    def close(self) -> None:
        """Cancel the fetches that are not complete."""
        for shards in self._begun:
            shards.close()
        self._files.close()


async def model_file(source: Any) -> tuple[ModelFiles, bytes]:
    """Open the files of a source and read `model.json`.

    Raises:
        ModelFileError: If a file is missing.
    """
    files = opened(await received(source))
    return files, await files.read(files.model, MAX_BYTES)


def begun(
    files: ModelFiles, data: bytes, progress: Progress | None = None
) -> tuple[dict[str, Any], PendingWeights]:
    """Parse `model.json` and start to fetch the weights.

    Args:
        files: Files of the model.
        data: Bytes of `model.json`.
        progress: Function that receives the loaded fraction of the weights, from 0 to 1.

    Returns:
        The content of `model.json`, and the pending weights.

    Raises:
        ModelFileError: If `model.json` is invalid.
    """
    files.expect(likely_paths(data))
    try:
        model = parse(data, files.where(files.model))
        return model, PendingWeights(files, model.get("weightsManifest", []), progress, len(data))
    finally:
        files.expect(())


def likely_paths(data: bytes) -> Iterator[tuple[str, ...]]:
    """Yield the groups of weight files that `model.json` appears to name, to fetch them early.

    The time is linear in the number of bytes: few lists are parsed, and each only once.
    """
    at = data.find(b'"weightsManifest"')
    for _ in range(_MAX_LIKELY if at >= 0 else 0):
        match = _PATHS.search(data, at)
        at = data.find(b"]", match.end()) + 1 if match else 0
        if match is None or not at:
            break
        text = data[match.end() : at]
        if text.count(b"[") > 1:  # paths do not contain brackets
            break
        try:
            paths = a_list(json.loads(text), "paths")
            yield tuple([checked_path(path, "paths") for path in paths])
        except ValueError:
            break
