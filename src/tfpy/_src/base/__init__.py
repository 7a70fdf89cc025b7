"""Dtypes, errors, flags, source locations, spans of the profiler, and atomic files. These modules
import nothing else of tfpy."""
