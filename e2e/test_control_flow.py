"""Compiled control flow on devices: results and gradients equal the eager ones."""

from __future__ import annotations

import functools

import numpy as np
import pytest

from tfpy.testing import run_in_browser


def branches(tf, x, w):
    if tf.reduce_sum(x) > 0:
        x = x @ w
        return tf.nn.relu(x)
    return tf.tanh(x @ w) - 1.0


def powers(tf, x, w):
    n = tf.constant(0)
    while tf.reduce_max(tf.abs(x)) < 50.0:
        x = x @ w
        n += 1
    return x, n


def recurrent(tf, x, w):
    state = tf.zeros([3])
    states = tf.TensorArray(tf.float32, size=4)
    for t in tf.range(4):
        state = tf.tanh(tf.linalg.matvec(w, state) + x[t])
        states = states.write(t, state)
    return states.stack()


def rows(tf, x, w):
    return (
        tf.map_fn(lambda r: r * tf.reduce_sum(r), x),
        tf.scan(lambda a, r: a * 0.5 + r, x),
        tf.scan(lambda a, r: tf.linalg.matvec(w, a) + r, x, reverse=True),
        tf.foldl(lambda a, r: tf.maximum(a, r), x),
    )


def stops(tf, x, w):
    total = tf.zeros([3])
    for row in x:
        if tf.reduce_sum(row) > 1.5:
            break
        if row[0] < 0:
            continue
        total = total + tf.linalg.matvec(w, row)
    return total


def nested(tf, x, w):
    for i in tf.range(3):
        for j in tf.range(i + 1):
            x = x * 0.9 + tf.cast(j, tf.float32) * w[0] if x[0, 0] < 1.0 else x @ w
    return x


PROGRAMS = (branches, powers, recurrent, rows, stops, nested)


@pytest.mark.parametrize("number", range(len(PROGRAMS)))
@run_in_browser(backends=("wasm", "webgl", "webgpu"))
def test_programs(tf, backend, number):
    program = PROGRAMS[number]
    compiled = tf.function(program)
    rng = np.random.default_rng(number)
    for sign in (1, -1):
        x = tf.constant(sign * rng.uniform(-0.3, 1.0, [4, 3]).astype(np.float32))
        w = tf.constant((np.eye(3) + rng.uniform(0.3, 0.5, [3, 3])).astype(np.float32))
        results = []
        for function in (program, compiled):
            with tf.GradientTape() as tape:
                tape.watch([x, w])
                found = function(tf, x, w)
                leaves = list(found) if isinstance(found, tuple) else [found]
                floats = [t for t in leaves if t.dtype == tf.float32]
            grads = tape.gradient(floats, [x, w], unconnected_gradients="zero")
            results.append([np.asarray(t) for t in (*leaves, *grads)])
        for mine, wanted in zip(results[1], results[0], strict=True):
            np.testing.assert_allclose(mine, wanted, rtol=2e-3, atol=2e-4)


@run_in_browser(backends=("wasm", "webgl", "webgpu"))
def test_arrays_that_functions_return(tf, backend):
    """Check that a list of device elements is read immediately and inside another function."""

    @tf.function
    def squares(x):
        rows = tf.TensorArray(tf.float32, 4)
        for i in tf.range(4):
            rows = rows.write(i, x[i] * x[i])
        return rows, {"doubled": tf.TensorArray(tf.float32, 4).unstack(x * 2.0)}, x + 1.0

    def read(x):
        rows, more, other = squares(x)
        rows = tf.TensorArray(tf.float32, flow=rows)
        doubled = tf.raw_ops.TensorListGetItem(
            input_handle=more["doubled"], index=1, element_shape=[3], element_dtype=tf.float32
        )
        return rows.write(0, x[3]).stack() * doubled + other

    def direct(x):
        return tf.concat([x[3:], x[1:] * x[1:]], 0) * (x[1] * 2.0) + x + 1.0

    x = tf.constant(np.linspace(-1.0, 1.5, 12, dtype=np.float32).reshape(4, 3))
    results = []
    for function in (direct, read, tf.function(read)):
        with tf.GradientTape() as outer:
            outer.watch(x)
            with tf.GradientTape() as inner:
                inner.watch(x)
                found = function(x)
            gradient = inner.gradient(found, x)
        results.append([np.asarray(t) for t in (found, gradient, outer.gradient(gradient, x))])
    for mine in results[1:]:
        for array, wanted in zip(mine, results[0], strict=True):
            np.testing.assert_allclose(array, wanted, rtol=1e-3, atol=1e-4)


