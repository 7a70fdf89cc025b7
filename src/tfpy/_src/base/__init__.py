"""Dtypes, errors, flags, source locations and files. These modules import nothing else of tfpy."""
