"""A random program that prints all results and errors: `dispatch_program.py SEED STEPS`.

`dispatch_differences.py` compares its output with the dispatch extension and without it.
"""

from __future__ import annotations

import gc
import random
import sys
import threading
import warnings
from collections.abc import Callable
from contextlib import suppress
from typing import Any

import numpy as np
from runtime.fake import FakeDevice

import tfpy as tf
from tfpy._src.backends import registry
from tfpy._src.backends.backend import Backend
from tfpy._src.backends.interrupts import held
from tfpy._src.core import fast_path

SHAPES = (*[[3, 3]] * 4, *[[3]] * 2, [], [1], [2, 3], [3, 2], [0, 3], [2, 1, 3], [40, 30])
DTYPES = (*["float32"] * 7, "int32", "int32", "bool", "float64", "int64", "float16")
MOST = 12


class Device(FakeDevice):
    """A device with the bookkeeping of the JavaScript runtimes."""

    name = "device"
    discard = Backend.discard


class HostDevice(Device):
    """A device that leaves ops on few numbers to NumPy."""

    name = "host device"
    few = 16


BACKENDS = {"cpu": None, "device": Device, "host device": HostDevice}

BINARY: tuple[Callable[[Any, Any], Any], ...] = (
    lambda x, y: x + y,
    lambda x, y: x - y,
    lambda x, y: x * y,
    lambda x, y: x / y,
    lambda x, y: x // y,
    lambda x, y: x % y,
    lambda x, y: x**y,
    lambda x, y: x < y,
    lambda x, y: x >= y,
    lambda x, y: x == y,
    lambda x, y: x != y,
    lambda x, y: x & y,
    lambda x, y: x | y,
    lambda x, y: x ^ y,
    lambda x, y: x @ y,
    lambda x, y: tf.add(x, y),
    lambda x, y: tf.multiply(x, y),
    lambda x, y: tf.maximum(x, y),
    lambda x, y: tf.matmul(x, y, transpose_b=True),
    lambda x, y: tf.concat([x, y], 0),
    lambda x, y: tf.stack([x, y]),
    lambda x, y: tf.where(x > y, x, y),
    lambda x, y: tf.gather(x, tf.cast(y, "int32")),
    lambda x, y: tf.broadcast_to(x, tf.shape(y)),
)
UNARY: tuple[Callable[[Any], Any], ...] = (
    lambda x: -x,
    lambda x: abs(x),
    lambda x: ~x,
    lambda x: +x,
    lambda x: tf.identity(x),
    lambda x: tf.nn.relu(x),
    lambda x: tf.exp(x * 0.1),
    lambda x: tf.reduce_sum(x),
    lambda x: tf.reduce_sum(x, axis=0),
    lambda x: tf.reduce_sum(x, axis=-1, keepdims=True),
    lambda x: tf.reduce_max(x, axis=True),
    lambda x: tf.reshape(x, [-1]),
    lambda x: tf.reshape(x, [3, -1]),
    lambda x: tf.transpose(x),
    lambda x: tf.cast(x, "int32"),
    lambda x: tf.cast(x, "float32"),
    lambda x: tf.expand_dims(x, 0),
    lambda x: tf.argmax(x, axis=0),
    lambda x: tf.one_hot(tf.cast(x, "int32"), 3),
    lambda x: tf.clip_by_value(x, -1.0, 1.0),
    lambda x: tf.clip_by_value(x, -1, 1),
    lambda x: x[0],
    lambda x: x[..., ::-1],
    lambda x: 2.0 * x,
    lambda x: x * 2,
    lambda x: x * True,
    lambda x: 1 - x,
    lambda x: x + 0.0,
    lambda x: x * -0.0,
    lambda x: x - 3,
    lambda x: x > 1,
    lambda x: x == 0,
    lambda x: 2**x,
    lambda x: x // 2,
    lambda x: 7 % x,
    lambda x: x + float("nan"),
    lambda x: x * 1e300,
    lambda x: x * 2**40,
    lambda x: tf.maximum(x, 0.0),
    lambda x: tf.add(1, x),
    lambda x: x == None,  # noqa: E711  # the operator is what is tested
    lambda x: x + "string",
    lambda x: x + object(),
    lambda x: bool(x),
    lambda x: float(tf.reduce_sum(x)),
)