def summed(tf, x):
    total = tf.zeros([2])
    for row in x:
        total += row
    return total


def summed_elements(tf, x):
    total = tf.constant(0.0)
    for row in tf.transpose(x):
        for element in row:
            if element < 0.0:
                continue
            total += element
    return total


def counted(tf, x):
    return tf.while_loop(
        lambda i, s: i < tf.shape(x)[0],
        lambda i, s: (i + 1, s + x[i]),
        [0, tf.zeros([2])],
    )


def mapped(tf, x):
    initial = tf.zeros([2])
    return (
        tf.map_fn(lambda row: row * 2.0, x),
        tf.scan(lambda a, row: a + row, x, initializer=initial),
        tf.foldl(lambda a, row: a + row, x, initializer=initial),
        tf.foldr(lambda a, row: a + row, x, initializer=initial),
    )


def collected(tf, x):
    rows = tf.TensorArray(tf.float32, tf.shape(x)[0]).unstack(x)
    found = tf.TensorArray(tf.float32, tf.shape(x)[0])
    for i in tf.range(rows.size()):
        found = found.write(i, rows.read(i) * 2.0)
    return found.stack()


WITHOUT_ROWS = (summed, summed_elements, counted, mapped, collected)

REFUSED = {
    "gather": lambda tf, x: tf.gather(x, 0),
    "gather_axis": lambda tf, x: tf.gather(tf.transpose(x), [0, 0], axis=1),
    "gather_nd": lambda tf, x: tf.gather_nd(x, [[0]]),
    "embedding": lambda tf, x: tf.nn.embedding_lookup(x, [0]),
    "argmax": lambda tf, x: tf.argmax(x, 0),
    "argmin": lambda tf, x: tf.argmin(x, 0),
    "slice": lambda tf, x: tf.slice(x, [0, 0], [1, 2]),
    "reflect": lambda tf, x: tf.pad(x, [[1, 1], [0, 0]], "REFLECT"),
    "symmetric": lambda tf, x: tf.pad(x, [[1, 1], [0, 0]], "SYMMETRIC"),
    "broadcast": lambda tf, x: tf.broadcast_to(x, [3, 2]),
    "band": lambda tf, x: tf.linalg.band_part(x, 1, 0),
    "resize": lambda tf, x: tf.image.resize(x[None, ..., None], [3, 3]),
    "resize_nearest": lambda tf, x: tf.image.resize(x[None, ..., None], [3, 3], "nearest"),
    "crops": lambda tf, x: tf.image.crop_and_resize(
        x[None, ..., None], tf.zeros([1, 4]), [0], [3, 3]
    ),
    "convolution": lambda tf, x: tf.nn.conv2d(
        tf.ones([1, 3, 3, 1]), x[:, :1, None, None], 1, "SAME"
    ),
    "categorical": lambda tf, x: tf.random.categorical(tf.transpose(x), 3),
    "cross_entropy": lambda tf, x: tf.nn.sparse_softmax_cross_entropy_with_logits(
        tf.zeros([2], tf.int32), tf.transpose(x)
    ),
    "integers": lambda tf, x: tf.random.uniform([2], 0, tf.shape(x)[0], tf.int32),
    "histogram": lambda tf, x: tf.histogram_fixed_width(x, [1.0, 1.0], 3),
    "cumsum": lambda tf, x: tf.cumsum(x, 2),
    "segments": lambda tf, x: tf.math.segment_mean(tf.transpose(x), tf.constant([1, 0])),
    "negative segments": lambda tf, x: tf.math.segment_sum(tf.transpose(x), [-1, 0]),
    "cumprod": lambda tf, x: tf.math.cumprod(x, -3),
    "cumulative_logsumexp": lambda tf, x: tf.math.cumulative_logsumexp(x, 2, reverse=True),
    "saturation": lambda tf, x: tf.image.adjust_saturation(x[None], 2.0),
}
"""Functions that fail whenever they run on a tensor without rows."""


