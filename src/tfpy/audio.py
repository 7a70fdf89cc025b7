"""``tf.audio``: sounds in WAV files."""

# Made from api.toml and the op table by `build.py face`: change those.

from tfpy._src.library.io.audio import decode_wav as decode_wav, encode_wav as encode_wav
