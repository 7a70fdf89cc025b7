"""Cases of tfpy in Pyodide that need no page. ``test_pyodide.py`` runs each case."""

import asyncio
import json
import marshal
import random
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
from pyodide.code import run_js

import tfpy as tf
from tfpy._src.backends.javascript import bridge
from tfpy._src.backends.javascript.bridge import converted_model
from tfpy._src.data.ahead import AheadIterator, DeviceBatches


def raised(kind: type[Exception], action: Callable[[], Any]) -> str:
    """Return the text of the error that an action raises."""
    try:
        action()
    except kind as error:
        return str(error)
    raise AssertionError(f"no {kind.__name__}")


async def case_wasm_trains() -> None:
    assert tf.get_backend() == "wasm", tf.backend_report()
    assert tf.backend_report()["webgl"]["reason"] == "Error: WebGL2 is not available"
    x = tf.random.uniform([64, 2], seed=1)
    y = x @ [[2.0], [-3.0]] + 0.5
    w, b = tf.Variable(tf.zeros([2, 1])), tf.Variable(tf.zeros([1]))

    @tf.function
    def step() -> Any:
        with tf.GradientTape() as tape:
            loss = tf.reduce_mean((x @ w + b - y) ** 2)
        for v, g in zip([w, b], tape.gradient(loss, [w, b]), strict=True):
            v.assign_sub(0.5 * g)
        return loss

    losses = [step() for _ in range(200)]
    assert await losses[-1].data() < 1e-3 < await losses[0].data()
    np.testing.assert_allclose(w.numpy(), [[2], [-3]], atol=0.1)


async def case_datasets_feed_steps() -> None:
    x = np.arange(40, dtype=np.float32).reshape(20, 2)
    rows = tf.data.Dataset.from_tensor_slices((x, np.arange(20, dtype=np.int32)))
    batches = rows.shuffle(20, seed=7).map(lambda a, n: (a * 2, n)).batch(6)
    seen: list[int] = []

    @tf.function
    def step(a: Any) -> Any:
        return tf.reduce_sum(a, 1) + 1

    async for a, n in batches.prefetch(tf.data.AUTOTUNE):
        assert tf.get_backend() == "wasm"
        picked = n.numpy()
        np.testing.assert_array_equal(await step(a).data(), 2 * x[picked].sum(1) + 1)
        seen += picked.tolist()
    assert sorted(seen) == list(range(20)) != seen
    found = tf.data.Dataset.range(4).flat_map(lambda n: tf.data.Dataset.range(n))
    assert [int(n) for n in found] == [0, 0, 1, 0, 1, 2]
    assert found.reduce(0, lambda total, n: total + n).numpy() == 4
    tf.data.Dataset.range(3).save("/tmp/saved", compression="GZIP")
    assert [int(n) for n in tf.data.Dataset.load("/tmp/saved")] == [0, 1, 2]


TYPED = {
    "Float32Array": "float32",
    "Float64Array": "float32",
    "Int32Array": "int32",
    "Uint8Array": "uint8",
    "Uint8ClampedArray": "uint8",
    "Int8Array": "int8",
    "Int16Array": "int16",
    "Uint16Array": "uint16",
    "Uint32Array": "uint32",
    "BigUint64Array": "uint64",
    "BigInt64Array": str(tf.as_dtype("int64").name),
}


async def case_typed_arrays_have_their_dtype() -> None:
    for name, dtype in TYPED.items():
        one, two = ("1n", "2n") if name.startswith("Big") else ("1", "2")
        array = run_js(f"{name}.from([{one}, {two}])")
        for found in (
            tf.constant(array),
            tf.convert_to_tensor(array),
            tf.Variable(array).value(),
            tf.identity(array),
        ):
            assert (found.dtype.name, found.numpy().tolist()) == (dtype, [1, 2]), (name, found)
    halves = tf.constant(run_js("new Float64Array([0.5, 1.5])"))
    assert (halves.dtype, halves.numpy().tolist()) == (tf.float32, [0.5, 1.5])
    assert tf.constant(run_js("new Float32Array(6)"), shape=[2, 3]).shape == (2, 3)
    assert tf.constant(run_js("new Float32Array(2)"), tf.int32).dtype == tf.int32


async def case_the_bytes_of_typed_arrays_are_copied() -> None:
    array = run_js("new Float32Array([1, 2, 3])")
    x = tf.constant(array)
    array[0] = 9
    assert x.numpy().tolist() == [1, 2, 3]


