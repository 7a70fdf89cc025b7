"""``tf.experimental.dtensor`` on eight devices: TensorFlow's meshes and layouts."""

from __future__ import annotations

import pickle
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
import tensorflow

import tfpy as tf
from on_jax.meshes import DEVICES, UNSHARDED, layout, mesh_of, numbers
from tfpy._src.backends import registry
from tfpy.experimental import dtensor

pytestmark = pytest.mark.usefixtures("no_leaks")

# Meshes and layouts as strings


def outcome(call: Callable[[], Any]) -> Any:
    """Return the result of a call as a string, or the message of its ValueError."""
    try:
        return str(call())
    except ValueError as error:
        return f"ValueError: {error}"


def facts_of_meshes(lib: Any) -> list[Any]:
    d = lib.experimental.dtensor
    mesh = mesh_of(lib)
    return [
        mesh, mesh.shape(), mesh.size, mesh.dim_names, mesh["model"], mesh.strides, mesh.name,
        "batch" in mesh, "x" in mesh, mesh.contains_dim("model"), mesh.device_type(),
        mesh.global_device_ids().tolist(), mesh.local_device_ids(), mesh.local_devices(),
        mesh.num_local_devices(), mesh.min_global_device_id(), mesh.global_devices(),
        mesh.unravel_index(), mesh.local_device_locations(), mesh.is_remote(), mesh.host_mesh(),
        d.Mesh.from_string(mesh.to_string()) == mesh, mesh == mesh_of(lib, [("batch", 8)]),
        pickle.loads(pickle.dumps(mesh)) == mesh,
        mesh_of(lib, {"x": -1}, name="all").to_string(),
        mesh_of(lib, None, ["CPU:5", "/job:localhost/device:CPU:2"]),
        outcome(lambda: mesh["x"]),
        outcome(lambda: mesh_of(lib, [("x", 3)])),
        outcome(lambda: d.create_mesh([("x", 1)], devices=["CPU:0"], device_type="GPU")),
        outcome(lambda: d.Mesh(["x"], [0], [0], DEVICES[:1])),
        outcome(lambda: d.Mesh(["x", "y"], np.arange(2), [0, 1], DEVICES[:2])),
        outcome(lambda: d.Mesh(["x"], np.array([1, 0]), [0, 1], DEVICES[:2])),
        outcome(lambda: d.Mesh(["x"], np.arange(2), [0], DEVICES[:2])),
        outcome(lambda: d.Mesh(["x"], np.arange(2), [0, 1], ["CPU:0", "GPU:0"])),
        outcome(lambda: d.Mesh(["x"], np.arange(1), (0,), DEVICES[:1])),
        outcome(lambda: d.create_distributed_mesh([("x", 8)])),
        d.num_clients(), d.client_id(), d.job_name(), d.full_job_name(), d.jobs(),
        d.heartbeat_enabled(), d.UNSHARDED, d.MATCH, d.get_default_mesh(),
        outcome(lambda: d.full_job_name(1)), outcome(lambda: d.local_devices("QPU")),
    ]  # fmt: skip


def facts_of_layouts(lib: Any) -> list[Any]:
    d = lib.experimental.dtensor
    mesh, other = mesh_of(lib), mesh_of(lib, [("x", 8)])
    both = d.Layout(["batch", "model"], mesh)
    made = [
        both, d.Layout(["unsharded", "batch", "unsharded"], mesh), d.Layout(["match"], mesh),
        d.Layout.replicated(mesh, 2), d.Layout.replicated(mesh, 0),
        d.Layout.batch_sharded(mesh, "batch", 3), d.Layout.batch_sharded(mesh, "model", 3, axis=1),
        d.Layout.inner_sharded(mesh, "model", 2), both.delete([0]), both.delete(1),
    ]  # fmt: skip
    facts = [
        [
            found, found.to_string(), found.rank, found.shape, found.sharding_specs, found.mesh,
            found.is_fully_replicated(), found.offset_to_shard(),
            d.Layout.from_string(found.to_string()) == found,
            pickle.loads(pickle.dumps(found)) == found,
        ]
        for found in made if found.sharding_specs != ["match"]
    ]  # fmt: skip
    return [
        *facts, str(made[2]), both.num_shards(0), both.num_shards(1),
        both.local_shape_from_global_shape([8, 4]), both.global_shape_from_local_shape([8, 4]),
        [both.offset_tuple_to_global_index(shard) for shard in both.offset_to_shard()],
        both == d.Layout(["batch", "model"], mesh), both == made[3],
        hash(both) == hash(d.Layout(["batch", "model"], mesh)),
        d.Layout(["x"], other) == d.Layout(["unsharded"], other),
        outcome(lambda: d.Layout(["x"], mesh)), outcome(lambda: d.Layout(["batch"] * 2, mesh)),
        outcome(lambda: d.Layout(["batch"], None)),
    ]  # fmt: skip


