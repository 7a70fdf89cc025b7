"""A soak's side in the page: random work on a backend, compared with the cpu backend.

A seed determines all work, and no clock determines its order, so every step can be repeated.
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
"""Maximum number of tensors that are held."""
CHECKED = 40
"""Number of steps after which all tensors are released, and must be gone."""
CLOSE = {"rtol": 2e-3, "atol": 2e-3}
ACTIONS = {
    **{"op": 50, "chain": 12, "gradient": 12, "training": 6, "reads": 9, "elsewhere": 5},
    **{"refused": 4, "reopened": 1, "lost": 1},
}
"""The actions, and how often they are done in a hundred steps."""
BUDGETS = (-1, 2**20, 2**24)
"""Budgets in bytes of a GPU backend that opens again."""


class Wrong(AssertionError):
    """An error that a soak finds."""


class Soak:
    """The state of a soak."""

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
        """Return the result of the cpu backend."""
        self.tf.set_backend("cpu")
        try:
            return run()
        finally:
            self.tf.set_backend(self.backend)

    def agree(self, found: Any, wanted: Any, what: str) -> None:
        """Check that shape, dtype and values agree."""
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
        """Return a held tensor with its values, and sometimes a new one."""
        fit = [one for one in self.held if one[1].dtype.name in dtypes] if dtypes else self.held
        if fit and self.rng.random() < 0.8:
            return fit[self.rng.integers(len(fit))]
        dtype = str(self.rng.choice(dtypes or ("float32", "float32", "int32", "bool")))
        array = self.ops.random_array(self.rng, self.ops.random_shape(self.rng), dtype)
        return self.keep(
            self.tf.constant(array) + 0 if dtype != "bool" else self.tf.constant(array), array
        )

    def _computed(self, tensor: Any) -> Any:
        """Return a tensor with the same values, which the host does not have."""
        return self.tf.identity(tensor) if tensor.dtype == self.tf.bool else tensor + 0

    def keep(self, tensor: Any, array: Any) -> tuple[Any, Any]:
        """Hold a tensor, and return it with its values."""
        self.held.append((tensor, array))
        return tensor, array

    def let_go(self) -> None:
        """Release tensors above the limit, with dispose() or as Python does it."""
        while len(self.held) > HELD:
            old, _ = self.held.pop(int(self.rng.integers(len(self.held))))
            if self.rng.random() < 0.3:
                old.dispose()

    async def read(self, tensor: Any) -> Any:
        """Read a tensor in one of the possible ways."""
        if self.rng.random() < 0.4:
            return tensor.numpy()
        return await tensor.data()

    # the actions

    async def op(self) -> None:
        """Run a function, op by op or compiled."""
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
        """Run functions one after another, and read the result."""
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
            return  # near a bound a comparison may have either result
        called = whole if self.rng.random() < 0.4 else self.ops.compiled(tf, whole)
        found = called(tf, x)
        self.agree(await self.read(found), shape, f"chain on {self.ops.text(array)}")

    async def gradient(self) -> None:
        """Compute the gradient of a function's square with respect to its operand."""
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
        """Run some training steps, from the same weights as on the cpu backend."""
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
        """Start many reads at once. Some are cancelled, and some tensors are disposed meanwhile."""
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
        """Use a tensor on another backend and return."""
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
        """Cause errors, after which everything must work as before."""
        tf = self.tf
        x, array = self.pick()
        wrong = self.ops.refusals(tf, x, array.size)
        use, kind = wrong[self.rng.integers(len(wrong) - (self.backend == "cpu"))]
        try:
            use()
        except (kind, ValueError):
            return
        raise Wrong("an expected error was not raised")

    async def lost(self) -> None:
        """Lose the device, with some values in flight, and open it again."""
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
            raise Wrong("the loss of the device is not reported")
        await self.tf.set_backend_async(self.backend)
        await self._what_is_left()

    async def reopened(self) -> None:
        """Remove the backend, and register it again with another budget."""
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
        """Check that values that the host has are right, and that the others are reported as lost.

        This includes constants that a function computed while it was traced.
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

    # checks and the loop

    async def check(self) -> None:
        """Release everything, and check that the same remains as the first time."""
        from tfpy._src.backends import custom_kernels
        from tfpy._src.core.scalar_cache import clear_scalars

        self.held.clear()
        self.twins.clear()
        for _ in range(3):  # tasks of the page, in which cancelled work ends
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
        """Do one step."""
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
        """Return the sizes that must not grow without limit."""
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
    """Continue the soak of a seed for a number of steps or seconds, whatever ends first.

    Args:
        ops: The source of ``soak_ops.py``.

    Returns:
        The next step, sizes, and the number of times each action was done.
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
