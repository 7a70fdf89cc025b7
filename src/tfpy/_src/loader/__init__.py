"""Importers for packages that a page stores packed or downloads on first import."""
