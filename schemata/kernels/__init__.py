"""Kernels: programs as text of a small language that CPython runs and LLVM compiles, with their tables."""
