"""The version of the package, which caches, servers and files of results state."""

__version__ = "0.1.0"
