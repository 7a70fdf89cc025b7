"""A relay for this process's connection to the first one. It survives the loss of that process.

JAX ends a process whose connection to the first one breaks, without notifying Python. The
connection therefore passes through threads of this module: JAX's end of it does not break, and the
process has as much time as the heartbeat timeout to report the loss and to end.
"""

from __future__ import annotations

import atexit
import logging
import os
import shutil
import socket
import struct
import sys
import tempfile
import threading
import time
from collections.abc import Callable
from contextlib import suppress
from typing import Any

_log = logging.getLogger("tensorflow")
_CHUNK = 2**16
_TRY_AGAIN_SECONDS = 0.1
_GREETING = b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n" + bytes([0, 0, 0, 4, 0, 0, 0, 0, 0])
"""Start of an HTTP/2 connection without settings, to which a server responds (RFC 9113, 3.4)."""


class Relay:
    """A relay from the local socket `address` to the first process.

    Args:
        there: Address of the first process.
        seconds: Heartbeat timeout.
    """

    def __init__(self, there: str, seconds: int) -> None:
        host, _, port = there.rpartition(":")
        self._there = host.strip("[]"), int(port)
        self._seconds = seconds
        self._server, path = _listening()
        self._open: list[socket.socket] = []
        self._broken = threading.Event()
        self._said = self._heard = 0.0  # times of the last message in each direction
        self.address = f"unix:{path}"
        """Address that JAX uses instead."""
        _start(self._accept)
        _start(self._watch)

    @property
    def is_broken(self) -> bool:
        """True if the first process is lost."""
        return self._broken.is_set()

    def _accept(self) -> None:
        while True:
            try:
                near, _ = self._server.accept()
            except OSError:  # the process has too many open files for now
                time.sleep(_TRY_AGAIN_SECONDS)
                continue
            if not _is_own(near):
                near.close()
                continue
            self._open.append(near)  # the reference keeps it open
            _start(self._connect, near)

    def _connect(self, near: socket.socket) -> None:
        """Wait for the first process, which may start later."""
        end = time.monotonic() + self._seconds
        while not self.is_broken:
            try:
                far = socket.create_connection(self._there, self._seconds)
            except OSError:
                if time.monotonic() > end:
                    self._open.remove(near)
                    near.close()  # JAX retries according to its own timeout
                    return
                time.sleep(_TRY_AGAIN_SECONDS)
            else:
                self._pass_on(near, far)
                return

    def _pass_on(self, near: socket.socket, far: socket.socket) -> None:
        far.settimeout(None)
        _ask_for_signs_of_life(far, self._seconds)
        ended = threading.Event()

        def say() -> None:
            self._said = time.monotonic()

        def hear() -> None:
            self._heard = time.monotonic()

        def send() -> None:
            if _copy(near, far, say):
                ended.set()
                with suppress(OSError):
                    far.shutdown(socket.SHUT_RDWR)

        _start(send)
        _copy(far, near, hear)
        self._said = 0.0  # the last message needs no response
        far.close()
        if ended.is_set():
            self._open.remove(near)
            near.close()
        else:
            self._break()

    def _watch(self) -> None:
        """Detect a first process that is stopped: it keeps its connections but does not respond.

        JAX sends two heartbeats per timeout, and ends this process half a timeout later.
        """
        patience = self._seconds / 8
        while not self._broken.wait(patience):
            waits = self._said > self._heard and time.monotonic() - self._heard > patience
            if waits and not self._answers(patience):
                self._break()

    def _answers(self, seconds: float) -> bool:
        """Return True if the first process responds or has ended."""
        try:
            with socket.create_connection(self._there, seconds) as asking:
                asking.sendall(_GREETING)
                asking.recv(1)
        except TimeoutError:
            return False
        except OSError:
            return True
        return True

    def _break(self) -> None:
        if not self.is_broken:
            self._broken.set()
            host, port = self._there
            _log.error(
                "The first worker, /job:worker/replica:0/task:0 at %s:%d, is gone. JAX ends this "
                "process within %d seconds.", host, port, self._seconds,
            )  # fmt: skip


def is_possible() -> bool:
    """Return True if the system has Unix domain sockets."""
    return hasattr(socket, "AF_UNIX")


def _listening() -> tuple[socket.socket, str]:
    """Return a socket that only processes of this user can reach, and its path."""
    folder = tempfile.mkdtemp(prefix="tfpy-")
    if len(folder) > _MAX_FOLDER:
        os.rmdir(folder)
        folder = tempfile.mkdtemp(prefix="tfpy-", dir="/tmp")
    atexit.register(shutil.rmtree, folder, ignore_errors=True)
    server, path = socket.socket(socket.AF_UNIX), os.path.join(folder, "first")
    server.bind(path)
    server.listen()
    return server, path


_MAX_FOLDER = 90
"""Longest folder name: the path of a socket has at most about 100 bytes."""


def _is_own(near: socket.socket) -> bool:
    """Return True if this process has made a connection, or if the system does not report it."""
    if sys.platform == "linux":
        found = near.getsockopt(socket.SOL_SOCKET, socket.SO_PEERCRED, struct.calcsize("3i"))
        return bool(struct.unpack("3i", found)[0] == os.getpid())
    if sys.platform == "darwin":
        sol_local, local_peerpid = 0, 2  # from <sys/un.h>
        return near.getsockopt(sol_local, local_peerpid) == os.getpid()
    return True


def _start(work: Callable[..., None], *args: Any) -> None:
    threading.Thread(target=work, args=args, daemon=True).start()


def _copy(source: socket.socket, sink: socket.socket, note: Callable[[], None]) -> bool:
    """Forward all data and call `note` for each piece. Return True if the source has ended."""
    while True:
        try:
            chunk = source.recv(_CHUNK)
        except OSError:
            return True
        if not chunk:
            return True
        try:
            note()
            sink.sendall(chunk)
        except OSError:
            return False


def _ask_for_signs_of_life(far: socket.socket, seconds: int) -> None:
    """Enable keepalive, to detect a machine that does not respond before JAX reports it."""
    options = {
        "TCP_KEEPIDLE": max(1, seconds // 4),
        "TCP_KEEPINTVL": max(1, seconds // 8),
        "TCP_KEEPCNT": 2,
        "TCP_USER_TIMEOUT": 500 * seconds,
    }
    far.setsockopt(socket.SOL_SOCKET, socket.SO_KEEPALIVE, 1)
    for name, value in options.items():
        with suppress(AttributeError, OSError):  # not every system has all of them
            far.setsockopt(socket.IPPROTO_TCP, getattr(socket, name), value)
