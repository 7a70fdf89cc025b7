"""`tf.compat.v1.test`: the names of `tf.test`, and others of TensorFlow 1."""

# Generated from api.toml and the op table by `build.py face`. Edit those instead.

from tfpy._src.testing.benchmarks import Benchmark as Benchmark
from tfpy._src.testing.case import TestCase as TestCase
from tfpy._src.testing.environment import (
    disable_with_predicate as disable_with_predicate,
    get_temp_dir as get_temp_dir,
    gpu_device_name as gpu_device_name,
    is_built_with_cuda as is_built_with_cuda,
    is_built_with_gpu_support as is_built_with_gpu_support,
    is_built_with_rocm as is_built_with_rocm,
    is_built_with_xla as is_built_with_xla,
    is_cpu_target_available as is_cpu_target_available,
    is_gpu_available as is_gpu_available,
    main as main,
    with_eager_op_as_function as with_eager_op_as_function,
)
from tfpy._src.testing.graph_checks import (
    assert_equal_graph_def as assert_equal_graph_def,
    compute_gradient as compute_gradient,
    compute_gradient_error as compute_gradient_error,
)
from tfpy._src.testing.stubs import StubOutForTesting as StubOutForTesting, mock as mock
from tfpy.compat.v1.test import experimental as experimental
