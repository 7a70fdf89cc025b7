"""Importers for the packages of a page, which are stored as archives on the server or downloaded on
first import."""
