"""`tf.compat.v1.train.warm_start`: initial values of Variables from the checkpoint of a model.

The rows or columns of a Variable may belong to the words of a vocabulary. They are then found in
the checkpoint by their words, because the vocabularies of both models can differ.
"""

from __future__ import annotations

import logging
from collections.abc import Callable, Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np

from tfpy._src.checkpoints.graph_checkpoints import init_from_checkpoint, set_initial_value
from tfpy._src.checkpoints.messages import OBJECT_GRAPH, keys_by_name
from tfpy._src.checkpoints.reader import CheckpointReader, load_checkpoint
from tfpy._src.checkpoints.variable_parts import keyed_variables, parts_of, place_of
from tfpy._src.compiler.ir.aval import Array
from tfpy._src.core.typing import PathLike
from tfpy._src.functions.graph_mode.defaults import get_default_graph
from tfpy._src.functions.graph_mode.inference import immediately
from tfpy._src.library.io.gfile import path_text, translated
from tfpy._src.tensors.variables.variable import Variable

_log = logging.getLogger("tensorflow")


class _Fields(NamedTuple):
    new_vocab: Any
    new_vocab_size: int
    num_oov_buckets: int
    old_vocab: Any
    old_vocab_size: int = -1
    backup_initializer: Any = None
    axis: int = 0


class VocabInfo(_Fields):
    """The vocabularies of a Variable that `warm_start` initializes.

    Args:
        new_vocab: Path of the vocabulary of the new model, a file with one word per line.
        new_vocab_size: Number of words that the new model uses.
        num_oov_buckets: Number of rows or columns for unknown words, which follow the words.
        old_vocab: Path of the vocabulary of the model in the checkpoint.
        old_vocab_size: Number of words that the model in the checkpoint used. Default: all.
        backup_initializer: Initializer for words that are not in the old vocabulary, and for
            unknown words. Default: zeros.
        axis: Axis of the words: 0 for rows, 1 for columns.

    Raises:
        ValueError: If `axis` is neither 0 nor 1.

    Example:
        >>> import tfpy as tf
        >>> info = tf.compat.v1.train.VocabInfo("new.txt", 3, 1, "old.txt")
        >>> info.old_vocab_size, info.axis
        (-1, 0)

    See also: `tf.compat.v1.train.warm_start`.
    """

    __slots__ = ()

    def __new__(
        cls,
        new_vocab: PathLike,
        new_vocab_size: int,
        num_oov_buckets: int,
        old_vocab: PathLike,
        old_vocab_size: int = -1,
        backup_initializer: Callable[..., Any] | None = None,
        axis: int = 0,
    ) -> VocabInfo:
        if axis not in (0, 1):
            raise ValueError(
                "The only supported values for the axis argument are 0 and 1.  Provided axis: "
                f"{axis}"
            )
        return super().__new__(
            cls, new_vocab, new_vocab_size, num_oov_buckets, old_vocab, old_vocab_size,
            backup_initializer, axis,
        )  # fmt: skip


def warm_start(
    ckpt_to_initialize_from: PathLike,
    vars_to_warm_start: str | Sequence[str] | Sequence[Variable] | None = ".*",
    var_name_to_vocab_info: Mapping[str, VocabInfo] | None = None,
    var_name_to_prev_var_name: Mapping[str, str] | None = None,
) -> None:
    """Replace the initial values of a model's Variables by values of a checkpoint.

    Call this function before the Variables of a graph are initialized.

    Args:
        ckpt_to_initialize_from: Path of a checkpoint, or a folder whose latest checkpoint is used.
        vars_to_warm_start: Regular expression for names of trainable Variables, a list of regular
            expressions for names of all Variables, or a list of Variables. None selects the
            trainable Variables in `var_name_to_vocab_info`. Default: all trainable Variables.
        var_name_to_vocab_info: Vocabularies of Variables, by the names of Variables.
        var_name_to_prev_var_name: Names in the checkpoint by the names of Variables. Default: the
            names are the same.

    Raises:
        ValueError: If a value does not exist, if the shapes differ, or if a name in the last two
            arguments is not used.
        TypeError: If `vars_to_warm_start` has another type.

    Example:
        >>> import tfpy as tf
        >>> v = tf.Variable([1.0, 2.0], name="v")
        >>> path = tf.compat.v1.train.Saver([v]).save(None, "/tmp/warm/model")
        >>> with tf.Graph().as_default(), tf.compat.v1.Session() as sess:
        ...     w = tf.compat.v1.get_variable("v", [2])
        ...     tf.compat.v1.train.warm_start(path)
        ...     sess.run(tf.compat.v1.global_variables_initializer())
        ...     print(sess.run(w))
        [1. 2.]

    See also: `tf.compat.v1.train.init_from_checkpoint`.
    """
    variables = keyed_variables(_selected(vars_to_warm_start))
    infos, earlier = {**(var_name_to_vocab_info or {})}, {**(var_name_to_prev_var_name or {})}
    reader = load_checkpoint(ckpt_to_initialize_from)
    if not earlier:
        earlier = _renamed(reader, variables)
    count = 0
    for name, held in variables.items():
        key = earlier.get(name) or name
        if name in infos:
            for part in parts_of(held):
                _start(part, reader, key, infos[name], sum(p.shape[0] for p in parts_of(held)))
        elif vars_to_warm_start:
            init_from_checkpoint(ckpt_to_initialize_from, {key: held})
        else:
            continue
        count += 1
    _log.info("Warm-started %d variables.", count)
    _check_used("var_name_to_prev_var_name", earlier, variables)
    _check_used("var_name_to_vocab_info", infos, variables)


