"""`tf.queue`: queues of tensors."""

# Generated from api.toml and the op table by `build.py face`. Edit those instead.

from tfpy._src.library.queues.base import QueueBase as QueueBase
from tfpy._src.library.queues.kinds import (
    FIFOQueue as FIFOQueue,
    PaddingFIFOQueue as PaddingFIFOQueue,
    PriorityQueue as PriorityQueue,
    RandomShuffleQueue as RandomShuffleQueue,
)
