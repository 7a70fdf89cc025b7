"""Processes that compute together through JAX: communication, and detection of lost processes."""

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
"""Pattern of JAX's errors when another process does not respond."""
_LOOK_SECONDS = 1
_ASK_AGAIN_SECONDS = 0.05
_RUNS_AHEAD = 16
"""Number of runs that may be pending.

With more, a call could block inside of JAX, which cannot be interrupted if a pending run never
ends.
"""
T = TypeVar("T")
_END_SECONDS = 300
"""Time that JAX's processes wait for one another at their end."""
_relay: Relay | None = None
"""Connection to the first process; None in the first process."""
_gone: set[int] = set()
"""Numbers of processes that are known to be lost."""
_left: list[threading.Thread] = []
"""Threads that wait for an event that never happens."""


def join(address: str, count: int, number: int) -> None:
    """Connect to the other processes. This process can outlive them."""
    global _relay
    jax.config.update("jax_enable_recoverability", True)
    seconds = _patience()
    if number and is_possible():
        _relay = Relay(address, seconds)
        address = _relay.address
    jax.distributed.initialize(address, count, number, heartbeat_timeout_seconds=seconds)
    atexit.register(_end)  # before JAX's own


def _patience() -> int:
    """Return the number of seconds without a heartbeat after which a process is considered lost."""
    return int(env().get_number("TFPY_HEARTBEAT_SECONDS"))


def _end() -> None:
    """Keep the first process alive until the others have ended, because JAX ends them without it.

    On an error the first process ends immediately.
    """
    state: Any = distributed.global_state
    if state.client is None:  # ended before
        return
    has_failed = bool(_gone) or hasattr(sys, "last_value")  # an uncaught exception
    if any(thread.is_alive() for thread in _left) or (_gone and jax.default_backend() != "cpu"):
        # Python's shutdown would wait for a device that waits for lost processes.
        sys.stdout.flush()
        sys.stderr.flush()
        os._exit(1)
    if state.process_id == 0 and not has_failed:
        _wait_for_others(state.client, state.num_processes)
    elif state.process_id == 0 or (_relay is not None and _relay.is_broken):
        for name in ("preemption_sync_manager", "client", "service"):
            # Its destructor would wait for the other processes to disconnect.
            ctypes.pythonapi.Py_IncRef(ctypes.py_object(getattr(state, name)))
            setattr(state, name, None)


def _wait_for_others(client: Any, count: int) -> None:
    """Wait until the other processes have ended or died.

    JAX reports this to a process that queries itself and one other process, which makes no such
    query.
    """

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
        """Number of processes."""
        return int(distributed.global_state.num_processes)

    @property
    def number(self) -> int:
        """Number of this process."""
        return int(distributed.global_state.process_id)

    def agree(self, text: str) -> list[str]:
        """Wait until all processes have called this, and return the text of each.

        Raises:
            UnavailableError: If a process is lost. The message names it.
        """
        client: Any = distributed.global_state.client
        if client is None or self.count == 1:
            return [text]
        self._meetings += 1
        return self._while_the_first_lives(lambda: self._agreed(client, text))

    def _agreed(self, client: Any, text: str) -> list[str]:
        # All processes have read the texts of the second to last meeting.
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
                    raise _unavailable(gone, "it does not respond") from None
                if not str(failure).startswith("DEADLINE_EXCEEDED"):
                    raise UnavailableError(
                        None, None, f"task 0 does not respond: {failure}"
                    ) from None

    def gone(self, seconds: float) -> list[int]:
        """Return the processes that are known to be lost after waiting for some seconds.

        JAX reports this to all live processes when all of them query it.
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
        """Wait until an array with parts in other processes is computed.

        On CPUs the communication with a lost process fails; on GPUs it never ends.

        Raises:
            UnavailableError: If another process is lost and the array is not computed within the
                heartbeat timeout. A process that has finished its part may have ended normally.
        """
        if self.count == 1 or isinstance(array, np.ndarray):
            return
        if array.is_fully_addressable or array.is_ready():
            return
        known = 0.0  # time at which a process was found to be lost

        def check() -> None:
            nonlocal known
            gone = self.gone(0)
            known = known or (time.monotonic() if gone else 0.0)
            if known and time.monotonic() > known + _patience():
                raise _unavailable(gone, "its data does not arrive")

        self._while_the_first_lives(array.block_until_ready, check)

    def began(self, array: Any) -> None:
        """Record a run of all processes that produces an array, and wait for some of the runs.

        Raises:
            UnavailableError: See `computed`.
        """
        self._runs += 1
        if self._runs % _RUNS_AHEAD == 0:
            self.computed(array)

    def lost(self, failure: Exception) -> UnavailableError | None:
        """Return the error of a computation that failed because of a lost process, or None."""
        if self.count == 1 or not _LOST.search(str(failure)):
            return None
        gone = self.gone(2 * _patience())
        return _unavailable(gone, str(failure)) if gone else None

    def _while_the_first_lives(
        self, call: Callable[[], T], check: Callable[[], None] | None = None
    ) -> T:
        """Return the result of a call that does not return if the first process is lost.

        Args:
            check: Function to call every second. It may raise an error.

        Raises:
            UnavailableError: If the first process is lost.
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
                    raise _unavailable([0], "it does not respond")
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
    mend = "Restart all processes; they continue from the last checkpoint."
    return UnavailableError(None, None, f"{names} is gone ({why}). {mend}")
