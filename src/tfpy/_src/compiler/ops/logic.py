"""Elementwise comparison, logic and selection. `ops/elementwise.py` explains the records."""

from __future__ import annotations

import numpy as np

from tfpy._src.base import dtypes
from tfpy._src.compiler.ir import expr as ex
from tfpy._src.compiler.ir.op import Laws, Op
from tfpy._src.compiler.ops.families import infer
from tfpy._src.compiler.ops.families.elementwise import compare, elementwise
from tfpy._src.compiler.ops.families.infer import BOOL, FLOAT

equal: Op = compare(
    "equal",
    np.equal,
    ex.eq,
    takes=infer.ANY,
    laws=Laws(commutative=True),
    doc="""Compute `x == y` element-wise.

    NaN is not equal to any value, not even to NaN.
    """,
)
not_equal: Op = compare(
    "not_equal",
    np.not_equal,
    ex.ne,
    takes=infer.ANY,
    laws=Laws(commutative=True),
    doc="""Compute `x != y` element-wise.

    NaN differs from every value, even from NaN.
    """,
)
less = compare(
    "less",
    np.less,
    lambda x, y: x < y,
    doc="""Compute `x < y` element-wise.

    The result is False where an operand is NaN.
    """,
)
less_equal = compare(
    "less_equal",
    np.less_equal,
    lambda x, y: x <= y,
    doc="""Compute `x <= y` element-wise.

    The result is False where an operand is NaN.
    """,
)
greater = compare(
    "greater",
    np.greater,
    lambda x, y: x > y,
    doc="""Compute `x > y` element-wise.

    The result is False where an operand is NaN.
    """,
)
greater_equal = compare(
    "greater_equal",
    np.greater_equal,
    lambda x, y: x >= y,
    doc="""Compute `x >= y` element-wise.

    The result is False where an operand is NaN.
    """,
)
logical_and = compare(
    "logical_and",
    np.logical_and,
    lambda x, y: x & y,
    takes=BOOL,
    laws=Laws(commutative=True, neutral=True, absorbing=False, idempotent=True),
    doc="Compute the logical AND of `x` and `y` element-wise.",
)
logical_or = compare(
    "logical_or",
    np.logical_or,
    lambda x, y: x | y,
    takes=BOOL,
    laws=Laws(commutative=True, neutral=False, absorbing=True, idempotent=True),
    doc="Compute the logical OR of `x` and `y` element-wise.",
)
logical_xor = compare(
    "logical_xor",
    np.logical_xor,
    lambda x, y: x ^ y,
    takes=BOOL,
    public="math.logical_xor",
    laws=Laws(commutative=True, neutral=False),
    doc="Compute the logical exclusive OR of `x` and `y` element-wise.",
)
logical_not = elementwise(
    "logical_not",
    np.logical_not,
    lambda x: ~x,
    takes=BOOL,
    laws=Laws(involution=True, exact=True),
    doc="Compute the logical NOT of `x` element-wise.",
)
is_nan = elementwise(
    "is_nan",
    np.isnan,
    ex.isnan,
    takes=FLOAT,
    gives=dtypes.bool,
    public="math.is_nan",
    laws=Laws(exact=True),
    doc="Return True where `x` is NaN.",
)
is_inf = elementwise(
    "is_inf",
    np.isinf,
    lambda x: ex.eq(abs(x), ex.INF),
    takes=FLOAT,
    gives=dtypes.bool,
    public="math.is_inf",
    laws=Laws(exact=True),
    doc="Return True where `x` is positive or negative infinity.",
)
is_finite = elementwise(
    "is_finite",
    np.isfinite,
    lambda x: abs(x) < ex.INF,
    takes=FLOAT,
    gives=dtypes.bool,
    public="math.is_finite",
    laws=Laws(exact=True),
    doc="Return True where `x` is neither infinite nor NaN.",
)
select: Op = elementwise(
    "select",
    np.where,
    ex.select,
    lambda g, z, c, x, y: (None, lambda: select(c, g, 0), lambda: select(c, 0, g)),
    params=("condition", "x", "y"),
    takes=infer.ANY,
    typed_from=1,
    public="",
    laws=Laws(exact=True),
    doc="x where the condition holds, and y elsewhere; tf.where adds broadcasting.",
)
