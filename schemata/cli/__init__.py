"""The command line: one module per command, options and messages shared."""
