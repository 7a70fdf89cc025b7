"""The public modules contain TensorFlow's names, the listed names of tfpy, and nothing else."""

from __future__ import annotations

import inspect
from functools import reduce
from pathlib import Path
from typing import Any

import pytest
import tensorflow
from surface import public

import tfpy
from tfpy._src.base.missing_names import own_names
from tfpy._src.tensors.array import reshaping

ROOT = Path(__file__).parents[2]
EVERY_NAMESPACE = pytest.mark.parametrize("namespace", public.NAMESPACES, ids=lambda n: f"tf.{n}")

OWN = {
    "": """
        as_tensorflow backend backend_report basic_lstm_cell batch_to_space_nd browser
        buffer check_float16 clip_by_average_norm compile_model compile_model_async
        copy_registered_kernels custom_grad deregister_op device_info dispose dot
        enable_debug_mode enable_prod_mode env euclidean_norm export find_backend
        find_backend_factory Float16Check floor_div fused get_backend get_gradient
        get_kernel get_kernels_for_backend get_threads_count grad grads GraphModel hub keep
        KernelBackend load_graph_model load_graph_model_async load_layers_model
        load_layers_model_async lower_bound memory models moving_average multi_rnn_cell
        multinomial next_frame notebook outer_product prelu profile profile_async
        ragged_gather ragged_range ragged_tensor_to_tensor rand random_standard_normal
        random_uniform_int ready register_backend register_gradient register_kernel
        register_op remove_backend save_graph_model save_layers_model save_onnx scalar
        set_backend set_backend_async set_threads_count set_wasm_path set_wasm_paths
        setdiff1d sparse_to_dense spectral squared_difference step tensor tensor1d tensor2d
        tensor3d tensor4d tensor5d tensor6d TensorBuffer tidy time time_async typing
        unregister_gradient unregister_kernel upper_bound value_and_grad value_and_grads
        variable_grads
    """,
    "config.experimental": "keep_host_copies",
    "browser": """
        as_javascript draw from_gpu_buffer from_pixels from_pixels_async gpu_device
        to_pixels to_pixels_async
    """,
    "data": """
        CSVDataset DeviceDataset FileDataSource URLDataSource WholeFileDataset csv csv_async
        microphone microphone_async webcam webcam_async
    """,
    "errors": "NotTraceableError",
    "fused": "conv2d depthwise_conv2d mat_mul",
    "hub": """
        configure fetch list_files persist read remove StoredFile StoreUsage usage
    """,
    "io": "list_models_async remove_model_async to_folder to_folder_async",
    "image": """
        non_max_suppression_async non_max_suppression_padded_async
        non_max_suppression_with_scores_async resize_bilinear resize_nearest_neighbor
        rotate_with_offset threshold transform
    """,
    "linalg": "gram_schmidt",
    "models": """
        MemoryEstimate convert estimate_memory estimate_memory_async load load_adapter
        load_adapter_async load_async save save_adapter
    """,
    "losses": """
        absolute_difference compute_weighted_loss cosine_distance hinge_loss huber_loss
        log_loss mean_squared_error sigmoid_cross_entropy softmax_cross_entropy
    """,
    "math": "clip_by_value",
    "nn": "fused_batch_norm",
    "notebook": "LivePlot progress",
    "profiler.experimental": "stop_async",
    "ragged": "ragged_gather ragged_range ragged_tensor_to_tensor",
    "raw_ops": "Conv1D DepthwiseConv2d FusedDepthwiseConv2dNative Ones Prelu Zeros",
    "sparse": """
        sparse_fill_empty_rows sparse_reshape sparse_segment_mean sparse_segment_sum
        sparse_to_dense
    """,
    "spectral": "fft ifft irfft rfft",
    "strings": "static_regex_replace string_n_grams string_split string_to_hash_bucket_fast",
    "summary": "create_plot_writer",
    "typing": """
        Axis DTypeLike FloatLike IntLike Nest Padding PathLike ShapeLike Strides TensorLike
    """,
}
"""Names that TensorFlow does not have, mostly TensorFlow.js's names and environment functions."""


MODULES = {"convert", "testing", "mock"}
"""Modules for running or testing, which exist only after they are imported, and one of Python."""


def theirs(namespace: str) -> Any:
    parts = filter(None, namespace.split("."))
    return reduce(lambda module, part: getattr(module, part, None), parts, tensorflow)


@EVERY_NAMESPACE
def test_names(namespace: str) -> None:
    module = public.module(namespace)
    names = set(own_names(module)) - (set() if namespace else MODULES)
    own = {name for name in names if not hasattr(theirs(namespace), name)}
    assert own == set(OWN.get(namespace, "").split())


@EVERY_NAMESPACE
def test_submodules_are_namespaces(namespace: str) -> None:
    module = public.module(namespace)
    found = {n for n in own_names(module) if inspect.ismodule(getattr(module, n))} - MODULES
    below = {f"{namespace}.{name}".lstrip(".") for name in found}
    assert below <= set(public.NAMESPACES)


@EVERY_NAMESPACE
def test_names_have_texts(namespace: str) -> None:
    module = public.module(namespace)
    assert module.__doc__
    for name in own_names(module):
        value = getattr(module, name)
        assert not callable(value) or inspect.getdoc(value), name


def test_the_public_function_is_the_engines() -> None:
    assert tfpy.reshape is reshaping.reshape


def test_public_functions_are_written_down() -> None:
    """Check that editors find the source of each function.

    This includes functions that the op table describes.
    """
    for path, function in public.functions().items():
        source = inspect.getsourcefile(inspect.unwrap(function))
        assert source is not None, path
        assert Path(source).is_relative_to(ROOT / "src" / "tfpy" / "_src"), path


def objects(lib: Any) -> dict[str, Any]:
    """Return an object of each kind that programs often inspect."""
    add = lib.function(lambda x: x + 1.0)
    dataset = lib.data.Dataset.from_tensor_slices([1]).batch(2)
    return {
        "tensor": lib.constant([1.0]),
        "Variable": lib.Variable(1.0),
        "tape": lib.GradientTape(),
        "dataset": dataset,
        "iterator": iter(dataset),
        "function": add,
        "concrete function": add.get_concrete_function(lib.constant(1.0)),
        "TensorArray": lib.TensorArray(lib.float32, 2),
        "dtype": lib.float32,
        "Module": lib.Module(),
        "Checkpoint": lib.train.Checkpoint(),
        "Generator": lib.random.Generator.from_seed(1),
    }


OWN_MEMBERS = {
    "tensor": "array array_sync data data_sync dispose gpu_buffer is_disposed rank size",
    "Variable": "data data_sync ndim",
    "function": "cache_info call_async concrete_functions lower repeat",
    "concrete function": "call_async lower",
    "TensorArray": "as_list",
    "Checkpoint": "save_async write_async",
}
"""Members that TensorFlow does not have. They are documented; `dir` lists no other ones."""


@pytest.mark.parametrize("kind", objects(tfpy))
def test_members_of_objects(kind: str) -> None:
    ours, theirs = ({*dir(objects(lib)[kind])} for lib in (tfpy, tensorflow))
    own = {name for name in ours - theirs if not name.startswith("_")}
    assert own == set(OWN_MEMBERS.get(kind, "").split())
