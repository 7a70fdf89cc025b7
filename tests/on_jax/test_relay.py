"""The relay of JAX's connection to the first process: access control, and a lost process."""

from __future__ import annotations

import contextlib
import resource
import socket
import subprocess
import sys
import time
from collections.abc import Callable, Iterator

import pytest

from tfpy._src.backends.jax.relay import Relay


@contextlib.contextmanager
def relayed() -> Iterator[tuple[socket.socket, Relay]]:
    """Yield a first process, which accepts connections here, and a relay to it."""
    with socket.create_server(("127.0.0.1", 0)) as first:
        first.settimeout(20)
        yield first, Relay(f"127.0.0.1:{first.getsockname()[1]}", 30)


def path_of(relay: Relay) -> str:
    kind, _, path = relay.address.partition(":")
    assert kind == "unix"
    return path


def connected(relay: Relay) -> socket.socket:
    near = socket.socket(socket.AF_UNIX)
    near.settimeout(20)
    near.connect(path_of(relay))
    return near


def until(is_so: Callable[[], bool]) -> bool:
    end = time.monotonic() + 20
    while not is_so() and time.monotonic() < end:
        time.sleep(0.02)
    return is_so()


STRANGER = """
import socket, sys
with socket.socket(socket.AF_UNIX) as near:
    near.connect(sys.argv[1])
    try:
        near.sendall(b"GET / HTTP/1.1\\r\\n\\r\\n")
        print(near.recv(9))
    except OSError:
        print(b"")
"""


def test_connections_of_other_processes_are_refused() -> None:
    with relayed() as (first, relay):
        argv = [sys.executable, "-c", STRANGER, path_of(relay)]
        done = subprocess.run(argv, capture_output=True, text=True, check=True)
        assert done.stdout == "b''\n"
        near = connected(relay)
        near.sendall(b"own")
        far, _ = first.accept()  # the other process's connection never arrived
        assert far.recv(9) == b"own"
        far.sendall(b"answer")
        assert near.recv(9) == b"answer"
        assert not relay.is_broken
        far.close()
        assert until(lambda: relay.is_broken)
        near.close()


def test_too_many_open_files_are_waited_for() -> None:
    with relayed() as (first, relay), socket.socket(socket.AF_UNIX) as near:
        near.settimeout(20)
        limits = resource.getrlimit(resource.RLIMIT_NOFILE)
        resource.setrlimit(resource.RLIMIT_NOFILE, (near.fileno(), limits[1]))
        try:
            near.connect(path_of(relay))
            near.sendall(b"later")
            time.sleep(0.3)
        finally:
            resource.setrlimit(resource.RLIMIT_NOFILE, limits)
        far, _ = first.accept()
        assert far.recv(9) == b"later"
        assert not relay.is_broken
        near.close()
        assert far.recv(9) == b""
        far.close()


@pytest.mark.parametrize(
    ("text", "error", "match"),
    [
        ('{"cluster": {"worker": ["a:99999999", "b:1"]}}', ValueError, "port from 1 to 65535"),
        ('{"cluster": {"worker": ["a:0", "b:1"]}}', ValueError, "port from 1 to 65535"),
        ('{"cluster": {"worker": ["a", "b:1"]}}', ValueError, "'host:port'"),
        ('{"cluster": {"worker": [":1", "b:1"]}}', ValueError, "'host:port'"),
        ('{"cluster": {"worker": 1}}', TypeError, "list of 'host:port'"),
        ('{"cluster": {"worker": {"x": "a:1"}}}', TypeError, "list of 'host:port'"),
        ('{"cluster": {"worker": ["a:1", "b:1"]}, "task": {"index": "x"}}', ValueError, "index"),
        ('{"cluster": {"worker": ["a:1", "b:1"]}, "task": {"index": 1.5}}', ValueError, "index"),
        pytest.param("[" * 100_000, ValueError, "not valid JSON", id="deep"),
    ],
)
def test_clusters_that_cannot_be(
    text: str, error: type[Exception], match: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    import tfpy as tf

    monkeypatch.setenv("TF_CONFIG", text)
    with pytest.raises(error, match=match):
        tf.distribute.MultiWorkerMirroredStrategy()
