"""``tf.spectral``: TensorFlow.js's name for the transforms of ``tf.signal``."""

# Made from api.toml and the op table by `build.py face`: change those.

from tfpy._src.signal.fourier import fft as fft, ifft as ifft
from tfpy._src.tfjs.spectral import irfft as irfft, rfft as rfft
