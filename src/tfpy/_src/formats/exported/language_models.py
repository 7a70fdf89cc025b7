"""The functions of an exported language model, and the facts that the page needs to run them.

The keys and values of earlier positions are Variables: one for each layer, and one each for keys
and values. The compiled functions update them in place. `prefill` adds the tokens of a prompt to
them, and `step` and `sample` add one token and compute the next one.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from tfpy._src.base.dtypes import float32, int32
from tfpy._src.base.errors import UnimplementedError
from tfpy._src.compiler.ir.aval import Aval
from tfpy._src.core import nest
from tfpy._src.core.conversion import constant
from tfpy._src.core.tensor import Tensor
from tfpy._src.formats.exported.chat_formats import chat_format
from tfpy._src.formats.exported.tokenizers import Json, tokenizer_of
from tfpy._src.functions.tf_function.api import function
from tfpy._src.functions.tf_function.signature import TensorSpec
from tfpy._src.tensors.array import making, ranges, scans, slicing, sorting
from tfpy._src.tensors.array.joining import stack
from tfpy._src.tensors.array.reshaping import reshape
from tfpy._src.tensors.math import ordering, reductions
from tfpy._src.tensors.nn.activations import softmax
from tfpy._src.tensors.variables.variable import Variable

PREFILL_LENGTHS = (16, 128)
"""Numbers of tokens that a prefill adds at once."""
CANDIDATES = 64
"""Number of most probable tokens of which one is drawn."""
_PART = 4
"""Number of tokens in a part of a prompt that is computed as a check."""
_LENGTH_AXIS = 3
"""Axis of the positions in a cache of KerasHub."""


@dataclass(frozen=True)
class LanguageModelOptions:
    """Options of `tf.export` for language models. None is the default."""

    max_length: int | None = None
    prefill_lengths: Sequence[int] | None = None
    candidates: int | None = None

    def is_default(self) -> bool:
        """Return True if no option is set."""
        return self == LanguageModelOptions()


@dataclass(frozen=True)
class LanguageModel:
    """The parts of a language model's file."""

    functions: Mapping[str, Callable[..., Any]]
    signatures: Mapping[str, Any]
    zeros: Sequence[Variable]
    """Variables that are zero when a page loads the file."""
    facts: Json
    tokenizer: Json


def is_language_model(model: Any) -> bool:
    """Return True if a model generates tokens, as the language models of KerasHub do."""
    return all(hasattr(model, name) for name in ("generate_step", "generate", "preprocessor"))


def language_model(model: Any, options: LanguageModelOptions) -> LanguageModel:
    """Return the parts of the file of a language model.

    Raises:
        UnimplementedError: If the model, or its tokenizer, cannot run without Python.
        ValueError: If an option is not valid.
    """
    _check_kind(model)
    length = _length(model, options)
    vocabulary = int(model.backbone.vocabulary_size)
    candidates = min(CANDIDATES if options.candidates is None else options.candidates, vocabulary)
    if candidates < 1:
        raise ValueError(f"tf.export: candidates must be positive, got {options.candidates}")
    lengths = _prefill_lengths(options, length)
    cache = _Cache(model, length)
    _check_parts(model, cache)
    tokenizer = model.preprocessor.tokenizer
    facts = {
        "length": length,
        "candidates": candidates,
        "start": _start_tokens(model),
        "stop": _stop_tokens(tokenizer),
        "hidden": sorted(set(tokenizer.special_token_ids)),
        "chat": chat_format(tokenizer),
    }
    position, token = TensorSpec([], int32, "position"), TensorSpec([1, 1], int32, "token")
    number = [TensorSpec([], kind) for kind in (float32, int32, float32, float32)]
    return LanguageModel(
        {
            "step": function(_step(model, cache)),
            "sample": function(_sample(model, cache, candidates)),
            **({"prefill": function(_prefill(model, cache))} if lengths else {}),
        },
        {
            "step": (token, position),
            "sample": (token, position, *number),
            **(
                {"prefill": [(TensorSpec([1, n], int32, "tokens"), position) for n in lengths]}
                if lengths
                else {}
            ),
        },
        cache.variables,
        facts,
        tokenizer_of(tokenizer),
    )


