"""The small language of kernels, which is also Python: its text, and its compilation by LLVM."""
