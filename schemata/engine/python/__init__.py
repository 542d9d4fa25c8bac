"""Kernels as generated Python: a schema's rules planned and written as functions, one for every item form."""
