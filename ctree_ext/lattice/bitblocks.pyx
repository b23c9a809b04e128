"""Whether the bit instructions that not every processor has are used: one switch for all modules of the lattice."""

cdef int _fast = -1   # not asked yet


cdef int* fast_switch() noexcept nogil:
    return &_fast


share_switch(&_fast)


def use_fast_bits(bint yes):
    """Use them where the processor has them, or never; whether they are used now. For tests."""
    set_fast_bits(yes)
    return bool(has_fast_bits())
