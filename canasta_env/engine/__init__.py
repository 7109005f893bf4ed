"""The rules of both games as compiled kernels over one state record."""