def shown(value: Any) -> str:
    """Return a string that contains all facts and bytes of a result."""
    if isinstance(value, list | tuple):
        return "[" + ", ".join(map(shown, value)) + "]"
    if isinstance(value, dict):
        return "{" + ", ".join(f"{k}: {shown(v)}" for k, v in value.items()) + "}"
    if isinstance(value, tf.Tensor) and value.is_disposed:
        return "disposed"
    if isinstance(value, tf.Tensor | tf.Variable):
        array = np.asarray(value.numpy())
        kind = f"{type(value).__name__} {value.dtype.name} {tuple(value.shape)}"
        return f"{kind} {array.dtype} {array.tobytes().hex()[:400]}"
    return f"{type(value).__name__} {value!r}"


class Program:
    """Values, functions and switches of a random program."""

    def __init__(self, seed: int) -> None:
        self.random = random.Random(seed)
        self.values: list[Any] = [self.fresh() for _ in range(MOST)]
        self.variables = [tf.Variable(np.ones(s, np.float32)) for s in ([], [3], [2, 3])]
        self.functions = self.made_functions()

    def fresh(self) -> Any:
        """Return a tensor with new values."""
        shape, dtype = self.random.choice(SHAPES), self.random.choice(DTYPES)
        numbers = np.random.default_rng(self.random.randrange(9**9)).integers(-3, 4, shape)
        return tf.constant(numbers.astype(dtype))

    def made_functions(self) -> list[Any]:
        """Return compiled functions of one or two tensors."""
        scalar, vector, matrix = self.variables
        captured = tf.constant([1.0, 2.0, 3.0])
        signature = [tf.TensorSpec([None], "float32")]
        return [
            tf.function(lambda x: x + x),
            tf.function(lambda x: x),
            tf.function(lambda x: (x * 2, x, {"sum": tf.reduce_sum(x)})),
            tf.function(lambda x: [tf.reshape(x, [-1]), captured]),
            tf.function(lambda x: x * scalar + tf.reduce_sum(vector * vector)),
            tf.function(lambda x: vector.assign_add(tf.reshape(x, [3]))),
            tf.function(lambda x: (matrix.assign(x), x + matrix)),
            tf.function(lambda x: None),
            tf.function(lambda x: 1.0),
            tf.function(lambda x: tf.gather(x, [0, 7])),
            tf.function(lambda x: x * 3.0, input_signature=signature),
            tf.function(lambda x: x - 1.0, reduce_retracing=True),
            tf.function(lambda x: tf.while_loop(lambda i, _: i < 3, self.body, [0, x])[1]),
            tf.function(lambda x: tf.py_function(np.sum, [x], tf.float32)),
            tf.function(lambda x, y: x + y),
            tf.function(lambda x, y: [x @ y, tf.matmul(y, x)]),
            tf.function(lambda x, y: tf.where(x > y, x * captured, y)),
        ]

    @staticmethod
    def body(i: Any, x: Any) -> Any:
        return i + 1, x + x

    def pick(self) -> Any:
        """Return an operand: mostly a tensor."""
        draw = self.random.random()
        if draw < 0.85:
            return self.random.choice(self.values)
        if draw < 0.92:
            return self.random.choice(self.variables)
        return self.random.choice([1, 2.5, True, None, np.float32(2), np.ones(3, np.float32), [1]])

    def keep(self, value: Any) -> None:
        """Use a result as an operand of later steps."""
        if isinstance(value, tf.Tensor):
            self.values[self.random.randrange(MOST)] = value

    def op(self) -> Any:
        if self.random.random() < 0.5:
            return self.random.choice(UNARY)(self.pick())
        return self.random.choice(BINARY)(self.pick(), self.pick())

    def call(self) -> Any:
        function = self.random.choice(self.functions)
        operands = [self.pick() for _ in range(self.random.choice([1, 1, 2]))]
        return function(*operands)

    def often(self) -> Any:
        """Repeat an op and a call on the same operands."""
        x, unary = self.random.choice(self.values), self.random.choice(UNARY)
        function = self.random.choice(self.functions)
        results: list[Any] = []
        for _ in range(4):
            for work in (unary, function):
                with suppress(TypeError, ValueError, tf.errors.OpError):
                    results.append(work(x))
        return results

    def taped(self) -> Any:
        x = self.random.choice(self.values)
        with tf.GradientTape(persistent=True) as tape:
            tape.watch(x)
            y = self.random.choice([self.op, self.call])()
            z = self.random.choice(self.functions)(x)
        return [y, z, tape.gradient(y, x), tape.gradient(z, [x, *self.variables])]

    def forward(self) -> Any:
        x = self.random.choice(self.values)
        with tf.autodiff.ForwardAccumulator(x, tf.ones_like(x)) as accumulator:
            y = self.random.choice(UNARY)(x)
        return [y, accumulator.jvp(y)]

    def tidied(self) -> Any:
        return tf.tidy(lambda: (self.op(), self.call())[0])

    def in_graph(self) -> Any:
        with tf.Graph().as_default():
            y = self.random.choice(UNARY)(tf.constant([1.0, 2.0]))
            return str(getattr(y, "name", y)), str(getattr(y, "shape", ""))

    def eagerly(self) -> Any:
        tf.config.run_functions_eagerly(True)
        try:
            return self.call()
        finally:
            tf.config.run_functions_eagerly(False)

    def checked(self) -> Any:
        tf.debugging.enable_check_numerics()
        try:
            return self.op()
        finally:
            tf.debugging.disable_check_numerics()

    def on_device(self) -> Any:
        with tf.device(self.random.choice(["CPU:0", "/device:CPU:0"])), tf.name_scope("scope"):
            return [self.op(), self.call()]

    def in_thread(self) -> Any:
        found: list[Any] = []
        thread = threading.Thread(target=lambda: found.append(attempt(self.often)))
        thread.start()
        thread.join()
        return found

    def assign(self) -> Any:
        variable = self.random.choice(self.variables)
        return variable.assign(tf.ones(variable.shape) * float(self.random.randrange(5)))

    def dispose(self) -> Any:
        place = self.random.randrange(MOST)
        self.values[place].dispose()
        result = attempt(lambda: self.values[place] + self.values[place])
        self.values[place] = self.fresh()
        return result

    def switch(self) -> Any:
        tf.set_backend(self.random.choice([*BACKENDS]))
        return tf.get_backend()

    def define(self) -> Any:
        self.functions[self.random.randrange(len(self.functions))] = tf.function(
            self.random.choice(UNARY)
        )
        return None

    def renew(self) -> Any:
        self.values[self.random.randrange(MOST)] = made = self.fresh()
        return made

    def state(self) -> Any:
        """Return the counts of memory, runs and moves."""
        gc.collect()
        counts = []
        for name, kind in BACKENDS.items():
            backend = registry._entries[name].backend
            if kind is not None and isinstance(backend, Device):
                backend.collect()
                numbers = (backend.runs, backend.uploads, backend.reads, len(backend.compiled))
                freed = sum(map(len, backend.freed))
                counts.append((name, numbers, freed, len(backend.released), backend.memory()))
        hits = [f.cache_info() for f in self.functions]
        return [held.depth, str(tf.memory()), counts, hits]


