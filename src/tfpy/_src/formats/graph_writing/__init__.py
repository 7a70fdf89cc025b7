"""The conversion of Graphs to nodes of other formats, as far as all writers share it."""
