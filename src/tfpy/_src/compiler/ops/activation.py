"""Elementwise primitives of neural networks. `ops/elementwise.py` explains the records."""

from __future__ import annotations

from typing import Any

from tfpy._src.compiler.ir import expr as ex
from tfpy._src.compiler.ir.expr import Expr
from tfpy._src.compiler.ir.op import Laws, Op
from tfpy._src.compiler.ops.families.elementwise import activation, binary, elementwise
from tfpy._src.compiler.ops.families.infer import FLOAT, REAL
from tfpy._src.compiler.ops.logic import select
from tfpy._src.compiler.ops.reference import math as host
from tfpy._src.compiler.ops.rules import zeros


def _expm1_below_zero(x: Expr) -> Expr:
    return ex.unary("expm1", ex.minimum(x, 0.0))


def _zeros(x: Any) -> Any:
    """Return the gradient of a step function: zeros as in TensorFlow, not None."""
    return zeros(x.aval.shape, x.dtype)


relu_grad: Op = binary(
    "relu_grad",
    host.relu_grad,
    lambda g, y: ex.select(y > 0.0, g, 0.0),
    lambda gg, z, g, y: (relu_grad(gg, y), lambda: _zeros(y)),
    takes=FLOAT,
    public="",
    doc="Gradient of relu: g where the output y is positive, and 0 elsewhere.",
)
relu6_grad: Op = binary(
    "relu6_grad",
    host.relu6_grad,
    lambda g, y: ex.select((y > 0.0) & (y < 6.0), g, 0.0),
    lambda gg, z, g, y: (relu6_grad(gg, y), lambda: _zeros(y)),
    takes=FLOAT,
    domain=(-2.0, 8.0),
    public="",
    doc="Gradient of relu6: g where the output y is between 0 and 6, and 0 elsewhere.",
)
relu = elementwise(
    "relu",
    host.relu,
    lambda x: ex.maximum(x, 0),
    lambda g, y, x: relu_grad(g, y),
    takes=REAL,
    params=("features",),
    public="nn.relu",
    laws=Laws(idempotent=True, exact=True),
    doc="Compute the rectified linear unit, `max(features, 0)`, element-wise.",
)
relu6 = elementwise(
    "relu6",
    host.relu6,
    lambda x: ex.minimum(ex.maximum(x, 0), 6),
    lambda g, y, x: relu6_grad(g, y),
    takes=REAL,
    params=("features",),
    public="nn.relu6",
    domain=(-4.0, 9.0),
    laws=Laws(idempotent=True, exact=True),
    doc="""Compute the rectified linear unit limited to 6, `min(max(features, 0), 6)`, element-wise.

    The gradient is 0 where `features` are exactly 0 or 6.
    """,
)
elu = activation(
    "elu",
    host.elu,
    lambda x: ex.select(x > 0.0, x, _expm1_below_zero(x)),
    lambda g, y, x: select(y < 0, g * (y + 1), g),
    doc="""Compute the exponential linear unit element-wise.

    The result is `features` where they are positive, and `exp(features) - 1` elsewhere.
    """,
)
selu = activation(
    "selu",
    host.selu,
    lambda x: ex.select(
        x > 0.0, x * host.SELU_SCALE, _expm1_below_zero(x) * (host.SELU_SCALE * host.SELU_ALPHA)
    ),
    lambda g, y, x: g * select(x < 0, y + host.SELU_SCALE * host.SELU_ALPHA, host.SELU_SCALE),
    doc="""Compute the scaled exponential linear unit element-wise.

    The result is `scale * features` where `features` are positive, and `scale * alpha *
    (exp(features) - 1)` elsewhere. `scale` is 1.0507 and `alpha` is 1.6733, as derived in
    https://arxiv.org/abs/1706.02515.
    """,
)
leaky_relu_grad: Op = binary(
    "leaky_relu_grad",
    host.leaky_relu_grad,
    lambda g, x, alpha: ex.select(x > 0.0, g, g * alpha),
    lambda gg, z, g, x, alpha: (leaky_relu_grad(gg, x, alpha=alpha), lambda: _zeros(x)),
    takes=FLOAT,
    defaults={"alpha": 0.2},
    public="",
    doc="Gradient of leaky_relu: g where the input x is positive, and alpha * g elsewhere.",
)
leaky_relu = activation(
    "leaky_relu",
    host.leaky_relu,
    lambda x, alpha: ex.select(x > 0.0, x, x * alpha),
    lambda g, y, x, alpha: leaky_relu_grad(g, x, alpha=alpha),
    defaults={"alpha": 0.2},
    public="",
    doc="features where positive, and alpha * features elsewhere.",
)


def _sigmoid(x: Any) -> Any:
    return x.unary("sigmoid") if x.dtype.is_complex else 1.0 / (1.0 + ex.unary("exp", -x))


sigmoid = elementwise(
    "sigmoid",
    host.sigmoid,
    _sigmoid,
    lambda g, y, x: g * y * (1 - y),
    public="sigmoid math.sigmoid nn.sigmoid",
    doc="Compute the sigmoid, `1 / (1 + exp(-x))`, element-wise.",
)
softplus = elementwise(
    "softplus",
    host.softplus,
    lambda x: ex.maximum(x, 0.0) + ex.unary("log1p", ex.unary("exp", -abs(x))),
    lambda g, y, x: g * sigmoid(x),
    takes=FLOAT,
    params=("features",),
    public="math.softplus nn.softplus",
    doc="""Compute `log(1 + exp(features))` element-wise.

    The result is finite even where `exp(features)` exceeds the range of the dtype.
    """,
)