@pytest.mark.parametrize("facts", [facts_of_meshes, facts_of_layouts])
def test_meshes_and_layouts_are_tensorflows(facts: Callable[[Any], list[Any]]) -> None:
    assert list(map(str, facts(tf))) == list(map(str, facts(tensorflow)))


def test_layouts_that_make_no_sense() -> None:
    """Reject layouts for which TensorFlow returns nonsense or ends the process."""
    both = layout("batch", "model")
    for call in (
        lambda: both.local_shape_from_global_shape([8]),
        lambda: dtensor.Layout.batch_sharded(both.mesh, "batch", 0),
        lambda: dtensor.Layout.from_string("abc"),
        lambda: dtensor.Mesh.from_string("abc"),
        lambda: mesh_of(dims=[("x", 4), ("x", 2)]),
        lambda: mesh_of(dims=[("x", 2)], devices=["CPU:0", "CPU:0"]),
    ):
        with pytest.raises(ValueError):  # noqa: PT011
            call()
    with pytest.raises(IndexError):
        both.num_shards(2)
    with pytest.raises(TypeError, match="None"):
        dtensor.Layout([None], both.mesh)  # type: ignore[list-item]


# Parts of tensors

SPECS = [
    ["batch", "model"],
    ["model", "batch"],
    ["batch", UNSHARDED],
    [UNSHARDED, "model"],
    [UNSHARDED, UNSHARDED],
]


@pytest.mark.parametrize("specs", SPECS, ids=str)
def test_parts(specs: list[str]) -> None:
    """Check that each device has the part that TensorFlow's layout specifies.

    Packing restores the tensor.
    """
    x, ours = numbers(8, 4), layout(*specs)
    theirs = tensorflow.experimental.dtensor.Layout(specs, mesh_of(tensorflow))
    y = dtensor.copy_to_mesh(x, ours)
    parts = dtensor.unpack(y)
    rows, columns = theirs.local_shape_from_global_shape(x.shape)
    for part, (i, j) in zip(parts, theirs.offset_to_shard(), strict=True):
        wanted = x[i * rows : (i + 1) * rows, j * columns : (j + 1) * columns]
        np.testing.assert_array_equal(part.numpy(), wanted)
        assert not dtensor.is_dtensor(part)
    again = dtensor.pack(parts, ours)
    np.testing.assert_array_equal(again.numpy(), x)
    for found in (y, again):
        dtensor.check_layout(found, ours)
    np.testing.assert_array_equal(y.numpy(), x)


def test_parts_of_texts() -> None:
    """Check that string tensors stay on the host, but have parts as well."""
    rows = layout("batch")
    parts = [tf.constant([f"{i // 2}a", f"{i // 2}b"]) for i in range(8)]
    x = dtensor.pack(parts, rows)
    assert x.numpy().tolist() == [f"{i}{c}".encode() for i in range(4) for c in "ab"]
    for found in (x, dtensor.relayout(tf.constant(x.numpy()), rows)):
        dtensor.check_layout(found, rows)
        for part, wanted in zip(dtensor.unpack(found), parts, strict=True):
            np.testing.assert_array_equal(part.numpy(), wanted.numpy())


