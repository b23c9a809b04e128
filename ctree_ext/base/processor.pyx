"""What the processor can do that not every processor can: asked once, and told to the modules that want to know."""

cdef enum:
    MAX_FOLLOWERS = 32

cdef int* _levels[MAX_FOLLOWERS]
cdef int _n_followers = 0
cdef int _level = greatest_level()


cdef int follow_processor(int* level) except -1:
    # Once for each module, when it is imported.
    global _n_followers
    assert _n_followers < MAX_FOLLOWERS
    _levels[_n_followers] = level
    _n_followers += 1
    level[0] = _level
    return 0


def use_processor(int most):
    """Use what processors of this level have and no more, or all that this one has if it has less; the level now.

    0 is what any processor has, 1 has AVX2, 2 AVX-512, and 3 counts the bits of eight words at once. For tests.
    """
    global _level
    cdef int i
    _level = min(most, greatest_level())
    for i in range(_n_followers):
        _levels[i][0] = _level
    return _level
