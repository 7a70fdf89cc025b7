"""Dtypes, errors, flags, source locations and files: modules that need nothing else of tfpy."""
