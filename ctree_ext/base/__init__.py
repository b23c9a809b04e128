"""What all kernels stand on."""
