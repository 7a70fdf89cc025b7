"""The function `tf.models.load`, which loads models of all formats."""

from __future__ import annotations

import importlib
import os
import tempfile
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from pathlib import Path
from traceback import walk_tb
from typing import Any

from tfpy._src.backends.awaitable import awaitable
from tfpy._src.backends.javascript.bridge import wait
from tfpy._src.formats.encodings.protobuf import read
from tfpy._src.formats.graph_model import GraphModel
from tfpy._src.formats.hub_files import HubFiles
from tfpy._src.formats.model_files import (
    MODEL,
    ModelFiles,
    Progress,
    ProgressCounter,
    increasing,
)
from tfpy._src.formats.sources import ModelSource, is_zip, opened, received
from tfpy._src.formats.tensorflow import saved_model
from tfpy._src.formats.tensorflow.reader.dialect import TensorFlowDialect
from tfpy._src.formats.tensorflow.reader.graph import read_graph
from tfpy._src.formats.tensorflow.reader.messages import GRAPH
from tfpy._src.formats.tfjs.graph_model_reader import Topology, own_signature
from tfpy._src.formats.tfjs.layers.layers_model import read_layers_model
from tfpy._src.formats.tfjs.model_json import begun
from tfpy._src.formats.tflite.reader.schema import IDENTIFIER
from tfpy._src.keras_support.keras import namespace
from tfpy._src.library.io.archives import DAMAGED
from tfpy._src.library.io.checked_json import ModelFileError, uncollected
from tfpy._src.library.io.streams import listed

_HDF5 = b"\x89HDF\r\n\x1a\n"
_KERAS = "metadata.json"
_ONNX = (".onnx", ".ort")
_GGUF = b"GGUF"
_SAFETENSORS = ("model.safetensors", "model.safetensors.index.json")
_BY_TENSOR = (".gguf", ".safetensors", ".safetensors.index.json")
"""Endings of main files that are not read at once, because they may be larger than the memory."""
_NAMES = (
    *(saved_model.FILE, _KERAS, MODEL, *_SAFETENSORS, "*-00001-of-*.gguf", ".gguf", *_ONNX),
    *(".tflite", ".h5", ".hdf5", ".pb", ".json"),
)
_WITHOUT_WEIGHTS = (saved_model.FILE, ".json", *_BY_TENSOR)
"""Endings of main files whose weights are in other files, which follow."""
_MAX_BYTES = 1 << 31
_OF_KERAS: tuple[type[Exception], ...] = (
    *DAMAGED,
    ArithmeticError,
    AttributeError,
    LookupError,
    TypeError,
)
"""Errors in addition to ValueError that Keras's deserialization raises for damaged models."""


@dataclass(frozen=True)
class _Loading:
    """A model that is being loaded, with the options of the call."""

    source: Any
    files: ModelFiles
    data: bytes
    trainable: bool
    quantize: str | None
    progress: Progress | None
    safe_mode: bool


def load(
    source: ModelSource,
    trainable: bool = False,
    quantize: str | None = None,
    progress: Progress | None = None,
    safe_mode: bool = True,
) -> Any:
    """Load a model from a file or folder of any supported format.

    The supported formats are SavedModel and frozen GraphDef of TensorFlow, graph models and layers
    models of TensorFlow.js, ONNX, TFLite, and `.keras` and `.h5` files of Keras. The format is
    determined by the content of the file.

    GGUF files, and folders of Hugging Face with safetensors files, become models of KerasHub with
    their tokenizers. Tensors are read one at a time. On wasm and webgpu, quantized weights of GGUF
    files stay in their blocks, so that they need the memory of the file. Other weights become
    float32.

    Args:
        source: Path of a file, folder or zip archive; a URL; a handle of a hub, such as
            `hf://owner/model`; the bytes of a file or zip archive; or a dict from paths to bytes.
            In a page, also a `File` of the browser, or several in a
            list or `FileList`. `indexeddb://name` is the URL of a model in the browser's storage.
            On the page's main thread, use `tf.models.load_async` for files and URLs.
        trainable: If True, the weights of a `tf.GraphModel` become Variables, so that they can be
            trained, and all weights of a language model become float32. Otherwise, matrices of a
            language model stay quantized or in 16 bits on wasm and webgpu, and cannot be changed.
        quantize: Precision of matrix products and convolutions with weights in a `tf.GraphModel`,
            as for `tf.function`. Legal values are `"int8"`, `"int4"`, and None for full precision.
        progress: Function that is called with the fraction of the weights that is loaded, from 0 to
            1. Default: do not report progress.
        safe_mode: If True, refuse operations that act outside of the model, such as `WriteFile`,
            and Keras layers that contain code. Pass False only if you trust the author of the model
            with your files and with running code.

    Returns:
        A `tf.keras.Model` if the file is a layers model of TensorFlow.js, has a format of Keras,
        or contains a model of KerasHub, otherwise a `tf.GraphModel`.

    Raises:
        FileNotFoundError: If the path does not exist.
        ModuleNotFoundError: If the model needs Keras or KerasHub, which is not installed.
        ValueError: If a file is missing or damaged or has an unknown format, or if the model
            contains an operation or layer that `safe_mode` refuses.

    Example:
        >>> import tfpy as tf
        >>> tf.save_onnx(tf.square, "square.onnx", [tf.TensorSpec([None])])
        >>> model = tf.models.load("square.onnx")
        >>> model(tf.constant([1.0, 3.0])).numpy().tolist()
        [1.0, 9.0]

    See also: `tf.models.load_async`, `tf.load_graph_model`, `tf.load_layers_model`.
    """
    mend = "write `await tf.models.load_async(source)`"
    return wait(load_async(source, trainable, quantize, progress, safe_mode), mend)


