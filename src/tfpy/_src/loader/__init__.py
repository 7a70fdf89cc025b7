"""Importers for packages that the site stores as archives or downloads on first import, and the
place of the site's files."""
