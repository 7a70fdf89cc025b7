"""Importers for packages in a page: for packages that are stored packed (bytecode in one file,
other files in an archive), and for parts of packages that are downloaded only when they are first
imported."""