STEPS: dict[Callable[[Program], Any], int] = {
    **{Program.op: 30, Program.call: 20, Program.often: 15, Program.taped: 3, Program.forward: 1},
    **{Program.tidied: 2, Program.in_graph: 1, Program.eagerly: 1, Program.checked: 1},
    **{Program.on_device: 2, Program.in_thread: 2, Program.assign: 2, Program.dispose: 2},
    **{Program.switch: 1, Program.define: 1, Program.renew: 12, Program.state: 2},
}


def attempt(work: Callable[[], Any]) -> str:
    """Return the result of some work, or its error."""
    try:
        return shown(work())
    except Exception as error:
        return f"{type(error).__name__}: {error}"


def main(seed: int, steps: int) -> None:
    """Run a program and print a line for each step."""
    warnings.simplefilter("ignore")
    np.seterr(all="ignore")
    for name, kind in BACKENDS.items():
        if kind is not None:
            tf.register_backend(name, kind)
    tf.set_backend("device")
    program = Program(seed)
    choices, weights = [*STEPS], [*STEPS.values()]
    for _ in range(steps):
        step = program.random.choices(choices, weights)[0]
        found: list[Any] = []

        def work(step: Any = step, found: list[Any] = found) -> Any:
            found.append(step(program))
            return found[0]

        print(step.__name__, attempt(work))
        program.keep(found[0] if found else None)
    print("state", attempt(program.state))
    taken = (0, 0) if fast_path.extension is None else fast_path.extension.taken()
    print("taken", *taken, file=sys.stderr)


if __name__ == "__main__":
    main(int(sys.argv[1]), int(sys.argv[2]))
