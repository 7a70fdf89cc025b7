"""Dtypes, errors, flags, source locations and files: modules that import nothing else of tfpy."""
