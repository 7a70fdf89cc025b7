"""`tf.compat.v1.saved_model.signature_def_utils` and `utils`: signatures of graphs as messages."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from tfpy._src.base import dtypes, tracing
from tfpy._src.base.dtypes import DType
from tfpy._src.checkpoints.saved_models import constants
from tfpy._src.core.conversion import convert_to_tensor
from tfpy._src.core.tensor import Tensor
from tfpy._src.functions.graph_mode.defaults import get_default_graph
from tfpy._src.functions.graph_mode.graph import Graph
from tfpy._src.functions.graph_mode.tensors import GraphTensor
from tfpy._src.library.protos.meta_graphs import SignatureDef, TensorInfo
from tfpy._src.library.protos.tensor_protos import make_tensor_proto, shape_message
from tfpy._src.tensors.composite.sparse_tensor import SparseTensor

Infos = Mapping[str, TensorInfo]


def build_tensor_info(tensor: Any) -> TensorInfo:
    """Return the name, dtype and shape of a tensor of a graph as a message.

    Args:
        tensor: Tensor, sparse tensor or Variable of a graph.

    Returns:
        A `tf.compat.v1.TensorInfo`.

    Raises:
        RuntimeError: If functions execute eagerly.

    Example:
        >>> import tfpy as tf
        >>> with tf.Graph().as_default():
        ...     x = tf.compat.v1.placeholder(tf.float32, [2], name="x")
        ...     print(tf.compat.v1.saved_model.utils.build_tensor_info(x).name)
        x:0

    See also: `tf.compat.v1.saved_model.utils.get_tensor_from_tensor_info`.
    """
    if tracing.active_graph() is None:
        raise RuntimeError("`build_tensor_info` is not supported in eager execution.")
    found = TensorInfo(dtype=tensor.dtype.as_datatype_enum)
    found.tensor_shape.CopyFrom(shape_message(tensor.shape))
    if isinstance(tensor, SparseTensor):
        found.coo_sparse.values_tensor_name = _name(tensor.values)
        found.coo_sparse.indices_tensor_name = _name(tensor.indices)
        found.coo_sparse.dense_shape_tensor_name = _name(tensor.dense_shape)
    else:
        found.name = tensor.name
    return found


def _name(tensor: Any) -> str:
    """Return the name of a tensor, which becomes an operation if it is a constant."""
    if not isinstance(tensor, GraphTensor):
        tensor = tracing.active_graph().record(convert_to_tensor, (tensor,), {}, "Const")
    return str(tensor.name)


def get_tensor_from_tensor_info(
    tensor_info: TensorInfo, graph: Graph | None = None, import_scope: str | None = None
) -> Any:
    """Return the tensor that a message describes.

    Args:
        tensor_info: A `tf.compat.v1.TensorInfo`.
        graph: Graph of the tensor. Default: the default graph.
        import_scope: Prefix of the name. Default: no prefix.

    Returns:
        Tensor or sparse tensor of the graph.

    Raises:
        KeyError: If the graph has no such tensor.
        ValueError: If the message has no name.

    Example:
        >>> import tfpy as tf
        >>> utils = tf.compat.v1.saved_model.utils
        >>> with tf.Graph().as_default():
        ...     x = tf.compat.v1.placeholder(tf.float32, [2], name="x")
        ...     utils.get_tensor_from_tensor_info(utils.build_tensor_info(x)) is x
        True

    See also: `tf.compat.v1.saved_model.utils.build_tensor_info`.
    """
    owner = graph or get_default_graph()
    prefix = f"{import_scope}/" if import_scope else ""
    kind = tensor_info.WhichOneof("encoding")
    if kind == "name":
        return owner.get_tensor_by_name(prefix + tensor_info.name)
    if kind == "coo_sparse":
        parts = tensor_info.coo_sparse
        names = (parts.indices_tensor_name, parts.values_tensor_name, parts.dense_shape_tensor_name)
        return SparseTensor(*(owner.get_tensor_by_name(prefix + name) for name in names))
    raise ValueError(f"Invalid TensorInfo.encoding: {kind}. Expected `coo_sparse` or `name`.")


def build_signature_def(
    inputs: Infos | None = None,
    outputs: Infos | None = None,
    method_name: str | None = None,
    defaults: Mapping[str, Any] | None = None,
) -> SignatureDef:
    """Return a signature of a graph as a message.

    Args:
        inputs, outputs: Mappings from names to `tf.compat.v1.TensorInfo` messages.
        method_name: Name of the method that servers use.
        defaults: Mapping from names of inputs to their default values, which are constants.

    Returns:
        A message with the fields `inputs`, `outputs`, `method_name` and `defaults`.

    Example:
        >>> import tfpy as tf
        >>> utils = tf.compat.v1.saved_model.signature_def_utils
        >>> utils.build_signature_def(method_name="tensorflow/serving/predict").method_name
        'tensorflow/serving/predict'

    See also: `tf.compat.v1.saved_model.signature_def_utils.predict_signature_def`.
    """
    found = SignatureDef()
    for field, infos in ((found.inputs, inputs), (found.outputs, outputs)):
        for name, info in (infos or {}).items():
            field[name].CopyFrom(info)
    if method_name is not None:
        found.method_name = method_name
    for name, value in (defaults or {}).items():
        known: Any = value.constant if isinstance(value, GraphTensor) else value
        found.defaults[name].CopyFrom(make_tensor_proto(known))
    return found


def predict_signature_def(
    inputs: Mapping[str, Tensor], outputs: Mapping[str, Tensor]
) -> SignatureDef:
    """Return a signature with any inputs and outputs as a message.

    Args:
        inputs, outputs: Mappings from names to tensors of a graph.

    Returns:
        A message with the fields `inputs`, `outputs` and `method_name`.

    Raises:
        ValueError: If there are no inputs or no outputs.

    Example:
        >>> import tfpy as tf
        >>> utils = tf.compat.v1.saved_model.signature_def_utils
        >>> with tf.Graph().as_default():
        ...     x = tf.compat.v1.placeholder(tf.float32, [2], name="x")
        ...     signature = utils.predict_signature_def({"x": x}, {"y": tf.square(x, name="y")})
        >>> signature.outputs["y"].name
        'y:0'

    See also: `tf.compat.v1.saved_model.simple_save`.
    """
    for what, tensors in (("inputs", inputs), ("outputs", outputs)):
        if not tensors:
            raise ValueError(f"Prediction `{what}` cannot be None or empty.")
    return build_signature_def(_infos(inputs), _infos(outputs), constants.PREDICT_METHOD_NAME)


def _infos(tensors: Mapping[str, Tensor]) -> dict[str, TensorInfo]:
    return {name: build_tensor_info(tensor) for name, tensor in tensors.items()}


def classification_signature_def(
    examples: Tensor, classes: Tensor | None, scores: Tensor | None
) -> SignatureDef:
    """Return a signature of a classifier of serialized examples as a message.

    Args:
        examples: String tensor of a graph.
        classes: String tensor with the names of the classes, or None.
        scores: Float32 tensor, or None.

    Returns:
        A message with the fields `inputs`, `outputs` and `method_name`.

    Raises:
        ValueError: If a tensor is missing or has another dtype.

    Example:
        >>> import tfpy as tf
        >>> utils = tf.compat.v1.saved_model.signature_def_utils
        >>> with tf.Graph().as_default():
        ...     x = tf.compat.v1.placeholder(tf.string, [None], name="x")
        ...     scores = tf.compat.v1.placeholder(tf.float32, [None, 2])
        ...     signature = utils.classification_signature_def(x, None, scores)
        >>> [*signature.outputs]
        ['scores']

    See also: `tf.compat.v1.saved_model.signature_def_utils.predict_signature_def`.
    """
    if classes is None and scores is None:
        raise ValueError("Classification `classes` and `scores` cannot both be None.")
    given = {constants.CLASSIFY_INPUTS: _checked("Classification", "examples", examples)}
    found = {}
    if classes is not None:
        name = constants.CLASSIFY_OUTPUT_CLASSES
        found[name] = _checked("Classification", "classes", classes)
    if scores is not None:
        name = constants.CLASSIFY_OUTPUT_SCORES
        found[name] = _checked("Classification", "scores", scores, dtypes.float32)
    return build_signature_def(given, found, constants.CLASSIFY_METHOD_NAME)


def regression_signature_def(examples: Tensor, predictions: Tensor) -> SignatureDef:
    """Return a signature of a regression on serialized examples as a message.

    Args:
        examples: String tensor of a graph.
        predictions: Float32 tensor of the graph.

    Returns:
        A message with the fields `inputs`, `outputs` and `method_name`.

    Raises:
        ValueError: If a tensor is missing or has another dtype.

    Example:
        >>> import tfpy as tf
        >>> utils = tf.compat.v1.saved_model.signature_def_utils
        >>> with tf.Graph().as_default():
        ...     x = tf.compat.v1.placeholder(tf.string, [None], name="x")
        ...     y = tf.compat.v1.placeholder(tf.float32, [None], name="y")
        ...     signature = utils.regression_signature_def(x, y)
        >>> utils.is_valid_signature(signature)
        True

    See also: `tf.compat.v1.saved_model.signature_def_utils.predict_signature_def`.
    """
    given = {constants.REGRESS_INPUTS: _checked("Regression", "examples", examples)}
    found = {
        constants.REGRESS_OUTPUTS: _checked(
            "Regression", "predictions", predictions, dtypes.float32
        )
    }
    return build_signature_def(given, found, constants.REGRESS_METHOD_NAME)


def _checked(method: str, what: str, tensor: Any, dtype: DType = dtypes.string) -> TensorInfo:
    """Return the description of a tensor.

    Raises:
        ValueError: If the value is not a tensor, or has another dtype.
    """
    if tensor is None:
        raise ValueError(f"{method} `{what}` cannot be None.")
    if not isinstance(tensor, Tensor):
        raise ValueError(
            f"{method} `{what}` must be a {dtype.name} Tensor. Found `{what}` of type "
            f"{type(tensor)}."
        )
    if tensor.dtype != dtype:
        raise ValueError(
            f"{method} `{what}` must be of type {dtype.name}. Found type {tensor.dtype.name}."
        )
    return build_tensor_info(tensor)


_TEXT, _NUMBER = dtypes.string.as_datatype_enum, dtypes.float32.as_datatype_enum
_FORMS: dict[str, tuple[dict[str, int], dict[str, int]]] = {
    constants.CLASSIFY_METHOD_NAME: (
        {constants.CLASSIFY_INPUTS: _TEXT},
        {constants.CLASSIFY_OUTPUT_CLASSES: _TEXT, constants.CLASSIFY_OUTPUT_SCORES: _NUMBER},
    ),
    constants.REGRESS_METHOD_NAME: (
        {constants.REGRESS_INPUTS: _TEXT},
        {constants.REGRESS_OUTPUTS: _NUMBER},
    ),
}
"""Dtypes of the inputs and of the possible outputs of a method."""


def is_valid_signature(signature_def: SignatureDef | None) -> bool:
    """Return True if servers can use a signature.

    Args:
        signature_def: Signature as a message.

    Returns:
        A bool.

    Example:
        >>> import tfpy as tf
        >>> utils = tf.compat.v1.saved_model.signature_def_utils
        >>> utils.is_valid_signature(utils.build_signature_def())
        False

    See also: `tf.compat.v1.saved_model.signature_def_utils.build_signature_def`.
    """
    if signature_def is None:
        return False
    inputs = {name: signature_def.inputs[name].dtype for name in signature_def.inputs}
    outputs = {name: signature_def.outputs[name].dtype for name in signature_def.outputs}
    if signature_def.method_name == constants.PREDICT_METHOD_NAME:
        return bool(inputs and outputs)
    if signature_def.method_name not in _FORMS:
        return False
    taken, possible = _FORMS[signature_def.method_name]
    return inputs == taken and bool(outputs) and outputs.items() <= possible.items()
