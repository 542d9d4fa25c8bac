"""Schemata as programs: rules over kinds of items, which everything that runs or asks a schema reads."""
