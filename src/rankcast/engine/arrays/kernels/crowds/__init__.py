"""The kernels that serve many users together. They import numba, so import this package when they are about to run."""
