"""Exported programs: compiled functions and their Variables in one file, run in pages without
Python."""
