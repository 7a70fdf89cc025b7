"""Products that are 0 where one operand is 0. `ops/elementwise.py` explains the records."""

from __future__ import annotations

from tfpy._src.compiler.ir import expr as ex
from tfpy._src.compiler.ir.op import Laws, Op
from tfpy._src.compiler.ops.families.elementwise import binary
from tfpy._src.compiler.ops.reference import math as host

multiply_no_nan: Op = binary(
    "multiply_no_nan",
    host.multiply_no_nan,
    lambda x, y: ex.select(ex.eq(y, 0.0), 0.0, x * y),
    lambda g, z, x, y: (lambda: multiply_no_nan(g, y), lambda: multiply_no_nan(x, g)),
    holomorphic=False,
    public="math.multiply_no_nan",
    laws=Laws(exact=True),
    doc="""Compute `x * y` element-wise. The result is 0 where `y` is 0.

    This holds even where `x` is infinite or NaN.
    """,
)
masked_multiply: Op = binary(
    "masked_multiply",
    host.multiply_no_nan,
    lambda slope, g: ex.select(ex.eq(g, 0.0), 0.0, slope * g),
    lambda gg, z, slope, g: (lambda: gg * g, lambda: masked_multiply(slope, gg)),
    params=("slope", "g"),
    public="",
    laws=Laws(exact=True),
    doc="""Gradient of a function with a slope that may be infinite or NaN: slope * g, or 0 where g
    is 0, as it is where tf.where selected a different value.""",
)
