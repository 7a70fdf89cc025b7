"""`tf.compat.v1.train`: optimizers, learning rates and checkpoints of TensorFlow 1."""

# Generated from api.toml and the op table by `build.py face`. Edit those instead.

from tfpy._src.checkpoints.graph_checkpoints import (
    NewCheckpointReader as NewCheckpointReader,
    assert_global_step as assert_global_step,
    checkpoint_exists as checkpoint_exists,
    generate_checkpoint_state_proto as generate_checkpoint_state_proto,
    get_checkpoint_mtimes as get_checkpoint_mtimes,
    init_from_checkpoint as init_from_checkpoint,
    remove_checkpoint as remove_checkpoint,
    write_graph as write_graph,
)
from tfpy._src.checkpoints.meta_graph_files import (
    export_meta_graph as export_meta_graph,
    import_meta_graph as import_meta_graph,
)
from tfpy._src.checkpoints.saver import Saver as Saver
from tfpy._src.checkpoints.sessions.hooks import (
    LoggingTensorHook as LoggingTensorHook,
    SecondOrStepTimer as SecondOrStepTimer,
    SessionRunArgs as SessionRunArgs,
    SessionRunContext as SessionRunContext,
    SessionRunHook as SessionRunHook,
    SessionRunValues as SessionRunValues,
    StopAtStepHook as StopAtStepHook,
)
from tfpy._src.checkpoints.sessions.monitored import (
    MonitoredSession as MonitoredSession,
    MonitoredTrainingSession as MonitoredTrainingSession,
    SingularMonitoredSession as SingularMonitoredSession,
)
from tfpy._src.checkpoints.sessions.nan_hooks import (
    NanLossDuringTrainingError as NanLossDuringTrainingError,
    NanTensorHook as NanTensorHook,
)
from tfpy._src.checkpoints.sessions.pipelines.batches import (
    batch as batch,
    batch_join as batch_join,
    maybe_batch as maybe_batch,
    maybe_batch_join as maybe_batch_join,
)
from tfpy._src.checkpoints.sessions.pipelines.producers import (
    input_producer as input_producer,
    limit_epochs as limit_epochs,
    range_input_producer as range_input_producer,
    slice_input_producer as slice_input_producer,
    string_input_producer as string_input_producer,
)
from tfpy._src.checkpoints.sessions.pipelines.runners import (
    QueueRunner as QueueRunner,
    add_queue_runner as add_queue_runner,
    start_queue_runners as start_queue_runners,
)
from tfpy._src.checkpoints.sessions.pipelines.shuffled_batches import (
    maybe_shuffle_batch as maybe_shuffle_batch,
    maybe_shuffle_batch_join as maybe_shuffle_batch_join,
    shuffle_batch as shuffle_batch,
    shuffle_batch_join as shuffle_batch_join,
)
from tfpy._src.checkpoints.sessions.saving_hooks import (
    CheckpointSaverHook as CheckpointSaverHook,
    CheckpointSaverListener as CheckpointSaverListener,
    FeedFnHook as FeedFnHook,
    FinalOpsHook as FinalOpsHook,
    GlobalStepWaiterHook as GlobalStepWaiterHook,
    StepCounterHook as StepCounterHook,
    SummarySaverHook as SummarySaverHook,
)
from tfpy._src.checkpoints.sessions.scaffolds import (
    ChiefSessionCreator as ChiefSessionCreator,
    Scaffold as Scaffold,
    SessionCreator as SessionCreator,
    WorkerSessionCreator as WorkerSessionCreator,
)
from tfpy._src.checkpoints.sessions.session_manager import SessionManager as SessionManager
from tfpy._src.checkpoints.sessions.supervisor import Supervisor as Supervisor
from tfpy._src.checkpoints.state import (
    get_checkpoint_state as get_checkpoint_state,
    latest_checkpoint as latest_checkpoint,
    update_checkpoint_state as update_checkpoint_state,
)
from tfpy._src.checkpoints.warm_starting import VocabInfo as VocabInfo, warm_start as warm_start
from tfpy._src.formats.summary.file_writer import summary_iterator as summary_iterator
from tfpy._src.library.compat.graphs.coordinator import (
    Coordinator as Coordinator,
    LooperThread as LooperThread,
)
from tfpy._src.library.compat.graphs.decays import (
    cosine_decay_restarts as cosine_decay_restarts,
    linear_cosine_decay as linear_cosine_decay,
    noisy_linear_cosine_decay as noisy_linear_cosine_decay,
)
from tfpy._src.library.compat.graphs.optimizer import Optimizer as Optimizer
from tfpy._src.library.compat.graphs.optimizers import (
    AdagradOptimizer as AdagradOptimizer,
    AdamOptimizer as AdamOptimizer,
    GradientDescentOptimizer as GradientDescentOptimizer,
    MomentumOptimizer as MomentumOptimizer,
    RMSPropOptimizer as RMSPropOptimizer,
)
from tfpy._src.library.compat.graphs.proximal import (
    AdadeltaOptimizer as AdadeltaOptimizer,
    AdagradDAOptimizer as AdagradDAOptimizer,
    FtrlOptimizer as FtrlOptimizer,
    ProximalAdagradOptimizer as ProximalAdagradOptimizer,
    ProximalGradientDescentOptimizer as ProximalGradientDescentOptimizer,
)
from tfpy._src.library.compat.graphs.training import (
    cosine_decay as cosine_decay,
    create_global_step as create_global_step,
    exponential_decay as exponential_decay,
    get_global_step as get_global_step,
    get_or_create_global_step as get_or_create_global_step,
    global_step as global_step,
    inverse_time_decay as inverse_time_decay,
    natural_exp_decay as natural_exp_decay,
    piecewise_constant as piecewise_constant,
    piecewise_constant_decay as piecewise_constant_decay,
    polynomial_decay as polynomial_decay,
)
from tfpy._src.library.protos.example import (
    BytesList as BytesList,
    ClusterDef as ClusterDef,
    Example as Example,
    Feature as Feature,
    FeatureList as FeatureList,
    FeatureLists as FeatureLists,
    Features as Features,
    FloatList as FloatList,
    Int64List as Int64List,
    JobDef as JobDef,
    SequenceExample as SequenceExample,
)
from tfpy._src.library.protos.meta_graphs import SaverDef as SaverDef
from tfpy._src.tensors.nn.moving_average import ExponentialMovingAverage as ExponentialMovingAverage