async def case_arrays_of_javascript_are_operands() -> None:
    array = run_js("new Float32Array([1, 2])")
    x = tf.constant([10.0, 20.0])
    assert (x + array).numpy().tolist() == [11, 22]
    assert tf.add(array, array).numpy().tolist() == [2, 4]
    assert tf.stack([array, array]).numpy().tolist() == [[1, 2], [1, 2]]
    assert tf.constant([array, array]).numpy().tolist() == [[1, 2], [1, 2]]
    assert tf.reshape(tf.range(6), run_js("[2, 3]")).shape == (2, 3)
    v = tf.Variable([0.0, 0.0])
    v.assign(array)
    v.assign_add(array)
    assert v.numpy().tolist() == [2, 4]


async def case_arrays_of_arrays() -> None:
    for text, dtype in {
        "[[1, 2], [3, 4]]": tf.int32,
        "[[1, 2.5], [3, 4]]": tf.float32,
        "[new Float32Array([1, 2]), new Float32Array([3, 4])]": tf.float32,
        "[new Uint8Array([1, 2]), new Uint8Array([3, 4])]": tf.uint8,
    }.items():
        found = tf.constant(run_js(text))
        assert (found.dtype, found.shape) == (dtype, (2, 2)), text
    assert tf.constant(run_js("['a', 'b']")).numpy().tolist() == [b"a", b"b"]
    assert tf.constant(run_js("[true, false]")).dtype == tf.bool
    assert "non-rectangular" in raised(ValueError, lambda: tf.constant(run_js("[[1], [1, 2]]")))


async def case_arguments_of_functions() -> None:
    @tf.function
    def double(x: Any) -> Any:
        return x * 2

    for _ in range(2):
        assert double(run_js("new Float32Array([1, 2])")).numpy().tolist() == [2, 4]
        assert double(run_js("new Int32Array([1, 2])")).dtype == tf.int32
        assert double(run_js("[[1, 2]]")).shape == (1, 2)
    assert double.experimental_get_tracing_count() == 3

    @tf.function(input_signature=[tf.TensorSpec([None], tf.float32)])
    def total(x: Any) -> Any:
        return tf.reduce_sum(x)

    assert total(run_js("[1, 2]")).numpy() == 3
    assert total(run_js("new Float32Array([1, 2])")).numpy() == 3
    call = run_js("(f, tf) => f(new Float32Array([1, 2])).numpy().toJs()")
    assert list(call(double, tf)) == [2, 4]


async def case_memory_that_runs_out() -> None:
    """Check that the error names the requested and used bytes if the heap cannot grow."""
    switch = run_js(
        """(() => { const P = WebAssembly.Memory.prototype, { grow } = P;
        return (on) => { P.grow = on ? () => { throw new RangeError("full"); } : grow; }; })()"""
    )
    x = tf.constant([[1.0], [2.0]]) + 0.0
    large = tf.constant(np.ones(2**26, np.float32))
    switch(True)
    try:
        for make in (
            lambda: tf.fill([2**26], 1.0),
            tf.function(lambda: tf.fill([2**26], 2.0) * x[0]),
            lambda: large + 1.0,
        ):
            text = raised(tf.errors.ResourceExhaustedError, make)
            assert "268435456 bytes wanted" in text, text
            assert "in use" in text, text
        assert (x * 2.0).numpy().tolist() == [[2], [4]]
    finally:
        switch(False)
    assert tf.reduce_sum(tf.fill([2**24], 1.0)).numpy() == 2**24


async def case_tensors_that_are_too_large() -> None:
    x = tf.constant([1.0]) + 0.0
    for make in (
        lambda: tf.fill([2**16, 2**15], 1.0),
        lambda: tf.zeros([2**20, 2**20]),
        lambda: tf.broadcast_to(x, [2**30]),
        lambda: tf.tile(x, [2**31 - 1]),
        lambda: tf.pad(x, [[0, 2**30]]),
        tf.function(lambda: tf.reduce_sum(tf.fill([2**30, 2], 1.0) * x)),
    ):
        text = raised(tf.errors.ResourceExhaustedError, make)
        assert "on wasm a tensor may take 2147483647, and" in text, text
    assert x.numpy() == 1


async def case_several_calls_at_once() -> None:
    def made() -> tuple[Any, list[tf.Variable]]:
        w, m = tf.Variable(tf.ones([40, 30])), tf.Variable(tf.zeros([40, 30]))
        steps = tf.Variable(0)

        @tf.function
        def step(x: tf.Tensor, y: tf.Tensor) -> tf.Tensor:
            with tf.GradientTape() as tape:
                loss = tf.reduce_mean((x @ w - y) ** 2)
            m.assign(0.9 * m + tape.gradient(loss, w))
            w.assign_sub(0.1 * m)
            steps.assign_add(1)
            return loss

        return step, [w, m, steps]

    rng = np.random.default_rng(0)
    calls = [
        tuple(tf.constant(rng.normal(size=(8, n)).astype(np.float32)) for n in (40, 30))
        for _ in range(6)
    ]
    (step, variables), (same, others) = made(), made()
    step(*calls[0])
    same(*calls[0])
    slots = []
    for _ in range(3):
        loss = step.repeat(calls)
        for args in calls:
            wanted = same(*args)
        np.testing.assert_array_equal(loss, wanted)
        for v, other in zip(variables, others, strict=True):
            np.testing.assert_array_equal(v, other)
        slots.append(tf.memory()["numTensors"])
    assert variables[2].numpy() == 19
    assert slots[1] == slots[2], slots


