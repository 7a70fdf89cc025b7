"""Processes that compute together through JAX: what they tell one another, and which are gone."""

from __future__ import annotations

import atexit
import ctypes
import json
import os
import re
import sys
import threading
import time
from collections.abc import Callable
from concurrent.futures import Future, wait
from contextlib import suppress
from typing import Any, TypeVar

import jax
import numpy as np
from jax._src import distributed

from tfpy._src.backends.jax.relay import Relay, is_possible
from tfpy._src.base.errors import UnavailableError
from tfpy._src.base.flags.environment import env

_LOST = re.compile(r"gloo|nccl|connection|peer|coordination|heartbeat|unavailable", re.IGNORECASE)
"""What JAX says when another process does not answer."""
_LOOK_SECONDS = 1
_ASK_AGAIN_SECONDS = 0.05
_RUNS_AHEAD = 16
"""So many runs may be under way. With more a call may wait in JAX, which nothing ends when what is
under way never does."""
T = TypeVar("T")
_END_SECONDS = 300
"""As long as JAX's processes wait for one another at their end."""
_relay: Relay | None = None
"""The connection to the first process, of the others."""
_gone: set[int] = set()
"""The processes of which it is known."""
_left: list[threading.Thread] = []
"""Those that wait for what does not come."""


def join(address: str, count: int, number: int) -> None:
    """Meets the other processes; this one outlives them."""
    global _relay
    jax.config.update("jax_enable_recoverability", True)
    seconds = _patience()
    if number and is_possible():
        _relay = Relay(address, seconds)
        address = _relay.address
    jax.distributed.initialize(address, count, number, heartbeat_timeout_seconds=seconds)
    atexit.register(_end)  # before JAX's own


def _patience() -> int:
    """After how many seconds without a sign of life a process counts as gone."""
    return int(env().get_number("TFPY_HEARTBEAT_SECONDS"))


def _end() -> None:
    """Without the first process JAX ends the others: it goes last, but on an error at once."""
    state: Any = distributed.global_state
    if state.client is None:  # ended before
        return
    has_failed = bool(_gone) or hasattr(sys, "last_value")  # one that nobody has caught
    if any(thread.is_alive() for thread in _left) or (_gone and jax.default_backend() != "cpu"):
        # Python's end would wait for a device that waits for those that are gone.
        sys.stdout.flush()
        sys.stderr.flush()
        os._exit(1)
    if state.process_id == 0 and not has_failed:
        _wait_for_others(state.client, state.num_processes)
    elif state.process_id == 0 or (_relay is not None and _relay.is_broken):
        for name in ("preemption_sync_manager", "client", "service"):
            # Destroyed, it would wait for the others to say goodbye.
            ctypes.pythonapi.Py_IncRef(ctypes.py_object(getattr(state, name)))
            setattr(state, name, None)


def _wait_for_others(client: Any, count: int) -> None:
    """Until they have ended or died; JAX tells it, since they do not ask for these two."""

    def wait(other: int) -> None:
        with suppress(jax.errors.JaxRuntimeError):
            client.get_live_nodes([0, other])

    waiting = [threading.Thread(target=wait, args=(n,), daemon=True) for n in range(1, count)]
    for thread in waiting:
        thread.start()
    end = time.monotonic() + _END_SECONDS
    for thread in waiting:
        thread.join(max(0.0, end - time.monotonic()))


class Processes:
    """This process among the others."""

    def __init__(self) -> None:
        self._meetings = 0
        self._runs = 0
        self._asking: threading.Thread | None = None

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
        return self._while_the_first_lives(lambda: self._agreed(client, text))

    def _agreed(self, client: Any, text: str) -> list[str]:
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
        if self._asking is None or not self._asking.is_alive():
            self._asking = threading.Thread(target=self._ask, daemon=True)
            self._asking.start()
        end = time.monotonic() + seconds
        while not self._first_is_gone() and self._asking.is_alive() and time.monotonic() < end:
            self._asking.join(_ASK_AGAIN_SECONDS)
        return sorted(_gone)

    def _ask(self) -> None:
        client: Any = distributed.global_state.client
        every = list(range(self.count))
        with suppress(jax.errors.JaxRuntimeError):
            live = client.get_live_nodes(every)
            _gone.update(n for n in every if n not in live)

    def computed(self, array: Any) -> None:
        """Waits until an array of which other processes have parts is computed.

        On CPUs the exchange with a process that is gone fails; on GPUs it never ends.

        Raises:
            UnavailableError: when another process is gone, and it is not computed for as long as
                a sign of life may take: one that was through with its part may have ended.
        """
        if self.count == 1 or isinstance(array, np.ndarray):
            return
        if array.is_fully_addressable or array.is_ready():
            return
        known = 0.0  # since when one is gone

        def check() -> None:
            nonlocal known
            gone = self.gone(0)
            known = known or (time.monotonic() if gone else 0.0)
            if known and time.monotonic() > known + _patience():
                raise _unavailable(gone, "what is exchanged with it does not come")

        self._while_the_first_lives(array.block_until_ready, check)

    def began(self, array: Any) -> None:
        """Takes note of a run of all processes that gives an array; waits for some of them.

        Raises:
            UnavailableError: see :meth:`computed`.
        """
        self._runs += 1
        if self._runs % _RUNS_AHEAD == 0:
            self.computed(array)

    def lost(self, failure: Exception) -> UnavailableError | None:
        """The error of a computation that failed because another process is gone, if it did so."""
        if self.count == 1 or not _LOST.search(str(failure)):
            return None
        gone = self.gone(2 * _patience())
        return _unavailable(gone, str(failure)) if gone else None

    def _while_the_first_lives(
        self, call: Callable[[], T], check: Callable[[], None] | None = None
    ) -> T:
        """What a call gives, which does not come back when the first process is gone.

        Args:
            check: called every second; it may raise.

        Raises:
            UnavailableError: when it is.
        """
        if _relay is None and check is None:
            return call()
        answer: Future[T] = Future()

        def work() -> None:
            try:
                answer.set_result(call())
            except Exception as error:
                answer.set_exception(error)

        working = threading.Thread(target=work, daemon=True)
        working.start()
        looked = time.monotonic()
        try:
            while not answer.done():
                if self._first_is_gone():
                    raise _unavailable([0], "it is waited for")
                if check is not None and time.monotonic() > looked + _LOOK_SECONDS:
                    check()
                    looked = time.monotonic()
                wait([answer], _ASK_AGAIN_SECONDS)
        except UnavailableError:
            _left.append(working)
            raise
        return answer.result()

    @staticmethod
    def _first_is_gone() -> bool:
        if _relay is not None and _relay.is_broken:
            _gone.add(0)
        return 0 in _gone


def _unavailable(gone: list[int], why: str) -> UnavailableError:
    names = ", ".join(f"/job:worker/replica:0/task:{number}" for number in gone)
    mend = "start all anew: they go on from the last checkpoint"
    return UnavailableError(None, None, f"{names} is gone ({why}); {mend}")
