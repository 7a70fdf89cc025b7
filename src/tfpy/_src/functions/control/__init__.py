"""Control flow: importing the folder enters its ops, whose gradient rules name each other."""

from tfpy._src.functions.control import (
    collectives as collectives,
    cond as cond,
    custom as custom,
    effects as effects,
    lists as lists,
    while_loop as while_loop,
)