def _check_kind(model: Any) -> None:
    """Raise UnimplementedError for models that do not generate tokens from tokens alone."""
    name = type(model).__name__
    build, call = (getattr(model, key, None) for key in ("_build_cache", "call_with_cache"))
    if build is None or call is None:
        raise _refused(name, "it has no cache of keys and values, or consists of two networks")
    inputs = set(inspect.signature(build).parameters)
    if inputs != {"token_ids"}:
        others = ", ".join(sorted(inputs - {"token_ids"}))
        raise _refused(name, f"it computes with inputs that are not tokens: {others}")
    if model.preprocessor is None:
        raise ValueError(f"tf.export: {name} has no preprocessor, which contains the tokenizer")


def _refused(name: str, why: str) -> UnimplementedError:
    text = f"tf.export: pages without Python cannot generate text with {name}: {why}"
    return UnimplementedError(None, None, text)


def _length(model: Any, options: LanguageModelOptions) -> int:
    """Return the number of positions."""
    limit = getattr(model.backbone, "max_sequence_length", None)
    wanted = options.max_length
    if wanted is None:
        wanted = int(model.preprocessor.sequence_length)
        wanted = wanted if limit is None else min(wanted, int(limit))
    if wanted < 2 or (limit is not None and wanted > limit):
        allowed = "at least 2" if limit is None else f"from 2 to {limit}"
        raise ValueError(f"tf.export: max_length must be {allowed}, got {wanted}")
    return wanted


def _prefill_lengths(options: LanguageModelOptions, length: int) -> list[int]:
    """Return the lengths of prefills in ascending order."""
    given = options.prefill_lengths
    if given is None:
        return [n for n in PREFILL_LENGTHS if n <= length]
    found = sorted(set(given))
    if any(n < 2 or n > length for n in found):
        raise ValueError(
            f"tf.export: prefill_lengths must be from 2 to max_length, {length}, got {list(given)}"
        )
    return found


def _start_tokens(model: Any) -> list[int]:
    """Return the tokens that the preprocessor adds before each prompt."""
    if not getattr(model.preprocessor, "add_start_token", True):
        return []
    start = model.preprocessor.tokenizer.start_token_id
    return [] if start is None else [int(start)]


def _stop_tokens(tokenizer: Any) -> list[int]:
    """Return the tokens that end a text, as in KerasHub's `generate`."""
    names = ("end_token_id", "end_token2_id")
    found = [getattr(tokenizer, name, None) for name in names]
    return [int(token) for token in found if token is not None]


class _Cache:
    """The keys and values of earlier positions, as Variables and in the form of the model.

    Args:
        model: Language model of KerasHub.
        length: Number of positions.

    Raises:
        UnimplementedError: If the state of the model does not consist of positions.
    """

    def __init__(self, model: Any, length: int) -> None:
        def build(token_ids: Tensor) -> Any:
            return model._build_cache(token_ids)[-1]

        trace = function(build).get_concrete_function(TensorSpec([1, length], int32))
        self._structure = trace.results.structure
        self._leaves = [tensor.aval.closed for tensor in trace.results.tensors]
        self._axes = [_position_axis(model, aval, length) for aval in self._leaves]
        self.variables = [
            Variable(
                making.zeros([aval.shape[0], *aval.shape[axis:]], aval.dtype),
                trainable=False,
                name="cache",
            )
            for aval, axis in zip(self._leaves, self._axes, strict=True)
            for _ in range(_count(aval, axis))
        ]

    def zeros(self, length: int) -> Any:
        """Return an empty cache for some other number of positions."""
        shapes = [
            (*aval.shape[:axis], length, *aval.shape[axis + 1 :])
            for aval, axis in zip(self._leaves, self._axes, strict=True)
        ]
        found = [
            making.zeros(shape, aval.dtype)
            for shape, aval in zip(shapes, self._leaves, strict=True)
        ]
        return nest.pack_sequence_as(self._structure, found)

    def value(self) -> Any:
        """Return the cache in the form of the model."""
        remaining = iter(self.variables)
        found = [
            _stacked(aval.shape[1:axis], remaining)
            for aval, axis in zip(self._leaves, self._axes, strict=True)
        ]
        return nest.pack_sequence_as(self._structure, found)

    def assign(self, value: Any) -> None:
        """Store a cache in the Variables."""
        remaining = iter(self.variables)
        for leaf, aval, axis in zip(nest.flatten(value), self._leaves, self._axes, strict=True):
            for part in _parts(leaf, axis - 1):
                next(remaining).assign(reshape(part, [aval.shape[0], *aval.shape[axis:]]))


