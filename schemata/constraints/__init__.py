"""Analyses of constraint networks: exact search, repair, and both against brute force."""
