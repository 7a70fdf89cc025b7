"""Generation of text with KerasHub: short prefills, and awaitable and streamed results.

KerasHub computes the caches of a prompt with one forward pass over `max_length` positions. Here the
pass is as long as the prompt, rounded up to one of a few sizes. The caches have `max_length`
positions in both cases. Recurrent models keep KerasHub's pass, because their states depend on its
length.
"""

from __future__ import annotations

import functools
import inspect
import types
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from contextvars import ContextVar
from typing import Any, NamedTuple

import numpy as np

from tfpy._src.backends.awaitable import awaitable
from tfpy._src.core import nest
from tfpy._src.core.tensor import Tensor
from tfpy._src.functions.tf_function.api import function
from tfpy._src.keras_support.hub_streams import TextStream
from tfpy._src.tensors.array.joining import pad

_PREFILL: ContextVar[int | None] = ContextVar("_PREFILL", default=None)
"""Number of positions of the prefill that is traced, or None for all."""

SMALLEST, GROWTH = 32, 4
"""Shortest prefill, and the factor between the lengths of prefills."""

_LENGTH_AXIS = 3
"""Axis of the positions in a cache of KerasHub."""

_DECODER = ("decoder_token_ids", "decoder_padding_mask")
_POSITIONS = (*_DECODER, "token_ids", "padding_mask", "vision_mask", "audio_mask")
"""Parameters of `_build_cache` with a value for each position of the prompt."""

_OTHERS = (
    *("self", "img_embeddings", "vision_indices", "audio_embeddings", "audio_indices", "images"),
    *("pixel_values", "input_features", "input_features_mask", "projected_features"),
    *("encoder_token_ids", "encoder_padding_mask", "encoder_input_values"),
    *("encoder_hidden_states", "encoder_attention_mask"),
)
"""Parameters of `_build_cache` that do not depend on the length of the text."""


def replace(module: types.ModuleType) -> None:
    """Add `generate_async` and `generate_stream`, and make prefills short."""
    model = module.CausalLM

    def prepare(cls: type[Any], /, **kwargs: Any) -> None:
        super(model, cls).__init_subclass__(**kwargs)
        build = vars(cls).get("_build_cache")
        names = set(inspect.signature(build).parameters) if build is not None else {None}
        if names == {"self", "token_ids"}:
            cls._build_cache = _with_short_prefill(build)
        elif names <= {*_POSITIONS, *_OTHERS}:
            cls._build_cache = _with_short_inputs(build)

    model.__init_subclass__ = classmethod(prepare)
    model.make_generate_function = _make_generate_function
    model.generate_async = generate_async
    model.generate_stream = generate_stream


def _make_generate_function(self: Any) -> Any:
    """Create or return the compiled generation function."""
    if self.generate_function is None:
        self.generate_function = self.generate_step if self.run_eagerly else Generation(self)
    return self.generate_function


class Generation:
    """The compiled `generate_step` of a model, with a program for each length of the prefill."""

    def __init__(self, model: Any) -> None:
        def generate_step(inputs: Any, stop_token_ids: Any, prefill: int | None) -> Any:
            token = _PREFILL.set(prefill)
            try:
                return model.generate_step(inputs, stop_token_ids)
            finally:
                _PREFILL.reset(token)

        self._compiled = function(generate_step)

    def __call__(self, inputs: Any, stop_token_ids: Any = None) -> Any:
        return self._compiled(inputs, stop_token_ids, _prefill_of(inputs))

    async def call_async(self, inputs: Any, stop_token_ids: Any = None) -> Any:
        """Generate without blocking the page."""
        return await self._compiled.call_async(inputs, stop_token_ids, _prefill_of(inputs))


def _prefill_of(inputs: Mapping[str, Any]) -> int | None:
    """Return the number of positions of a prefill that covers all prompts; None for all."""
    given = inputs.get("decoder_padding_mask", inputs.get("padding_mask"))
    if given is None or (isinstance(given, Tensor) and not given.storage.is_readable):
        return None
    mask = np.asarray(given)
    wanted, length = int(np.flatnonzero(mask.any(axis=0)).max(initial=-1)) + 1, SMALLEST
    while length < wanted:
        length *= GROWTH
    return length if length < mask.shape[-1] else None


def _with_short_prefill(build: Callable[..., Any]) -> Callable[..., Any]:
    """Return a method that computes the caches of the prompt alone, and pads them with zeros."""

    @functools.wraps(build)
    def build_cache(self: Any, token_ids: Any) -> Any:
        length, whole = _PREFILL.get(), token_ids.shape[1]
        if length is None:
            return build(self, token_ids)
        hidden_states, cache = build(self, token_ids[:, :length])
        if cache.shape.rank <= _LENGTH_AXIS or cache.shape[_LENGTH_AXIS] != length:
            return build(self, token_ids)
        return _padded(hidden_states, 1, whole), _padded(cache, _LENGTH_AXIS, whole)

    return build_cache