def _check_parts(model: Any, cache: _Cache) -> None:
    """Raise UnimplementedError if a prompt in parts has other results than the whole prompt.

    This is so for models that do not take the positions of the parts into account.
    """
    tokens = np.arange(1, 2 * _PART + 1, dtype=np.int32)[None]
    whole, _, _ = model.call_with_cache(constant(tokens), cache.zeros(2 * _PART), 0)
    first, second = constant(tokens[:, :_PART]), constant(tokens[:, _PART:])
    _, _, changed = model.call_with_cache(first, cache.zeros(2 * _PART), 0)
    last, _, _ = model.call_with_cache(second, changed, _PART)
    wanted, found = whole.numpy()[:, -1], last.numpy()[:, -1]
    if not np.allclose(found, wanted, 0, 1e-3 * float(np.abs(wanted).max())):
        raise _refused(
            type(model).__name__, "it computes other results for a prompt in parts than as a whole"
        )


def _position_axis(model: Any, aval: Aval, length: int) -> int:
    """Return the axis of the positions in a part of the cache."""
    shape = aval.shape
    if len(shape) > _LENGTH_AXIS and shape[_LENGTH_AXIS] == length:
        return _LENGTH_AXIS
    if length not in shape[1:]:
        raise _refused(type(model).__name__, "its state does not consist of keys and values")
    return shape.index(length, 1)


def _count(aval: Aval, axis: int) -> int:
    count = 1
    for size in aval.shape[1:axis]:
        count *= size
    return count


def _stacked(sizes: Sequence[int], remaining: Any) -> Any:
    """Stack Variables along the axes after the first one, which the compiler does not compute."""
    if not sizes:
        return next(remaining).read_value()
    return stack([_stacked(sizes[1:], remaining) for _ in range(sizes[0])], axis=1)


def _parts(value: Any, depth: int) -> list[Any]:
    """Return the tensors that `_stacked` has stacked, one axis at a time."""
    if depth == 0:
        return [value]
    rows = [value[:, i] for i in range(value.shape[1])]
    return [part for row in rows for part in _parts(row, depth - 1)]


def _prefill(model: Any, cache: _Cache) -> Callable[..., Any]:
    """Return the function that adds several tokens to the cache."""

    def prefill(tokens: Tensor, position: Tensor) -> dict[str, Tensor]:
        cache.assign(model.call_with_cache(tokens, cache.value(), position)[-1])
        return {}

    return prefill


def _next_logits(model: Any, cache: _Cache, token: Tensor, position: Tensor) -> Tensor:
    """Add a token to the cache, and return the logits of the next token."""
    logits, _, changed = model.call_with_cache(token, cache.value(), position)
    cache.assign(changed)
    return making.cast(logits, float32)[:, 0]


def _step(model: Any, cache: _Cache) -> Callable[..., Any]:
    """Return the function that adds a token and computes the most probable next token."""

    def step(token: Tensor, position: Tensor) -> dict[str, Tensor]:
        # As in KerasHub's greedy sampler: different logits can have equal probabilities.
        probabilities = softmax(_next_logits(model, cache, token, position))
        return {"token": ordering.argmax(probabilities, -1, output_type=int32)}

    return step


def _sample(model: Any, cache: _Cache, candidates: int) -> Callable[..., Any]:
    """Return the function that adds a token and draws the next token."""

    def sample(
        token: Tensor,
        position: Tensor,
        temperature: Tensor,
        top_k: Tensor,
        top_p: Tensor,
        uniform: Tensor,
    ) -> dict[str, Tensor]:
        logits = _next_logits(model, cache, token, position)
        probabilities, tokens = sorting.top_k(softmax(logits / temperature), candidates)
        # As in KerasHub's samplers: the token that exceeds top_p is the last one.
        before = scans.cumsum(probabilities, axis=-1, exclusive=True)
        kept = (ranges.range(candidates) < top_k) & (before <= top_p)
        kept = kept | (ranges.range(candidates) < 1)
        sums = scans.cumsum(
            slicing.where(kept, probabilities, making.zeros_like(probabilities)), -1
        )
        passed = sums <= uniform * sums[:, -1:]
        place = reductions.reduce_sum(making.cast(passed, int32), axis=-1)
        last = reductions.reduce_sum(making.cast(kept, int32), axis=-1) - 1
        place = slicing.where(place < last, place, last)
        return {"token": slicing.gather(tokens, place, axis=1, batch_dims=1)}

    return sample
