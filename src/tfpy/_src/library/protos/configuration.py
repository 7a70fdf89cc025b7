"""The messages that configure a session of TensorFlow 1. Sessions here ignore them."""

from __future__ import annotations

from tfpy._src.library.protos.containers import (
    MapValues,
    RepeatedCompositeContainer,
    RepeatedValues,
)
from tfpy._src.library.protos.example import ClusterDef
from tfpy._src.library.protos.fields import MapField, MessageField, RepeatedField, ScalarField
from tfpy._src.library.protos.kinds import (
    BOOL,
    DOUBLE,
    FLOAT,
    INT32,
    INT64,
    STRING,
    enumeration,
)
from tfpy._src.library.protos.message import ProtoMessage

# mypy: disable-error-code="assignment"


class GPUOptions(ProtoMessage):
    """Options of GPUs, such as `allow_growth`. tfpy ignores them.

    Example:
        >>> import tfpy as tf
        >>> options = tf.compat.v1.GPUOptions(per_process_gpu_memory_fraction=0.5)
        >>> options.allow_growth
        False

    See also: `tf.compat.v1.ConfigProto`.
    """

    __slots__ = ()

    class Experimental(ProtoMessage):
        """Experimental options of GPUs."""

        __slots__ = ()

        class VirtualDevices(ProtoMessage):
            """Virtual devices of one GPU."""

            __slots__ = ()
            memory_limit_mb: RepeatedValues = RepeatedField(1, FLOAT)
            priority: RepeatedValues = RepeatedField(2, INT32)
            device_ordinal: RepeatedValues = RepeatedField(3, INT32)

        virtual_devices: RepeatedCompositeContainer = RepeatedField(1, VirtualDevices)
        num_virtual_devices_per_gpu: int = ScalarField(15, INT32)
        use_unified_memory: bool = ScalarField(2, BOOL)
        num_dev_to_dev_copy_streams: int = ScalarField(3, INT32)
        collective_ring_order: str = ScalarField(4, STRING)
        timestamped_allocator: bool = ScalarField(5, BOOL)
        kernel_tracker_max_interval: int = ScalarField(7, INT32)
        kernel_tracker_max_bytes: int = ScalarField(8, INT32)
        kernel_tracker_max_pending: int = ScalarField(9, INT32)
        internal_fragmentation_fraction: float = ScalarField(10, DOUBLE)
        use_cuda_malloc_async: bool = ScalarField(11, BOOL)
        disallow_retry_on_allocation_failure: bool = ScalarField(12, BOOL)
        gpu_host_mem_limit_in_mb: float = ScalarField(13, FLOAT)
        gpu_host_mem_disallow_growth: bool = ScalarField(14, BOOL)
        gpu_system_memory_size_in_mb: int = ScalarField(16, INT32)
        populate_pjrt_gpu_client_creation_info: bool = ScalarField(17, BOOL)
        node_id: int = ScalarField(18, INT32)

    per_process_gpu_memory_fraction: float = ScalarField(1, DOUBLE)
    allow_growth: bool = ScalarField(4, BOOL)
    allocator_type: str = ScalarField(2, STRING)
    deferred_deletion_bytes: int = ScalarField(3, INT64)
    visible_device_list: str = ScalarField(5, STRING)
    polling_active_delay_usecs: int = ScalarField(6, INT32)
    polling_inactive_delay_msecs: int = ScalarField(7, INT32)
    force_gpu_compatible: bool = ScalarField(8, BOOL)
    experimental: Experimental = MessageField(9, Experimental)


class OptimizerOptions(ProtoMessage):
    """Options of TensorFlow's optimizer of graphs. tfpy ignores them.

    Example:
        >>> import tfpy as tf
        >>> options = tf.compat.v1.OptimizerOptions(opt_level=tf.compat.v1.OptimizerOptions.L0)
        >>> options.opt_level
        -1

    See also: `tf.compat.v1.GraphOptions`.
    """

    __slots__ = ()
    L1, L0 = 0, -1
    DEFAULT, OFF, ON_1, ON_2 = 0, -1, 1, 2
    do_common_subexpression_elimination: bool = ScalarField(1, BOOL)
    do_constant_folding: bool = ScalarField(2, BOOL)
    max_folded_constant_in_bytes: int = ScalarField(6, INT64)
    do_function_inlining: bool = ScalarField(4, BOOL)
    opt_level: int = ScalarField(
        3, enumeration("tensorflow.OptimizerOptions.Level", {0: "L1", -1: "L0"})
    )
    global_jit_level: int = ScalarField(
        5,
        enumeration(
            "tensorflow.OptimizerOptions.GlobalJitLevel",
            {0: "DEFAULT", -1: "OFF", 1: "ON_1", 2: "ON_2"},
        ),
    )
    cpu_global_jit: bool = ScalarField(7, BOOL)


class GraphOptions(ProtoMessage):
    """Options of graphs. tfpy ignores them.

    Example:
        >>> import tfpy as tf
        >>> tf.compat.v1.GraphOptions(infer_shapes=True)
        infer_shapes: true
        <BLANKLINE>

    See also: `tf.compat.v1.ConfigProto`.
    """

    __slots__ = ()
    enable_recv_scheduling: bool = ScalarField(2, BOOL)
    optimizer_options: OptimizerOptions = MessageField(3, OptimizerOptions)
    build_cost_model: int = ScalarField(4, INT64)
    build_cost_model_after: int = ScalarField(9, INT64)
    infer_shapes: bool = ScalarField(5, BOOL)
    place_pruned_graph: bool = ScalarField(6, BOOL)
    enable_bfloat16_sendrecv: bool = ScalarField(7, BOOL)
    timeline_step: int = ScalarField(8, INT32)


