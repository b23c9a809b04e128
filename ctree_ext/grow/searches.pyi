"""For kernels only: the best test of an attribute by a measure."""
