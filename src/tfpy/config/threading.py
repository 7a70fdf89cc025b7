"""`tf.config.threading`: numbers of threads, which programs for TensorFlow set."""

# Generated from api.toml and the op table by `build.py face`. Edit those instead.

from tfpy._src.library.config.execution import (
    get_inter_op_parallelism_threads as get_inter_op_parallelism_threads,
    get_intra_op_parallelism_threads as get_intra_op_parallelism_threads,
    set_inter_op_parallelism_threads as set_inter_op_parallelism_threads,
    set_intra_op_parallelism_threads as set_intra_op_parallelism_threads,
)
