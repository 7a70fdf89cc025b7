"""Calls of ``tf.linalg``, ``tf.signal`` and ``tf.spectral``."""

from __future__ import annotations

SQUARE = "f(2, 3, 3) + 2.0 * tf.eye(3)"
SYMMETRIC = "(lambda m: m @ tf.linalg.matrix_transpose(m) + 2.0 * tf.eye(3))(f(2, 3, 3))"
BANDS = "f(3, 4) + [[0.0], [2.0], [0.0]], f(4, 2)"
TRIANGLE = "tf.linalg.band_part(f(3, 3) + 2.0 * tf.eye(3), -1, 0)"

CALLS = {
    # products and shapes
    "linalg.matvec": "f(2, 3, 4), f(2, 4)",
    "linalg.matrix_transpose": "x(2, 3, 4)",
    "linalg.adjoint": "x(2, 3, 4)",
    "linalg.cross": "x(2, 3), x(2, 3)",
    "norm": "f(2, 3)",
    "linalg.normalize": "f(2, 3)",
    "linalg.global_norm": "[f(2, 3), f(4)]",
    "linalg.trace": "x(2, 3, 3)",
    "linalg.diag": "x(2, 3)",
    "linalg.diag_part": "x(2, 3, 4)",
    "linalg.set_diag": "x(2, 3, 4), x(2, 3)",
    "linalg.tensor_diag": "x(2, 3)",
    "linalg.tensor_diag_part": "x(2, 3, 2, 3)",
    "linalg.band_part": "x(3, 4), 1, 0",
    "linalg.tridiagonal_matmul": BANDS,
    "linalg.gram_schmidt": (
        "f(2, 3)",
        "(lambda q, r: tf.transpose(q * tf.sign(tf.linalg.diag_part(r))))"
        "(*tf.linalg.qr(tf.transpose(f(2, 3))))",
    ),
    # decompositions
    "linalg.cholesky": SYMMETRIC,
    "linalg.det": SQUARE,
    "linalg.logdet": SYMMETRIC,
    "linalg.slogdet": SQUARE,
    "linalg.eigh": SYMMETRIC,
    "linalg.eigvalsh": SYMMETRIC,
    "linalg.eigh_tridiagonal": "f(4), f(3)",
    "linalg.expm": SQUARE,
    "linalg.logm": f"tf.cast({SYMMETRIC}, 'complex64')",
    "linalg.sqrtm": SYMMETRIC,
    "linalg.lu": SQUARE,
    "linalg.lu_reconstruct": f"*tf.linalg.lu({SQUARE})",
    "linalg.lu_matrix_inverse": f"*tf.linalg.lu({SQUARE})",
    "linalg.lu_solve": f"*tf.linalg.lu({SQUARE}), f(2, 3, 2)",
    "linalg.matrix_rank": SQUARE,
    "linalg.pinv": "f(2, 4, 3)",
    "linalg.qr": "f(2, 4, 3)",
    "linalg.svd": "f(2, 4, 3), compute_uv=False",
    "eig": SYMMETRIC,
    "eigvals": SYMMETRIC,
    # solving
    "linalg.inv": SQUARE,
    "linalg.solve": f"{SQUARE}, f(2, 3, 2)",
    "linalg.triangular_solve": f"{TRIANGLE}, f(3, 2)",
    "linalg.banded_triangular_solve": "f(2, 4) + [[2.0], [0.0]], f(4, 2)",
    "linalg.cholesky_solve": f"{TRIANGLE}, f(3, 2)",
    "linalg.experimental.conjugate_gradient": (
        f"tf.linalg.LinearOperatorFullMatrix({SYMMETRIC}, is_self_adjoint=True, "
        "is_positive_definite=True), f(2, 3), max_iter=2"
    ),
    "linalg.lstsq": "f(2, 4, 3), f(2, 4, 2)",
    "linalg.tridiagonal_solve": BANDS,
    # Fourier transforms
    "signal.fft": "c(2, 8)",
    "signal.ifft": "c(2, 8)",
    "signal.rfft": "f(2, 8)",
    "signal.irfft": "c(2, 5)",
    "signal.fft2d": "c(2, 4, 6)",
    "signal.ifft2d": "c(2, 4, 6)",
    "signal.rfft2d": "f(2, 4, 6)",
    "signal.irfft2d": "c(2, 4, 4)",
    "signal.fft3d": "c(3, 4, 2)",
    "signal.ifft3d": "c(3, 4, 2)",
    "signal.rfft3d": "f(3, 4, 6)",
    "signal.irfft3d": "c(3, 4, 4)",
    "spectral.rfft": ("f(2, 8)", "tf.signal.rfft(f(2, 8))"),
    "spectral.irfft": ("c(2, 5)", "tf.signal.irfft(c(2, 5))"),
    "signal.fftshift": "x(2, 5)",
    "signal.ifftshift": "x(2, 5)",
    "signal.dct": "f(2, 8)",
    "signal.idct": "f(2, 8)",
    # signals
    "signal.frame": "x(2, 9), 4, 2",
    "signal.overlap_and_add": "f(2, 4, 4), 2",
    "signal.stft": "f(2, 32), 8, 4",
    "signal.inverse_stft": "c(2, 5, 5), 8, 4",
    "signal.inverse_stft_window_fn": "4)(8, tf.float32",
    "signal.mdct": "f(2, 32), 8",
    "signal.inverse_mdct": "f(2, 5, 4)",
    "signal.linear_to_mel_weight_matrix": "8, 33",
    "signal.mfccs_from_log_mel_spectrograms": "f(2, 3, 8)",
    "signal.hann_window": "8",
    "signal.hamming_window": "8",
    "signal.kaiser_window": "8",
    "signal.kaiser_bessel_derived_window": "8",
    "signal.vorbis_window": "8",
}

FLOATS = (
    "linalg.eigh_tridiagonal",
    "linalg.global_norm",
    "linalg.gram_schmidt",
    "linalg.normalize",
    "linalg.pinv",
    "norm",
)
