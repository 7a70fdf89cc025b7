"""Complex numbers and Fourier transforms through the public API on devices, against NumPy."""

from __future__ import annotations

import numpy as np

from tfpy.testing import run_in_browser


@run_in_browser(backends=("wasm", "webgl", "webgpu"))
def test_spectra(tf, backend):
    """Compute short-time spectra of a signal, their inverse and a gradient, without leaks."""
    rng = np.random.default_rng(5)
    x = rng.normal(size=(2, 100)).astype(np.float32)
    weights = (rng.normal(size=(9, 3)) + 1j * rng.normal(size=(9, 3))).astype(np.complex64)

    def compute():
        signal, mixed = tf.constant(x), tf.constant(weights)
        with tf.GradientTape() as tape:
            tape.watch([signal, mixed])
            spectra = tf.signal.stft(signal, 16, 8)
            bands = tf.exp(spectra * 0.1) @ mixed
            loss = tf.reduce_sum(tf.abs(bands)) + tf.reduce_sum(tf.math.angle(spectra[..., 1:-1]))
        window = tf.signal.inverse_stft_window_fn(8)
        again = tf.signal.inverse_stft(spectra, 16, 8, window_fn=window)
        transposed = tf.signal.ifft2d(tf.transpose(spectra, [0, 2, 1], conjugate=True))
        grads = tape.gradient(loss, [signal, mixed])
        return [t.numpy() for t in (spectra, bands, loss, again, transposed, *grads)]

    got = compute()
    before = tf.memory()["numTensors"]
    compute()
    assert tf.memory()["numTensors"] == before
    tf.set_backend("cpu")
    expected = compute()
    tf.set_backend(backend)
    for g, e in zip(got, expected, strict=True):
        assert g.dtype == e.dtype
        np.testing.assert_allclose(g, e, rtol=2e-3, atol=2e-3)


@run_in_browser(backends=("wasm", "webgl", "webgpu"))
def test_complex_tensors_live_on_the_device(tf, backend):
    z = tf.constant(np.array([1 + 2j, 3 - 4j], np.complex64))
    product = z * tf.math.conj(z)
    assert product.storage.place == backend
    np.testing.assert_allclose(product.numpy(), [5, 25])
