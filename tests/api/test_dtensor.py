"""``tf.experimental.dtensor`` on one device: each tensor keeps its layout, and nothing moves."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
import tensorflow
from api.same import same

import tfpy
from tfpy.experimental import dtensor

SPECS = ["batch", dtensor.UNSHARDED]
X = np.arange(8, dtype=np.float32).reshape(4, 2)


def specs_of(lib: Any, value: Any) -> Any:
    return lib.experimental.dtensor.fetch_layout(value).sharding_specs


@same
def test_one_device(tf: Any) -> Any:
    d = tf.experimental.dtensor
    mesh = d.create_mesh([("batch", 1), ("model", 1)], devices=["CPU:0"])
    layout = d.Layout(SPECS, mesh)
    x = d.copy_to_mesh(X, layout)
    v = d.DVariable(x, name="v")
    made = d.call_with_layout(tf.zeros, layout, [4, 2])

    @tf.function
    def step(x: Any) -> Any:
        v.assign_add(d.relayout(x * 2.0, d.Layout.replicated(mesh, 2)))
        return d.relayout_like(tf.reduce_sum(v, 1, keepdims=True) + x, x)

    y = step(x)
    parts = d.unpack(x)
    again = d.pack(parts, layout)
    with d.default_mesh(mesh), tf.device(d.device_name()):
        inside = tf.ones([2])
    return [
        *(specs_of(tf, value) for value in (x, v, made, again, inside)),
        *(d.is_dtensor(value) for value in (x, v, y, 3.0)),
        [part.numpy() for part in parts],
        *(d.unpack(value)[0].numpy() for value in (y, v.value(), made, again, inside)),
        str(v.layout),
    ]


@same
def test_device_specs(tf: Any) -> Any:
    spec = tf.DeviceSpec(job="worker", replica=0, task=1, device_type="gpu", device_index=2)
    texts = ["/job:a/replica:0/task:2/device:CPU:0", "CPU:3", "gpu", "/GPU:*", "", "/job:b"]
    found = [tf.DeviceSpec.from_string(text) for text in texts]
    refused = []
    for text in ("/dog:1", "/CPU:0/GPU:0"):
        with pytest.raises(ValueError, match="device") as error:
            tf.DeviceSpec.from_string(text)
        refused.append(str(error.value))
    return [
        *(one.to_string() for one in (spec, *found)),
        *(spec.make_merged_spec(one).to_string() for one in found),
        spec.replace(task=None).to_string(),
        repr(spec),
        spec == tf.DeviceSpec.from_string(spec.to_string()),
        len({spec, *found}),
        [spec.job, spec.replica, spec.task, spec.device_type, spec.device_index],
        refused,
    ]


def test_more_devices_are_those_of_jax() -> None:
    with pytest.raises(
        ValueError, match=r"length of devices \(1\) .* shape \[8\].*pip install jax"
    ):
        dtensor.create_mesh([("batch", 8)])
    mesh = dtensor.create_mesh([("batch", 2)], devices=["CPU:0", "CPU:1"])
    layout = dtensor.Layout(SPECS, mesh)

    @tfpy.function
    def compiled(x: Any) -> Any:
        return dtensor.relayout(x, layout)

    for place in (
        lambda: dtensor.copy_to_mesh(X, layout),
        lambda: dtensor.pack([X[:2], X[2:]], layout),
        lambda: dtensor.DVariable(X, layout=layout),
        lambda: dtensor.default_mesh(mesh).__enter__(),
    ):
        with pytest.raises(
            tfpy.errors.UnimplementedError, match=r"2 devices, .*cpu.*pip install jax"
        ):
            place()
    np.testing.assert_array_equal(compiled(tfpy.constant(X)).numpy(), X)


def test_clients_are_what_the_environment_says(monkeypatch: pytest.MonkeyPatch) -> None:
    def facts(lib: Any) -> list[Any]:
        d = lib.experimental.dtensor
        return [d.jobs(), d.num_clients(), d.client_id(), d.job_name(), d.full_job_name(1)]

    monkeypatch.setenv("DTENSOR_JOBS", "a:1,b:2")
    monkeypatch.setenv("DTENSOR_CLIENT_ID", "1")
    assert facts(tfpy) == facts(tensorflow)
    mesh = dtensor.Mesh(["x"], np.arange(4), [2, 3], ["/job:worker/task:1/CPU:0", "CPU:1"])
    tasks = [name.split("/")[3] for name in mesh.device_mesh.devices]
    assert tasks == ["task:0"] * 2 + ["task:1"] * 2
    for number in ("2", "-1"):
        monkeypatch.setenv("DTENSOR_CLIENT_ID", number)
        for lib in (tfpy, tensorflow):
            with pytest.raises(ValueError, match="DTENSOR_CLIENT_ID"):
                lib.experimental.dtensor.client_id()


def test_accelerators() -> None:
    for use in (
        dtensor.shutdown_accelerator_system,
        lambda: dtensor.create_distributed_mesh([("x", 1)]),
        lambda: dtensor.initialize_accelerator_system("QPU"),
    ):
        with pytest.raises(ValueError, match=r"initialized|QPU"):
            use()
    assert dtensor.initialize_accelerator_system() == dtensor.preferred_device_type()
    try:
        with pytest.raises(ValueError, match="already been initialized"):
            dtensor.initialize_accelerator_system()
        assert dtensor.create_distributed_mesh([("x", 1)], device_type="CPU").size == 1
        with pytest.raises(ValueError, match=r"\(1 per client \* 1 clients = 1\)"):
            dtensor.create_distributed_mesh([("x", 3)], device_type="CPU")
    finally:
        dtensor.shutdown_accelerator_system()