def guarded(tf, function):
    """Return a function that calls `function` only in branches that empty tensors never reach."""

    def run(x, n):
        if n > 0.0:
            found = tf.reduce_sum(tf.cast(function(tf, x), tf.float32) + n)
        else:
            found = tf.reduce_sum(x) + n
        i = tf.constant(0.0)
        while i < n:
            found += tf.reduce_sum(tf.cast(function(tf, x), tf.float32))
            i += 1.0
        return found

    return run


def with_gradient(tf, function, x):
    with tf.GradientTape() as tape:
        tape.watch(x)
        found = tf.nest.flatten(function(x))
        floats = [t for t in found if t.dtype == tf.float32]
    gradient = tape.gradient(floats, x, unconnected_gradients="zero")
    return [np.asarray(tf.convert_to_tensor(t)) for t in (*found, gradient)]


def refuses(tf, function, *inputs):
    try:
        function(*inputs)
    except tf.errors.InvalidArgumentError:
        return True
    return False


@run_in_browser(backends=("wasm", "webgl", "webgpu"))
def test_without_rows(tf, backend):
    """Check that loops over no rows return the eager result.

    Branches that never run cannot fail.
    """
    none, few = tf.zeros([0, 2]), tf.constant([[1.0, 2.0], [3.0, 4.0]])
    for program in WITHOUT_ROWS:
        plain = functools.partial(program, tf)
        compiled = tf.function(plain)
        for x in (none, few, none):
            found, wanted = (with_gradient(tf, f, x) for f in (compiled, plain))
            for mine, array in zip(found, wanted, strict=True):
                np.testing.assert_allclose(mine.ravel(), array.ravel(), err_msg=program.__name__)
    for name, function in REFUSED.items():
        compiled = tf.function(guarded(tf, function))
        assert compiled(none, tf.constant(0.0)).numpy() == 0.0, name
        assert refuses(tf, function, tf, none), name
        assert refuses(tf, compiled, none, tf.constant(1.0)), name
    assert (tf.constant([1.0]) + 1.0).numpy().tolist() == [2.0]


def layer(tf, x):
    w = tf.reshape(tf.range(6.0), [3, 2]) / 6.0
    return tf.nn.softmax(tf.squeeze(x[None] @ w, 0)) * x[0]


def windows(tf, x):
    image = tf.reshape(x, [1, 4, 4, 1])
    found = tf.nn.conv2d(image, tf.ones([2, 2, 1, 3]) / 4.0, 1, "SAME")
    return tf.nn.max_pool2d(found, 2, 2, "VALID"), tf.nn.avg_pool2d(image, 2, 1, "SAME")


def inner_map(tf, x):
    return tf.vectorized_map(lambda v: v * tf.reduce_sum(x), x)


def inner_gradient(tf, x):
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = tf.reduce_sum(x**3)
    return tape.gradient(y, x)


