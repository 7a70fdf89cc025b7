"""`tf.distribute.experimental`: communication between machines, values for each replica, and former
names of strategies.
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
