"""``tf.signal`` compared with TensorFlow: values, gradients, errors."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
import tensorflow as tf
from ops.test_complex import gradients, values

import tfpy

Array = np.ndarray[Any, Any]
Call = Callable[..., Any]


def reals(rng: np.random.Generator, *shape: int) -> Array:
    return rng.normal(size=shape).astype(np.float32)


def assert_same(f: Callable[[Any], Call], *arrays: Array, tolerance: float = 2e-4) -> None:
    """Check that ``f(lib)`` has TensorFlow's values and gradients."""
    ours, theirs = f(tfpy), f(tf)
    result = ours(*map(tfpy.constant, arrays))
    wanted = theirs(*map(tf.constant, arrays))
    assert tuple(result.shape) == tuple(wanted.shape)
    assert result.dtype.name == wanted.dtype.name
    np.testing.assert_allclose(result, wanted, rtol=tolerance, atol=tolerance)
    if not all(a.size for a in arrays):
        return
    pairs = zip(gradients(tfpy, ours, arrays, 3), gradients(tf, theirs, arrays, 3), strict=True)
    for mine, expected in pairs:
        np.testing.assert_allclose(mine, expected, rtol=tolerance, atol=tolerance)


SHAPES = [(8,), (7,), (2, 12), (3, 1), (2, 3, 97), (0, 4)]


@pytest.mark.parametrize("shape", SHAPES)
@pytest.mark.parametrize("name", ["fft", "ifft"])
def test_fft(name: str, shape: tuple[int, ...], rng: np.random.Generator) -> None:
    assert_same(lambda lib: getattr(lib.signal, name), values(rng, *shape))


@pytest.mark.parametrize("name", ["fft2d", "ifft2d", "fft3d", "ifft3d"])
def test_fft_of_more_dimensions(name: str, rng: np.random.Generator) -> None:
    for shape in ((2, 3, 4, 5), (1, 2, 7), (4, 3, 8)):
        assert_same(lambda lib: getattr(lib.signal, name), values(rng, *shape))


LENGTHS = [None, [8], [5], [13], [1]]


def assert_adjoint(f: Call, x: Array, rng: np.random.Generator) -> None:
    """Check the gradient of a linear f: <dx, x> = <dy, f(x)> for any dy.

    TensorFlow's gradients raise or are wrong where a length crops or pads.
    """
    source = tfpy.constant(x)
    with tfpy.GradientTape() as tape:
        tape.watch(source)
        y = f(source)
    dy = (values if y.dtype.is_complex else reals)(rng, *y.shape)
    dx = np.asarray(tape.gradient(y, source, tfpy.constant(dy)))
    wanted = float(np.sum(np.real(np.conj(dy) * np.asarray(y))))
    assert float(np.sum(np.real(np.conj(dx) * x))) == pytest.approx(wanted, rel=1e-3, abs=1e-4)


def check_lengths(f: Callable[[Any], Call], x: Array, own: bool, rng: Any) -> None:
    """Compare values with TensorFlow, and gradients if the length is the input's own."""
    if own:
        assert_same(f, x)
    np.testing.assert_allclose(f(tfpy)(x), f(tf)(x), rtol=2e-4, atol=2e-4)
    assert_adjoint(f(tfpy), x, rng)


@pytest.mark.parametrize("name", ["fft", "ifft2d", "rfft", "rfft2d", "irfft", "irfft2d"])
@pytest.mark.parametrize("dtype", [bool, np.int32, np.float16, np.float32])
def test_arrays_take_the_dtype_of_the_transform(name: str, dtype: Any) -> None:
    x = np.array([[1, 0, 1], [0, 1, 1]], dtype)
    mine, wanted = (np.asarray(getattr(lib.signal, name)(x)) for lib in (tfpy, tf))
    assert mine.dtype == wanted.dtype
    np.testing.assert_allclose(mine, wanted, rtol=1e-5, atol=1e-5)


@pytest.mark.parametrize("length", LENGTHS)
@pytest.mark.parametrize("shape", [(8,), (2, 7), (1,)])
def test_rfft(length: Any, shape: tuple[int, ...], rng: np.random.Generator) -> None:
    x = reals(rng, *shape)
    check_lengths(lambda lib: lambda x: lib.signal.rfft(x, length), x, length is None, rng)


@pytest.mark.parametrize("length", LENGTHS)
@pytest.mark.parametrize("shape", [(5,), (2, 4), (3, 9)])
def test_irfft(length: Any, shape: tuple[int, ...], rng: np.random.Generator) -> None:
    z = values(rng, *shape)
    check_lengths(lambda lib: lambda x: lib.signal.irfft(x, length), z, length is None, rng)


