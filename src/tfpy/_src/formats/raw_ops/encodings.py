"""Strings in other formats: CSV, compressed bytes, and serialized tensors and examples."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from tfpy._src.core.conversion import constant, convert_to_tensor, host_values
from tfpy._src.core.tensor import Tensor
from tfpy._src.formats.raw_ops.records import op
from tfpy._src.formats.raw_ops.sparse import Parts, components_of
from tfpy._src.library.io.decoding import decode_compressed, decode_csv
from tfpy._src.library.io.matching import matching_files
from tfpy._src.library.protos import features as f, parsing, sequence_parsing, sparse_protos
from tfpy._src.library.protos.json_examples import decode_json_example
from tfpy._src.library.protos.tensor_protos import parse_tensor, serialize_tensor
from tfpy._src.library.strings.fingerprints import fingerprint
from tfpy._src.tensors.array.reshaping import reshape
from tfpy._src.tensors.array.static import static_ints
from tfpy._src.tensors.composite.sparse_tensor import SparseTensor


def _texts(keys: Any) -> list[str]:
    """Return the keys of features, given as a tensor or as a list of scalars."""
    if isinstance(keys, list):
        return [str(text) for key in keys for text in _texts(convert_to_tensor(key))]
    return [text.decode() for text in np.asarray(host_values(keys)).reshape(-1).tolist()]


def _dense(shape: Any, default: Any) -> f.FixedLenFeature | f.FixedLenSequenceFeature:
    """Return the configuration of a dense feature; an empty default means that there is none."""
    value = convert_to_tensor(default)
    sizes = list(shape)
    given = None if not value.size and 0 not in sizes else value
    if sizes and sizes[0] is None:
        return f.FixedLenSequenceFeature(sizes[1:], value.dtype, True, given)
    return f.FixedLenFeature(sizes, value.dtype, given)


def _features(
    sparse: Sequence[str],
    sparse_types: Sequence[Any],
    dense: Sequence[str],
    defaults: Sequence[Any],
    shapes: Sequence[Any],
) -> dict[str, Any]:
    found: dict[str, Any] = {
        key: f.VarLenFeature(kind) for key, kind in zip(sparse, sparse_types, strict=True)
    }
    for key, default, shape in zip(dense, defaults, shapes, strict=True):
        found[key] = _dense(shape, default)
    return found


def _columns(found: Any, sparse: Sequence[str], dense: Sequence[str]) -> tuple[list[Any], ...]:
    """Return the components of sparse tensors, and the dense tensors, in order."""
    parts = [components_of(found[key]) for key in sparse]
    return (*([part[i] for part in parts] for i in range(3)), [found[key] for key in dense])


def _names(names: Any) -> Any:
    return names if convert_to_tensor(names).size else None


def _example(
    serialized: Any,
    names: Any,
    sparse_keys: Any,
    dense_keys: Any,
    dense_defaults: Sequence[Any],
    sparse_types: Sequence[Any],
    dense_shapes: Sequence[Any],
) -> tuple[list[Any], ...]:
    sparse, dense = _texts(sparse_keys), _texts(dense_keys)
    plan = _features(sparse, sparse_types, dense, dense_defaults, dense_shapes)
    return _columns(parsing.parse_example(serialized, plan, _names(names)), sparse, dense)


def _example_v2(
    serialized: Any,
    names: Any,
    sparse_keys: Any,
    dense_keys: Any,
    ragged_keys: Any,
    dense_defaults: Sequence[Any],
    sparse_types: Sequence[Any],
    ragged_value_types: Sequence[Any],
    ragged_split_types: Sequence[Any],
    dense_shapes: Sequence[Any],
) -> tuple[list[Any], ...]:
    sparse, dense, ragged = (_texts(keys) for keys in (sparse_keys, dense_keys, ragged_keys))
    plan = _features(sparse, sparse_types, dense, dense_defaults, dense_shapes)
    for key, kind, splits in zip(ragged, ragged_value_types, ragged_split_types, strict=True):
        plan[key] = f.RaggedFeature(kind, row_splits_dtype=splits)
    found = parsing.parse_example(serialized, plan, _names(names))
    rows = [found[key] for key in ragged]
    return (
        *_columns(found, sparse, dense),
        [getattr(row, "values", row) for row in rows],
        [getattr(row, "row_splits", constant([0], "int64")) for row in rows],
    )


def _single_example(
    serialized: Any,
    dense_defaults: Sequence[Any],
    sparse_keys: Sequence[str],
    dense_keys: Sequence[str],
    sparse_types: Sequence[Any],
    dense_shapes: Sequence[Any],
) -> tuple[list[Any], ...]:
    plan = _features(sparse_keys, sparse_types, dense_keys, dense_defaults, dense_shapes)
    found = parsing.parse_single_example(serialized, plan)
    return _columns(found, sparse_keys, dense_keys)


def _single_sequence_example(
    serialized: Any,
    feature_list_dense_missing_assumed_empty: Any,
    context_sparse_keys: Any,
    context_dense_keys: Any,
    feature_list_sparse_keys: Any,
    feature_list_dense_keys: Any,
    context_dense_defaults: Sequence[Any],
    debug_name: Any,
    context_sparse_types: Sequence[Any],
    feature_list_dense_types: Sequence[Any],
    context_dense_shapes: Sequence[Any],
    feature_list_sparse_types: Sequence[Any],
    feature_list_dense_shapes: Sequence[Any],
) -> tuple[list[Any], ...]:
    keys = [
        _texts(given)
        for given in (
            *(context_sparse_keys, context_dense_keys),
            *(feature_list_sparse_keys, feature_list_dense_keys),
        )
    ]
    context = _features(
        keys[0], context_sparse_types, keys[1], context_dense_defaults, context_dense_shapes
    )
    lists: dict[str, Any] = {
        key: f.VarLenFeature(kind)
        for key, kind in zip(keys[2], feature_list_sparse_types, strict=True)
    }
    empty = _texts(feature_list_dense_missing_assumed_empty)
    of_lists = zip(keys[3], feature_list_dense_types, feature_list_dense_shapes, strict=True)
    for key, kind, shape in of_lists:
        lists[key] = f.FixedLenSequenceFeature(shape, kind, key in empty)
    of_context, of_steps = sequence_parsing.parse_single_sequence_example(
        serialized, context, lists, debug_name
    )
    return (*_columns(of_context, *keys[:2]), *_columns(of_steps, *keys[2:]))


def _serialized(function: Any) -> Any:
    """Return an operation on the components of a sparse tensor."""
    return lambda sparse_indices, sparse_values, sparse_shape, out_type: function(
        SparseTensor(sparse_indices, sparse_values, sparse_shape), out_type
    )


def _deserialized(serialized_sparse: Any, dtype: Any) -> Parts:
    """Return the components of sparse tensors with the batch axes of their messages."""
    texts = convert_to_tensor(serialized_sparse)
    lead = texts.aval.shape[:-1]
    whole = sparse_protos.deserialize_many_sparse(reshape(texts, [-1, 3]), dtype)
    indices, values, sizes = components_of(whole)
    if len(lead) == 1:
        return indices, values, sizes
    at = np.asarray(indices)
    first = np.stack(np.unravel_index(at[:, 0], lead or (1,)), 1).astype(at.dtype)[:, : len(lead)]
    places = np.concatenate([first, at[:, 1:]], 1)
    return constant(places), values, constant([*lead, *static_ints(sizes)[1:]], sizes.dtype)


def _fingerprint(data: Any, method: Any) -> Tensor:
    return fingerprint(data, host_values(method).item().decode())


op(
    'DecodeCSV(records, record_defaults*OUT_TYPE; field_delim=",", use_quote_delim=True, '
    'na_value="", select_cols=[]) -> output*OUT_TYPE',
    lambda records, record_defaults, field_delim, use_quote_delim, na_value, select_cols: (
        decode_csv(
            records, record_defaults, field_delim, use_quote_delim, na_value, select_cols or None
        )
    ),
)
op('DecodeCompressed(bytes; compression_type="") -> output', decode_compressed)
op("DecodeJSONExample(json_examples) -> binary_examples", decode_json_example)
op(
    "DeserializeManySparse(serialized_sparse; dtype) -> sparse_indices, sparse_values, "
    "sparse_shape",
    _deserialized,
)
op(
    "DeserializeSparse(serialized_sparse; dtype) -> sparse_indices, sparse_values, sparse_shape",
    _deserialized,
)
op("Fingerprint(data, method) -> fingerprint", _fingerprint)
op("MatchingFiles(pattern) -> filenames", matching_files)
op(
    "ParseExample(serialized, names, sparse_keys*Nsparse, dense_keys*Ndense, "
    "dense_defaults*Tdense; sparse_types, dense_shapes) -> sparse_indices*Nsparse, "
    "sparse_values*sparse_types, sparse_shapes*Nsparse, dense_values*Tdense",
    _example,
)
op(
    "ParseExampleV2(serialized, names, sparse_keys, dense_keys, ragged_keys, "
    "dense_defaults*Tdense; num_sparse, sparse_types, ragged_value_types, ragged_split_types, "
    "dense_shapes) -> sparse_indices*num_sparse, sparse_values*sparse_types, "
    "sparse_shapes*num_sparse, dense_values*Tdense, ragged_values*ragged_value_types, "
    "ragged_row_splits*ragged_split_types",
    _example_v2,
)
op(
    "ParseSingleExample(serialized, dense_defaults*Tdense; num_sparse, sparse_keys, "
    "dense_keys, sparse_types, dense_shapes) -> sparse_indices*num_sparse, "
    "sparse_values*sparse_types, sparse_shapes*num_sparse, dense_values*Tdense",
    _single_example,
)
op(
    "ParseSingleSequenceExample(serialized, feature_list_dense_missing_assumed_empty, "
    "context_sparse_keys*Ncontext_sparse, context_dense_keys*Ncontext_dense, "
    "feature_list_sparse_keys*Nfeature_list_sparse, "
    "feature_list_dense_keys*Nfeature_list_dense, context_dense_defaults*Tcontext_dense, "
    "debug_name; context_sparse_types=[], feature_list_dense_types=[], "
    "context_dense_shapes=[], feature_list_sparse_types=[], feature_list_dense_shapes=[]) -> "
    "context_sparse_indices*Ncontext_sparse, context_sparse_values*context_sparse_types, "
    "context_sparse_shapes*Ncontext_sparse, context_dense_values*Tcontext_dense, "
    "feature_list_sparse_indices*Nfeature_list_sparse, "
    "feature_list_sparse_values*feature_list_sparse_types, "
    "feature_list_sparse_shapes*Nfeature_list_sparse, "
    "feature_list_dense_values*feature_list_dense_types",
    _single_sequence_example,
)
op("ParseTensor(serialized; out_type) -> output", parse_tensor)
op(
    "SerializeManySparse(sparse_indices, sparse_values, sparse_shape; out_type=string) -> "
    "serialized_sparse",
    _serialized(sparse_protos.serialize_many_sparse),
)
op(
    "SerializeSparse(sparse_indices, sparse_values, sparse_shape; out_type=string) -> "
    "serialized_sparse",
    _serialized(sparse_protos.serialize_sparse),
)
op("SerializeTensor(tensor) -> serialized", serialize_tensor)
