"""The loading of GGUF files and of folders of Hugging Face for `tf.models.load`."""

from __future__ import annotations

import io
import tempfile
from contextlib import ExitStack
from pathlib import Path
from typing import Any

from tfpy._src.formats.gguf.reader import MAGIC, GgufFile, names_of_parts
from tfpy._src.formats.model_files import ModelFiles, Progress, ProgressCounter
from tfpy._src.formats.pretrained import folder_model, gguf_model
from tfpy._src.formats.pretrained.hub import build
from tfpy._src.formats.pretrained.source import CONFIG
from tfpy._src.formats.safetensors.reader import INDEX, SafetensorsFile, ShardedFiles, places_of
from tfpy._src.formats.weight_file import WeightFile
from tfpy._src.library.io.checked_json import ModelFileError

MAX_BYTES = 1 << 36
"""Largest size of a file of weights, which is read tensor by tensor."""
MAX_TEXT_BYTES = 1 << 28
"""Largest size of a configuration or a file of a tokenizer."""


class _Shares:
    """The progress of a download and of the conversion of weights, half of the total each.

    Files that are not downloaded are only converted.
    """

    def __init__(self, progress: Progress) -> None:
        self._progress, self._begin = progress, 0.0

    def received(self, fraction: float) -> None:
        """Report a fraction of the download."""
        self._begin = 0.5
        self._progress(fraction / 2)

    def loaded(self, fraction: float) -> None:
        """Report a fraction of the weights."""
        self._progress(self._begin + fraction * (1 - self._begin))


async def load_pretrained(
    files: ModelFiles, data: bytes, trainable: bool, progress: Progress | None
) -> Any:
    """Load a GGUF file, or safetensors files with the files next to them.

    Args:
        files: Files of the model.
        data: Content of the main file, or empty bytes if it is to be opened.
        trainable: True if all weights become float32.
        progress: Function that receives the fraction of the weights that is loaded, or None.

    Raises:
        ModelFileError: If a file is damaged or missing, or if the model is not supported.
    """
    if progress is not None:
        shares = _Shares(progress)
        files.heard, progress = ProgressCounter(shares.received), shares.loaded
    with ExitStack() as opened:
        folder = Path(opened.enter_context(tempfile.TemporaryDirectory()))
        if data.startswith(MAGIC) or files.model.endswith(".gguf"):
            gguf = await open_gguf(files, data, opened)
            return build(gguf_model.read_model(gguf, folder), trainable, progress)
        weights = await open_weights(files, opened)
        await _copy(files, folder)
        return build(folder_model.read_model(weights, folder), trainable, progress)


async def open_gguf(files: ModelFiles, data: bytes, opened: ExitStack) -> GgufFile:
    """Open the GGUF files of a model, and add them to the files that are to be closed."""

    async def part(name: str) -> GgufFile:
        return GgufFile(opened.enter_context(await files.open(name, MAX_BYTES)))

    first = GgufFile(io.BytesIO(data)) if data else await part(files.model)
    if first.parts == 1:
        return first
    names = names_of_parts(files.model, first.parts)
    return first.joined([await part(name) for name in names[1:]])


async def open_weights(files: ModelFiles, opened: ExitStack) -> WeightFile:
    """Open the safetensors files of a model, and add them to the files that are to be closed."""

    async def weights(path: str) -> SafetensorsFile:
        return SafetensorsFile(opened.enter_context(await files.open(path, MAX_BYTES)))

    if not files.model.endswith(INDEX):
        return await weights(files.model)
    index = await files.read(files.model, MAX_TEXT_BYTES)
    places = places_of(index, files.model)
    return ShardedFiles(places, {path: await weights(path) for path in sorted({*places.values()})})


async def _copy(files: ModelFiles, folder: Path) -> None:
    """Copy the files that KerasHub reads into a folder. Only the configuration must exist."""
    (folder / CONFIG).write_bytes(await files.read(CONFIG, MAX_TEXT_BYTES))
    for name in folder_model.FILES:
        try:
            data = await files.read(name, MAX_TEXT_BYTES)
        except ModelFileError:
            continue  # most models have only some of the files
        (folder / name).parent.mkdir(exist_ok=True)
        (folder / name).write_bytes(data)
