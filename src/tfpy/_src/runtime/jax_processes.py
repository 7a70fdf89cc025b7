"""Processes that compute together through JAX: what they tell one another, and which are gone."""

from __future__ import annotations

import json
import re
import threading
from typing import Any

import jax
from jax._src import distributed

from tfpy._src.environment.environment import env
from tfpy._src.errors import UnavailableError

_LOST = re.compile(r"gloo|nccl|connection|peer|coordination|heartbeat|unavailable", re.IGNORECASE)
"""What JAX says when another process does not answer."""
_LOOK_SECONDS = 1


def join(address: str, count: int, number: int) -> None:
    """Meets the other processes; this one outlives them."""
    jax.config.update("jax_enable_recoverability", True)
    seconds = int(env().get_number("TFPY_HEARTBEAT_SECONDS"))
    jax.distributed.initialize(address, count, number, heartbeat_timeout_seconds=seconds)


class Processes:
    """This process among the others."""

    def __init__(self) -> None:
        self._meetings = 0

    @property
    def count(self) -> int:
        """How many there are."""
        return int(distributed.global_state.num_processes)

    @property
    def number(self) -> int:
        """The number of this one."""
        return int(distributed.global_state.process_id)

    def agree(self, text: str) -> list[str]:
        """Waits until all have come here; the text that each of them gave.

        Raises:
            UnavailableError: when one of them is gone; it is named.
        """
        client: Any = distributed.global_state.client
        if client is None or self.count == 1:
            return [text]
        self._meetings += 1
        # What was said two meetings ago all have read.
        client.key_value_delete(self._key(self._meetings - 2, self.number))
        client.key_value_set(self._key(self._meetings, self.number), json.dumps(text))
        keys = [self._key(self._meetings, process) for process in range(self.count)]
        return [json.loads(self._waited(client, key)) for key in keys]

    @staticmethod
    def _key(meeting: int, process: int) -> str:
        return f"tfpy/{meeting}/{process}"

    def _waited(self, client: Any, key: str) -> str:
        while True:
            try:
                found: str = client.blocking_key_value_get(key, _LOOK_SECONDS * 1000)
                return found
            except jax.errors.JaxRuntimeError as failure:
                if gone := self.gone(_LOOK_SECONDS):
                    raise _unavailable(gone, "it is waited for") from None
                if not str(failure).startswith("DEADLINE_EXCEEDED"):
                    raise UnavailableError(
                        None, None, f"task 0 does not answer: {failure}"
                    ) from None

    def gone(self, seconds: float) -> list[int]:
        """The processes that do not live any more, as far as is known after so many seconds.

        JAX tells it to all that live when all of them ask.
        """
        client: Any = distributed.global_state.client
        every = list(range(self.count))
        found: list[int] = []

        def ask() -> None:
            try:
                live = client.get_live_nodes(every)
            except jax.errors.JaxRuntimeError:
                return
            found.extend(n for n in every if n not in live)

        asking = threading.Thread(target=ask, daemon=True)
        asking.start()
        asking.join(seconds)
        return found

    def lost(self, failure: Exception) -> UnavailableError | None:
        """The error of a computation that failed because another process is gone, if it did so."""
        if self.count == 1 or not _LOST.search(str(failure)):
            return None
        patience = 2 * int(env().get_number("TFPY_HEARTBEAT_SECONDS"))
        gone = self.gone(patience)
        return _unavailable(gone, str(failure)) if gone else None


def _unavailable(gone: list[int], why: str) -> UnavailableError:
    names = ", ".join(f"/job:worker/replica:0/task:{number}" for number in gone)
    mend = "start all anew: they go on from the last checkpoint"
    return UnavailableError(None, None, f"{names} is gone ({why}); {mend}")
