"""`tf.signal`: Fourier and cosine transforms, windows, short-time spectra and the mel scale."""

# Generated from api.toml and the op table by `build.py face`. Edit those instead.

from tfpy._src.tensors.signal.cosine import dct as dct, idct as idct
from tfpy._src.tensors.signal.fourier import (
    fft as fft,
    fft2d as fft2d,
    fft3d as fft3d,
    fftshift as fftshift,
    ifft as ifft,
    ifft2d as ifft2d,
    ifft3d as ifft3d,
    ifftshift as ifftshift,
    irfft as irfft,
    irfft2d as irfft2d,
    irfft3d as irfft3d,
    rfft as rfft,
    rfft2d as rfft2d,
    rfft3d as rfft3d,
)
from tfpy._src.tensors.signal.mel import (
    linear_to_mel_weight_matrix as linear_to_mel_weight_matrix,
    mfccs_from_log_mel_spectrograms as mfccs_from_log_mel_spectrograms,
)
from tfpy._src.tensors.signal.spectrograms import (
    frame as frame,
    inverse_mdct as inverse_mdct,
    inverse_stft as inverse_stft,
    inverse_stft_window_fn as inverse_stft_window_fn,
    mdct as mdct,
    overlap_and_add as overlap_and_add,
    stft as stft,
)
from tfpy._src.tensors.signal.windows import (
    hamming_window as hamming_window,
    hann_window as hann_window,
    kaiser_bessel_derived_window as kaiser_bessel_derived_window,
    kaiser_window as kaiser_window,
    vorbis_window as vorbis_window,
)
