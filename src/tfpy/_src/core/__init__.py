"""The core of tfpy: Tensor, eager execution, the tape, nests, and a function for each primitive."""
