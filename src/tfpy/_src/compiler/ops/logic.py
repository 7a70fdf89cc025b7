"""Elementwise comparison, logic and choice. See ``ops/elementwise.py`` for how records read."""

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
    doc="Whether x == y, element by element, with broadcasting: bool. NaN equals nothing.",
)
not_equal: Op = compare(
    "not_equal",
    np.not_equal,
    ex.ne,
    takes=infer.ANY,
    laws=Laws(commutative=True),
    doc="""Whether x != y, element by element, with broadcasting: bool. NaN differs from
    everything.""",
)
less = compare(
    "less",
    np.less,
    lambda x, y: x < y,
    doc="""Whether x < y, element by element, with broadcasting, of real numbers: bool. Never of
    NaN.""",
)
less_equal = compare(
    "less_equal",
    np.less_equal,
    lambda x, y: x <= y,
    doc="""Whether x <= y, element by element, with broadcasting, of real numbers: bool. Never of
    NaN.""",
)
greater = compare(
    "greater",
    np.greater,
    lambda x, y: x > y,
    doc="""Whether x > y, element by element, with broadcasting, of real numbers: bool. Never of
    NaN.""",
)
greater_equal = compare(
    "greater_equal",
    np.greater_equal,
    lambda x, y: x >= y,
    doc="""Whether x >= y, element by element, with broadcasting, of real numbers: bool. Never of
    NaN.""",
)
logical_and = compare(
    "logical_and",
    np.logical_and,
    lambda x, y: x & y,
    takes=BOOL,
    laws=Laws(commutative=True, neutral=True, absorbing=False, idempotent=True),
    doc="""Whether both x and y are true, element by element, with broadcasting; bool, as its
    operands.""",
)
logical_or = compare(
    "logical_or",
    np.logical_or,
    lambda x, y: x | y,
    takes=BOOL,
    laws=Laws(commutative=True, neutral=False, absorbing=True, idempotent=True),
    doc="""Whether x or y or both are true, element by element, with broadcasting; bool, as its
    operands.""",
)
logical_xor = compare(
    "logical_xor",
    np.logical_xor,
    lambda x, y: x ^ y,
    takes=BOOL,
    public="math.logical_xor",
    laws=Laws(commutative=True, neutral=False),
    doc="""Whether one of x and y is true, and not both, element by element, with broadcasting;
    bool, as its operands.""",
)
logical_not = elementwise(
    "logical_not",
    np.logical_not,
    lambda x: ~x,
    takes=BOOL,
    laws=Laws(involution=True, exact=True),
    doc="Whether x is false, element by element; bool, as its operand.",
)
is_nan = elementwise(
    "is_nan",
    np.isnan,
    ex.isnan,
    takes=FLOAT,
    gives=dtypes.bool,
    public="math.is_nan",
    laws=Laws(exact=True),
    doc="Whether floats are NaN, element by element: bool.",
)
is_inf = elementwise(
    "is_inf",
    np.isinf,
    lambda x: ex.eq(abs(x), ex.INF),
    takes=FLOAT,
    gives=dtypes.bool,
    public="math.is_inf",
    laws=Laws(exact=True),
    doc="Whether floats are infinity or -infinity, element by element: bool.",
)
is_finite = elementwise(
    "is_finite",
    np.isfinite,
    lambda x: abs(x) < ex.INF,
    takes=FLOAT,
    gives=dtypes.bool,
    public="math.is_finite",
    laws=Laws(exact=True),
    doc="Whether floats are neither infinite nor NaN, element by element: bool.",
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
    doc="x where the condition holds, else y; tf.where is this with broadcasting.",
)
