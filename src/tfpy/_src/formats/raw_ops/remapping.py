"""Rows and columns of a checkpoint's matrix in the order of a new vocabulary."""

from __future__ import annotations

from typing import Any

import numpy as np

from tfpy._src.base import dtypes
from tfpy._src.base.errors import (
    InternalError,
    InvalidArgumentError,
    UnimplementedError,
)
from tfpy._src.base.providers import provided
from tfpy._src.core.conversion import constant, host_values
from tfpy._src.core.tensor import Tensor
from tfpy._src.formats.raw_ops.records import op
from tfpy._src.library.io.gfile import translated

Array = np.ndarray[Any, Any]
_REMAPPING = "GenerateVocabRemapping"
_MATRIX = "LoadAndRemapMatrix"


def _text(value: Any) -> str:
    found: Any = host_values(value).item()
    return found.decode() if isinstance(found, bytes) else str(found)


def _lines(path: str) -> list[bytes]:
    with translated(path), open(path, "rb") as file:
        return file.read().splitlines()


def _vocabulary_remapping(
    new_vocab_file: Any,
    old_vocab_file: Any,
    new_vocab_offset: int,
    num_new_vocab: int,
    old_vocab_size: int,
) -> tuple[Tensor, Tensor]:
    old_path = _text(old_vocab_file)
    new, old = _lines(_text(new_vocab_file)), _lines(old_path)
    if old_vocab_size > len(old):
        raise InvalidArgumentError(
            None,
            _REMAPPING,
            f"Invalid vocab_size in {old_path}: expected {old_vocab_size} but got {len(old)}",
        )
    if new_vocab_offset + num_new_vocab > len(new):
        raise InvalidArgumentError(
            None,
            _REMAPPING,
            f"The new vocabulary has {len(new)} lines, but lines {new_vocab_offset} to "
            f"{new_vocab_offset + num_new_vocab} are wanted.",
        )
    used = old if old_vocab_size < 0 else old[:old_vocab_size]
    places = {word: i for i, word in enumerate(used)}
    wanted = new[new_vocab_offset : new_vocab_offset + num_new_vocab]
    found = np.array([places.get(word, -1) for word in wanted], np.int64)
    return constant(found, dtypes.int64), constant(int((found >= 0).sum()))


def _distinct(remapping: Array) -> None:
    """Check that no old place occurs more than once.

    Raises:
        UnimplementedError: If an old place occurs more than once.
    """
    new_of: dict[int, int] = {}
    for new, old in enumerate(remapping.tolist()):
        if old >= 0 and new_of.setdefault(old, new) != new:
            raise UnimplementedError(
                None,
                _MATRIX,
                f"Old ID {old} is mapped to both new ID {new_of[old]} and {new}, which is not "
                "supported.",
            )


def _check(condition: bool, message: str) -> None:
    if not condition:
        raise InvalidArgumentError(None, _MATRIX, message)


def _remapped_matrix(
    ckpt_path: Any,
    old_tensor_name: Any,
    row_remapping: Any,
    col_remapping: Any,
    initializing_values: Any,
    num_rows: int,
    num_cols: int,
) -> Tensor:
    rows = np.asarray(host_values(row_remapping)).reshape(-1)
    columns = np.asarray(host_values(col_remapping)).reshape(-1)
    _check(
        rows.size == num_rows,
        f"Size of row_remapping is {rows.size} instead of being equal to num_rows={num_rows}",
    )
    _check(
        columns.size in (0, num_cols),
        f"Provided col_remapping, but its size is {columns.size} instead of being equal to "
        f"num_cols={num_cols}",
    )
    name = _text(old_tensor_name)
    reader = provided("raw_ops.LoadAndRemapMatrix")(_text(ckpt_path))
    matrix = np.asarray(reader.get_tensor(name))
    _check(matrix.ndim == 2, f"Tensor {name} has shape {list(matrix.shape)}, which is not a matrix")
    if not columns.size:
        _check(
            matrix.shape[1] == num_cols,
            f"Tensor {name} has shape {list(matrix.shape)}, where the size of its 2nd dimension "
            f"is {matrix.shape[1]} instead of being equal to num_cols={num_cols}",
        )
        columns = np.arange(num_cols)
    _distinct(rows)
    _distinct(columns)
    if rows.size and rows.max() >= matrix.shape[0]:
        raise InternalError(
            None,
            _MATRIX,
            f"Row {rows.max()} is out of bounds: Tensor {name} has shape {list(matrix.shape)}.",
        )
    return _filled(matrix, rows, columns, np.asarray(host_values(initializing_values)).reshape(-1))


def _filled(matrix: Array, rows: Array, columns: Array, initial: Array) -> Tensor:
    """Return rows and columns of a matrix; initial values replace missing elements in order."""
    is_known = (rows >= 0)[:, None] & ((columns >= 0) & (columns < matrix.shape[1]))
    missing = int((~is_known).sum())
    _check(
        initial.size >= missing,
        f"initializing_values contained {initial.size} elements, but more missing values remain.",
    )
    _check(
        initial.size <= missing,
        f"initializing_values contained {initial.size} elements, but only {missing} elements were "
        "used to fill in missing values.",
    )
    found = np.empty(is_known.shape, np.float32)
    at = np.where(is_known, rows[:, None], 0), np.where(is_known, columns, 0)
    if is_known.any():
        found[:] = matrix[at]
    found[~is_known] = initial
    return constant(found)


op(
    "GenerateVocabRemapping(new_vocab_file, old_vocab_file; new_vocab_offset, num_new_vocab, "
    "old_vocab_size=-1) -> remapping, num_present",
    _vocabulary_remapping,
)
op(
    "LoadAndRemapMatrix(ckpt_path, old_tensor_name, row_remapping, col_remapping, "
    "initializing_values; num_rows, num_cols, max_rows_in_memory=-1) -> output_matrix",
    _remapped_matrix,
    stateful=True,
)
