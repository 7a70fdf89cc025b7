"""The file that ``tf.export`` writes: its contents, and functions that cannot be exported."""

from __future__ import annotations

import json
import re
import struct
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import tfpy as tf


def parts(path: Path) -> tuple[dict[str, Any], dict[str, Any], bytes]:
    """Return the header without its document, the document, and the bytes of the tensors."""
    data = path.read_bytes()
    (length,) = struct.unpack("<Q", data[:8])
    header = json.loads(data[8 : 8 + length])
    document = json.loads(header.pop("__metadata__")["tfpy"])
    return header, document, data[8 + length :]


def array(header: dict[str, Any], data: bytes, name: str) -> np.ndarray[Any, Any]:
    dtypes = {"F32": np.float32, "I32": np.int32, "BOOL": np.bool_, "C64": np.complex64}
    begin, end = header[name]["data_offsets"]
    found = np.frombuffer(data[begin:end], dtypes[header[name]["dtype"]])
    return found.reshape(header[name]["shape"])


def variables_of(document: dict[str, Any]) -> list[dict[str, Any]]:
    """Return the state of a document without tensors that functions have captured."""
    return [one for one in document["state"] if not one.get("constant")]


def steps_of(block: dict[str, Any]) -> list[str]:
    return [step["op"] for step in block["steps"]]


def test_file_is_one_of_safetensors(tmp_path: Path) -> None:
    """Check that tensors are contiguous and aligned to items.

    The header's size is a multiple of 8.
    """
    mask = tf.Variable([True, False, True], name="mask")
    w = tf.Variable([[1.0, 2.0, 3.0]], name="w")
    z = tf.Variable([1 + 2j], name="z")

    def function(x: Any) -> Any:
        return tf.where(mask, x @ w, -1.0), z * 2

    tf.export(function, tmp_path / "a.tfpy", tf.TensorSpec([2, 1]))
    header, document, data = parts(tmp_path / "a.tfpy")
    (length,) = struct.unpack("<Q", (tmp_path / "a.tfpy").read_bytes()[:8])
    assert length % 8 == 0
    places = sorted(entry["data_offsets"] for entry in header.values())
    assert [begin for begin, _ in places] == [0, *[end for _, end in places[:-1]]]
    assert places[-1][1] == len(data)
    sizes = {"F32": 4, "I32": 4, "BOOL": 1, "U8": 1, "C64": 8}
    for entry in header.values():
        if entry["dtype"] not in ("BOOL", "U8"):
            assert entry["data_offsets"][0] % min(4, sizes[entry["dtype"]]) == 0
    for variable in (mask, w, z):
        name = variable.name.removesuffix(":0")
        assert np.array_equal(array(header, data, name), variable.numpy())
    assert [one["tensor"] for one in variables_of(document)] == ["w", "mask", "z"]


def test_signatures_share_weights_and_programs(tmp_path: Path) -> None:
    """Check that another size adds no weight.

    Parts that are equal for WebGL devices are stored once.
    """
    w = tf.Variable(np.ones((64, 64), np.float32), name="w")

    def function(x: Any) -> Any:
        return {"y": tf.nn.relu(x @ w), "twice": x * 2.0}

    sizes = [tf.TensorSpec([n, 64], name="x") for n in (1, 2, 3)]
    tf.export(function, tmp_path / "a.tfpy", sizes)
    _, document, data = parts(tmp_path / "a.tfpy")
    assert len(data) < 2 * w.numpy().nbytes
    (one,) = document["functions"]
    assert one["name"] == "function"
    assert [s["inputs"] for s in one["signatures"]] == [
        [{"name": "x", "dtype": "float32", "shape": [n, 64]}] for n in (1, 2, 3)
    ]
    outputs = [[spec["name"] for spec in s["outputs"]] for s in one["signatures"]]
    assert outputs == [["twice", "y"]] * 3
    backends = [target["backend"] for target in document["targets"]]
    assert backends == ["webgpu", "webgpu", "webgl", "webgl", "webgl", "wasm"]
    assert document["targets"][-2]["needs"] == {"targets": 4, "block": 0}
    texts = [json.dumps(p["document"]) for p in document["programs"]]
    assert len(set(texts)) == len(texts) == 9


def test_backends_are_chosen(tmp_path: Path) -> None:
    tf.export(tf.nn.relu, tmp_path / "a.tfpy", tf.TensorSpec([3]), backends=["wasm"])
    _, document, _ = parts(tmp_path / "a.tfpy")
    assert [p["document"]["backend"] for p in document["programs"]] == ["wasm"]
    for backends in (["cpu"], [], ["wasm", "gpu"]):
        with pytest.raises(ValueError, match="backends must be some of webgpu, webgl, wasm"):
            tf.export(tf.nn.relu, tmp_path / "b.tfpy", tf.TensorSpec([3]), backends=backends)


