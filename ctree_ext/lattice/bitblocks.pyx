"""Whether the bit instructions that not every processor has are used: one switch for all modules of the lattice."""

cdef enum:
    MAX_SWITCHES = 16

cdef int* _switches[MAX_SWITCHES]
cdef int _n_switches = 0


cdef int register_switch(int* switch) except -1:
    # One for each module that is imported.
    global _n_switches
    assert _n_switches < MAX_SWITCHES
    _switches[_n_switches] = switch
    _n_switches += 1
    return 0


register_switch(own_switch())


def use_fast_bits(bint yes):
    """Use them where the processor has them, or never; whether they are used now. For tests."""
    cdef int i
    for i in range(_n_switches):
        _switches[i][0] = -1 if yes else 0   # -1: the processor is asked
    return yes and bool(has_fast_bits())
