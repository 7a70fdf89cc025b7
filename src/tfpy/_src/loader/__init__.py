"""Importers for packages that the site stores as archives, or that are downloaded on first
import."""