@pytest.mark.parametrize("length", [None, [4, 6], [3, 5], [8, 9]])
def test_rfft2d(length: Any, rng: np.random.Generator) -> None:
    x, z, own = reals(rng, 2, 4, 6), values(rng, 2, 4, 4), length in (None, [4, 6])
    check_lengths(lambda lib: lambda x: lib.signal.rfft2d(x, length), x, own, rng)
    check_lengths(lambda lib: lambda z: lib.signal.irfft2d(z, length), z, own, rng)


@pytest.mark.parametrize("length", [None, [4, 4, 6], [2, 3, 9]])
def test_rfft3d(length: Any, rng: np.random.Generator) -> None:
    """Check the gradient of rfft3d, which TensorFlow does not have."""
    x, z = reals(rng, 3, 4, 6), values(rng, 3, 4, 4)
    np.testing.assert_allclose(
        tfpy.signal.rfft3d(x, length), tf.signal.rfft3d(x, length), rtol=1e-4, atol=1e-4
    )
    np.testing.assert_allclose(
        tfpy.signal.irfft3d(z, length), tf.signal.irfft3d(z, length), rtol=1e-4, atol=1e-4
    )


@pytest.mark.parametrize("name", ["fftshift", "ifftshift"])
@pytest.mark.parametrize("axes", [None, 0, -1, [0, 1], [-1]])
def test_shift(name: str, axes: Any, rng: np.random.Generator) -> None:
    for shape in ((5, 4), (3, 7)):
        assert_same(lambda lib: lambda x: getattr(lib.signal, name)(x, axes), reals(rng, *shape))


@pytest.mark.parametrize("norm", [None, "ortho"])
@pytest.mark.parametrize("kind", [1, 2, 3, 4])
def test_dct(kind: int, norm: Any, rng: np.random.Generator) -> None:
    if kind == 1 and norm:
        pytest.skip("an error, tested below")
    for n in (2, 5, 8):
        x = reals(rng, 3, n)
        for name in ("dct", "idct"):
            assert_same(
                lambda lib, f=name: lambda v: getattr(lib.signal, f)(v, type=kind, norm=norm), x
            )
        for length in (3, 9):
            assert_same(
                lambda lib, m=length: lambda v: lib.signal.dct(v, type=kind, n=m, norm=norm), x
            )


WINDOWS = [
    *((name, {"periodic": p}) for name in ("hann_window", "hamming_window") for p in (True, False)),
    ("kaiser_window", {}),
    ("kaiser_window", {"beta": 4.0}),
    ("vorbis_window", {}),
    ("kaiser_bessel_derived_window", {"beta": 6.0}),
]


@pytest.mark.parametrize(("name", "options"), WINDOWS)
def test_windows(name: str, options: dict[str, Any]) -> None:
    for n in (2, 4, 16, 30) if "derived" in name else (1, 2, 5, 8, 33):
        ours = getattr(tfpy.signal, name)(n, **options)
        np.testing.assert_allclose(ours, getattr(tf.signal, name)(n, **options), atol=2e-6)


FRAMES = [
    {"frame_length": 4, "frame_step": 2},
    {"frame_length": 3, "frame_step": 5},
    {"frame_length": 5, "frame_step": 3, "pad_end": True},
    {"frame_length": 20, "frame_step": 3},
    {"frame_length": 4, "frame_step": 3, "pad_end": True, "pad_value": 7.0, "axis": 0},
    {"frame_length": 2, "frame_step": 1, "axis": -2},
]


@pytest.mark.parametrize("options", FRAMES)
def test_frame(options: dict[str, Any], rng: np.random.Generator) -> None:
    assert_same(lambda lib: lambda x: lib.signal.frame(x, **options), reals(rng, 9, 13))


@pytest.mark.parametrize("step", [1, 2, 3, 4, 6])
def test_overlap_and_add(step: int, rng: np.random.Generator) -> None:
    for shape in ((5, 4), (2, 3, 4), (1, 4)):
        assert_same(lambda lib: lambda x: lib.signal.overlap_and_add(x, step), reals(rng, *shape))


STFTS = [
    {"frame_length": 8, "frame_step": 3},
    {"frame_length": 6, "frame_step": 2, "fft_length": 16, "pad_end": True},
    {"frame_length": 5, "frame_step": 5, "window_fn": None},
]


@pytest.mark.parametrize("options", STFTS)
def test_stft(options: dict[str, Any], rng: np.random.Generator) -> None:
    assert_same(lambda lib: lambda x: lib.signal.stft(x, **options), reals(rng, 2, 30))