VECTORIZED = {
    "elementwise": (lambda tf, x: tf.tanh(x) * 2.0 + tf.reduce_max(x), [[3]]),
    "broadcast": (lambda tf, x, y: x + y[:, None] * tf.ones([2, 1, 3]), [[3], [2]]),
    "layer": (layer, [[3]]),
    "products": (lambda tf, x, y: (x @ y, tf.matmul(x, x, transpose_b=True)), [[2, 3], [3, 2]]),
    "windows": (windows, [[16]]),
    "gather": (lambda tf, x, y: tf.gather(x, tf.cast(y, tf.int32)), [[4, 2], [3]]),
    "gather_shared": (
        lambda tf, y: tf.gather(tf.reshape(tf.range(8.0), [2, 4]), tf.cast(y, tf.int32), axis=1),
        [[3]],
    ),
    "one_hot": (lambda tf, y: tf.one_hot(tf.cast(y, tf.int32), 3), [[4]]),
    "segments": (lambda tf, x: tf.math.unsorted_segment_sum(x, [0, 2, 0], 3), [[3, 2]]),
    "scatter": (lambda tf, x: tf.tensor_scatter_nd_update(x, [[1]], [5.0]), [[3]]),
    "reshaping": (lambda tf, x: tf.transpose(tf.reshape(x, [3, 2]))[::-1, 1:], [[6]]),
    "joining": (lambda tf, x, y: tf.concat([x, y, tf.ones([1])], 0), [[2], [3]]),
    "padding": (lambda tf, x: tf.pad(x, [[1, 0], [0, 2]], "SYMMETRIC"), [[2, 3]]),
    "sorting": (lambda tf, x: (tf.sort(x), tf.argmax(x), tf.math.top_k(x, 2)), [[4]]),
    "scan": (lambda tf, x: tf.cumsum(x, axis=1, reverse=True), [[2, 4]]),
    "select": (lambda tf, x: tf.where(x > 1.0, x, tf.zeros([3])), [[3]]),
    "solve": (lambda tf, x: tf.linalg.solve(tf.linalg.diag(x), x[:, None]), [[3]]),
    "nested": (inner_map, [[3]]),
    "inner_gradient": (inner_gradient, [[3]]),
}
"""Functions of one row, with the shapes of their tensors."""


@run_in_browser(backends=("wasm", "webgl", "webgpu"))
def test_vectorized_map(tf, backend):
    """Check that a vectorized call returns the same as one call per row."""
    rng = np.random.default_rng(0)
    for name, (function, shapes) in VECTORIZED.items():
        rows = [rng.uniform(0.5, 2.0, [3, *s]).astype(np.float32) for s in shapes]
        apply = lambda row, f=function: f(tf, *row)  # noqa: E731
        each = [tf.nest.flatten(apply([tf.constant(x[i]) for x in rows])) for i in range(3)]
        tensors = [tf.constant(x) for x in rows]
        for run in (tf.vectorized_map, tf.function(tf.vectorized_map)):
            found = tf.nest.flatten(run(apply, tensors))
            for mine, *parts in zip(found, *each, strict=True):
                wanted = np.stack([np.asarray(t) for t in parts])
                np.testing.assert_allclose(mine.numpy(), wanted, 1e-3, 1e-3, err_msg=name)
    assert tf.vectorized_map(lambda x: tf.reduce_sum(x), tf.zeros([0, 2])).shape == (0,)


@run_in_browser(backends=("wasm", "webgl", "webgpu"))
def test_variables_and_effects(tf, backend):
    import io
    import sys
    from contextlib import redirect_stderr

    v = tf.Variable([1.0, 2.0])

    @tf.function
    def train(x):
        for i in tf.range(3):
            with tf.GradientTape() as tape:
                loss = tf.reduce_sum((v * x - 1.0) ** 2)
            v.assign_sub(0.1 * tape.gradient(loss, v))
            tf.print("step", i)
        return v * 1.0

    text = io.StringIO()
    with redirect_stderr(text):
        result = train(tf.constant([1.0, 0.5]))
    assert text.getvalue() == "step 0\nstep 1\nstep 2\n", sys.version
    wanted = np.array([1.0, 2.0])
    x = np.array([1.0, 0.5])
    for _ in range(3):
        wanted = wanted - 0.1 * 2 * (wanted * x - 1) * x
    np.testing.assert_allclose(result.numpy(), wanted, rtol=1e-5)
    np.testing.assert_allclose(v.numpy(), wanted, rtol=1e-5)


