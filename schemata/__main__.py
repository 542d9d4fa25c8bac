"""`python -m schemata` is the same as `schemata`."""

from schemata.cli.main import entry_point

if __name__ == "__main__":
    entry_point()
