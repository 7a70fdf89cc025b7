"""`tf.experimental.dtensor`: tensors that are distributed over a mesh of devices.

The jax backend supports several devices. On other backends a mesh has one device.
"""

# Generated from api.toml and the op table by `build.py face`. Edit those instead.

from tfpy._src.checkpoints.dtensor import (
    DTensorCheckpoint as DTensorCheckpoint,
    name_based_restore as name_based_restore,
    name_based_save as name_based_save,
    sharded_save as sharded_save,
)
from tfpy._src.distribute.dtensor.accelerators import (
    initialize_accelerator_system as initialize_accelerator_system,
    initialize_multi_client as initialize_multi_client,
    initialize_tpu_system as initialize_tpu_system,
    shutdown_accelerator_system as shutdown_accelerator_system,
    shutdown_tpu_system as shutdown_tpu_system,
)
from tfpy._src.distribute.dtensor.api import (
    call_with_layout as call_with_layout,
    check_layout as check_layout,
    copy_to_mesh as copy_to_mesh,
    default_mesh as default_mesh,
    device_name as device_name,
    fetch_layout as fetch_layout,
    get_default_mesh as get_default_mesh,
    is_dtensor as is_dtensor,
    relayout as relayout,
    relayout_like as relayout_like,
    run_on as run_on,
)
from tfpy._src.distribute.dtensor.clients import (
    client_id as client_id,
    full_job_name as full_job_name,
    heartbeat_enabled as heartbeat_enabled,
    job_name as job_name,
    jobs as jobs,
    local_devices as local_devices,
    num_clients as num_clients,
    num_global_devices as num_global_devices,
    num_local_devices as num_local_devices,
    preferred_device_type as preferred_device_type,
)
from tfpy._src.distribute.dtensor.dataset import DTensorDataset as DTensorDataset
from tfpy._src.distribute.dtensor.layout import (
    MATCH as MATCH,
    UNSHARDED as UNSHARDED,
    Layout as Layout,
)
from tfpy._src.distribute.dtensor.mesh import Mesh as Mesh
from tfpy._src.distribute.dtensor.meshes import (
    barrier as barrier,
    create_distributed_mesh as create_distributed_mesh,
    create_mesh as create_mesh,
)
from tfpy._src.distribute.dtensor.packing import pack as pack, unpack as unpack
from tfpy._src.distribute.dtensor.variable import DVariable as DVariable
