"""``tf.image``: resizing, cropping, colours, measures of quality and boxes.

Images are ``[batch, height, width, channels]``, or one image without the batch.
"""

from tfpy.image.boxes import *  # noqa: F403
from tfpy.image.colors import *  # noqa: F403
from tfpy.image.geometry import *  # noqa: F403
from tfpy.image.quality import *  # noqa: F403
from tfpy.image.randomized import *  # noqa: F403
from tfpy.image.resizing import *  # noqa: F403
from tfpy.image.sampling import *  # noqa: F403