def test_ops_give_tensorflows_layouts() -> None:
    """Compare the layouts with TensorFlow 2.21's layouts of the same results and mesh."""
    x = dtensor.copy_to_mesh(numbers(8, 4), layout("batch", "model"))
    w = dtensor.copy_to_mesh(numbers(4, 6), layout("model", UNSHARDED))
    row = dtensor.copy_to_mesh(numbers(8, 4), layout("batch", UNSHARDED))
    column = dtensor.copy_to_mesh(numbers(4, 6), layout(UNSHARDED, "model"))
    results = {
        ("batch", "model"): [x * 2.0, tf.nn.relu(x), x + tf.constant(1.0), tf.matmul(row, column)],
        ("model", "batch"): [tf.transpose(x)],
        ("batch", UNSHARDED): [tf.matmul(x, w)],
        ("model",): [tf.reduce_sum(x, 0)],
        ("batch",): [tf.reshape(x, [32])],
        (): [tf.reduce_sum(x)],
    }
    for specs, found in results.items():
        for y in found:
            fetched = dtensor.fetch_layout(y)
            assert fetched is not None
            assert fetched.sharding_specs == list(specs), y
    np.testing.assert_array_equal(tf.matmul(x, w).numpy(), numbers(8, 4) @ numbers(4, 6))


def test_what_is_on_no_mesh_is_replicated() -> None:
    x = dtensor.copy_to_mesh(numbers(64, 32), layout("batch", "model"))
    for other in (tf.ones([64, 32]), tf.Variable(tf.ones([64, 32])), np.ones([64, 32], np.float32)):
        found = x + other
        dtensor.check_layout(found, layout("batch", "model"))
        np.testing.assert_array_equal(found.numpy(), numbers(64, 32) + 1)


# Other layouts


def test_relayout() -> None:
    x = dtensor.copy_to_mesh(numbers(8, 4), layout("batch", "model"))
    line = mesh_of(dims=[("x", 8)])
    for wanted in (
        layout(UNSHARDED, UNSHARDED),
        layout("model", "batch"),
        layout("x", UNSHARDED, mesh=line),
        layout("y", UNSHARDED, mesh=mesh_of(dims=[("y", 2)], devices=["CPU:6", "CPU:1"])),
    ):
        y = dtensor.relayout(x, wanted)
        dtensor.check_layout(y, wanted)
        dtensor.check_layout(dtensor.relayout_like(x, y), wanted)
        np.testing.assert_array_equal(y.numpy(), numbers(8, 4))
    half = dtensor.relayout(x, layout(dtensor.MATCH, UNSHARDED))
    dtensor.check_layout(half, layout("batch", UNSHARDED))


def test_relayout_in_functions() -> None:
    x = dtensor.copy_to_mesh(numbers(8, 4), layout("batch", "model"))
    whole = layout(UNSHARDED, UNSHARDED)
    replicated = dtensor.relayout(x, whole)

    @tf.function
    def compiled(x: Any) -> Any:
        return {
            "whole": dtensor.relayout(x * 2.0, whole),
            "like": dtensor.relayout_like(x * 2.0, replicated),
            "constant": dtensor.relayout(tf.ones([8, 4]), layout("model", UNSHARDED)),
            "made": dtensor.call_with_layout(tf.zeros, layout("model", "batch"), [2, 8]),
            "match": dtensor.relayout(x + 1.0, layout(dtensor.MATCH, UNSHARDED)),
        }

    found = compiled(x)
    specs = {name: dtensor.fetch_layout(y).sharding_specs for name, y in found.items()}  # type: ignore[union-attr]
    assert specs == {
        "whole": [UNSHARDED, UNSHARDED],
        "like": [UNSHARDED, UNSHARDED],
        "constant": ["model", UNSHARDED],
        "made": ["model", "batch"],
        "match": ["batch", UNSHARDED],
    }
    np.testing.assert_array_equal(found["whole"].numpy(), numbers(8, 4) * 2)


