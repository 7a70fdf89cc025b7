"""Dtypes, errors, flags, source locations, the state of tracing, spans of the profiler, and atomic
writing of files. These modules import nothing else of tfpy."""
