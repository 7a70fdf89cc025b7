"""``tf.spectral``: TensorFlow.js's name for the transforms of ``tf.signal``."""

# Made from api.toml and the op table by `build.py face`: change those.

from tfpy._src.library.tfjs.functions import irfft as irfft, rfft as rfft
from tfpy._src.tensors.signal.fourier import fft as fft, ifft as ifft