@pytest.mark.parametrize("compiled", [False, True])
def test_gradients_lie_as_the_operands_do(compiled: bool) -> None:
    x = dtensor.copy_to_mesh(numbers(8, 4), layout("batch", "model"))
    whole = dtensor.copy_to_mesh(numbers(8, 4) + 1, layout(UNSHARDED, UNSHARDED))

    def gradients(x: Any, other: Any) -> Any:
        with tf.GradientTape(persistent=True) as tape:
            tape.watch(x)
            y = dtensor.relayout(x, layout(UNSHARDED, UNSHARDED)) * other
            z = dtensor.relayout_like(x, other) * other * 2.0
        return tape.gradient(y, x), tape.gradient(z, x)

    first, second = (tf.function(gradients) if compiled else gradients)(x, whole)
    dtensor.check_layout(first, layout("batch", "model"))
    np.testing.assert_array_equal(first.numpy(), numbers(8, 4) + 1)
    np.testing.assert_array_equal(second.numpy(), (numbers(8, 4) + 1) * 2)


def test_relayout_within_control_flow() -> None:
    x = dtensor.copy_to_mesh(numbers(8, 4), layout("batch", "model"))

    @tf.function
    def gradient(x: Any) -> Any:
        with tf.GradientTape() as tape:
            tape.watch(x)
            y = x
            for _ in tf.range(3):
                y = dtensor.relayout(y * 0.5, layout("batch", UNSHARDED))
        return tape.gradient(y, x)

    assert [part.place for part in gradient.get_concrete_function(x).lower().lowering.parts] == [
        "jax"
    ]
    np.testing.assert_array_equal(gradient(x).numpy(), np.full([8, 4], 0.125, np.float32))


def test_default_mesh() -> None:
    mesh = mesh_of()
    assert dtensor.get_default_mesh() is None
    with dtensor.default_mesh(mesh):
        assert dtensor.get_default_mesh() == mesh
        dtensor.check_layout(tf.ones([3]) * 2.0, layout(UNSHARDED))
        with dtensor.run_on(mesh_of(dims=[("x", 8)])):
            assert dtensor.fetch_layout(tf.zeros([3]) + 1.0).mesh.dim_names == ["x"]  # type: ignore[union-attr]
        x = dtensor.call_with_layout(tf.ones, layout("batch"), [8])
        dtensor.check_layout(x, layout("batch"))
        given = dtensor.call_with_layout(lambda: (3, None, x), layout("batch"))
        assert given[:2] == (3, None)
        with dtensor.default_mesh(mesh_of(dims=[("x", 8)])):  # the call's own mesh takes precedence
            for found in (x * 2.0, tf.function(lambda: x * 2.0)()):
                dtensor.check_layout(found, layout("batch"))
    assert not dtensor.is_dtensor(tf.ones([3]) * 2.0)
    with pytest.raises(ValueError, match="Expect `mesh` to be `Mesh`"):
        dtensor.default_mesh(3).__enter__()  # type: ignore[arg-type]
    dtensor.barrier(mesh)


# Variables


def test_variables_keep_their_layout() -> None:
    both = layout("batch", "model")
    v = dtensor.DVariable(numbers(8, 4), layout=both)
    whole = dtensor.copy_to_mesh(numbers(8, 4), layout(UNSHARDED, UNSHARDED))
    other = dtensor.copy_to_mesh(numbers(8, 4), layout("x", UNSHARDED, mesh=mesh_of(dims={"x": 8})))

    @tf.function
    def compiled() -> None:
        v.assign(dtensor.relayout(v * 2.0, layout(UNSHARDED, UNSHARDED)))
        v.assign_sub(whole)

    for change in (
        lambda: v.assign(whole),
        lambda: v.assign(other),
        lambda: v.assign(numbers(8, 4)),
        lambda: v.assign_add(whole),
        lambda: v[0, 0].assign(5.0),
        compiled,
    ):
        change()
        for found in (v, v.value(), v + 1.0):
            dtensor.check_layout(found, both)
    wanted = numbers(8, 4) * 2
    wanted[0, 0] = 5
    np.testing.assert_array_equal(v.numpy(), wanted * 2 - numbers(8, 4))
    assert v.layout == both
    assert dtensor.DVariable(lambda: whole, name="w").layout == layout(UNSHARDED, UNSHARDED)
    for like in (tf.zeros_like(v), tf.ones_like(v.value(), dtype=tf.int32)):
        assert dtensor.DVariable(like).layout == both
    np.testing.assert_array_equal(tf.ones_like(v).numpy(), np.ones([8, 4]))
    for wrong in (
        lambda: dtensor.DVariable(numbers(8, 4)),
        lambda: dtensor.DVariable(whole, layout=both),
        lambda: dtensor.DVariable(numbers(6, 4), layout=both),
    ):
        with pytest.raises(tf.errors.InvalidArgumentError):
            wrong()


