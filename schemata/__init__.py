"""schemata: a workbench for parsing algorithms."""
