"""`tf.io.gfile`: files and folders. In a page, they are in Pyodide's file system."""

# Generated from api.toml and the op table by `build.py face`. Edit those instead.

from tfpy._src.library.io.file_objects import GFile as GFile
from tfpy._src.library.io.gfile import (
    copy as copy,
    exists as exists,
    get_registered_schemes as get_registered_schemes,
    glob as glob,
    isdir as isdir,
    join as join,
    listdir as listdir,
    makedirs as makedirs,
    mkdir as mkdir,
    remove as remove,
    rename as rename,
    rmtree as rmtree,
    stat as stat,
    walk as walk,
)
