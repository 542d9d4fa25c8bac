"""Finds how two schemata are related where nobody says: all kinds, and simple maps between their items."""
