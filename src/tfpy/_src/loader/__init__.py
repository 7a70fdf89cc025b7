"""Importers for packages that the site stores as archives, or that Python downloads on first
import."""
