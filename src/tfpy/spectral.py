"""`tf.spectral`: Fourier transforms under the names that TensorFlow.js uses."""

# Generated from api.toml and the op table by `build.py face`. Edit those instead.

from tfpy._src.library.tfjs.functions import irfft as irfft, rfft as rfft
from tfpy._src.tensors.signal.fourier import fft as fft, ifft as ifft