async def case_batches_for_the_device() -> None:
    x = np.random.default_rng(0).normal(size=(50, 3, 2)).astype(np.float32)
    y = np.arange(50, dtype=np.int32)
    dataset = tf.data.Dataset.from_tensor_slices({"x": x, "y": y}).batch(7)
    found = DeviceBatches(dataset._node)
    assert isinstance(iter(found), AheadIterator)
    for _ in range(2):
        for a, b in zip(found, dataset, strict=True):
            assert {t.storage.place for t in a.values()} == {"wasm"}
            for name in ("x", "y"):
                np.testing.assert_array_equal(a[name], b[name])
    awaited = found.fetching()
    assert await awaited.fetch(3)
    assert [len(next(awaited)["y"]) for _ in range(3)] == [7, 7, 7]
    left = 0
    while await awaited.fetch(1):
        left += len(next(awaited)["y"])
    assert left == 50 - 3 * 7
    large = tf.data.Dataset.from_tensor_slices(np.zeros((2**13, 2**11 + 1), np.float32)).batch(7)
    assert not isinstance(iter(DeviceBatches(large._node)), AheadIterator)


def with_columns(model: Any) -> Any:
    """Return a model.json as the runtime passes it on (``csrc/model_json/marshal.h``)."""
    if not isinstance(model, dict):
        return model
    topology, manifest = model.get("modelTopology"), model.get("weightsManifest")
    if isinstance(topology, dict) and isinstance(topology.get("node"), list):
        topology["node"] = node_columns(topology["node"])
    for group in manifest if isinstance(manifest, list) else ():
        if isinstance(group, dict) and isinstance(group.get("weights"), list):
            group["weights"] = weight_columns(group["weights"])
    return model


def node_columns(nodes: list[Any]) -> Any:
    rows: list[Any] = []
    constants: list[Any] = []
    for node in nodes:
        node = node if isinstance(node, dict) else {}
        name, op, attrs = node.get("name"), node.get("op"), node.get("attr", {})
        inputs = node.get("input", [])
        is_typed = {type(name), type(op)} == {str} and isinstance(attrs, dict)
        if not is_typed or not isinstance(inputs, list) or not {*map(type, inputs)} <= {str}:
            return nodes
        is_apart = op == "Const" and name and not inputs
        (constants if is_apart else rows).append((name, op, tuple(inputs), attrs))
    columns = [[row[i] for row in rows] for i in range(4)]
    return (*columns, [row[0] for row in constants], [row[3] for row in constants])


def weight_columns(weights: list[Any]) -> Any:
    for weight in weights:
        if not isinstance(weight, dict) or weight.keys() != {"name", "shape", "dtype"}:
            return weights
        name, shape, dtype = weight["name"], weight["shape"], weight["dtype"]
        if not (name and {type(name), type(dtype)} == {str} and isinstance(shape, list)):
            return weights
        if not all(type(size) is int and 0 <= size < 1 << 31 for size in shape):
            return weights
    return (
        [weight["name"] for weight in weights],
        [tuple(weight["shape"]) for weight in weights],
        [weight["dtype"] for weight in weights],
    )


def converted(data: bytes) -> Any:
    """Return a model.json as the runtime passes it on, with attributes unpacked."""
    model = converted_model(data)
    topology = model.get("modelTopology") if isinstance(model, dict) else None
    if isinstance(topology, dict) and isinstance(topology.get("node"), tuple):
        *columns, attrs, constants, others = topology["node"]
        unpacked = [[marshal.loads(one) for one in packed] for packed in (attrs, others)]
        topology["node"] = (*columns, unpacked[0], constants, unpacked[1])
    return model


