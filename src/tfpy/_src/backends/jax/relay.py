"""This process's connection to the first one, which stays open when that one is gone.

JAX ends a process whose connection to the first one breaks, and Python hears nothing of it. So the
connection leads through threads here: what JAX has of it does not break, and the process has as
long as the sign of life of the first one is waited for, to say what has happened and to end.
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

_log = logging.getLogger("tfpy")
_CHUNK = 2**16
_TRY_AGAIN_SECONDS = 0.1
_GREETING = b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n" + bytes([0, 0, 0, 4, 0, 0, 0, 0, 0])
"""How a connection of HTTP/2 begins, with no settings (RFC 9113, 3.4): a server answers at once."""


class Relay:
    """Passes on what comes to :attr:`address`.

    Args:
        there: the first process's address.
        seconds: how long a sign of life may take.
    """

    def __init__(self, there: str, seconds: int) -> None:
        host, _, port = there.rpartition(":")
        self._there = host.strip("[]"), int(port)
        self._seconds = seconds
        self._server, path = _listening()
        self._open: list[socket.socket] = []
        self._broken = threading.Event()
        self._said = self._heard = 0.0  # when, last
        self.address = f"unix:{path}"
        """What JAX is told instead."""
        _start(self._accept)
        _start(self._watch)

    @property
    def is_broken(self) -> bool:
        """Whether the first process is gone."""
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
            self._open.append(near)  # which keeps it open
            _start(self._connect, near)

    def _connect(self, near: socket.socket) -> None:
        """Waits for the first process, which may begin later."""
        end = time.monotonic() + self._seconds
        while not self.is_broken:
            try:
                far = socket.create_connection(self._there, self._seconds)
            except OSError:
                if time.monotonic() > end:
                    self._open.remove(near)
                    near.close()  # JAX tries again as long as it wants to
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
        self._said = 0.0  # what was the last word needs no answer
        far.close()
        if ended.is_set():
            self._open.remove(near)
            near.close()
        else:
            self._break()

    def _watch(self) -> None:
        """A first process that is stopped keeps its connections, and answers nothing. JAX asks for
        a sign of life twice in the seconds, and ends this process half of them later."""
        patience = self._seconds / 8
        while not self._broken.wait(patience):
            waits = self._said > self._heard and time.monotonic() - self._heard > patience
            if waits and not self._answers(patience):
                self._break()

    def _answers(self, seconds: float) -> bool:
        """Whether the first process does, or has ended."""
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
                "the first worker, /job:worker/replica:0/task:0 at %s:%d, is gone; JAX ends this "
                "process within %d seconds if it goes on", host, port, self._seconds,
            )  # fmt: skip


def is_possible() -> bool:
    """Return True if the system has sockets in the file system."""
    return hasattr(socket, "AF_UNIX")


def _listening() -> tuple[socket.socket, str]:
    """Return a socket that only this user's processes reach, and its path."""
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
"""The path of a socket has about 100 bytes at most."""


def _is_own(near: socket.socket) -> bool:
    """Return True if this process has made a connection, or if the system does not report it."""
    if sys.platform == "linux":
        found = near.getsockopt(socket.SOL_SOCKET, socket.SO_PEERCRED, struct.calcsize("3i"))
        return bool(struct.unpack("3i", found)[0] == os.getpid())
    if sys.platform == "darwin":
        sol_local, local_peerpid = 0, 2  # of <sys/un.h>
        return near.getsockopt(sol_local, local_peerpid) == os.getpid()
    return True


def _start(work: Callable[..., None], *args: Any) -> None:
    threading.Thread(target=work, args=args, daemon=True).start()


def _copy(source: socket.socket, sink: socket.socket, note: Callable[[], None]) -> bool:
    """Passes on all that comes, and notes it; whether the source has ended it."""
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
    """So that also a machine counts as gone that does not answer, before JAX says so."""
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
