"""Control flow. Importing the package registers its ops, which gradient rules find by name."""

from tfpy._src.functions.control import (
    collectives as collectives,
    cond as cond,
    custom as custom,
    effects as effects,
    lists as lists,
    while_loop as while_loop,
)
