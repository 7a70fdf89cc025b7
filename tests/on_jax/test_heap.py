"""Memory that programs free on the CPU is reused by later programs."""

from __future__ import annotations

import os
import subprocess
import sys

import pytest

PROGRAM = """
import resource
import tfpy as tf

tf.set_backend("jax")
x, w = tf.ones([300_000, 64]), tf.ones([64, 64])

@tf.function
def moved(x):
    return tf.reduce_sum(tf.nn.softmax(x @ w, 0))

def faults():
    before = resource.getrusage(resource.RUSAGE_SELF).ru_minflt
    for _ in range(3):
        moved(x).numpy()
    return (resource.getrusage(resource.RUSAGE_SELF).ru_minflt - before) // 3

print(min(faults() for _ in range(10)))  # the heap grows at first, longer if other work runs
"""


def faults(**variables: str) -> int:
    """Return the number of page faults in a call of a program with large temporaries."""
    own = {k: v for k, v in os.environ.items() if not k.startswith(("MALLOC_", "GLIBC_"))}
    done = subprocess.run(
        [sys.executable, "-c", PROGRAM],
        env={**own, "JAX_PLATFORMS": "cpu", **variables},
        capture_output=True,
        text=True,
        check=True,
    )
    return int(done.stdout)


@pytest.mark.skipif(sys.platform != "linux", reason="glibc's")
def test_temporaries_take_no_new_pages() -> None:
    assert faults() < 100
    assert faults(MALLOC_ARENA_MAX="8") > 5000  # as the user has configured it