def test_what_webgpu_devices_need(tmp_path: Path) -> None:
    """Check that only GPUs with enough memory receive tiles.

    Any device can run the other target.
    """

    def product(x: Any, y: Any) -> Any:
        return x @ y

    spec = tf.TensorSpec([256, 256])
    tf.export(product, tmp_path / "a.tfpy", (spec, spec), backends=["webgpu"])
    _, document, _ = parts(tmp_path / "a.tfpy")
    tiled, plain = document["targets"]
    assert tiled["needs"] == {"inputs": 7, "hardware": 1, "workgroupBytes": 17408}
    assert plain["needs"] == {"inputs": 7}
    kernels = [
        {kernel["name"] for kernel in document["programs"][n]["document"]["kernels"]}
        for target in (tiled, plain)
        for n in (target["blocks"][0][0]["steps"][0]["program"],)
    ]
    assert any("tile" in name for name in kernels[0])
    assert not any("tile" in name for name in kernels[1])


def test_training_step_is_state(tmp_path: Path) -> None:
    """Check that assigned Variables are outputs, written over their old values in the last step."""
    w, seen = tf.Variable([[1.0], [2.0]], name="w"), tf.Variable(0, name="seen", trainable=False)

    @tf.function
    def step(x: Any, y: Any) -> Any:
        with tf.GradientTape() as tape:
            loss = tf.reduce_mean((x @ w - y) ** 2)
        w.assign_sub(0.1 * tape.gradient(loss, w))
        seen.assign_add(1)
        return {"loss": loss}

    functions = {"step": step, "predict": lambda x: x @ w}
    sizes = {
        "step": (tf.TensorSpec([4, 2]), tf.TensorSpec([4, 1])),
        "predict": {"x": tf.TensorSpec([1, 2])},
    }
    tf.export(functions, tmp_path / "a.tfpy", sizes, backends=["wasm"])
    _, document, _ = parts(tmp_path / "a.tfpy")
    trains, predicts = (f["signatures"][0] for f in document["functions"])
    assert variables_of(document) == [
        {"tensor": "w", "trainable": True},
        {"tensor": "seen", "trainable": False},
    ]
    names = [one["tensor"] for one in document["state"]]
    assert [names[at] for at in trains["assigns"]] == ["w", "seen"]
    assert predicts["reads"] == [{"state": names.index("w")}]
    assert predicts["assigns"] == []
    block = document["targets"][0]["blocks"][0][0]
    assert steps_of(block) == ["program"]
    assert len(block["steps"][0]["donated"]) == 2
    assert [v.numpy().tolist() for v in (w, seen)] == [[[1.0], [2.0]], 0], "exporting runs nothing"


def test_weights_alone_are_computed_once(tmp_path: Path) -> None:
    w = tf.Variable(np.ones((3, 3, 4, 8), np.float32))
    scale = tf.Variable(np.full(8, 2.0, np.float32))

    def function(x: Any) -> Any:
        return tf.nn.conv2d(x, w, 1, "SAME") * scale

    tf.export(function, tmp_path / "a.tfpy", tf.TensorSpec([1, 5, 5, 4]), backends=["wasm"])
    _, document, _ = parts(tmp_path / "a.tfpy")
    first, second = document["targets"][0]["blocks"][0][0]["steps"]
    assert first["cached"]
    assert "cached" not in second


def test_control_flow_and_numbers_of_the_page(tmp_path: Path) -> None:
    """Check that the page counts loop iterations itself.

    It reads conditions that the device computes.
    """

    @tf.function
    def function(x: Any, n: Any) -> Any:
        for i in tf.range(n):
            x = x / 2.0 if tf.reduce_sum(x) > 10.0 else x + tf.cast(i, tf.float32)
        while tf.reduce_sum(x) < 100.0:
            x = x * 2.0
        return x

    sizes = (tf.TensorSpec([3]), tf.TensorSpec([], tf.int32))
    tf.export(function, tmp_path / "a.tfpy", sizes, backends=["wasm"])
    _, document, _ = parts(tmp_path / "a.tfpy")
    steps = document["targets"][0]["blocks"][0][0]["steps"]
    counted, tested = (step for step in steps if step["op"] == "while")
    assert "test" not in counted
    assert "lt" in json.dumps(counted["counted"]["test"])
    assert "counted" not in tested
    assert "cond" in steps_of(counted["body"])


