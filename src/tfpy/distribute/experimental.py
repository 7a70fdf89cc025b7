"""``tf.distribute.experimental``: how machines exchange values; for which replica one is made.

Former names of strategies, too.
"""

# Generated from api.toml and the op table by `build.py face`. Edit those instead.

from tfpy._src.distribute.communication import (
    CommunicationImplementation as CommunicationImplementation,
    CommunicationOptions as CommunicationOptions,
)
from tfpy._src.distribute.former import (
    CollectiveCommunication as CollectiveCommunication,
    MultiWorkerMirroredStrategy as MultiWorkerMirroredStrategy,
    TPUStrategy as TPUStrategy,
)
from tfpy._src.distribute.input import ValueContext as ValueContext
