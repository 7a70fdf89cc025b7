"""Strict readers of Protocol Buffers, FlatBuffers and FlexBuffers; a Protocol Buffers writer."""
