"""Importers for packages that a page stores as archives or downloads on first import."""
