"""`tf.io.decode_json_example`: examples in the JSON format of Protocol Buffers."""

from __future__ import annotations

import base64
import binascii
import json
from collections.abc import Callable
from typing import Any

import numpy as np

from tfpy._src.base.errors import invalid_value
from tfpy._src.core.conversion import constant, convert_to_tensor
from tfpy._src.core.tensor import Tensor
from tfpy._src.core.typing import TensorLike
from tfpy._src.library.protos.example import (
    BytesList,
    Example,
    Feature,
    Features,
    FloatList,
    Int64List,
)


def decode_json_example(json_examples: TensorLike, name: str | None = None) -> Tensor:
    """Convert examples in JSON to serialized `tf.train.Example` messages.

    Args:
        json_examples: String tensor of any shape. Each string is an example in the JSON format of
            Protocol Buffers.

    Returns:
        String tensor with the shape of `json_examples`.

    Raises:
        tf.errors.InvalidArgumentError: If a string is not an example.

    Example:
        >>> import tfpy as tf
        >>> text = '{"features": {"feature": {"id": {"int64List": {"value": ["7"]}}}}}'
        >>> serialized = tf.io.decode_json_example(text)
        >>> tf.io.parse_single_example(serialized, {"id": tf.io.FixedLenFeature([], tf.int64)})
        {'id': <tf.Tensor: shape=(), dtype=int32, numpy=7>}

    See also: `tf.io.parse_example`.
    """
    texts = convert_to_tensor(json_examples).host_view()
    given = np.asarray(texts, object)
    found = np.empty(given.shape, object)
    for place in np.ndindex(given.shape):
        found[place] = _example(bytes(given[place]))
    return constant(found)


def _example(text: bytes) -> bytes:
    try:
        value = json.loads(text)
        fields = _fields(value, {"features": "features"})
        if "features" not in fields:
            return b""
        features = _fields(fields["features"], {"feature": "feature"}).get("feature", {})
        named = {key: _feature(feature) for key, feature in features.items()}
        return Example(features=Features(feature=named)).SerializeToString()
    except (ValueError, TypeError, AttributeError, RecursionError, binascii.Error) as error:
        raise invalid_value("decode_json_example", f"Error while parsing JSON: {error}") from None


def _fields(value: Any, names: dict[str, str]) -> dict[str, Any]:
    """Return an object's fields under their names in the message.

    Raises:
        ValueError: If the object has another field.
    """
    unknown = [key for key in value if key not in names]
    if unknown:
        raise ValueError(f"no such field: {unknown[0]!r}")
    return {names[key]: item for key, item in value.items() if item is not None}


_KINDS = {
    "bytesList": "bytes_list",
    "floatList": "float_list",
    "int64List": "int64_list",
    "bytes_list": "bytes_list",
    "float_list": "float_list",
    "int64_list": "int64_list",
}


def _feature(value: Any) -> Feature:
    fields = _fields(value, _KINDS)
    if len(fields) > 1:
        raise ValueError(f"a feature has several lists: {sorted(fields)}")
    made: dict[str, Any] = {}
    for name, item in fields.items():
        values = _fields(item, {"value": "value"}).get("value", [])
        convert, kind = _LISTS[name]
        made[name] = kind(value=[convert(v) for v in values])
    return Feature(**made)


def _bytes(value: Any) -> bytes:
    if not isinstance(value, str):
        raise ValueError(f"expected a string in base64, got {value!r}")
    text = value.replace("-", "+").replace("_", "/")
    return base64.b64decode(text + "=" * (-len(text) % 4), validate=True)


def _integer(value: Any) -> int:
    if isinstance(value, bool) or not isinstance(value, int | str | float) or value != value:
        raise ValueError(f"expected an integer, got {value!r}")
    number = int(value)
    if (isinstance(value, float) and number != value) or not -(2**63) <= number < 2**63:
        raise ValueError(f"expected an integer of 64 bits, got {value!r}")
    return number


def _float(value: Any) -> float:
    if isinstance(value, bool) or not isinstance(value, int | str | float):
        raise ValueError(f"expected a number, got {value!r}")
    return float(value)


_LISTS: dict[str, tuple[Callable[[Any], Any], Any]] = {
    "bytes_list": (_bytes, BytesList),
    "float_list": (_float, FloatList),
    "int64_list": (_integer, Int64List),
}