@run_in_browser(backends=("wasm", "webgl", "webgpu"))
def test_gradients_of_assigned_variables(tf, backend):
    v, w = tf.Variable([1.0, 2.0]), tf.Variable([3.0, 0.5])

    def step():
        y = tf.reduce_sum(v * w)
        if tf.reduce_sum(w) > 0.0:
            v.assign(v * w)
        for _ in tf.range(2):
            v.assign_add(w)
            y += tf.reduce_sum(v**2)
        return y * tf.reduce_sum(v)

    found = []
    for function in (step, tf.function(step)):
        v.assign([1.0, 2.0])
        with tf.GradientTape() as tape:
            y = function()
        found.append([y.numpy(), v.numpy(), *(g.numpy() for g in tape.gradient(y, [v, w]))])
    for mine, wanted in zip(found[1], found[0], strict=True):
        np.testing.assert_allclose(mine, wanted, rtol=1e-4)


@run_in_browser(backends=("wasm", "webgl", "webgpu"))
def test_decorated_methods_of_an_installed_package(tf, backend):
    class Model:
        def __init__(self):
            self.weight = tf.Variable(2.0)

        @tf.function
        def call(self, x):
            if x > self.weight:
                self.weight.assign_add(1.0)
                return x * self.weight
            return x

    model = Model()
    assert [model.call(tf.constant(x)).numpy() for x in (1.0, 3.0)] == [1, 9]
    assert model.weight.numpy() == 3


@run_in_browser(backends=("wasm", "webgl", "webgpu"))
async def test_awaited_loops_that_run_ahead(tf, backend):
    """Check that a loop returns the state at which it ends, although later iterations began."""
    from tfpy._src.functions.control import loop_run, undecided

    def grow(x, limit):
        cache, n = tf.zeros([64, 4]), tf.constant(0)
        while tf.reduce_max(x) < limit:
            cache = tf.tensor_scatter_nd_update(cache, [[n]], [x])  # nothing reads it afterwards
            x = x * 1.5 + cache[n] * 0.25
            n += 1
        return x, n

    compiled = tf.function(grow)
    start = np.array([0.25, 1.0, 0.5, 0.75], np.float32)

    class Watcher:
        def __init__(self):
            self.chosen, self.seen = 0, []

        def choose(self, state):
            self.chosen += 1
            return next(t for t in state if t.shape == [4])

        def see(self, values):
            self.seen.append(values)
            return len(self.seen) < 3

    watcher = Watcher()

    before, undecided.AHEAD_SECONDS = undecided.AHEAD_SECONDS, 1e6
    try:
        for limit in (0.5, 1.5, 3.0, 60.0, 1e6):
            steps, x = 0, start
            while x.max() < limit:
                steps, x = steps + 1, x * np.float32(1.75)
            found = await compiled.call_async(tf.constant(start), tf.constant(limit))
            assert int(await found[1].data()) == steps
            np.testing.assert_allclose(await found[0].data(), x, rtol=1e-6)
        token = loop_run.WATCHER.set(watcher)
        found = await compiled.call_async(tf.constant(start), tf.constant(60.0))
        loop_run.WATCHER.reset(token)
    finally:
        undecided.AHEAD_SECONDS = before
    assert (watcher.chosen > 3) == (backend != "wasm")
    assert int(await found[1].data()) == len(watcher.seen) == 3
    for steps, values in enumerate(watcher.seen, 1):
        np.testing.assert_allclose(values, start * 1.75**steps, rtol=1e-6)
    np.testing.assert_array_equal(await found[0].data(), watcher.seen[-1])