class ThreadPoolOptionProto(ProtoMessage):
    """A pool of threads of a `tf.compat.v1.ConfigProto`."""

    __slots__ = ()
    num_threads: int = ScalarField(1, INT32)
    global_name: str = ScalarField(2, STRING)


class ConfigProto(ProtoMessage):
    """The configuration of a `tf.compat.v1.Session`. tfpy ignores it.

    Args:
        allow_soft_placement: Boolean.
        log_device_placement: Boolean.
        gpu_options: Options of GPUs, a `tf.compat.v1.GPUOptions`.
        graph_options: Options of graphs, a `tf.compat.v1.GraphOptions`.
        device_count: Mapping from kinds of devices to numbers.

    Example:
        >>> import tfpy as tf
        >>> config = tf.compat.v1.ConfigProto(allow_soft_placement=True)
        >>> config.gpu_options.allow_growth = True
        >>> config
        gpu_options {
          allow_growth: true
        }
        allow_soft_placement: true
        <BLANKLINE>

    See also: `tf.compat.v1.Session`.
    """

    __slots__ = ()

    class DeviceCountEntry(ProtoMessage):
        """One entry of `device_count`."""

        __slots__ = ()
        key: str = ScalarField(1, STRING)
        value: int = ScalarField(2, INT32)

    class Experimental(ProtoMessage):
        """Experimental options of sessions."""

        __slots__ = ()
        collective_group_leader: str = ScalarField(1, STRING)
        executor_type: str = ScalarField(3, STRING)
        recv_buf_max_chunk: int = ScalarField(4, INT32)
        use_numa_affinity: bool = ScalarField(5, BOOL)
        collective_deterministic_sequential_execution: bool = ScalarField(6, BOOL)
        collective_nccl: bool = ScalarField(7, BOOL)
        disable_thread_spinning: bool = ScalarField(9, BOOL)
        optimize_for_static_graph: bool = ScalarField(12, BOOL)
        enable_mlir_bridge: bool = ScalarField(13, BOOL)
        disable_output_partition_graphs: bool = ScalarField(14, BOOL)
        xla_fusion_autotuner_thresh: int = ScalarField(15, INT64)
        enable_mlir_graph_optimization: bool = ScalarField(16, BOOL)
        use_tfrt: bool = ScalarField(18, BOOL)
        xla_prefer_single_graph_cluster: bool = ScalarField(22, BOOL)

    device_count: MapValues = MapField(1, DeviceCountEntry)
    intra_op_parallelism_threads: int = ScalarField(2, INT32)
    inter_op_parallelism_threads: int = ScalarField(5, INT32)
    use_per_session_threads: bool = ScalarField(9, BOOL)
    session_inter_op_thread_pool: RepeatedValues = RepeatedField(12, ThreadPoolOptionProto)
    placement_period: int = ScalarField(3, INT32)
    device_filters: RepeatedValues = RepeatedField(4, STRING)
    gpu_options: GPUOptions = MessageField(6, GPUOptions)
    pluggable_device_options: GPUOptions = MessageField(18, GPUOptions)
    allow_soft_placement: bool = ScalarField(7, BOOL)
    log_device_placement: bool = ScalarField(8, BOOL)
    graph_options: GraphOptions = MessageField(10, GraphOptions)
    operation_timeout_in_ms: int = ScalarField(11, INT64)
    cluster_def: ClusterDef = MessageField(14, ClusterDef)
    isolate_session_state: bool = ScalarField(15, BOOL)
    share_cluster_devices_in_session: bool = ScalarField(17, BOOL)
    experimental: Experimental = MessageField(16, Experimental)


class RunOptions(ProtoMessage):
    """Options of one run of a session. tfpy ignores them.

    Example:
        >>> import tfpy as tf
        >>> tf.compat.v1.RunOptions(trace_level=tf.compat.v1.RunOptions.FULL_TRACE)
        trace_level: FULL_TRACE
        <BLANKLINE>

    See also: `tf.compat.v1.Session`.
    """

    __slots__ = ()
    NO_TRACE, SOFTWARE_TRACE, HARDWARE_TRACE, FULL_TRACE = range(4)
    trace_level: int = ScalarField(
        1,
        enumeration(
            "tensorflow.RunOptions.TraceLevel",
            {0: "NO_TRACE", 1: "SOFTWARE_TRACE", 2: "HARDWARE_TRACE", 3: "FULL_TRACE"},
        ),
    )
    timeout_in_ms: int = ScalarField(2, INT64)
    inter_op_thread_pool: int = ScalarField(3, INT32)
    output_partition_graphs: bool = ScalarField(5, BOOL)
    report_tensor_allocations_upon_oom: bool = ScalarField(7, BOOL)


class RunMetadata(ProtoMessage):
    """Facts about one run of a session. tfpy leaves the message empty.

    Example:
        >>> import tfpy as tf
        >>> tf.compat.v1.RunMetadata().ByteSize()
        0

    See also: `tf.compat.v1.RunOptions`.
    """

    __slots__ = ()
