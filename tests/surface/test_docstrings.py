"""The reference entries of public functions, classes and methods are complete."""

from __future__ import annotations

import inspect
import re
import tomllib
from collections.abc import Callable, Iterator
from typing import Any

from surface import public

import tfpy as tf
from buildsys import api_pages

DESCRIBED = (
    *(tf.Tensor, tf.Variable, tf.data.Dataset, tf.GradientTape, tf.Module, tf.TensorArray),
    *(tf.RaggedTensor, tf.SparseTensor, tf.TensorSpec, tf.random.Generator, tf.GraphModel),
    *(tf.train.Checkpoint, tf.train.CheckpointManager),
)
"""Classes with methods that programs call."""
NEEDS_NO_TEXT = {"self", "cls", "name"}
"""Parameters that are the same everywhere."""

WITHOUT = {
    "it needs an element of a page or a device of the user's": """
        browser.as_javascript browser.draw browser.from_gpu_buffer browser.gpu_device
        data.DeviceDataset data.microphone data.microphone_async data.webcam data.webcam_async
    """,
    "it needs an address that serves files": """
        data.URLDataSource hub.fetch hub.read hub.remove io.to_folder io.to_folder_async
        set_wasm_path set_wasm_paths
    """,
    "it needs a GPU, TPUs or a backend that has not computed": """
        config.experimental.get_memory_info config.experimental.get_memory_usage
        config.experimental.set_memory_growth
        config.set_logical_device_configuration
        distribute.TPUStrategy distribute.cluster_resolver.TPUClusterResolver
        distribute.experimental.TPUStrategy
    """,
    "it needs the storage of a browser": "io.list_models_async io.remove_model_async",
    "it needs the store of the user": "hub.persist",
    "it needs the wasm backend": "get_threads_count set_threads_count",
    "it is a type of NumPy": " ".join(
        f"experimental.numpy.{name}"
        for name in (
            *("bool_", "complex128", "complex64", "float16", "float32", "float64", "inexact"),
            *("int16", "int32", "int64", "int8", "object_", "string_"),
            *("uint16", "uint32", "uint64", "uint8"),
        )
    ),
    "all tensors have NumPy's methods afterwards": """
        experimental.numpy.experimental_enable_numpy_behavior
    """,
    "it needs Keras": "load_layers_model load_layers_model_async save_layers_model",
    "it needs KerasHub": """
        models.load_adapter models.load_adapter_async models.save models.save_adapter
    """,
    "it needs Pillow": """
        compat.v1.io.decode_gif compat.v1.io.decode_jpeg compat.v1.io.encode_jpeg
        image.adjust_jpeg_quality image.decode_and_crop_jpeg image.decode_webp
        image.extract_jpeg_shape image.random_jpeg_quality image.stateless_random_jpeg_quality
    """,
    "all random functions need seeds afterwards": "config.experimental.enable_op_determinism",
    "all functions create operations of a graph afterwards": """
        compat.v1.disable_eager_execution compat.v1.disable_v2_behavior
    """,
    "the process has another `import tensorflow` afterwards": "as_tensorflow",
}
"""Names whose example cannot be run anywhere, by the reason."""


def methods() -> Iterator[tuple[str, Callable[..., Any]]]:
    """Yield the public methods of `DESCRIBED` with their names."""
    for owner in DESCRIBED:
        for name in dir(owner):
            method = getattr(owner, name, None)
            if not name.startswith("_") and callable(method):
                yield f"{owner.__name__}.{name}", method


def missing(thing: Callable[..., Any]) -> list[str]:
    """Return the parts that the entry of a function lacks: parameters, and the result."""
    text = inspect.getdoc(thing) or ""
    signature = inspect.signature(thing)
    parameters = [name for name in signature.parameters if name not in NEEDS_NO_TEXT]
    lacking = [
        name
        for name in parameters
        if not re.search(rf"^ *\*{{0,2}}[\w, *`]*\b{name}\b[\w, *`]*:", text, re.M)
    ]
    result = signature.return_annotation not in (None, "None", "NoReturn")
    if result and not re.search(r"^ *(Returns|Yields):", text, re.M):
        lacking.append("Returns")
    return lacking


def test_functions_are_described() -> None:
    found = {
        name: lacking
        for name, thing in public.things().items()
        if inspect.isfunction(thing) and (lacking := missing(thing))
    }
    assert found == {}


def test_methods_are_described() -> None:
    found = {name: lacking for name, method in methods() if (lacking := missing(method))}
    assert found == {}


def test_members_that_only_the_package_uses() -> None:
    """Check the table of members that the reference omits.

    `dir` also omits the members of tensors.
    """
    classes = set(api_pages.homes().values())
    assert set(tomllib.loads(api_pages.PACKAGE_MEMBERS.read_text())) <= classes
    x = tf.constant(1.0)
    assert {"dtype", "numpy", "shape"} <= set(dir(x))
    assert set(dir(x)).isdisjoint({"aval", "item", "storage"})


def test_signatures_have_types() -> None:
    """Check that at most 5 % of the parameters accept any value."""
    parameters = [
        (name, parameter.name)
        for name, thing in [*public.things().items(), *methods()]
        if inspect.isfunction(thing)
        for parameter in inspect.signature(thing).parameters.values()
        if parameter.name not in NEEDS_NO_TEXT and "Any" in (parameter.annotation, "Any")[:1]
    ]
    total = sum(len(inspect.signature(t).parameters) for t in public.functions().values())
    assert len(parameters) <= 0.05 * total, parameters


def test_every_name_has_an_example() -> None:
    """Check that every public name has an example.

    The examples run in tests/api/test_package.py and, each on one of the backends, in browsers.
    """
    lacking = {
        name
        for name, thing in public.things().items()
        if not (inspect.isclass(thing) and issubclass(thing, BaseException))
        if ">>> " not in (inspect.getdoc(thing) or "")
    }
    assert lacking == {name for names in WITHOUT.values() for name in names.split()}
