"""Ordered kernels: nested loops over dense tables, in a proved order, without agenda and without hashing."""