def test_inverse_stft(rng: np.random.Generator) -> None:
    def back(lib: Any) -> Call:
        window = lib.signal.inverse_stft_window_fn(4)
        return lambda z: lib.signal.inverse_stft(z, 10, 4, window_fn=window)

    assert_same(back, values(rng, 2, 5, 9))
    assert_same(
        lambda lib: lambda z: lib.signal.inverse_stft(z, 10, 4, fft_length=8), values(rng, 3, 5)
    )
    x = reals(rng, 64)
    spectra = tfpy.signal.stft(x, 16, 8)
    window = tfpy.signal.inverse_stft_window_fn(8)
    again = tfpy.signal.inverse_stft(spectra, 16, 8, window_fn=window)
    np.testing.assert_allclose(again[8:-8], x[8:-8], atol=1e-5)


@pytest.mark.parametrize("norm", [None, "ortho"])
def test_mdct(norm: Any, rng: np.random.Generator) -> None:
    assert_same(lambda lib: lambda x: lib.signal.mdct(x, 8, norm=norm), reals(rng, 2, 32))
    assert_same(
        lambda lib: lambda x: lib.signal.mdct(x, 8, window_fn=None, pad_end=True, norm=norm),
        reals(rng, 30),
    )
    assert_same(lambda lib: lambda x: lib.signal.inverse_mdct(x, norm=norm), reals(rng, 2, 5, 4))


def test_mel(rng: np.random.Generator) -> None:
    for options in ({}, {"num_mel_bins": 7, "num_spectrogram_bins": 65, "sample_rate": 16000}):
        np.testing.assert_allclose(
            tfpy.signal.linear_to_mel_weight_matrix(**options),
            tf.signal.linear_to_mel_weight_matrix(**options),
            atol=2e-5,
        )
    assert_same(lambda lib: lib.signal.mfccs_from_log_mel_spectrograms, reals(rng, 3, 10))


def test_names_of_tensorflow_js(rng: np.random.Generator) -> None:
    x, z = reals(rng, 2, 8), values(rng, 2, 5)
    np.testing.assert_array_equal(tfpy.spectral.rfft(x, 4), tfpy.signal.rfft(x, [4]))
    np.testing.assert_array_equal(tfpy.spectral.irfft(z), tfpy.signal.irfft(z))
    np.testing.assert_array_equal(tfpy.spectral.fft(z), tfpy.signal.fft(z))
    np.testing.assert_array_equal(tfpy.spectral.ifft(z), tfpy.signal.ifft(z))


WRONG: dict[str, Call] = {
    "fft of floats": lambda lib: lib.signal.fft(lib.ones([4])),
    "fft of a scalar": lambda lib: lib.signal.fft(lib.constant(1j, lib.complex64)),
    "fft2d of a vector": lambda lib: lib.signal.fft2d(lib.ones([4], lib.complex64)),
    "rfft of integers": lambda lib: lib.signal.rfft(lib.constant([1, 2])),
    "rfft of a scalar": lambda lib: lib.signal.rfft(1.0),
    "rfft length": lambda lib: lib.signal.rfft(lib.ones([4]), [2, 2]),
    "rfft negative": lambda lib: lib.signal.rfft(lib.ones([4]), [-2]),
    "irfft of floats": lambda lib: lib.signal.irfft(lib.ones([4])),
    "dct type": lambda lib: lib.signal.dct(lib.ones([4]), type=5),
    "dct axis": lambda lib: lib.signal.dct(lib.ones([4]), axis=0),
    "dct norm": lambda lib: lib.signal.dct(lib.ones([4]), norm="backward"),
    "dct ortho": lambda lib: lib.signal.dct(lib.ones([4]), type=1, norm="ortho"),
    "dct length": lambda lib: lib.signal.dct(lib.ones([4]), n=0),
    "window dtype": lambda lib: lib.signal.hann_window(4, dtype=lib.int32),
    "overlap of a vector": lambda lib: lib.signal.overlap_and_add(lib.ones([4]), 1),
    "overlap step": lambda lib: lib.signal.overlap_and_add(lib.ones([4, 2]), 1.5),
    "mdct length": lambda lib: lib.signal.mdct(lib.ones([16]), 6),
    "mel edges": lambda lib: lib.signal.linear_to_mel_weight_matrix(lower_edge_hertz=5000.0),
    "mel rate": lambda lib: lib.signal.linear_to_mel_weight_matrix(sample_rate=100),
    "mfcc": lambda lib: lib.signal.mfccs_from_log_mel_spectrograms(lib.ones([2, 0])),
}


@pytest.mark.parametrize("case", WRONG)
def test_errors(case: str) -> None:
    found = []
    for lib in (tfpy, tf):
        with pytest.raises(Exception) as caught:  # noqa: PT011 - compared below
            WRONG[case](lib)
        found.append(type(caught.value).__name__.lstrip("_"))
    assert found[0] == found[1]
