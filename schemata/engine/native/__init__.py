"""Native kernels: lowered schemata compiled to machine code, and the charts they hand over as arrays.

Nothing here is imported before a run is long enough to need it; NumPy and llvmlite are imported by the modules
that use them.
"""
