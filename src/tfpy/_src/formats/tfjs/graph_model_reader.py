"""Reader of TensorFlow.js graph models: `model.json` and weight files."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from tfpy._src.backends.awaitable import awaitable
from tfpy._src.backends.javascript.bridge import wait
from tfpy._src.formats.graph_model import GraphModel, ModelSignature
from tfpy._src.formats.model_files import Progress
from tfpy._src.formats.node_graphs.node import NodeGraph, Spec
from tfpy._src.formats.node_graphs.runner import Runner
from tfpy._src.formats.raw_ops.resources import Resources, using
from tfpy._src.formats.sources import ModelSource
from tfpy._src.formats.tensorflow.reader.dialect import TensorFlowDialect
from tfpy._src.formats.tensorflow.reader.from_json import (
    NUMBERS,
    attributes,
    graph_from_json,
    shape_from_json,
)
from tfpy._src.formats.tensorflow.reader.graph import canonical, read_graph
from tfpy._src.formats.tensorflow.reader.values import dtype, shape
from tfpy._src.formats.tfjs.model_json import PendingWeights, begun, model_file
from tfpy._src.formats.tfjs.weights_manifest import Array, Arrived
from tfpy._src.library.io.checked_json import (
    ModelFileError,
    a_list,
    a_string,
    an_object,
    uncollected,
)

DEFAULT = "serving_default"
"""Name of the only signature of a graph model."""


def load_graph_model(
    source: ModelSource,
    trainable: bool = False,
    quantize: str | None = None,
    progress: Progress | None = None,
    safe_mode: bool = True,
) -> GraphModel:
    """Load a TensorFlow.js graph model from `model.json` and its weight files.

    Equivalent to `tf.loadGraphModel` in TensorFlow.js. Quantized weights are supported.

    Args:
        source: Path of `model.json`, of its folder, or of a zip archive that contains it; the URL
            of `model.json`; a handle of a hub, such as `hf://owner/model`; the bytes of such an
            archive; or a dict from paths to bytes.
        trainable: If True, the weights of the model become Variables, so that they can be trained.
        quantize: Precision of matrix products and convolutions with weights, as for `tf.function`.
            Legal values are `"int8"`, `"int4"`, and None for full precision.
        progress: Function that is called with the fraction of the weights that is loaded, from 0 to
            1. Default: do not report progress.
        safe_mode: If True, refuse operations that act outside of the model, such as `WriteFile`.
            Pass False only if you trust the author of the model with your files.

    Returns:
        A `tf.GraphModel`.

    Raises:
        FileNotFoundError: If the path does not exist.
        ValueError: If `source` does not contain a `model.json`, if a weight file is missing, if a
            file is damaged, or if the model contains an operation that `safe_mode` refuses.

    Example:
        >>> import tfpy as tf
        >>> tf.save_graph_model(tf.square, "square", [tf.TensorSpec([None])])
        >>> model = tf.load_graph_model("square")
        >>> model.predict(tf.constant([1.0, 3.0])).numpy().tolist()
        [1.0, 9.0]

    See also: `tf.load_graph_model_async`, `tf.models.load`, `tf.save_graph_model`.
    """
    return wait(
        load_graph_model_async(source, trainable, quantize, progress, safe_mode),
        "write `await tf.load_graph_model_async(source)`",
    )


@awaitable("tf.load_graph_model_async(source)")
async def load_graph_model_async(
    source: ModelSource,
    trainable: bool = False,
    quantize: str | None = None,
    progress: Progress | None = None,
    safe_mode: bool = True,
) -> GraphModel:
    """Load a TensorFlow.js graph model without blocking the page.

    Weight files are fetched in parallel.

    Args:
        source: Path of `model.json`, of its folder, or of a zip archive that contains it; the URL
            of `model.json`; a handle of a hub, such as `hf://owner/model`; the bytes of such an
            archive; or a dict from paths to bytes.
        trainable: If True, the weights of the model become Variables, so that they can be trained.
        quantize: Precision of matrix products and convolutions with weights, as for `tf.function`.
            Legal values are `"int8"`, `"int4"`, and None for full precision.
        progress: Function that is called with the fraction of the weights that is loaded, from 0 to
            1. Default: do not report progress.
        safe_mode: If True, refuse operations that act outside of the model, such as `WriteFile`.
            Pass False only if you trust the author of the model with your files.

    Returns:
        An awaitable that resolves to a `tf.GraphModel`.

    Raises:
        FileNotFoundError: If the path does not exist.
        ValueError: If `source` does not contain a `model.json`, if a weight file is missing, if a
            file is damaged, or if the model contains an operation that `safe_mode` refuses.

    Example:
        >>> import asyncio
        >>> import tfpy as tf
        >>> tf.save_graph_model(tf.square, "square", [tf.TensorSpec([None])])
        >>> model = asyncio.run(tf.load_graph_model_async("square"))
        >>> model.predict(tf.constant([3.0])).numpy().tolist()
        [9.0]

    See also: `tf.load_graph_model`, `tf.models.load_async`.
    """
    files, data = await model_file(source)
    with uncollected():
        topology = Topology.of(*begun(files, data, progress), safe_mode)
    return await topology.model(trainable, quantize)


@dataclass(frozen=True)
class Topology:
    """A graph and the other entries of `model.json`, while the weights are fetched."""

    graph: NodeGraph
    said: Mapping[str, Any] | None
    metadata: Mapping[str, Any]
    model_json: Mapping[str, Any]
    coming: PendingWeights
    weights: Mapping[str, Callable[[str], Array]]
    arrived: Arrived
    """Values of the weights that have been received."""
    dialect: TensorFlowDialect

    @classmethod
    def of(
        cls, model_json: dict[str, Any], coming: PendingWeights, safe_mode: bool = True
    ) -> Topology:
        """Read everything that does not need the weights' values.

        Args:
            model_json: Content of `model.json`. Its graph is removed, which frees memory before the
                weights arrive.
            coming: The weights. They are closed if the graph is invalid.
            safe_mode: If True, refuse operations that act outside of the model.

        Raises:
            ModelFileError: If it is not a graph model, or is damaged.
        """
        try:
            return cls._read(model_json, coming, TensorFlowDialect(safe=safe_mode))
        except BaseException:
            coming.close()
            raise

    @classmethod
    def _read(
        cls, model_json: dict[str, Any], coming: PendingWeights, dialect: TensorFlowDialect
    ) -> Topology:
        if model_json.get("format", "graph-model") != "graph-model":
            raise ModelFileError(
                f"this is a {model_json['format']}, not a graph-model. Use tf.load_layers_model"
            )
        metadata = an_object(model_json.get("userDefinedMetadata") or {}, "userDefinedMetadata")
        said = model_json.get("signature") or metadata.get("signature")
        outputs: list[str] = []
        if said is not None:
            infos = _infos(an_object(said, "signature"), "outputs")
            outputs = [canonical(info["name"]) for info in infos.values()]
        arrived = Arrived()
        names = itertools.chain.from_iterable(group.names for group in coming.groups)
        weights = dict.fromkeys(names, arrived)
        topology = an_object(model_json.pop("modelTopology", None), "model.json: modelTopology")
        if not topology.get("node"):
            raise ModelFileError(
                "model.json: modelTopology has no node, so nothing can be computed. Is the file "
                "complete? Write it again with tensorflowjs_converter or tf.save_graph_model"
            )
        message = graph_from_json(topology)
        try:
            graph = read_graph(
                message,
                outputs,
                weights,
                dialect=dialect,
                attributes=attributes,
                size=coming.size,
            )
        except ModelFileError as error:
            raise ModelFileError(f"model.json: {error}") from None
        return cls(graph, said, metadata, model_json, coming, weights, arrived, dialect)

    async def model(self, trainable: bool = False, quantize: str | None = None) -> GraphModel:
        """Return the model after its weights have arrived.

        Raises:
            ModelFileError: If the weights or the initializer are damaged.
        """
        with self.coming as coming:
            for group, data in await coming.data():
                self.arrived.add(group, data)
        resources: Resources = {}
        bound: dict[str, Any] = {}
        if self.said is None:
            signature = own_signature(self.graph)
        else:
            with using(resources):
                bound = self._initialized(self.said)
            signature = _signature(self.said, self.graph, self.metadata, bound)
        signatures = {DEFAULT: signature}
        return GraphModel(
            self.graph, signatures, self.metadata, bound, resources, trainable, quantize
        )

    def _initialized(self, said: Mapping[str, Any]) -> dict[str, Any]:
        """Run the model's initializer and return the values of inputs that callers do not pass.

        The initializer makes tables, for example.

        Raises:
            ModelFileError: If the initializer does not make a resource that the graph needs.
        """
        if self.model_json.get("modelInitializer") is None:
            return {}
        own = self.model_json.get("initializerSignature") or {}
        infos = _infos(an_object(own, "initializerSignature"), "outputs")
        made = {info.get("resourceId"): canonical(info["name"]) for info in infos.values()}
        wanted = tuple(made.values())
        message = graph_from_json(self.model_json["modelInitializer"])
        graph = read_graph(
            message,
            wanted,
            self.weights,
            "initializer",
            self.dialect,
            attributes,
            self.coming.size,
        )
        values = dict(zip(made, Runner(graph)({}, wanted), strict=True))
        bound = {}
        for key, info in _infos(said, "inputs").items():
            if info.get("resourceId") is not None:
                if info["resourceId"] not in values:
                    raise ModelFileError(
                        f"the model's initializer does not make the resource of the input {key!r}"
                    )
                bound[canonical(info["name"])] = values[info["resourceId"]]
        return bound


def own_signature(graph: NodeGraph) -> ModelSignature:
    """Make a signature for a file without one, from the placeholders and the unused results."""
    return ModelSignature({spec.name: spec for spec in graph.inputs}, {n: n for n in graph.outputs})


def _signature(
    said: Mapping[str, Any],
    graph: NodeGraph,
    metadata: Mapping[str, Any],
    bound: Mapping[str, Any],
) -> ModelSignature:
    specs = {spec.name: spec for spec in graph.inputs}
    inputs: dict[str, Spec] = {}
    for key, info in _infos(said, "inputs").items():
        name = canonical(info["name"])
        if name in bound:
            continue
        known = specs.get(name, Spec(name))
        inputs[canonical(key)] = Spec(name, _dtype(info) or known.dtype, _shape(info, known))
    outputs = {canonical(k): canonical(i["name"]) for k, i in _infos(said, "outputs").items()}
    keys = metadata.get("structuredOutputKeys")
    if keys is None:
        return ModelSignature(inputs, outputs)
    names = [a_string(key, "structuredOutputKeys") for key in a_list(keys, "structuredOutputKeys")]
    if len(names) != len(outputs):
        raise ModelFileError(
            f"structuredOutputKeys has {len(names)} names for {len(outputs)} outputs"
        )
    return ModelSignature(inputs, dict(zip(names, outputs.values(), strict=True)), structured=True)


def _infos(signature: Mapping[str, Any], what: str) -> dict[str, dict[str, Any]]:
    found = an_object(signature.get(what) or {}, f"signature.{what}")
    infos = {k: an_object(v, f"signature.{what}[{k!r}]") for k, v in found.items()}
    for key, info in infos.items():
        a_string(info.get("name"), f"signature.{what}[{key!r}].name")
    return infos


def _dtype(info: Mapping[str, Any]) -> Any:
    value = info.get("dtype")
    number = NUMBERS.get(value) if isinstance(value, str) else value
    if number is None:
        return None
    if not isinstance(number, int):
        raise ModelFileError(f"{info['name']}: {value!r} is not a dtype")
    return dtype(number, info["name"])


def _shape(info: Mapping[str, Any], known: Spec) -> tuple[int | None, ...] | None:
    if info.get("tensorShape") is None:
        return known.shape
    return shape(shape_from_json(info["tensorShape"], f"{info['name']}.tensorShape"), info["name"])
