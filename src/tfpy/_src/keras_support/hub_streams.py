"""The text of a KerasHub model, in parts, while the model generates it."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping, Sequence
from typing import Any

import numpy as np

from tfpy._src.compiler.ir.aval import Array
from tfpy._src.core.tensor import Tensor
from tfpy._src.functions.control.loop_run import WATCHER

_INCOMPLETE = "\ufffd"
"""Character at the end of a text for bytes that later tokens complete."""
_ONE_TOKEN = ("Sampler.__call__", "ContrastiveSampler.__call__")
"""Methods of KerasHub's samplers with a loop that adds a token to the text in each iteration."""


class TextStream(AsyncIterator[str]):
    """An asynchronous iterator over the parts of a text, which a task generates.

    The task ends after the current token if the stream is closed or no longer referenced.

    Args:
        model: Model of KerasHub with a preprocessor.
        call: Inputs and stop tokens of the generation function.
        run: Function that makes the call.
    """

    def __init__(self, model: Any, call: Any, run: Callable[[], Awaitable[Any]]) -> None:
        self._text = _Text(model, *call)
        self._task: asyncio.Task[None] | None = None
        self._run = run

    async def __anext__(self) -> str:
        if self._task is None:
            self._task = asyncio.ensure_future(self._text.generate(self._run))
        if self._task.done() and self._text.parts.empty():
            raise StopAsyncIteration
        part = await self._text.parts.get()
        if part is None:
            await self._task
            raise StopAsyncIteration
        return part

    async def close(self) -> None:
        """End the generation after the current token."""
        self._text.is_wanted = False
        if self._task is not None:
            with contextlib.suppress(Exception):
                await self._task

    def __del__(self) -> None:
        self._text.is_wanted = False


class _Text:
    """The text that a task generates, with the parts that have not been read.

    It observes the loop that adds a token in each iteration.
    """

    def __init__(self, model: Any, inputs: Mapping[str, Any], stop_token_ids: Any) -> None:
        self.parts: asyncio.Queue[str | None] = asyncio.Queue()
        self.is_wanted = True
        self._model = model
        self._kind = "decoder_" if "decoder_token_ids" in inputs else ""
        prompt = np.asarray(inputs[f"{self._kind}padding_mask"])
        self._shape = prompt.shape
        self._begin = self._end = int(prompt.sum())
        """Positions of the first generated token, and after the last one."""
        self._stops = set(stop_token_ids or ())
        self._sent = ""

    async def generate(self, run: Callable[[], Awaitable[Any]]) -> None:
        """Generate the whole text. None follows the last part."""
        token = WATCHER.set(self if _writes_one_token(self._model.sampler) else None)
        try:
            output = await run()
            if self.is_wanted:
                tokens = await _row(output[f"{self._kind}token_ids"])
                mask = await _row(output[f"{self._kind}padding_mask"])
                self._send(tokens[self._begin : int(mask.sum())], is_last=True)
        finally:
            WATCHER.reset(token)
            self.parts.put_nowait(None)

    def choose(self, state: Sequence[Tensor]) -> Tensor | None:
        """Return the tensor of a loop's state with all tokens, or None in another loop."""
        found = (t for t in state if t.aval.shape == self._shape and t.dtype.is_integer)
        return next(found, None)

    def see(self, values: Array) -> bool:
        """Send the text of the next token. Return False to stop."""
        if self.is_wanted:
            (tokens,) = values.reshape(self._shape)
            self._end += 1
            if int(tokens[self._end - 1]) not in self._stops:
                self._send(tokens[self._begin : self._end])
        return self.is_wanted

    def _send(self, tokens: Any, is_last: bool = False) -> None:
        """Send what the tokens add to the text that was sent."""
        row = {"token_ids": tokens[None], "padding_mask": np.ones((1, len(tokens)), bool)}
        named = {self._kind + name: value for name, value in row.items()}
        (text,) = self._model.preprocessor.generate_postprocess(named)
        if not is_last:
            text = text.rstrip(_INCOMPLETE)
        if len(text) > len(self._sent):
            self.parts.put_nowait(text[len(self._sent) :])
            self._sent = text


def _writes_one_token(sampler: Any) -> bool:
    """Return True if each iteration of a sampler adds one token to the text."""
    return type(sampler).__call__.__qualname__ in _ONE_TOKEN


async def _row(tensor: Tensor) -> Any:
    """Return the only row of a matrix."""
    return (await tensor.storage.to_host_async()).reshape(tensor.aval.shape)[0]
