"""Exported programs: compiled functions and their Variables in one file that runs in pages without
Python."""
