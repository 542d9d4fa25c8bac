"""Exercises about parsing algorithms: files that a teacher writes, tasks, and grades with counterexamples."""
