"""The method of conjugate gradients."""

from __future__ import annotations

from typing import Any, NamedTuple

from tfpy._src.core.conversion import constant, convert_to_tensor
from tfpy._src.core.primitives import less, logical_and
from tfpy._src.core.tensor import Tensor
from tfpy._src.core.typing import FloatLike, IntLike, TensorLike
from tfpy._src.functions.control.control_flow import while_loop
from tfpy._src.library.linear_operators.batches import broadcast, sizes_of
from tfpy._src.library.linear_operators.operator import LinearOperator
from tfpy._src.tensors.array.making import zeros
from tfpy._src.tensors.array.reshaping import broadcast_to
from tfpy._src.tensors.linalg.norms import norm
from tfpy._src.tensors.linalg.products import matvec
from tfpy._src.tensors.math.reductions import reduce_any


class CGState(NamedTuple):
    """The state of the method of conjugate gradients."""

    i: Tensor
    """Number of steps."""
    x: Tensor
    """Approximate solutions."""
    r: Tensor
    """Residuals."""
    p: Tensor
    """Search directions."""
    gamma: Tensor
    """Products of the residuals and the preconditioned residuals."""


def _dot(x: Any, y: Any) -> Any:
    return matvec(x[..., None], y, adjoint_a=True)[..., 0]


def conjugate_gradient(
    operator: LinearOperator,
    rhs: TensorLike,
    preconditioner: LinearOperator | None = None,
    x: TensorLike | None = None,
    tol: FloatLike = 1e-5,
    max_iter: IntLike = 20,
    name: str | None = "conjugate_gradient",
) -> CGState:
    """Solve systems of linear equations `operator @ x = rhs` approximately, with few products.

    Args:
        operator: A self-adjoint, positive definite `tf.linalg.LinearOperator` of shape
            `[..., n, n]`, with hints that say so.
        rhs: Right-hand sides, a tensor of shape `[..., n]` with the dtype of the operator.
        preconditioner: A `tf.linalg.LinearOperator` that approximates the inverse of `operator`.
            Default: none.
        x: Initial approximations of the solutions, a tensor of the shape of `rhs`. Default: zeros.
        tol: Bound of the norms of the residuals, relative to the norms of `rhs`. Default: 1e-5.
        max_iter: Largest number of steps. Default: 20.

    Returns:
        A named tuple: the number of steps `i`, the solutions `x`, the residuals `r`, the search
        directions `p`, and `gamma`.

    Raises:
        ValueError: If the hints of the operator are missing.

    Example:
        >>> import tfpy as tf
        >>> operator = tf.linalg.LinearOperatorFullMatrix(
        ...     [[2.0, 1.0], [1.0, 3.0]], is_self_adjoint=True, is_positive_definite=True
        ... )
        >>> state = tf.linalg.experimental.conjugate_gradient(operator, tf.constant([3.0, 4.0]))
        >>> int(state.i), state.x.numpy().round(3).tolist()
        (2, [1.0, 1.0])

    See also: `tf.linalg.LinearOperator`, `tf.linalg.solve`.
    """
    if not (operator.is_self_adjoint and operator.is_positive_definite):
        raise ValueError("Expected a self-adjoint, positive definite operator.")

    def goes_on(i: Any, state: Any) -> Any:
        return logical_and(less(i, max_iter), reduce_any(norm(state.r, axis=-1) > bound))

    def step(i: Any, state: Any) -> Any:
        z = matvec(operator, state.p)  # type: ignore[arg-type]
        alpha = (state.gamma / _dot(state.p, z))[..., None]
        residual = state.r - alpha * z
        q = residual if preconditioner is None else preconditioner.matvec(residual)
        gamma = _dot(residual, q)
        direction = q + (gamma / state.gamma)[..., None] * state.p
        return i + 1, CGState(i + 1, state.x + alpha * state.p, residual, direction, gamma)

    sides = convert_to_tensor(rhs)
    batches = [o._sizes()[:-2] for o in (operator, preconditioner) if o is not None]
    shape = (*broadcast(sizes_of(sides)[:-1], *batches), sizes_of(sides)[-1])
    residual: Any = broadcast_to(sides, shape)
    bound = tol * norm(residual, axis=-1)
    if x is None:
        start = zeros(shape, sides.dtype)
    else:
        start = convert_to_tensor(x)
        residual = sides - operator.matvec(start)
    direction = residual if preconditioner is None else preconditioner.matvec(residual)
    first = CGState(constant(0), start, residual, direction, _dot(residual, direction))
    _, state = while_loop(goes_on, step, [constant(0), first])
    return CGState(*state)
