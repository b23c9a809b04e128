"""The compiled kernels: arrays in, arrays out."""