@awaitable("tf.models.load_async(source)")
async def load_async(
    source: ModelSource,
    trainable: bool = False,
    quantize: str | None = None,
    progress: Progress | None = None,
    safe_mode: bool = True,
) -> Any:
    """Load a model of any supported format without blocking the page.

    `tf.models.load` lists the formats. Weight files are fetched in parallel.

    Args:
        source: Path of a file, folder or zip archive; a URL; a handle of a hub, such as
            `hf://owner/model`; the bytes of a file or zip archive; or a dict from paths to bytes.
            In a page, also a `File` of the browser, or several in a
            list or `FileList`. `indexeddb://name` is the URL of a model in the browser's storage.
        trainable: If True, the weights of a `tf.GraphModel` become Variables, so that they can be
            trained, and all weights of a language model become float32. Otherwise, matrices of a
            language model stay quantized or in 16 bits on wasm and webgpu, and cannot be changed.
        quantize: Precision of matrix products and convolutions with weights in a `tf.GraphModel`,
            as for `tf.function`. Legal values are `"int8"`, `"int4"`, and None for full precision.
        progress: Function that is called with the fraction of the weights that is loaded, from 0 to
            1. Default: do not report progress.
        safe_mode: If True, refuse operations that act outside of the model, such as `WriteFile`,
            and Keras layers that contain code. Pass False only if you trust the author of the model
            with your files and with running code.

    Returns:
        An awaitable that resolves to a `tf.keras.Model` if the file is a layers model of
        TensorFlow.js, has a format of Keras, or contains a model of KerasHub, and otherwise to a
        `tf.GraphModel`.

    Raises:
        FileNotFoundError: If the path does not exist.
        ModuleNotFoundError: If the model needs Keras or KerasHub, which is not installed.
        ValueError: If a file is missing or damaged or has an unknown format, or if the model
            contains an operation or layer that `safe_mode` refuses.

    Example:
        >>> import asyncio
        >>> import tfpy as tf
        >>> tf.save_onnx(tf.square, "square.onnx", [tf.TensorSpec([None])])
        >>> model = asyncio.run(tf.models.load_async("square.onnx"))
        >>> model(tf.constant([1.0, 3.0])).numpy().tolist()
        [1.0, 9.0]

    See also: `tf.models.load`.
    """
    given, source = source, await received(source, _NAMES)
    if isinstance(source, bytes | bytearray | memoryview) and not is_zip(bytes(source[:4])):
        files = opened({MODEL: bytes(source)}, (MODEL,))
    else:
        files = opened(source, _NAMES)
    if progress is not None:
        progress = increasing(progress)  # an archive and its files report the same bytes
        if not files.model.endswith(_WITHOUT_WEIGHTS):
            files.heard = ProgressCounter(progress)
    data = await _main(files)
    if is_zip(data):  # an archive at a URL
        source, files = data, opened(data, _NAMES)
        data = await _main(files)
    reader = _reader(files.model, data, _shown(given, files.model))
    found = await reader(_Loading(source, files, data, trainable, quantize, progress, safe_mode))
    if progress is not None:
        progress(1.0)
    return found


async def _main(files: ModelFiles) -> bytes:
    """Return the content of the main file, or no bytes if it is read by tensor."""
    if files.model.endswith(_BY_TENSOR):
        return b""
    return await files.read(files.model, _MAX_BYTES)


Reader = Callable[[_Loading], Awaitable[Any]]


def _shown(given: Any, model: str) -> str:
    """Return the name of a model's main file for errors."""
    if isinstance(given, bytes | bytearray | memoryview):
        return "The source"
    files = listed(given)
    is_picked = len(files) == 1 and hasattr(files[0], "stream")
    return repr(str(getattr(files[0], "name", "blob")) if is_picked else model)


def _reader(name: str, data: bytes, shown: str) -> Reader:
    """Select the reader of a file by its first bytes, or by its name if they are ambiguous.

    Args:
        shown: Name of the file for errors, with quotation marks.

    Raises:
        ModelFileError: If no reader supports the file.
    """
    if name == _KERAS or data.startswith(_HDF5):
        return _keras
    if data.startswith(_GGUF) or name.endswith(_BY_TENSOR):
        return _pretrained
    if data[4:8] == IDENTIFIER:
        return _tflite
    if data.lstrip()[:1] == b"{":
        return _tensorflow_js
    if name.endswith(_ONNX):
        return _onnx
    if name == saved_model.FILE:
        return _saved_model
    if data[:1] == b"\n":  # the field `node` of a GraphDef
        return _graph_def
    if data[:1] == b"\x08":  # a version; only ONNX has operator sets next to it
        return _onnx if _has_operator_sets(data) else _saved_model
    raise ModelFileError(
        f"{shown} is not a model: it begins with {data[:16]!r}. tf.models.load reads SavedModel, "
        "GraphDef, TensorFlow.js, ONNX, TFLite, Keras, GGUF and safetensors files"
    )


