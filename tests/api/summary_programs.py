"""Programs that write summaries, and the events that TensorFlow's functions write for them.

`tests/api/summary_events.json` contains the events. TensorFlow needs the package `tensorboard` to
write them, which the tests do not have. To write the file again, run this module in the folder
`tests` with that package::

    python -m api.summary_programs
"""

from __future__ import annotations

import json
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import tensorflow

FILE = Path(__file__).with_name("summary_events.json")
Program = Callable[[Any], Any]
PROGRAMS: dict[str, Program] = {}


def program(function: Program) -> Program:
    """Register a program, which runs with a default writer and the default step 1."""
    PROGRAMS[function.__name__] = function
    return function


@program
def scalars(tf: Any) -> None:
    tf.summary.scalar("loss", 0.5, step=0)
    tf.summary.scalar("loss", tf.constant(0.25), step=2**40, description="The *loss*.")
    tf.summary.scalar("a b/c:$", np.float64(0.1), step=np.int32(-3))
    tf.summary.scalar("", tf.Variable(3.0), step=tf.Variable(4, dtype=tf.int64))
    tf.summary.scalar("integer", 7)
    tf.summary.scalar("large", 2**40)
    tf.summary.scalar("bool", True, step=[5])
    tf.summary.scalar("nan", float("nan"), step=tf.constant(6, tf.int64))


@program
def scopes(tf: Any) -> None:
    with tf.name_scope("outer"):
        tf.summary.scalar("x", 1.0)
        with tf.name_scope("inner"):
            tf.summary.scalar("x", 2.0)
            tf.summary.text("x", "words")
        with tf.summary.experimental.summary_scope("own thing") as (tag, _):
            tf.summary.write(tag, tf.constant([1, 2]), metadata=b"\x0a\x05\x0a\x03own")
            tf.summary.scalar("y", 1.0)


@program
def histograms(tf: Any) -> None:
    values = np.linspace(-1.3, 2.9, 77).astype(np.float32)
    for data in (values, values.astype(np.float64), np.arange(12).reshape(3, 4), [True, False]):
        tf.summary.histogram("h", data, buckets=4)
    tf.summary.histogram("default", tf.constant(values))
    tf.summary.histogram("empty", tf.zeros([0, 3]), buckets=3)
    tf.summary.histogram("none", values, buckets=0)
    tf.summary.histogram("negative", values, buckets=-2)
    tf.summary.histogram("equal", [2.5, 2.5], buckets=3)
    tf.summary.histogram("number", 3, buckets=tf.constant(2), description="One.")
    for odd in (float("nan"), float("inf"), -float("inf")):
        tf.summary.histogram("odd", [1.0, odd, 2.0], buckets=3)


@program
def images(tf: Any) -> None:
    pixels = np.linspace(-0.2, 1.2, 5 * 2 * 3).astype(np.float32)
    for channels in (1, 2, 3, 4):
        batch = np.stack([pixels] * channels, -1).reshape(5, 2, 3, channels)
        tf.summary.image(f"floats{channels}", batch, max_outputs=2)
    tf.summary.image("bytes", np.arange(24, dtype=np.uint8).reshape(4, 2, 1, 3))
    tf.summary.image("integers", tf.constant([[[[-5], [1 << 20], [1 << 30]]]]))
    tf.summary.image("list", [[[[1.0], [0.25]]]], description="One.")
    tf.summary.image("none", np.zeros((0, 2, 3, 1), np.float32))


@program
def clips(tf: Any) -> None:
    sound = np.sin(np.arange(12)).reshape(4, 3, 1).astype(np.float32)
    tf.summary.audio("mono", sound, 8000)
    tf.summary.audio("stereo", sound.reshape(2, 3, 2), tf.constant(44100), max_outputs=1)
    tf.summary.audio("wav", sound[:1], 16000, encoding="wav", description="One.")
    tf.summary.audio("none", sound[:0], 8000)


@program
def texts(tf: Any) -> None:
    tf.summary.text("one", "é", step=2)
    tf.summary.text("table", [["a", "b"], ["", "d"]], description="A table.")
    tf.summary.text("tensor", tf.constant(b"\xff"))


@program
def functions(tf: Any) -> None:
    count = tf.Variable(10, dtype=tf.int64)

    @tf.function
    def step(x: Any) -> Any:
        count.assign_add(1)
        with tf.name_scope("scope"):
            tf.summary.scalar("sum", tf.reduce_sum(x), step=count)
        tf.summary.histogram("x", x, step=count, buckets=2)
        if tf.reduce_sum(x) > 5.0:
            tf.summary.text("large", tf.strings.as_string(tf.reduce_sum(x)), step=count)
        for i in tf.range(3):
            with tf.summary.record_if(lambda i=i: i != 1):
                tf.summary.scalar("i", i, step=tf.cast(i, tf.int64))
        tf.summary.image("image", tf.reshape(x, [1, 1, 3, 1]), step=count)
        tf.summary.audio("audio", tf.reshape(x, [1, 3, 1]), 8000, step=count)
        return tf.summary.scalar("last", x[0])

    with tf.name_scope("around"):
        assert step(tf.constant([0.5, 0.25, 0.125]))
    step(tf.constant([5.0, 0.25, 0.125]))
    for batch in tf.data.Dataset.range(6).map(lambda n: tf.cast(n, tf.float32)).batch(3):
        step(batch)


@program
def conditions(tf: Any) -> None:
    count = tf.Variable(0, dtype=tf.int64)

    @tf.function
    def step() -> Any:
        count.assign_add(1)
        tf.summary.histogram("count", count, step=count, buckets=1)
        return tf.summary.scalar("count", count, step=count)

    with tf.summary.record_if(lambda: count % 2 == 0):
        written = [bool(step()) for _ in range(4)]
    assert written == [False, True, False, True], written


def run(tf: Any, program: Program) -> list[list[Any]]:
    """Run a program and return its events as TensorFlow reads them."""
    with tempfile.TemporaryDirectory() as folder:
        writer = tf.summary.create_file_writer(folder)
        with writer.as_default(step=1):
            program(tf)
        writer.close()
        (path,) = Path(folder).iterdir()
        return events(path)


def events(path: Path) -> list[list[Any]]:
    """Return the values in an event file, except for the time."""
    found = []
    for event in tensorflow.compat.v1.train.summary_iterator(str(path)):
        for value in event.summary.value:
            meta = value.metadata
            array = tensorflow.make_ndarray(value.tensor)
            found.append(
                [
                    event.step,
                    value.tag,
                    meta.plugin_data.plugin_name,
                    meta.plugin_data.content.hex(),
                    meta.summary_description,
                    array.dtype.name,
                    list(array.shape),
                    [_plain(item) for item in array.reshape(-1).tolist()],
                ]
            )
    return found


def _plain(item: Any) -> Any:
    """Return a value for JSON. PNG files become pixels, because encoders differ."""
    if not isinstance(item, bytes):
        return repr(item) if isinstance(item, float) else item
    if item.startswith(b"\x89PNG"):
        pixels = tensorflow.io.decode_png(item).numpy()
        return ["png", list(pixels.shape), pixels.reshape(-1).tolist()]
    return item.hex()


if __name__ == "__main__":
    wanted = {name: run(tensorflow, one) for name, one in PROGRAMS.items()}
    lines = ",\n".join(
        f"{json.dumps(name)}: [\n" + ",\n".join(map(json.dumps, rows)) + "\n]"
        for name, rows in wanted.items()
    )
    FILE.write_text("{\n" + lines + "\n}\n")
