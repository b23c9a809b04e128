"""Random numbers from one seed, in streams that can be split: the same draws for any number of threads."""

from libc.stdint cimport uint64_t


cdef class Stream:
    """A stream of random numbers.

    Parameters
    ----------
    key : int
        From 0 up to 2^64; a seed, for the first stream.
    """

    def __cinit__(self, key=0):
        stream_start(&self.stream, <uint64_t> key)

    def part(self, number):
        """The part of this stream that has this number; it does not depend on how much has been drawn so far."""
        cdef Stream part = Stream()
        stream_part(&self.stream, <uint64_t> number, &part.stream)
        return part

    @property
    def key(self):
        return self.stream.key

    @property
    def state(self):
        """Where the stream is: five numbers of 64 bits, the key first."""
        return (self.stream.key, *[self.stream.state[i] for i in range(4)])

    @state.setter
    def state(self, numbers):
        if len(numbers) != 5 or not any(numbers[1:]):
            raise ValueError("the state of a stream is five numbers, of which the last four are not all 0")
        self.stream.key = <uint64_t> numbers[0]
        for i in range(4):
            self.stream.state[i] = <uint64_t> numbers[i + 1]

    def bits(self):
        """64 random bits."""
        return next_bits(&self.stream)

    def uniform(self):
        """A number from 0 up to 1."""
        return next_uniform(&self.stream)

    def below(self, n):
        """An integer below n, which is less than 2^32."""
        if not 0 < n < 1 << 32:
            raise ValueError("n should be from 1 up to 2^32")
        return next_below(&self.stream, n)

    def normal(self):
        """A number of mean 0 and variance 1."""
        return next_normal(&self.stream)