def _selected(given: Any) -> list[Any]:
    """Return the Variables that a regular expression or a list selects."""
    graph = get_default_graph()
    if given is None or isinstance(given, str):
        return graph.get_collection("trainable_variables", scope=given)
    if not isinstance(given, list):
        raise ValueError(
            f"`vars_to_warm_start must be a `list` or `str`.  Given type is {type(given)}"
        )
    if all(isinstance(one, str) for one in given):
        return [v for scope in given for v in graph.get_collection("variables", scope=scope)]
    if all(isinstance(one, Variable) for one in given):
        return given
    raise ValueError(
        "If `vars_to_warm_start` is a list, it must be all `Variable` or all `str`.  Given types "
        f"are {[type(one) for one in given]}"
    )


def _renamed(reader: CheckpointReader, names: Mapping[str, Any]) -> dict[str, str]:
    """Return the keys of Variables in a checkpoint of objects; nothing for other checkpoints.

    Raises:
        ValueError: If a Variable is missing.
    """
    if not reader.has_tensor(OBJECT_GRAPH):
        return {}
    with reader.checked():
        known = keys_by_name(reader.get_tensor(OBJECT_GRAPH))
    missing = names.keys() - known.keys()
    if missing:
        raise ValueError(
            "Attempting to warm-start from an object-based checkpoint, but found that the "
            "checkpoint did not contain values for all variables. The following variables were "
            f"missing: {missing}"
        )
    return {name: known[name] for name in names}


def _check_used(argument: str, given: Mapping[str, Any], variables: Mapping[str, Any]) -> None:
    unused = given.keys() - variables.keys()
    if unused:
        raise ValueError(
            f"You provided the following variables in {argument} that were not used: {unused}. "
            f"Perhaps you misspelled them?  Here is the list of viable variable names: "
            f"{[*variables]}"
        )


def _start(
    variable: Variable, reader: CheckpointReader, key: str, info: VocabInfo, height: int
) -> None:
    """Replace the initial value of a Variable, or a part of one, by the values of its words."""
    if variable.shape.rank != 2:
        raise ValueError(
            f"warm_start: a Variable with a vocabulary must be a matrix, but {variable.name} has "
            f"the shape {variable.shape}"
        )
    rows, columns = variable.shape
    place = place_of(variable)
    first = 0 if place is None else place.var_offset[0]
    words = _places(info)
    if info.axis == 0:
        ids = words[first : first + rows]
        found: list[Array] = [ids, np.arange(columns)]
    else:
        ids = words
        found = [np.arange(first, first + rows), ids]
    added = variable.shape[info.axis] - len(ids)
    if not 0 <= added <= info.num_oov_buckets or (info.axis and added != info.num_oov_buckets):
        raise ValueError(
            f"warm_start: the Variable {variable.name} has the shape {variable.shape}, which does "
            f"not match {len(words)} words and {info.num_oov_buckets} buckets of unknown words"
        )
    old = np.asarray(reader.get_tensor(key))
    fits = old.ndim == 2 and (old.shape[0] >= height if info.axis else old.shape[1] == columns)
    if not fits or words.max(initial=-1) >= old.shape[info.axis]:
        raise ValueError(
            f"warm_start: {key} in the checkpoint has the shape {old.shape}, which does not match "
            f"the Variable {variable.name} of shape {variable.shape}"
        )
    initial = _Initial(info.backup_initializer, old.dtype)
    value = remapped(old, found[0], found[1], initial)
    shape = (added, columns) if info.axis == 0 else (rows, added)
    set_initial_value(variable, np.concatenate([value, initial(shape)], info.axis))


def _places(info: VocabInfo) -> Array:
    """Return the place of each new word in the old vocabulary, -1 for words that it lacks."""
    old = _words(info.old_vocab, info.old_vocab_size)
    numbers = {word: number for number, word in reversed([*enumerate(old)])}
    new = _words(info.new_vocab, info.new_vocab_size)
    return np.array([numbers.get(word, -1) for word in new], np.int64)


def _words(path: PathLike, count: int) -> list[bytes]:
    """Return the first words of a vocabulary; all words if `count` is negative."""
    where = path_text(path)
    with translated(where), open(where, "rb") as file:
        words = [line.rstrip(b"\r\n") for line in file]
    if count > len(words):
        raise ValueError(f"The vocabulary {where} has {len(words)} words, but {count} are expected")
    return words if count < 0 else words[:count]


class _Initial:
    """Values for the rows and columns of new words."""

    def __init__(self, initializer: Any, dtype: np.dtype[Any]) -> None:
        self._initializer, self._dtype = initializer, dtype

    def __call__(self, shape: tuple[int, ...]) -> Array:
        if self._initializer is None or not all(shape):
            return np.zeros(shape, self._dtype)
        with immediately():
            values = self._initializer(shape)
        return np.asarray(values).astype(self._dtype)


def remapped(
    old: Array, rows: Array, columns: Array, initial: Callable[[tuple[int, ...]], Array]
) -> Array:
    """Select rows and columns of a matrix. Elements of the number -1 receive initial values."""
    found = old[np.maximum(rows, 0)][:, np.maximum(columns, 0)]
    absent = (rows < 0)[:, None] | (columns < 0)[None, :]
    found[absent] = initial((int(absent.sum()), 1)).ravel()
    return found
