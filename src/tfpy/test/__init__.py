"""`tf.test`: test cases with assertions about tensors, numeric gradients, and benchmarks."""

# Generated from api.toml and the op table by `build.py face`. Edit those instead.

from tfpy._src.testing.benchmarks import Benchmark as Benchmark
from tfpy._src.testing.case import TestCase as TestCase
from tfpy._src.testing.environment import (
    disable_with_predicate as disable_with_predicate,
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
from tfpy._src.testing.gradients import compute_gradient as compute_gradient
from tfpy._src.testing.graph_defs import assert_equal_graph_def as assert_equal_graph_def
from tfpy.test import experimental as experimental
