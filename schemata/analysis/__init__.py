"""Answers about schemata and charts: figures, comparison, explanations, traces, profiles."""
