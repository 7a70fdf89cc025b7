"""Random programs of public functions: chains of three to nine calls on two inputs and weights.

A program is source text, ``def f(tf, x, y, w0, …)``, so that both libraries run the same program
and a failure can print it. Each call is tried while the program is generated, to find shapes and to
keep values bounded.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

import numpy as np

import tfpy

Array = np.ndarray[Any, Any]

ALONE = (
    "tf.nn.relu({0})", "tf.tanh({0})", "tf.sigmoid({0})", "tf.abs({0})", "-{0}", "tf.square({0})",
    "tf.nn.relu6({0})", "tf.nn.elu({0})", "tf.nn.gelu({0})", "tf.nn.silu({0})", "{0} ** 3",
    "tf.nn.softplus({0})", "tf.sqrt(tf.abs({0}) + 0.1)", "tf.math.rsqrt(tf.square({0}) + 1.0)",
    "1.0 / (2.0 + tf.square({0}))", "tf.clip_by_value({0}, -0.7, 0.8)", "{0} % 1.5",
    "tf.where({0} > 0.1, {0}, 0.5 * {0})", "tf.cast(tf.cast({0} * 3.0, tf.int32), tf.float32)",
    "tf.round({0})", "tf.cast({0} > 0.2, tf.float32)", "tf.maximum({0}, 0.0)", "{0} + 0.0",
    "{0} * 2.0", "1.0 * {0}", "0.5 - {0}", "{0} / 3.0", "tf.stop_gradient({0})", "tf.squeeze({0})",
    "tf.zeros_like({0}) + {0}", "tf.expand_dims({0}, -1)", "tf.expand_dims({0}, 0)",
    "tf.nn.softmax({0})", "tf.nn.log_softmax({0})", "tf.reduce_logsumexp({0}, -1)",
    "tf.cumsum({0}, -1)", "tf.sort({0}, -1)", "tf.math.l2_normalize({0}, -1)",
    "tf.one_hot(tf.argmax({0}, -1), 3)", "tf.matmul({0}, {0}, transpose_b=True)",
    "tf.matmul(tf.nn.softmax(tf.matmul({0}, {0}, transpose_b=True) * 0.5), {0})",
    "tf.nn.space_to_depth({0}, 2)", "tf.nn.depth_to_space({0}, 2)", "tf.roll({0}, 1, -1)",
    "tf.image.resize({0}, [3, 5])", "tf.math.segment_sum({0}, list(range(len({0}))))",
)  # fmt: skip
TOGETHER = (
    "{0} + {1}", "{0} - {1}", "{0} * {1}", "{0} / (tf.abs({1}) + 1.0)", "tf.maximum({0}, {1})",
    "tf.minimum({0}, {1})", "tf.where({0} > {1}, {0}, {1} * 0.5)", "tf.stack([{0}, {1}], -1)",
    "tf.math.squared_difference({0}, {1})", "tf.concat([{0}, {1}], 0)", "tf.concat([{0}, {1}], -1)",
)  # fmt: skip


class Chain(NamedTuple):
    """A program, its two inputs, and its weights."""

    text: str
    inputs: list[Array]
    weights: list[Array]

    def function(self) -> Callable[..., list[Any]]:
        """Return ``f(lib, x, y, *weights)``, which returns the outputs."""
        names: dict[str, Any] = {}
        exec(self.text, names)
        made: Callable[..., list[Any]] = names["f"]
        return made


class _Author:
    def __init__(self, seed: int) -> None:
        self.rng = np.random.default_rng(seed)
        rank = int(self.rng.integers(1, 4))
        image = (2, self.one((4, 6)), self.one((4, 5)), self.one((1, 3, 4)))
        small = tuple(int(n) for n in self.rng.integers(1, 6, rank))
        shape = image if self.rng.random() < 0.5 else small
        self.inputs = [self.rng.uniform(-1.5, 1.5, shape).astype(np.float32) for _ in range(2)]
        self.weights: list[Array] = []
        self.values: dict[str, Any] = {
            name: tfpy.constant(a) for name, a in zip("xy", self.inputs, strict=True)
        }
        self.lines: list[str] = []

    def one(self, options: Sequence[Any]) -> Any:
        return options[int(self.rng.integers(len(options)))]

    def weight(self, *shape: int) -> str:
        scale = np.sqrt(max(1, int(np.prod(shape[:-1]))))
        self.weights.append((self.rng.normal(size=shape) / scale).astype(np.float32))
        name = f"w{len(self.weights) - 1}"
        self.values[name] = tfpy.constant(self.weights[-1])
        return name

    def call(self) -> str:
        names = [n for n in self.values if n[0] != "w"]
        x = names[-1] if self.rng.random() < 0.6 else self.one(names)
        shape = [int(n) for n in self.values[x].shape]
        kind = self.rng.random()
        if kind < 0.45 or not shape:
            return str(self.one(ALONE)).format(x)
        if kind < 0.6:
            return str(self.one(TOGETHER)).format(x, self.one(names))
        options = [self.moved, self.reduced, self.scaled]
        if len(shape) > 1:
            options.append(self.multiplied)
        if len(shape) == 4:
            options += [self.convolved, self.convolved, self.pooled]
        return str(self.one(options)(x, shape))

    def moved(self, x: str, shape: list[int]) -> str:
        axis = int(self.rng.integers(len(shape)))
        at = int(self.rng.integers(shape[axis]))
        pads = [[int(n) for n in self.rng.integers(0, 3, 2)] for _ in shape]
        index = ", ".join([":"] * axis + [self.one((f"{at}", f"{at}:", "::-1", "::2"))])
        return str(
            self.one(
                (
                    f"tf.transpose({x}, {[int(i) for i in self.rng.permutation(len(shape))]})",
                    f"tf.reshape({x}, {shape[::-1]})",
                    f"tf.reshape({x}, [-1, {shape[-1]}])",
                    f"{x}[{index}]",
                    f"tf.pad({x}, {pads})",
                    f"tf.gather({x}, [{at}, 0], axis={axis})",
                    f"tf.tile({x}, {[self.one((1, 1, 2)) for _ in shape]})",
                    f"tf.broadcast_to({x}, {[2, *shape]})",
                    f"tf.reverse({x}, [{axis}])",
                )
            )
        )

    def reduced(self, x: str, shape: list[int]) -> str:
        kind = self.one(("sum", "mean", "max", "min", "prod"))
        axes = self.one((None, int(self.rng.integers(len(shape))), list(range(1, len(shape)))))
        return f"tf.reduce_{kind}({x}, {axes}, keepdims={self.rng.random() < 0.5})"

    def scaled(self, x: str, shape: list[int]) -> str:
        scale, offset = self.weight(shape[-1]), self.weight(shape[-1])
        moments = f"*tf.nn.moments({x}, [-1], keepdims=True)"
        return str(
            self.one(
                (
                    f"{x} * {scale} + {offset}",
                    f"(lambda m, v: ({x} - m) * tf.math.rsqrt(v + 1e-3) * {scale})({moments})",
                    f"tf.nn.batch_normalization({x}, {offset}, tf.abs({scale}) + 0.5, None, "
                    f"{self.one((None, scale))}, 1e-3)",
                )
            )
        )

    def multiplied(self, x: str, shape: list[int]) -> str:
        n = self.one((1, 3, 4))
        if self.rng.random() < 0.3:
            return f"tf.matmul({x}, {self.weight(n, shape[-1])}, transpose_b=True)"
        if self.rng.random() < 0.3:
            return f"tf.matmul({x}, {self.weight(shape[-2], n)}, transpose_a=True)"
        return f"tf.matmul({x}, {self.weight(shape[-1], n)})"

    def convolved(self, x: str, shape: list[int]) -> str:
        size, channels = self.one((1, 2, 3)), shape[-1]
        stride, padding = self.one((1, 1, 2, 3)), self.one(("SAME", "VALID"))
        if self.rng.random() < 0.3:
            filters = self.weight(size, size, channels, self.one((1, 2)))
            strides = [1, stride, stride, 1]
            return f"tf.nn.depthwise_conv2d({x}, {filters}, {strides}, {padding!r})"
        filters = self.weight(size, size, channels, 4)
        product = f"tf.nn.conv2d({x}, {filters}, {stride}, {padding!r})"
        if self.rng.random() < 0.5:
            return product
        mean, variance = self.weight(4), self.weight(4)
        return (
            f"tf.nn.relu(tf.nn.batch_normalization({product}, {mean}, tf.abs({variance}) + 0.5, "
            f"{mean}, {variance}, 1e-3))"
        )

    def pooled(self, x: str, shape: list[int]) -> str:
        padding = self.one(("SAME", "VALID"))
        return (
            f"tf.nn.{self.one(('max', 'avg'))}_pool2d({x}, 2, {self.one((1, 2, 3))}, {padding!r})"
        )

    def add(self) -> bool:
        """Add a random call, and return True if it was possible."""
        call = self.call()
        try:
            value = eval(call, {"tf": tfpy, **self.values})
        except (tfpy.errors.InvalidArgumentError, ValueError, TypeError):
            return False
        if not 0 < int(np.prod(value.shape)) <= 3000 or value.dtype != tfpy.float32:
            return False
        largest = float(tfpy.reduce_max(tfpy.abs(value)))
        if largest > 20:
            call, value = f"tf.tanh({call})", tfpy.tanh(value)
        name = f"t{len(self.lines)}"
        self.lines.append(f"    {name} = {call}\n")
        self.values[name] = value
        return bool(np.isfinite(largest))


def chain(seed: int) -> Chain:
    """Return the random program of a seed."""
    author = _Author(seed)
    for _ in range(int(author.rng.integers(3, 10))):
        while not author.add():
            pass
    last = f"t{len(author.lines) - 1}"
    outputs = [last, author.one([n for n in author.values if n[0] == "t"])]
    weights = "".join(f", w{i}" for i in range(len(author.weights)))
    text = f"def f(tf, x, y{weights}):\n{''.join(author.lines)}    return [{', '.join(outputs)}]\n"
    return Chain(text, author.inputs, author.weights)


def results(program: Chain, lib: Any, compile: Callable[[Any], Any]) -> list[Array]:
    """Return the second call's outputs and the gradients of inputs and weights."""
    function = program.function()
    weights = [lib.Variable(w) for w in program.weights]

    def step(*inputs: Any) -> Any:
        with lib.GradientTape() as tape:
            tape.watch(inputs)
            outputs = function(lib, *inputs, *weights)
            rng = np.random.default_rng(5)
            mixes = [rng.uniform(-1, 1, tuple(y.shape)).astype(np.float32) for y in outputs]
            loss = lib.add_n(
                [lib.reduce_sum(y * mix) for y, mix in zip(outputs, mixes, strict=True)]
            )
        sources = [*inputs, *weights]
        return outputs, tape.gradient(loss, sources, unconnected_gradients="zero")

    run = compile(step)
    inputs = [lib.constant(a) for a in program.inputs]
    run(*inputs)
    outputs, gradients = run(*inputs)
    return [np.asarray(lib.convert_to_tensor(y)) for y in (*outputs, *gradients)]
