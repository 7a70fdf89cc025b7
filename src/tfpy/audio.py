"""`tf.audio`: decoding and encoding of WAV files."""

# Generated from api.toml and the op table by `build.py face`. Edit those instead.

from tfpy._src.library.io.audio import decode_wav as decode_wav, encode_wav as encode_wav
