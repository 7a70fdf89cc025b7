"""Protocol Buffers, FlatBuffers and FlexBuffers, read and written strictly."""
