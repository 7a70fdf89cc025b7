"""Patterns of Keras tests that cannot pass on tfpy, grouped by reason."""

from __future__ import annotations

from fnmatch import fnmatchcase

Patterns = tuple[str, ...]

FILES: dict[str, Patterns] = {
    "other backends' own": ("backend/jax/*", "backend/numpy/*", "backend/torch/*"),
    "JAX inside of TensorFlow": ("utils/jax_layer_test.py",),
    "TensorBoard's event files, read with TensorFlow's private modules": (
        "callbacks/tensorboard_test.py",
    ),
}
"""Files that are not imported at all."""

ELSEWHERE: dict[str, Patterns] = {
    "downloads weights": ("applications/applications_test.py::*test_application_base_*",),
    "asks for the package orbax-checkpoint": ("callbacks/orbax_checkpoint_test.py::*",),
    "writes ONNX with the package tf2onnx, of TensorFlow's graphs": ("export/onnx_test.py::*",),
    "makes two devices of one with TensorFlow's private modules": (
        "callbacks/swap_ema_weights_test.py::*::test_swap_ema_weights_with_tf_distribute",
    ),
    "asks for the package openvino": ("export/openvino_test.py::*",),
    "reads a file that Keras's package lacks": (
        "saving/saving_lib_test.py::*::test_legacy_load_skips_missing_nested_containers",
    ),
}
"""Tests of features outside tfpy's scope. They do not count."""

BEYOND: dict[str, Patterns] = {
    "SavedModel is TensorFlow's own format": (
        "backend/tensorflow/saved_model_test.py::*",
        "export/saved_model_test.py::*",
        "export/tfsm_layer_test.py::*",
        "layers/core/*_test.py::*::test_quantize_float8_fitting",
        "layers/core/*_test.py::*::test_quantize_lora_integration_int*",
    ),
    "tf.train.Checkpoint is TensorFlow's own format": (
        "optimizers/optimizer_test.py::OptimizerTest::test_tf_checkpointing",
    ),
    "LiteRT's converter takes TensorFlow's graphs": (
        "export/litert_test.py::ExportLitertInterpreterTest::*",
    ),
    "TensorBoard's event files": (
        "optimizers/multi_optimizer_test.py::*::test_tensorboard_logging_with_multi_optimizer",
    ),
    "computes on several devices; a page has one": (
        "backend/common/variables_test.py::*::test_variable_numpy_scalar",
        "backend/tensorflow/distribute_test.py::*",
        "backend/tensorflow/optimizer_distribute_test.py::*",
        "distribution/distribution_lib_test.py::TfDatasetDistributionTest::*",
        "ops/nn_test.py::*::test_moments_sync_with_distribution_strategy*",
    ),
    "float64, int64 and complex128 are float32, int32 and complex64": (
        "backend/common/dtypes_test.py::*::test_result_type_with_float64_*",
        "backend/common/dtypes_test.py::*::test_result_type_with_int64_*",
        "backend/common/variables_test.py::*::test_standardize_dtype_complex128",
        "backend/common/variables_test.py::*::test_standardize_dtype_float64",
        "backend/common/variables_test.py::*::test_standardize_dtype_int64",
        "random/random_test.py::*::test_tf_cast_seed",
        "random/seed_generator_test.py::*::test_draw_seed_from_integer",
        "random/seed_generator_test.py::*::test_draw_seed_from_large_integer",
        "random/seed_generator_test.py::*::test_seed_generator_dtype",
    ),
    "a loop over a dataset runs as Python: its elements have their own sizes": (
        "utils/*_dataset_utils_test.py::*::test_static_shape_in_graph",
    ),
    "ops whose result's shape depends on values are not traced": (
        "ops/numpy_test.py::HistogramTest::test_histogram_predict_*",
    ),
    "ragged and sparse tensors are not traced with open sizes": (
        "backend/tests/compute_output_spec_test.py::*::test_sparse_to_sparse",
        "layers/preprocessing/text_vectorization_test.py::*_from_ragged",
        "utils/audio_dataset_utils_test.py::*::test_audio_dataset_from_directory_ragged",
    ),
    "shapes are tuples and specs have no private parts, by which Keras 2 wrote them as JSON": (
        "legacy/saving/json_utils_test.py::*::test_encode_decode_ragged_tensor",
        "legacy/saving/json_utils_test.py::*::test_encode_decode_tensor_shape",
        "legacy/saving/json_utils_test.py::*::test_encode_decode_type_spec",
    ),
    "tf.experimental.ExtensionType is not there": (
        "legacy/saving/json_utils_test.py::*::test_encode_decode_extension_type_tensor",
    ),
    "tf.data's generators give no absent values": (
        "models/model_test.py::*::test_functional_optional_inputs_generator_optional_none",
    ),
}
"""Tests of features that TensorFlow has and tfpy does not. They count as not passed."""


def is_file_left_out(name: str) -> bool:
    """Return True if a whole file below ``keras/src`` is excluded."""
    return any(fnmatchcase(name, p) for patterns in FILES.values() for p in patterns)


def reason(test: str) -> str | None:
    """Return the reason why a test is excluded, or None.

    A test is named like ``layers/core/dense_test.py::DenseTest::test_dense``.
    """
    for table in (ELSEWHERE, BEYOND):
        for why, patterns in table.items():
            if any(fnmatchcase(test, pattern) for pattern in patterns):
                return why
    return None