def _with_short_inputs(build: Callable[..., Any]) -> Callable[..., Any]:
    """Return a method that computes the caches of the prompt alone, for any form of the caches.

    It also traces the computation for all positions, which shows the shapes of the results. The
    compiled program does not contain it.
    """
    signature = inspect.signature(build)

    @functools.wraps(build)
    def build_cache(*args: Any, **kwargs: Any) -> Any:
        whole, length = build(*args, **kwargs), _PREFILL.get()
        if length is None:
            return whole
        given = signature.bind(*args, **kwargs).arguments
        for name in given.keys() & _POSITIONS:
            given[name] = None if given[name] is None else given[name][:, :length]
        decodes = not given.keys().isdisjoint(_DECODER)
        short = nest.flatten(build(**given))
        pairs = [*zip(short, nest.flatten(whole), strict=True)]
        if not decodes and any(few.shape == full.shape for few, full in pairs):
            return whole  # a state of a recurrent model
        return nest.pack_sequence_as(whole, [_filled(few, full.shape) for few, full in pairs])

    return build_cache


def _filled(values: Any, shape: Any) -> Any:
    """Pad values with zeros to a shape."""
    sizes = zip(values.shape, shape, strict=True)
    return pad(values, [(0, size - own) for own, size in sizes])


def _padded(values: Any, axis: int, size: int) -> Any:
    widths = [(0, 0)] * len(values.shape)
    widths[axis] = (0, size - values.shape[axis])
    return pad(values, widths)


class GenerationCall(NamedTuple):
    """A call of the compiled generation function that `generate` makes for a batch."""

    inputs: Any
    stop_token_ids: Any


@contextmanager
def _calling(model: Any, generated: Callable[..., Any]) -> Iterator[None]:
    """Replace the compiled generation function of a model."""
    compiled = model.make_generate_function()
    model.generate_function = generated
    try:
        yield
    finally:
        model.generate_function = compiled


def calls_of(model: Any, inputs: Any, **options: Any) -> list[GenerationCall]:
    """Return the calls that `model.generate` makes, with preprocessed inputs."""
    calls: list[GenerationCall] = []

    def record(x: Any, stop_token_ids: Any = None) -> Any:
        calls.append(GenerationCall(x, stop_token_ids))
        return x  # has the structure of the result

    with _calling(model, record):
        model.generate(_copied(inputs), **options)
    return calls


def result_of(model: Any, outputs: list[Any], inputs: Any, **options: Any) -> Any:
    """Return the result of `model.generate` for the outputs of its calls."""
    remaining = iter(outputs)
    with _calling(model, lambda x, stop_token_ids=None: next(remaining)):
        return model.generate(_copied(inputs), **options)


def _copied(inputs: Any) -> Any:
    """Return inputs that `generate` may change."""
    return dict(inputs) if isinstance(inputs, dict) else inputs


async def run_call(model: Any, call: GenerationCall) -> Any:
    """Make a call of the generation function without blocking the page."""
    generate = model.make_generate_function()
    if isinstance(generate, Generation):
        return await generate.call_async(*call)
    return generate(*call)


@awaitable("model.generate_async(...)")
async def generate_async(
    self: Any,
    inputs: Any,
    max_length: int | None = None,
    stop_token_ids: Any = "auto",
    strip_prompt: bool = False,
) -> Any:
    """Generate text as `generate` does, without blocking the page.

    Args:
        inputs: String, list of strings, dict of tensors or dataset, as for `generate`.
        max_length: Number of tokens of the longest result, including the prompt. Default: the
            preprocessor's `sequence_length`.
        stop_token_ids: Tokens that end a text. Default: the end tokens of the tokenizer. None for
            texts of `max_length` tokens.
        strip_prompt: If True, return the text without the prompt.

    Returns:
        An awaitable that resolves to the result of `generate`: a string for a string, otherwise a
        list of strings or a dict of arrays.

    Example::

        text = await model.generate_async("The quick brown fox", max_length=30)
    """
    options = {"max_length": max_length, "stop_token_ids": stop_token_ids}
    options["strip_prompt"] = strip_prompt
    if hasattr(inputs, "cache"):  # a dataset, which is read twice
        inputs = inputs.cache()
    outputs = [await run_call(self, call) for call in calls_of(self, inputs, **options)]
    return result_of(self, outputs, inputs, **options)


def generate_stream(
    self: Any, inputs: Any, max_length: int | None = None, stop_token_ids: Any = "auto"
) -> TextStream:
    """Generate text and return its parts while they are generated.

    The parts, joined, are the result of `generate(..., strip_prompt=True)`. Samplers that choose
    between several continuations, such as `"beam"`, return one part at the end. To stop the
    generation, leave the loop or call `close`.

    Args:
        inputs: A string.
        max_length: Number of tokens of the longest result, including the prompt. Default: the
            preprocessor's `sequence_length`.
        stop_token_ids: Tokens that end the text. Default: the end tokens of the tokenizer. None for
            a text of `max_length` tokens.

    Returns:
        An asynchronous iterator over strings.

    Raises:
        TypeError: If `inputs` is not a string.
        ValueError: If the model has no preprocessor.

    Example::

        async for part in model.generate_stream("The quick brown fox", max_length=30):
            print(part, end="")
    """
    if not isinstance(inputs, str):
        raise TypeError(f"generate_stream: inputs must be a string, not {type(inputs).__name__}")
    if self.preprocessor is None:
        raise ValueError("generate_stream: the model has no preprocessor, which it needs for text")
    options = {"max_length": max_length, "stop_token_ids": stop_token_ids}
    (call,) = calls_of(self, inputs, **options)
    return TextStream(self, call, functools.partial(run_call, self, call))
