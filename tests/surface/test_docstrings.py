"""Texts of public functions say what the parameters take that many functions have."""

from __future__ import annotations

import inspect

import pytest
from surface import public

SAID = (
    *("axes", "axis", "batch_dims", "data_format", "dilations", "dtype", "keepdims", "ksize"),
    *("padding", "perm", "strides"),
)

WITHOUT = {
    "it needs an element of a page or a device of the user's": """
        browser.draw browser.from_gpu_buffer browser.gpu_device data.DeviceDataset data.microphone
        data.microphone_async data.webcam data.webcam_async
    """,
    "it needs an address that serves files": """
        data.URLDataSource io.to_folder io.to_folder_async set_wasm_path set_wasm_paths
    """,
    "it needs a GPU, TPUs or a backend that has not computed": """
        config.experimental.get_memory_info config.experimental.set_memory_growth
        config.set_logical_device_configuration
        distribute.TPUStrategy distribute.cluster_resolver.TPUClusterResolver
        distribute.experimental.TPUStrategy
    """,
    "it needs the wasm backend": "get_threads_count set_threads_count",
    "it needs Keras": "load_layers_model load_layers_model_async save_layers_model",
    "it needs Pillow": "image.decode_gif image.decode_jpeg image.encode_jpeg",
    "the process has another `import tensorflow` afterwards": "as_tensorflow",
    "it has no effect": "autograph.set_verbosity",
}
"""Names whose example cannot be run anywhere, by the reason."""


@pytest.mark.parametrize("name", SAID)
def test_parameter(name: str) -> None:
    having = {
        path: inspect.getdoc(function) or ""
        for path, function in public.functions().items()
        if name in inspect.signature(function).parameters
    }
    assert having
    assert [path for path, text in having.items() if name not in text] == []


def test_every_name_has_an_example() -> None:
    """They run in tests/api/test_package.py and, each on one of the backends, in browsers."""
    lacking = {
        name
        for name, thing in public.things().items()
        if ">>> " not in (inspect.getdoc(thing) or "")
    }
    assert lacking == {name for names in WITHOUT.values() for name in names.split()}