def test_random_state(tmp_path: Path) -> None:
    """Check that a seeded stream starts from the beginning.

    A stream without a seed is seeded in the page.
    """

    def function() -> Any:
        return tf.random.uniform([3], seed=7), tf.random.normal([2])

    compiled = tf.function(function)
    tf.random.set_seed(None)
    compiled()  # advances the streams, which does not change the file
    tf.export(compiled, tmp_path / "a.tfpy", ())
    _, document, _ = parts(tmp_path / "a.tfpy")
    seeded, drawn = document["functions"][0]["signatures"][0]["reads"]
    assert seeded["random"][2:4] == [0, 0]
    assert seeded["blocks"] == 3 * 256
    assert drawn == {"random": None}


def test_signatures_that_are_known(tmp_path: Path) -> None:
    """Export with signatures from the function, from earlier calls, or from a concrete function."""

    def shapes(function: Any, signatures: Any = None) -> list[Any]:
        tf.export(function, tmp_path / "a.tfpy", signatures, backends=["wasm"])
        found = parts(tmp_path / "a.tfpy")[1]["functions"][0]["signatures"]
        return [[spec["shape"] for spec in one["inputs"]] for one in found]

    signed = tf.function(lambda x: x + 1.0, input_signature=[tf.TensorSpec([2])])
    assert shapes(signed) == [[[2]]]
    opened = tf.function(lambda x: x + 1.0, input_signature=[tf.TensorSpec([None, 2])])
    assert shapes(opened, [tf.TensorSpec([3, 2]), tf.zeros([4, 2])]) == [[[3, 2]], [[4, 2]]]
    with pytest.raises(ValueError, match="has open sizes"):
        shapes(opened)
    called = tf.function(lambda x: x + 1.0)
    with pytest.raises(ValueError, match="has no signature"):
        shapes(called)
    called(tf.zeros([3])), called(tf.zeros([4, 1]))
    assert shapes(called) == [[[3]], [[4, 1]]]
    assert shapes(called.get_concrete_function(tf.zeros([5]))) == [[[5]]]
    assert shapes(lambda a, b: a["x"] + b, ({"x": tf.zeros([2])}, tf.zeros([2]))) == [[[2], [2]]]
    with pytest.raises(ValueError, match="has open sizes"):
        shapes(called, tf.TensorSpec([None]))
    with pytest.raises(ValueError, match="a dictionary with the names"):
        shapes({"f": called}, {"g": tf.TensorSpec([2])})
    with pytest.raises(TypeError, match="must be a function or model"):
        shapes({"f": 3})


class Model:
    """A model with the input and output properties of Keras's models."""

    name = "model"
    output_names = ("sum", "difference")

    def __init__(self) -> None:
        self.inputs = [tf.TensorSpec([None, 2], name="a"), tf.TensorSpec([None, 2], name="b")]

    def __call__(self, given: Any) -> Any:
        a, b = given
        return [a + b, a - b]


def test_models_name_what_they_take_and_give(tmp_path: Path) -> None:
    several = [None, {"b": tf.TensorSpec([3, 2]), "a": tf.TensorSpec([3, 2])}]
    for signatures, batch in zip(several, (1, 3), strict=True):
        tf.export(Model(), tmp_path / "a.tfpy", signatures)
        (one,) = parts(tmp_path / "a.tfpy")[1]["functions"]
        (signature,) = one["signatures"]
        names = {kind: [s["name"] for s in signature[kind]] for kind in ("inputs", "outputs")}
        assert one["name"] == "model"
        assert names == {"inputs": ["a", "b"], "outputs": ["sum", "difference"]}
        assert signature["inputs"][0]["shape"] == [batch, 2]
    for wrong in ({"a": tf.TensorSpec([3, 2])}, tf.TensorSpec([3, 2])):
        with pytest.raises(ValueError, match="inputs"):
            tf.export(Model(), tmp_path / "a.tfpy", wrong)


def _prints(x: Any) -> Any:
    y = x + 1.0
    tf.print(y)  # refused
    return y


def _decomposes(x: Any) -> Any:
    for _ in tf.range(3):
        x = tf.linalg.svd(x)[0][:, None] * x  # refused
    return x


def _asks_the_time(x: Any) -> Any:
    return x + tf.timestamp()  # refused


@pytest.mark.parametrize(
    ("function", "op"),
    [
        (_prints, "host_call"),
        (_decomposes, "svd"),
        (_asks_the_time, "timestamp"),
    ],
)
def test_refusals_name_op_and_line(tmp_path: Path, function: Any, op: str) -> None:
    lines = Path(__file__).read_text().splitlines()
    first = function.__code__.co_firstlineno
    line = next(n for n in range(first, len(lines) + 1) if "# refused" in lines[n - 1])
    where = "" if op == "timestamp" else f" at .*test_file.py:{line}"
    with pytest.raises(tf.errors.UnimplementedError, match=f"cannot be exported: {op}{where}: "):
        tf.export(tf.function(function), tmp_path / "a.tfpy", tf.TensorSpec([2, 2]))
    assert not (tmp_path / "a.tfpy").exists()