def test_steps_write_over_spread_variables() -> None:
    """Check that a new value overwrites the old one on each device and no copies accumulate."""
    v = dtensor.DVariable(numbers(64, 32), layout=layout("batch", "model"))

    @tf.function
    def step() -> None:
        v.assign(v * 0.5 + 1.0)

    backend: Any = registry.active_backend()

    def held() -> tuple[Any, list[int], int]:
        array = backend._arrays[v.value().storage.slot]
        places = [part.data.unsafe_buffer_pointer() for part in array.addressable_shards]
        backend.collect()
        return array, places, backend.memory()["slots"]

    step()
    array, places, slots = held()
    for _ in range(3):
        step()
        before, array = array, held()[0]
        assert before.is_deleted()
    assert held()[1:] == (places, slots)


# Errors


def test_errors() -> None:
    both = layout("batch", "model")
    x = dtensor.copy_to_mesh(numbers(8, 4), both)
    invalid, unimplemented = tf.errors.InvalidArgumentError, tf.errors.UnimplementedError
    part, plain = tf.zeros([2, 2]), tf.zeros([8, 4])
    two = layout("y", UNSHARDED, mesh=mesh_of(dims=[("y", 2)], devices=["CPU:0", "CPU:1"]))
    nowhere = layout("y", UNSHARDED, mesh=mesh_of(dims=[("y", 2)], devices=["CPU:0", "CPU:9"]))
    elsewhere = dtensor.copy_to_mesh(numbers(8, 4), two)
    cases: list[tuple[Any, str, Callable[[], Any]]] = [
        (invalid, "size=6 .* divisible .*=4", lambda: dtensor.copy_to_mesh(numbers(6, 4), both)),
        (invalid, "got 1 .* but 2 from shape", lambda: dtensor.relayout(x, layout(UNSHARDED))),
        (invalid, "CPU:9: JAX sees 8", lambda: dtensor.relayout(x, nowhere)),
        (invalid, "same mesh.*batch=4.*y=2.*relayout", lambda: x + elsewhere),
        (invalid, "same mesh", lambda: tf.function(lambda a, b: a * b)(x, elsewhere)),
        (invalid, "is not on a mesh. Use dtensor", lambda: dtensor.fetch_layout(plain)),
        (invalid, "is not on a mesh", lambda: dtensor.unpack(plain)),
        (invalid, "expected 8 inputs to pack, but got 3", lambda: dtensor.pack([part] * 3, both)),
        (invalid, "already on a mesh", lambda: dtensor.pack([x] * 8, both)),
        (invalid, "is: 1, while layout has", lambda: dtensor.pack([tf.zeros([2])] * 8, both)),
        (unimplemented, "same shape", lambda: dtensor.pack([part] * 7 + [plain], both)),
        (
            tf.errors.InternalError,
            "same dtype",
            lambda: dtensor.pack([part] * 7 + [tf.zeros([2, 2], tf.int32)], both),
        ),
        (TypeError, "must be a list, got 'batch'", lambda: dtensor.Layout("batch", mesh_of())),
        (ValueError, "XLA SPMD", lambda: dtensor.create_mesh({"x": 8}, use_xla_spmd=True)),
        (ValueError, "did not match expected layout", lambda: dtensor.check_layout(x, two)),
        (
            invalid,
            "same shape",
            lambda: tf.function(lambda a, b: dtensor.relayout_like(a, b))(x, tf.zeros([3])),
        ),
    ]
    for kind, text, call in cases:
        with pytest.raises(kind, match=text):
            call()
    for call in (dtensor.fetch_layout, dtensor.is_dtensor, dtensor.unpack):
        with pytest.raises(RuntimeError, match="must be called eagerly"):
            tf.function(call)(x)
    assert dtensor.fetch_layout(3.0) is None
    assert not dtensor.is_dtensor(3.0)
    np.testing.assert_array_equal((x + 1.0).numpy(), numbers(8, 4) + 1)
