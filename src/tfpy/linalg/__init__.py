"""`tf.linalg`: matrix products, decompositions, linear systems and linear operators."""

# Generated from api.toml and the op table by `build.py face`. Edit those instead.

import typing as _typing

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
from tfpy.linalg import experimental as experimental

if _typing.TYPE_CHECKING:
    from tfpy._src.library.linear_operators.banded import (
        LinearOperatorToeplitz as LinearOperatorToeplitz,
        LinearOperatorTridiag as LinearOperatorTridiag,
    )
    from tfpy._src.library.linear_operators.blocks import (
        LinearOperatorBlockDiag as LinearOperatorBlockDiag,
        LinearOperatorBlockLowerTriangular as LinearOperatorBlockLowerTriangular,
    )
    from tfpy._src.library.linear_operators.circulant import (
        LinearOperatorCirculant as LinearOperatorCirculant,
        LinearOperatorCirculant2D as LinearOperatorCirculant2D,
        LinearOperatorCirculant3D as LinearOperatorCirculant3D,
    )
    from tfpy._src.library.linear_operators.dense import (
        LinearOperatorFullMatrix as LinearOperatorFullMatrix,
        LinearOperatorLowerTriangular as LinearOperatorLowerTriangular,
    )
    from tfpy._src.library.linear_operators.derived import (
        LinearOperatorAdjoint as LinearOperatorAdjoint,
        LinearOperatorComposition as LinearOperatorComposition,
        LinearOperatorInversion as LinearOperatorInversion,
    )
    from tfpy._src.library.linear_operators.diagonal import LinearOperatorDiag as LinearOperatorDiag
    from tfpy._src.library.linear_operators.identity import (
        LinearOperatorIdentity as LinearOperatorIdentity,
        LinearOperatorScaledIdentity as LinearOperatorScaledIdentity,
        LinearOperatorZeros as LinearOperatorZeros,
    )
    from tfpy._src.library.linear_operators.kronecker import (
        LinearOperatorKronecker as LinearOperatorKronecker,
    )
    from tfpy._src.library.linear_operators.low_rank import (
        LinearOperatorLowRankUpdate as LinearOperatorLowRankUpdate,
    )
    from tfpy._src.library.linear_operators.operator import LinearOperator as LinearOperator
    from tfpy._src.library.linear_operators.orthogonal import (
        LinearOperatorHouseholder as LinearOperatorHouseholder,
        LinearOperatorPermutation as LinearOperatorPermutation,
    )

_LATER = {
    "LinearOperatorToeplitz": "tfpy._src.library.linear_operators.banded",
    "LinearOperatorTridiag": "tfpy._src.library.linear_operators.banded",
    "LinearOperatorBlockDiag": "tfpy._src.library.linear_operators.blocks",
    "LinearOperatorBlockLowerTriangular": "tfpy._src.library.linear_operators.blocks",
    "LinearOperatorCirculant": "tfpy._src.library.linear_operators.circulant",
    "LinearOperatorCirculant2D": "tfpy._src.library.linear_operators.circulant",
    "LinearOperatorCirculant3D": "tfpy._src.library.linear_operators.circulant",
    "LinearOperatorFullMatrix": "tfpy._src.library.linear_operators.dense",
    "LinearOperatorLowerTriangular": "tfpy._src.library.linear_operators.dense",
    "LinearOperatorAdjoint": "tfpy._src.library.linear_operators.derived",
    "LinearOperatorComposition": "tfpy._src.library.linear_operators.derived",
    "LinearOperatorInversion": "tfpy._src.library.linear_operators.derived",
    "LinearOperatorDiag": "tfpy._src.library.linear_operators.diagonal",
    "LinearOperatorIdentity": "tfpy._src.library.linear_operators.identity",
    "LinearOperatorScaledIdentity": "tfpy._src.library.linear_operators.identity",
    "LinearOperatorZeros": "tfpy._src.library.linear_operators.identity",
    "LinearOperatorKronecker": "tfpy._src.library.linear_operators.kronecker",
    "LinearOperatorLowRankUpdate": "tfpy._src.library.linear_operators.low_rank",
    "LinearOperator": "tfpy._src.library.linear_operators.operator",
    "LinearOperatorHouseholder": "tfpy._src.library.linear_operators.orthogonal",
    "LinearOperatorPermutation": "tfpy._src.library.linear_operators.orthogonal",
}
