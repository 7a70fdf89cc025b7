"""`tf.hub`: a store for model files of the web and of model hubs."""

# Generated from api.toml and the op table by `build.py face`. Edit those instead.

from tfpy._src.library.hub.api import (
    StoredFile as StoredFile,
    StoreUsage as StoreUsage,
    configure as configure,
    fetch as fetch,
    list_files as list_files,
    persist as persist,
    read as read,
    remove as remove,
    usage as usage,
)
