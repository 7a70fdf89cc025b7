"""Finds packed and late packages in a page."""
