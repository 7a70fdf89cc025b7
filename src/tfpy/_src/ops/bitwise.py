"""Elementwise primitives on the bits of integers."""

from __future__ import annotations

import numpy as np

from tfpy._src.ir.op import Laws
from tfpy._src.ops.families.elementwise import binary, elementwise
from tfpy._src.ops.families.infer import INTEGER

bitwise_and = binary(
    "bitwise_and",
    np.bitwise_and,
    lambda x, y: x & y,
    takes=INTEGER,
    public="bitwise.bitwise_and",
    laws=Laws(commutative=True, neutral=-1, absorbing=0, idempotent=True),
)
bitwise_or = binary(
    "bitwise_or",
    np.bitwise_or,
    lambda x, y: x | y,
    takes=INTEGER,
    public="bitwise.bitwise_or",
    laws=Laws(commutative=True, neutral=0, idempotent=True),
)
bitwise_xor = binary(
    "bitwise_xor",
    np.bitwise_xor,
    lambda x, y: x ^ y,
    takes=INTEGER,
    public="bitwise.bitwise_xor",
    laws=Laws(commutative=True, neutral=0),
)
invert = elementwise(
    "invert",
    np.invert,
    lambda x: ~x,
    takes=INTEGER,
    public="bitwise.invert",
    laws=Laws(involution=True),
)
