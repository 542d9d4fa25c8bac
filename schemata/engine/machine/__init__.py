"""Kernels as machine code: a small language of loops over whole numbers, which is also Python, and its compiler."""