def test_what_webgl_lacks(tmp_path: Path) -> None:
    """Check that an op that webgl and webgpu lack makes a file for wasm alone, with a warning.

    Exporting to webgl explicitly raises an error.
    """

    def function(x: Any) -> Any:
        padded = tf.image.non_max_suppression_padded
        return padded(x, x[:, 0], 2, pad_to_max_output_size=True)[0]

    op = "non_max_suppression"
    with pytest.warns(UserWarning, match="the file has no programs for") as warned:
        tf.export(function, tmp_path / "a.tfpy", tf.TensorSpec([4, 4]))
    for one, name in zip(warned, ("webgpu", "webgl"), strict=True):
        text = f"the file has no programs for {name}: tf.export: 'function' .*{op} at .*: "
        assert re.match(text, str(one.message))
    _, document, _ = parts(tmp_path / "a.tfpy")
    assert {target["backend"] for target in document["targets"]} == {"wasm"}
    assert {p["document"]["backend"] for p in document["programs"]} == {"wasm"}
    assert op in document["lacks"]["webgl"]
    assert op in document["lacks"]["webgpu"]
    with pytest.raises(tf.errors.UnimplementedError, match=op):
        tf.export(function, tmp_path / "b.tfpy", tf.TensorSpec([4, 4]), backends=["webgl", "wasm"])


def test_other_dtypes_are_refused(tmp_path: Path) -> None:
    table = tf.constant(["a", "b"])
    state = tf.Variable(np.int8([1, 2]), name="state")
    for function, spec in [
        (lambda x: tf.strings.length(x), tf.TensorSpec([2], tf.string)),
        (lambda i: tf.gather(table, i), tf.TensorSpec([2], tf.int32)),
        (lambda x: x, tf.TensorSpec([2], tf.uint8)),
        (lambda x: tf.cast(state, tf.float32) * x, tf.TensorSpec([2])),
        (lambda x: (x, tf.constant([1, 2], tf.int8)), tf.TensorSpec([2])),
    ]:
        with pytest.raises((ValueError, tf.errors.UnimplementedError), match="dtype"):
            tf.export(function, tmp_path / "a.tfpy", spec)


K, WIDTH, GROUPS = 64, 96, 2


def _grouped(numbers: Any, zero: Any) -> Any:
    """Return a function that multiplies by integers with zero points [n, groups], as Keras does."""
    group = np.arange(K, dtype=np.int32) // (K // GROUPS)
    scale = tf.Variable(np.full((GROUPS, WIDTH), 0.5, np.float32), name="scale")

    def function(x: Any) -> Any:
        points = tf.cast(tf.gather(tf.transpose(zero), group), tf.float32)
        return x @ ((tf.cast(numbers, tf.float32) - points) * tf.gather(scale, group))

    return function


def test_small_values_of_int8_weights_are_in_the_file(tmp_path: Path) -> None:
    """Check that zero points are reordered for the page, and that weights stay in int8."""
    rng = np.random.default_rng(0)
    numbers = tf.Variable(rng.integers(-8, 8, (K, WIDTH)).astype(np.int8), name="numbers")
    zero = tf.Variable(rng.integers(-8, 8, (WIDTH, GROUPS)).astype(np.int8), name="zero")
    function = _grouped(numbers, zero)
    tf.export(function, tmp_path / "a.tfpy", tf.TensorSpec([2, K]), backends=["webgpu", "wasm"])
    header, _, data = parts(tmp_path / "a.tfpy")
    sizes = {name: entry["shape"] for name, entry in header.items() if entry["dtype"] == "I8"}
    assert sizes == {"numbers": [K, WIDTH], "zero": [WIDTH, GROUPS], "constant": [GROUPS, WIDTH]}
    begin, end = header["constant"]["data_offsets"]
    found = np.frombuffer(data[begin:end], np.int8).reshape(GROUPS, WIDTH)
    np.testing.assert_array_equal(found, zero.numpy().T)
    floats = [entry["shape"] for entry in header.values() if entry["dtype"] == "F32"]
    assert floats == [[GROUPS, WIDTH]]


def test_values_of_int8_that_would_be_larger_are_refused(tmp_path: Path) -> None:
    zero = tf.Variable(np.ones((3, 2), np.int8), name="zero")
    with pytest.raises(tf.errors.UnimplementedError, match="transpose"):
        tf.export(
            lambda x: x + tf.cast(tf.transpose(zero), tf.float32),
            tmp_path / "a.tfpy",
            tf.TensorSpec([2, 3]),
            backends=["wasm"],
        )
