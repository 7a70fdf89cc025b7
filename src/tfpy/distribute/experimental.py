"""``tf.distribute.experimental``: how machines exchange values; for which replica one is made."""

# Made from api.toml and the op table by `build.py face`: change those.

from tfpy._src.distribute.communication import (
    CommunicationImplementation as CommunicationImplementation,
    CommunicationOptions as CommunicationOptions,
)
from tfpy._src.distribute.input import ValueContext as ValueContext