def _has_operator_sets(data: bytes) -> bool:
    onnx = importlib.import_module("tfpy._src.formats.onnx.reader.proto")
    return len(read(data, onnx.MODEL)["opset_import"]) > 0


async def _tensorflow_js(how: _Loading) -> Any:
    with uncollected():
        model, coming = begun(how.files, how.data, how.progress)
        topology = model.get("modelTopology")
        is_graph = isinstance(topology, dict) and "node" in topology
        if not is_graph and model.get("format") != "graph-model":
            reading = read_layers_model(model, coming)
        else:
            del topology  # so that it can be freed as soon as it has been read
            graph = Topology.of(model, coming, how.safe_mode)
            reading = graph.model(how.trainable, how.quantize)
    return await reading


async def _saved_model(how: _Loading) -> GraphModel:
    options = how.trainable, how.quantize, how.safe_mode
    return await saved_model.load_saved_model(how.files, *options)


async def _graph_def(how: _Loading) -> GraphModel:
    dialect = TensorFlowDialect(safe=how.safe_mode)
    graph = read_graph(read(how.data, GRAPH), dialect=dialect, size=len(how.data))
    signatures = {"serving_default": own_signature(graph)}
    return GraphModel(graph, signatures, trainable=how.trainable, quantize=how.quantize)


async def _onnx(how: _Loading) -> GraphModel:
    module = importlib.import_module("tfpy._src.formats.onnx.model")  # slow: many operations
    found: GraphModel = await module.load_onnx(how.files, how.data, how.trainable, how.quantize)
    return found


async def _tflite(how: _Loading) -> GraphModel:
    module = importlib.import_module("tfpy._src.formats.tflite.model")  # slow: many operations
    found: GraphModel = module.read_tflite(how.data, how.trainable, how.quantize, how.safe_mode)
    return found


async def _pretrained(how: _Loading) -> Any:
    module = importlib.import_module("tfpy._src.formats.pretrained.loading")  # rarely needed
    return await module.load_pretrained(how.files, how.data, how.trainable, how.progress)


async def _keras(how: _Loading) -> Any:
    """Load a Keras file. Keras reads files by path only, so bytes go to a temporary file."""
    namespace("keras")  # raises an error with instructions if Keras is missing
    keras = importlib.import_module("keras")
    if isinstance(how.source, str | os.PathLike) and Path(how.source).exists():
        return _read_by_keras(keras, Path(how.source), how.safe_mode)
    if isinstance(how.files, HubFiles) and how.files.model == _KERAS:
        return _read_by_keras(keras, await how.files.folder(), how.safe_mode)
    with tempfile.TemporaryDirectory() as folder:
        is_keras = how.files.model == _KERAS
        path = Path(folder) / ("model.keras" if is_keras else "model.h5")
        path.write_bytes(await _whole(how) if is_keras else how.data)
        return _read_by_keras(keras, path, how.safe_mode)


def _read_by_keras(keras: Any, path: Path, safe_mode: bool) -> Any:
    """Load a model with Keras, which limits the unpacked size of archives and HDF5 files.

    Raises:
        ModelFileError: For the errors that Keras, h5py and Python's zipfile raise for damaged
            files, for layers and arguments that Keras does not have, and for layers that need
            packages that are not installed.
    """
    try:
        return keras.saving.load_model(path, safe_mode=safe_mode)
    except ValueError:
        raise
    except ImportError as error:
        text = f"Keras cannot load {path.name}: {_lacking(keras, error)}"
        raise ModelFileError(text) from error
    except _OF_KERAS as error:
        text = f"Keras cannot load {path.name}: {type(error).__name__}: {error}"
        raise ModelFileError(text) from error


def _lacking(keras: Any, error: ImportError) -> str:
    """Describe which layer needs which module, as far as the error's traceback shows it."""
    called = (frame.f_code.co_qualname for frame, _ in walk_tb(error.__traceback__))
    layers = [name for call in called if hasattr(keras.layers, name := call.partition(".")[0])]
    if not layers:
        return str(error)
    module = error.name or getattr(error.__context__, "name", None)
    missing = f"the module {module!r}" if module else f"a module ({error})"
    return (
        f"the layer {layers[-1]} needs {missing}, which is not installed. Save the model without "
        "this layer, or install the module"
    )


async def _whole(how: _Loading) -> bytes:
    if isinstance(how.source, bytes | bytearray | memoryview):
        return bytes(how.source)
    raise ModelFileError("a .keras file must be passed as a path or as bytes")