MODEL = r"""{"format": "graph-model", "modelTopology": {"node": [
  {"name": "x", "op": "Placeholder", "attr": {"dtype": {"type": "DT_FLOAT"}, "i": {"i": "-1"}}},
  {"name": "w", "op": "Const", "attr": {"dtype": {"type": "DT_FLOAT"}}, "input": []},
  {"name": "c", "op": "Const", "input": ["^x"]}, {"op": "Const", "name": "né", "device": null},
  {"name": "y", "op": "AddV2", "input": ["x", "w:0"], "attr": {"dtype": {"type": "DT_FLOAT"}}}
 ], "versions": {"producer": 1.0, "min": [1, -0, 0.0, -0.5e-3, 1E2, 123456789012345678, -2147483648,
  2147483647, 2147483648, true, false, null, [], {}]}},
 "weightsManifest": [{"paths": ["a.bin"], "weights": [
  {"name": "w", "shape": [2, 0, 2147483647], "dtype": "float32"},
  {"shape": [], "dtype": "float32", "name": "né"}]}, {"weights": [{"name": "q", "shape": [1],
  "dtype": "int32", "quantization": {"dtype": "uint8", "scale": 0.1, "min": 1}}]}, 7],
 "userDefinedMetadata": {"text": "a\/\"b\n\t\\", "twice": 1, "twice": 2.0, "": "日本"}}"""

UNUSUAL = (
    "", "{}x", "[1,]", '{"a":1,}', "{,}", '{"a" 1}', "[01]", "[1.]", "[.5]", "[1e]", "[+1]", "[-]",
    "nul", "[NaN]", "[Infinity]", '["\n"]', '["\0"]', '["\\x"]', '["', '["a', '["a\\', "{1:2}",
    '["\\u0041"]', '["\\ud800"]', "[1234567890123456789]", "[" * 129 + "]" * 129, "[1", "{", "tru",
)  # fmt: skip


async def case_model_files_are_read_as_json_reads_them() -> None:
    converted_model(b"{}")  # begins to load the reader
    while converted_model(b"{}") is None:
        await asyncio.sleep(0.01)
    sound = MODEL.encode()
    assert repr(converted(sound)) == repr(with_columns(json.loads(sound)))
    assert isinstance(converted_model(sound)["modelTopology"]["node"], tuple)
    for text in ("[" * 128 + "]" * 128, '"a"', " 1 ", "[1.5]", '{"modelTopology": 1}', "[{}, []]"):
        assert repr(converted(text.encode())) == repr(json.loads(text)), text
    for text in UNUSUAL:
        assert converted_model(text.encode()) is None, text
    for data in (b'["\xff"]', b'["\xe6\x97"]', sound.decode().encode("utf-16"), sound[:-1]):
        assert converted_model(data) is None, data

    rng = random.Random(0)
    letters = b'"\\{}[]:,.-+eE0123456789 \n\x00\xc3\xa9ntfu/xy'
    read = 0
    for _ in range(4000):
        changed = bytearray(sound)
        for _ in range(rng.randint(1, 3)):
            at, start = rng.randrange(len(changed)), rng.randrange(len(changed))
            piece = changed[at : at + rng.randint(0, 40)]
            end = start + rng.choice([0, 1, 1, 2, 9])
            changed[start:end] = rng.choice([b"", bytes([rng.choice(letters)]), piece])
        found = converted(bytes(changed))
        if found is not None:
            assert repr(found) == repr(with_columns(json.loads(changed))), changed
            read += 1
    assert 500 < read < 3500, read


async def case_graph_models_with_and_without_the_runtimes_reader() -> None:
    w = tf.Variable(np.arange(6, dtype=np.float32).reshape(3, 2))

    @tf.function(input_signature=[tf.TensorSpec([None, 3], "float32")])
    def net(x: tf.Tensor) -> tf.Tensor:
        return tf.nn.relu(x @ w - 3.0)

    tf.save_graph_model(net, "/saved")
    files = {path.name: path.read_bytes() for path in Path("/saved").iterdir()}
    (name,) = [name for name in files if name.endswith(".json")]

    async def outcome(changed: bytes, runtime: Any) -> str:
        kept, bridge._runtime = bridge._runtime, runtime
        try:
            model = await tf.load_graph_model_async({**files, name: changed})
        except ValueError as error:
            return str(error)
        finally:
            bridge._runtime = kept
        return repr((model.predict(tf.ones([1, 3])).numpy().tolist(), model.weights.keys()))

    changes = (
        (b"", b""),
        (b'"float32"', b'"float23"'),
        (b'"MatMul"', b"7"),
        (b'"shape": [3', b'"shape": [-1'),
        (b'"name": "', b'"name": "same", "was": "'),
        (b"DT_FLOAT", b"DT_NONE"),
    )
    seen = set()
    for before, after in changes:
        changed = files[name].replace(before, after)
        assert converted_model(changed) is not None
        found = await outcome(changed, bridge._runtime)
        wanted = await outcome(changed, None)
        assert found == wanted, (found, wanted)
        seen.add(found)
    assert len(seen) == len(changes), seen
