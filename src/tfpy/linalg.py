"""`tf.linalg`: matrix products, decompositions and linear systems."""

# Generated from api.toml and the op table by `build.py face`. Edit those instead.

from tfpy._src.tensors.array.einsum import einsum as einsum
from tfpy._src.tensors.array.making import eye as eye
from tfpy._src.tensors.linalg.banded import (
    banded_triangular_solve as banded_triangular_solve,
    eigh_tridiagonal as eigh_tridiagonal,
    tridiagonal_matmul as tridiagonal_matmul,
    tridiagonal_solve as tridiagonal_solve,
)
from tfpy._src.tensors.linalg.decompositions import (
    cholesky as cholesky,
    eig as eig,
    eigh as eigh,
    eigvals as eigvals,
    eigvalsh as eigvalsh,
    gram_schmidt as gram_schmidt,
    lu as lu,
    matrix_rank as matrix_rank,
    pinv as pinv,
    qr as qr,
    svd as svd,
)
from tfpy._src.tensors.linalg.diagonals import (
    band_part as band_part,
    diag as diag,
    diag_part as diag_part,
    set_diag as set_diag,
    tensor_diag as tensor_diag,
    tensor_diag_part as tensor_diag_part,
)
from tfpy._src.tensors.linalg.matrix_functions import (
    det as det,
    expm as expm,
    logdet as logdet,
    logm as logm,
    slogdet as slogdet,
    sqrtm as sqrtm,
    trace as trace,
)
from tfpy._src.tensors.linalg.norms import (
    global_norm as global_norm,
    norm as norm,
    normalize as normalize,
)
from tfpy._src.tensors.linalg.products import (
    adjoint as adjoint,
    cross as cross,
    matmul as matmul,
    matrix_transpose as matrix_transpose,
    matvec as matvec,
    tensordot as tensordot,
)
from tfpy._src.tensors.linalg.solving import (
    cholesky_solve as cholesky_solve,
    inv as inv,
    lstsq as lstsq,
    lu_matrix_inverse as lu_matrix_inverse,
    lu_reconstruct as lu_reconstruct,
    lu_solve as lu_solve,
    solve as solve,
    triangular_solve as triangular_solve,
)
from tfpy._src.tensors.math.statistics import l2_normalize as l2_normalize
