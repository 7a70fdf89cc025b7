"""A soak's side in the page: random work on a backend, each value against the cpu backend's.

All is drawn from a seed and done in an order that no clock decides, so that a step comes again.
"""

from __future__ import annotations

import asyncio
import gc
import importlib
import sys
import time
import warnings
from collections import Counter
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np

BACKENDS = ("cpu", "wasm", "webgl", "webgpu")
HELD = 24
"""Tensors that are held, at most."""
CHECKED = 40
"""After so many steps all is let go, and must be gone."""
CLOSE = {"rtol": 2e-3, "atol": 2e-3}
ACTIONS = {
    **{"op": 50, "chain": 12, "gradient": 12, "training": 6, "reads": 9, "elsewhere": 5},
    **{"refused": 4, "reopened": 1, "lost": 1},
}
"""What is done, and how often of a hundred times."""
BUDGETS = (-1, 2**20, 2**24)
"""Bytes that a GPU backend may hold, when it opens anew."""


class Wrong(AssertionError):
    """What a soak finds."""


class Soak:
    """A program that goes on for long."""

    def __init__(self, tf: Any, ops: Any, backend: str, seed: int) -> None:
        self.ops = ops
        self.tf, self.backend, self.seed, self.step = tf, backend, seed, 0
        self.rng = np.random.default_rng(seed)
        self.order = np.random.default_rng([seed, 1])
        self.held: list[tuple[Any, Any]] = []
        self.done: Counter[str] = Counter()
        self.unhandled: list[str] = []
        self.baseline: dict[str, int] = {}
        self.twins = [self._network(), self._network()]

    # values

    def reference(self, run: Callable[[], Any]) -> Any:
        """What the cpu backend gives."""
        self.tf.set_backend("cpu")
        try:
            return run()
        finally:
            self.tf.set_backend(self.backend)

    def agree(self, found: Any, wanted: Any, what: str) -> None:
        """The same shape, dtype and values."""
        found = np.asarray(found)
        if (found.shape, found.dtype) != (wanted.shape, wanted.dtype):
            raise Wrong(f"{what}: {found.dtype}{found.shape} for {wanted.dtype}{wanted.shape}")
        if wanted.dtype == np.float32:
            good = np.isclose(found, wanted, equal_nan=True, **CLOSE)
        else:
            good = found == wanted
        if not good.all():
            at = np.argwhere(~good)[:3].tolist()
            raise Wrong(f"{what}: {(~good).sum()} of {good.size} values, at {at}")

    def pick(self, *dtypes: str) -> tuple[Any, Any]:
        """A tensor that is held, with its values; a new one now and then."""
        fit = [one for one in self.held if one[1].dtype.name in dtypes] if dtypes else self.held
        if fit and self.rng.random() < 0.8:
            return fit[self.rng.integers(len(fit))]
        dtype = str(self.rng.choice(dtypes or ("float32", "float32", "int32", "bool")))
        array = self.ops.random_array(self.rng, self.ops.random_shape(self.rng), dtype)
        return self.keep(
            self.tf.constant(array) + 0 if dtype != "bool" else self.tf.constant(array), array
        )

    def _computed(self, tensor: Any) -> Any:
        """The same values, of which the host has none."""
        return self.tf.identity(tensor) if tensor.dtype == self.tf.bool else tensor + 0

    def keep(self, tensor: Any, array: Any) -> tuple[Any, Any]:
        """Holds it."""
        self.held.append((tensor, array))
        return tensor, array

    def let_go(self) -> None:
        """Ends what is too many, by dispose() or as Python does it."""
        while len(self.held) > HELD:
            old, _ = self.held.pop(int(self.rng.integers(len(self.held))))
            if self.rng.random() < 0.3:
                old.dispose()

    async def read(self, tensor: Any) -> Any:
        """In one of the ways."""
        if self.rng.random() < 0.4:
            return tensor.numpy()
        return await tensor.data()

    # what is done

    async def op(self) -> None:
        """A function, op by op or compiled."""
        x, array = self.pick()
        f, tf = self.ops.random_function(self.rng, array), self.tf
        wanted = self.reference(lambda: f(tf, tf.constant(array)).numpy())
        called = f if self.rng.random() < 0.7 else self.ops.compiled(tf, f)
        found = called(tf, x)
        values = await self.read(found)
        self.agree(
            values, wanted, f"{'op' if called is f else 'compiled'} on {self.ops.text(array)}"
        )
        self.keep(found, values)

    async def chain(self) -> None:
        """Functions one after another, read at the end."""
        tf = self.tf
        x, array = self.pick("float32")
        parts, shape = [], array
        for _ in range(self.rng.integers(2, 6)):
            f = self.ops.random_function(self.rng, shape)
            shape = self.reference(partial(_values, tf, f, shape))
            parts.append(f)
            if shape.size > 2**17:
                break

        def whole(tf: Any, x: Any) -> Any:
            for f in parts:
                x = f(tf, x)
            return x

        if shape.dtype != np.float32:
            return  # near a bound a comparison may go either way
        called = whole if self.rng.random() < 0.4 else self.ops.compiled(tf, whole)
        found = called(tf, x)
        self.agree(await self.read(found), shape, f"chain on {self.ops.text(array)}")

    async def gradient(self) -> None:
        """Of a function's square, with respect to its operand."""
        x, array = self.pick("float32")
        f, tf = self.ops.random_function(self.rng, array), self.tf
        if self.reference(lambda: f(tf, tf.constant(array)).dtype) != tf.float32:
            return

        def derivative(tf: Any, x: Any) -> Any:
            with tf.GradientTape() as tape:
                tape.watch(x)
                loss = tf.reduce_sum(tf.square(f(tf, x)))
            return tf.convert_to_tensor(tape.gradient(loss, x, unconnected_gradients="zero"))

        wanted = self.reference(lambda: derivative(tf, tf.constant(array)).numpy())
        called = derivative if self.rng.random() < 0.6 else self.ops.compiled(tf, derivative)
        self.agree(await self.read(called(tf, x)), wanted, f"gradient at {self.ops.text(array)}")

    async def training(self) -> None:
        """Some steps, from the same weights as on the cpu backend."""
        tf = self.tf
        xs = self.ops.random_array(self.rng, (8, 12), "float32")
        ys = self.ops.random_array(self.rng, (8, 3), "float32")
        (weights, step), (others, reference) = self.twins
        values = [0.3 * self.ops.random_array(self.rng, tuple(w.shape), "float32") for w in weights]
        for variables in (weights, others):
            for variable, value in zip(variables, values, strict=True):
                variable.assign(value)
        for _ in range(3):
            loss = step(tf.constant(xs), tf.constant(ys))
            wanted = self.reference(lambda: reference(tf.constant(xs), tf.constant(ys)).numpy())
            if self.rng.random() < 0.5:
                self.agree(await self.read(loss), wanted, "the loss of a training step")
        for variable, other in zip(weights, others, strict=True):
            wanted = self.reference(other.numpy)
            self.agree(await self.read(variable), wanted, "a Variable after training")

    def _network(self) -> tuple[list[Any], Any]:
        tf = self.tf
        shapes = ((12, 16), (16,), (16, 3), (3,))
        weights = [tf.Variable(tf.zeros(shape)) for shape in shapes]

        @tf.function
        def step(x: Any, y: Any) -> Any:
            w1, b1, w2, b2 = weights
            with tf.GradientTape() as tape:
                out = tf.tanh(x @ w1 + b1) @ w2 + b2
                loss = tf.reduce_mean((out - y) ** 2)
            for w, g in zip(weights, tape.gradient(loss, weights), strict=True):
                w.assign_sub(0.1 * g)
            return loss

        return weights, step

    async def reads(self) -> None:
        """Many at once; some are cancelled, and some tensors disposed meanwhile."""
        some = [self.pick() for _ in range(6)]
        made = [(self._computed(t), a) for t, a in some]
        tasks = [asyncio.ensure_future(t.data()) for t, _ in made]
        for _ in range(int(self.rng.integers(0, 4))):
            await asyncio.sleep(0)
        cancelled = {i for i in range(6) if self.rng.random() < 0.3}
        disposed = {i for i in range(6) if self.rng.random() < 0.2}
        for i in cancelled:
            tasks[i].cancel()
        begun = bool(self.rng.integers(2))
        if begun:
            await asyncio.sleep(0)
            for i in disposed:
                made[i][0].dispose()
        found = await asyncio.gather(*tasks, return_exceptions=True)
        for i, (value, (_, array)) in enumerate(zip(found, made, strict=True)):
            if isinstance(value, asyncio.CancelledError) and i in cancelled:
                continue
            if isinstance(value, RuntimeError) and i in disposed and "disposed" in str(value):
                continue
            if isinstance(value, BaseException):
                raise value
            self.agree(value, array, f"a read of {self.ops.text(array)}")

    async def elsewhere(self) -> None:
        """A tensor is used on another backend and comes back."""
        x, array = self.pick("float32")
        name = str(
            self.rng.choice([n for n in ("cpu", "wasm", "webgl", "webgpu") if n != self.backend])
        )
        try:
            await self.tf.set_backend_async(name)
        except RuntimeError:
            await self.tf.set_backend_async(self.backend)
            return  # not in this browser
        y = x * 0.5
        await self.tf.set_backend_async(self.backend)
        self.agree(
            await self.read(y + 1.0), array * np.float32(0.5) + 1, f"moved {self.ops.text(array)}"
        )

    async def refused(self) -> None:
        """Errors, after which all goes on."""
        tf = self.tf
        x, array = self.pick()
        wrong = self.ops.refusals(tf, x, array.size)
        use, kind = wrong[self.rng.integers(len(wrong) - (self.backend == "cpu"))]
        try:
            use()
        except (kind, ValueError):
            return
        raise Wrong("an error did not come")

    async def lost(self) -> None:
        """The browser takes the device away, some values under way; it is opened anew."""
        if not self.backend.startswith("webg"):
            return
        some = [self.pick() for _ in range(3)]
        tasks = [asyncio.ensure_future(t.data()) for t, _ in some]
        if self.rng.random() < 0.5:
            await asyncio.sleep(0)
        self.ops.lose(self.tf, self.backend)
        found = await asyncio.gather(*tasks, return_exceptions=True)
        for value, (_, array) in zip(found, some, strict=True):
            self._right_or_lost(value, array)
        await asyncio.sleep(0.05)
        if not self.tf.backend_report()[self.backend]["status"] == "lost":
            raise Wrong("the loss is not reported")
        await self.tf.set_backend_async(self.backend)
        await self._what_is_left()

    async def reopened(self) -> None:
        """The backend is removed and entered again, with another budget."""
        tf, name = self.tf, self.backend
        if name == "cpu":
            return
        factory, priority = tf.find_backend_factory(name), tf.backend_report()[name]["priority"]
        tf.remove_backend(name)
        tf.env().set("TFPY_GPU_MEMORY_BUDGET", int(self.rng.choice(BUDGETS)))
        tf.register_backend(name, factory, priority)
        await tf.set_backend_async(name)
        await self._what_is_left()

    def _right_or_lost(self, value: Any, array: Any) -> bool:
        if isinstance(value, self.tf.errors.UnavailableError):
            return False
        if isinstance(value, BaseException):
            raise Wrong(f"after a loss: {type(value).__name__}: {value}")
        self.agree(value, array, f"{self.ops.text(array)} after a loss")
        return True

    async def _what_is_left(self) -> None:
        """Tensors that the host has are right; the others say that they are lost.

        So are constants that a function has computed while it was traced.
        """
        self.twins[0] = self._network()
        held, self.held = self.held, []
        for tensor, array in held:
            try:
                value = await tensor.data()
            except Exception as error:
                value = error
            if self._right_or_lost(value, array):
                self.held.append((tensor, array))

    # all of it

    async def check(self) -> None:
        """Lets everything go; what is left is what was left the first time."""
        from tfpy._src.backends import custom_kernels
        from tfpy._src.core.scalar_cache import clear_scalars

        self.held.clear()
        self.twins.clear()
        for _ in range(3):  # of the page, in which ends what was cancelled
            await asyncio.sleep(0.01)
        for name in BACKENDS:
            custom_kernels.forget_programs(name)
        clear_scalars()
        gc.collect()
        found = self.tf.memory()
        counts = {"tensors": found["numTensors"], "buffers": found["numDataBuffers"]}
        counts["slots"] = found["backend"].get("slots", 0)
        self.baseline = self.baseline or counts
        if any(counts[name] > count for name, count in self.baseline.items()):
            raise Wrong(f"growth: {counts}, at first {self.baseline}")
        self.twins = [self._network(), self._network()]

    async def one(self) -> None:
        """A step."""
        name = str(self.order.choice(list(ACTIONS), p=np.array(list(ACTIONS.values())) / 100))
        chosen = getattr(self, name)
        self.done[chosen.__name__] += 1
        try:
            await chosen()
            self.let_go()
            self.step += 1
            if self.step % CHECKED == 0:
                await self.check()
            if self.unhandled:
                raise Wrong(f"unhandled: {self.unhandled}")
        except Exception as error:
            error.add_note(f"in step {self.step} ({chosen.__name__}) of seed {self.seed}")
            raise

    def sizes(self) -> dict[str, int]:
        """What must not grow for ever."""
        import js
        import pyodide_js

        backend = self.tf.memory()["backend"]
        heap = getattr(getattr(js, "performance", None), "memory", None)
        return {
            "python": len(gc.get_objects()),
            "pyodide": int(pyodide_js._module.HEAP8.length),
            **({"javascript": int(heap.usedJSHeapSize)} if heap else {}),
            **backend,
        }


def _values(tf: Any, f: Any, array: Any) -> Any:
    return f(tf, tf.constant(array)).numpy()


_soaks: dict[tuple[str, int], Soak] = {}


async def go(
    tf: Any, backend: str, ops: str, seed: int, steps: int, seconds: float
) -> dict[str, Any]:
    """Goes on with the soak of a seed for so many steps or seconds, whatever ends first.

    Args:
        ops: the source of ``soak_ops.py``.

    Returns:
        The step that comes next, sizes, and how often what was done.
    """
    if (backend, seed) not in _soaks:
        await tf.set_backend_async("cpu")
        await tf.set_backend_async(backend)
        Path("soak_ops.py").write_text(ops)
        sys.path.append(str(Path.cwd()))
        _soaks[backend, seed] = Soak(tf, importlib.import_module("soak_ops"), backend, seed)
    soak = _soaks[backend, seed]
    asyncio.get_running_loop().set_exception_handler(
        lambda loop, context: soak.unhandled.append(str(context))
    )
    until, last = time.monotonic() + seconds, soak.step + steps
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        while soak.step < last and time.monotonic() < until:
            await soak.one()
    return {"step": soak.step, "sizes": soak.sizes(), "done": dict(soak.done)}
